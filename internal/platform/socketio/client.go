package socketio

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"homeroom/internal/platform/socketio/engine"
)

// maxInbox is the most events of one client that may wait for their handler.
const maxInbox = 64

// client is an Engine.IO session with one socket per namespace.
type client struct {
	srv     *Server
	session *engine.Session
	pace    limiter // these two belong to the reader
	partial *packet // waits for its attachments

	mu        sync.Mutex
	sockets   []*Socket
	connectBy time.Time // deadline while there is no socket
	inbox     []func(context.Context)
	working   bool // a worker processes the inbox
	closed    bool
}

func (s *Server) open(session *engine.Session) engine.Receiver {
	c := &client{srv: s, session: session, connectBy: time.Now().Add(s.cfg.ConnectTimeout)}
	session.AlarmAt(c.connectBy)
	return c
}

// Text receives a packet.
func (c *client) Text(b []byte) error {
	p, err := decode(b)
	if err != nil || c.partial != nil {
		return engine.ErrFormat
	}
	p.data = bytes.Clone(p.data) // b is reused by the caller
	if p.expects > 0 {
		c.partial = &p
		return nil
	}
	return c.take(p)
}

// Binary receives an attachment.
func (c *client) Binary(b []byte) error {
	p := c.partial
	if p == nil {
		return engine.ErrFormat
	}
	p.attachments = append(p.attachments, bytes.Clone(b))
	size := len(p.data)
	for _, a := range p.attachments {
		size += len(a)
	}
	if size > c.srv.cfg.MaxPayload {
		return engine.ErrFormat
	}
	if len(p.attachments) < p.expects {
		return nil
	}
	c.partial = nil
	return c.take(*p)
}

// take queues a complete packet. Acknowledgements skip the queue: a handler may be
// waiting for one.
func (c *client) take(p packet) error {
	switch p.kind {
	case typeAck:
		args, err := p.args()
		if err != nil {
			return err
		}
		if so := c.socket(p.namespace); so != nil {
			so.answered(p.id, args, p.attachments)
		}
		return nil
	case typeDisconnect:
		c.post(func(context.Context) {
			c.drop(c.socket(p.namespace), "client namespace disconnect", c.srv.cfg.ConnectTimeout)
		})
		return nil
	}
	rate := c.srv.cfg.EventsPerSecond
	if !c.pace.allow(time.Now(), rate) || c.waiting() >= maxInbox {
		if c.pace.floods(rate) {
			c.session.Close("too many events")
			return nil
		}
		c.refuse(p, c.socket(p.namespace), errFast)
		return nil
	}
	if p.kind == typeConnect {
		c.post(func(ctx context.Context) { c.connect(ctx, p) })
	} else {
		c.post(func(ctx context.Context) { c.event(ctx, p) })
	}
	return nil
}

func (c *client) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.inbox)
}

// post queues f for the worker.
func (c *client) post(f func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inbox = append(c.inbox, f)
	if !c.working {
		c.working = true
		c.srv.dispatch(c)
	}
}

// work runs the inbox until it is empty.
func (c *client) work() {
	for {
		c.mu.Lock()
		if len(c.inbox) == 0 {
			c.working, c.inbox = false, nil
			c.mu.Unlock()
			return
		}
		f := c.inbox[0]
		c.inbox = slices.Delete(c.inbox, 0, 1)
		c.mu.Unlock()
		c.run(f)
	}
}

func (c *client) run(f func(context.Context)) {
	ctx, cancel := context.WithTimeout(c.srv.ctx, c.srv.cfg.HandlerTimeout)
	defer cancel()
	f(ctx)
}

// socket returns the client's socket in a namespace, or nil.
func (c *client) socket(namespace string) *Socket {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, so := range c.sockets {
		if so.ns.name == namespace {
			return so
		}
	}
	return nil
}

// adopt adds a socket; false if the client is gone.
func (c *client) adopt(so *Socket) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.sockets = append(c.sockets, so)
	return true
}

// drop removes a socket from its namespace. A connection without sockets is closed
// unless it connects to a namespace within the given time.
func (c *client) drop(so *Socket, reason string, within time.Duration) {
	if so == nil || !so.leaveAll() {
		return
	}
	c.mu.Lock()
	c.sockets = slices.DeleteFunc(c.sockets, func(o *Socket) bool { return o == so })
	c.connectBy = time.Now().Add(within)
	c.mu.Unlock()
	c.setAlarm()
	c.left(so, reason)
}

// dismiss removes a socket that the client was never told of.
func (c *client) dismiss(so *Socket) {
	if !so.leaveAll() {
		return
	}
	c.mu.Lock()
	c.sockets = slices.DeleteFunc(c.sockets, func(o *Socket) bool { return o == so })
	c.connectBy = time.Now().Add(c.srv.cfg.ConnectTimeout)
	c.mu.Unlock()
	c.setAlarm()
	c.srv.unregister(so)
}

// left cleans up after a socket that has left its namespace and rooms.
func (c *client) left(so *Socket, reason string) {
	if so.parked.Load() { // its client has been away for a while
		c.srv.forget(so)
		return
	}
	c.srv.unregister(so)
	c.onDisconnect(so, reason)
}

func (c *client) onDisconnect(so *Socket, reason string) {
	if f := so.ns.onDisconnect; f != nil {
		c.post(func(ctx context.Context) {
			defer c.caught("disconnect", so, nil)
			f(ctx, so, reason)
		})
	}
}

// expel tells a client to leave the namespace and gives it time to disconnect.
// Official clients take an immediate close of the connection for an accident, and
// reconnect.
func (c *client) expel(so *Socket, reason string) {
	if so.connected.Load() { // otherwise connect refuses it
		c.sendObject(typeDisconnect, so.ns.name, nil)
	}
	c.drop(so, reason, time.Second)
}

// Closed is called once, when the session has ended. Queued events are still handled,
// so the sockets stay until then.
func (c *client) Closed(reason string) {
	c.mu.Lock()
	c.closed = true
	sockets := slices.Clone(c.sockets)
	c.mu.Unlock()
	for _, so := range sockets {
		if c.srv.park(so, reason) {
			c.onDisconnect(so, reason)
		} else if !so.parked.Load() && so.leaveAll() { // a parked one is just being recovered
			c.left(so, reason)
		}
	}
}

// setAlarm schedules Alarm for the next token that expires or has to be announced, or
// for the deadline of a connection without a socket.
func (c *client) setAlarm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sockets) == 0 {
		c.session.AlarmAt(c.connectBy)
		return
	}
	var first time.Time
	for _, so := range c.sockets {
		if at := so.deadline(); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if !first.IsZero() { // on the service's clock, which tests control
		first = time.Now().Add(first.Sub(c.srv.cfg.Now()))
	}
	c.session.AlarmAt(first)
}

// Alarm announces the expiry of tokens, and disconnects expired sockets and connections
// past their deadline.
func (c *client) Alarm() {
	c.mu.Lock()
	sockets := slices.Clone(c.sockets)
	late := len(sockets) == 0 && !time.Now().Before(c.connectBy)
	c.mu.Unlock()
	if late {
		c.session.Close("connect timeout")
		return
	}
	for _, so := range sockets {
		if c.expired(so.identity()) {
			if so.connected.Load() {
				c.answer(so.ns, so, noAck, "", errExpired)
			}
			c.expel(so, "token expired")
		} else if at, due := so.expiring(); due {
			c.warn(so, at)
		}
	}
	c.setAlarm()
}

// warn tells a client that its token expires soon.
func (c *client) warn(so *Socket, at time.Time) {
	if err := so.Emit("token-expiring", expiring{at}); err != nil {
		c.srv.cfg.Log.Error("token expiry not announced", "error", err)
	}
}

func (c *client) expired(who Identity) bool {
	return !who.Expires.IsZero() && !c.srv.cfg.Now().Before(who.Expires)
}

// caught turns a panic of the application into an error, or logs it if err is nil.
func (c *client) caught(what string, so *Socket, err *error) {
	p := recover()
	switch {
	case p == nil:
	case err != nil:
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	default:
		c.srv.cfg.Log.Error("socket handler panicked", "event", what, "user", so.User(), "panic", p, "stack", string(debug.Stack()))
	}
}
