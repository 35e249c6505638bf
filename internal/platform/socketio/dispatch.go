package socketio

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/socketio/engine"
)

// connect authenticates a client and connects it to a namespace.
func (c *client) connect(ctx context.Context, p packet) {
	ns := c.srv.namespaces[p.namespace]
	if ns == nil {
		c.sendObject(typeConnectError, p.namespace, connectError{Message: "Invalid namespace"})
		return
	}
	if c.socket(p.namespace) != nil {
		return
	}
	so := &Socket{id: engine.NewID(c.srv.cfg.Rand), ns: ns, client: c}
	who, err := c.authenticate(ctx, so, p.data)
	if errors.Is(err, engine.ErrFormat) {
		c.session.Close("parse error")
		return
	}
	if err == nil {
		so.who = who
		if request := readRecovery(p.data); request.wanted {
			so.pid = engine.NewID(c.srv.cfg.Rand)
			c.resume(so, request)
		}
		err = c.srv.register(so)
	}
	if err != nil {
		so.leaveAll()
		c.refuse(p, so, err)
		return
	}
	if !c.adopt(so) {
		so.leaveAll()
		c.srv.unregister(so)
		return
	}
	c.session.Trust()
	if err := c.welcome(ctx, so); err != nil {
		c.dismiss(so)
		c.refuse(p, so, err)
		return
	}
	c.setAlarm()
}

// welcome runs the connect hook, which joins rooms, and then sends the CONNECT packet.
func (c *client) welcome(ctx context.Context, so *Socket) (err error) {
	defer c.caught("connect", so, &err)
	if f := so.ns.onConnect; f != nil {
		if err := f(ctx, so); err != nil {
			return err
		}
	}
	m, err := encodeObject(typeConnect, so.ns.name, connected{so.id, so.pid})
	if err != nil {
		return err
	}
	if !so.open(m) {
		return errCutOff
	}
	return nil
}

// authenticate identifies the client by its auth object, which may be empty.
func (c *client) authenticate(ctx context.Context, so *Socket, auth []byte) (who Identity, err error) {
	defer c.caught("authenticate", so, &err)
	var in struct {
		Token json.RawMessage `json:"token"`
	}
	if len(auth) == 0 {
		auth = []byte("{}")
	}
	if err := json.Unmarshal(auth, &in); err != nil {
		return who, engine.ErrFormat
	}
	h := Handshake{Auth: auth, IP: c.session.IP()}
	_ = json.Unmarshal(in.Token, &h.Token) // a token that is not a string counts as none
	if h.Token == "" {
		h.Token = bearer(c.session.Authorization())
	}
	who, err = c.srv.cfg.Authenticate(ctx, h)
	if err == nil && c.expired(who) {
		err = errExpired
	}
	return who, err
}

func bearer(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// renew replaces the token by a new one of the same user.
func (c *client) renew(ctx context.Context, so *Socket, e Event) (any, error) {
	var in credentials
	if err := e.Bind(&in); err != nil || in.Token == "" {
		return nil, errNoToken
	}
	who, err := c.authenticate(ctx, so, e.Args[0])
	if err != nil {
		return nil, err
	}
	if who.User != so.User() {
		return nil, errOtherUser
	}
	so.identify(who)
	c.setAlarm()
	if f := so.ns.onRenew; f != nil {
		if err := f(ctx, so); err != nil {
			return nil, err
		}
	}
	if who.Expires.IsZero() {
		return nil, nil
	}
	return expiring{who.Expires}, nil
}

// event runs the handler of an event and acknowledges it.
func (c *client) event(ctx context.Context, p packet) {
	so := c.socket(p.namespace)
	e, err := p.event()
	if err != nil || so == nil && c.stranger() {
		c.session.Close("parse error")
		return
	}
	if so == nil {
		return // disconnected meanwhile
	}
	reply, err := c.handle(ctx, so, e)
	var m *engine.Message
	if err == nil && p.id != noAck {
		m, err = so.ns.ack(p.id, reply)
	}
	switch {
	case err != nil:
		c.answer(so.ns, so, p.id, e.Name, err)
	case m != nil:
		c.session.Send(m)
	}
}

func (c *client) stranger() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sockets) == 0 && !c.closed
}

func (c *client) handle(ctx context.Context, so *Socket, e Event) (reply any, err error) {
	defer c.caught(e.Name, so, &err)
	if e.Name == "authenticate" {
		return c.renew(ctx, so, e)
	}
	h := so.ns.handlers[e.Name]
	if h == nil || !so.ns.handles(e.Name) {
		return nil, errNoEvent
	}
	return h(ctx, so, e)
}

// connected is the data of a CONNECT packet.
type connected struct {
	SID string `json:"sid"`
	PID string `json:"pid,omitempty"` // a secret of the client, if it can recover
}

type connectError struct {
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// refuse tells a client that its packet was rejected. so is nil if it has no socket.
func (c *client) refuse(p packet, so *Socket, err error) {
	if p.kind == typeConnect {
		c.log("connect", err)
		message, body := c.srv.cfg.ErrorBody(err, c.reader(so))
		c.sendObject(typeConnectError, p.namespace, connectError{message, body})
		return
	}
	if ns := c.srv.namespaces[p.namespace]; ns != nil {
		c.answer(ns, so, p.id, "", err)
	}
}

// reader returns who reads the errors of a socket, which may be nil.
func (c *client) reader(so *Socket) Reader {
	r := Reader{Accepts: c.session.Languages()}
	if so != nil {
		r.Language = so.identity().Language
	}
	return r
}

// answer sends an error, as the acknowledgement or as the event "exception".
func (c *client) answer(ns *Namespace, so *Socket, id int64, event string, err error) {
	c.log(event, err)
	_, body := c.srv.cfg.ErrorBody(err, c.reader(so))
	m, failed := encodeEvent(false, ns.name, noAck, "exception", []any{body})
	if id != noAck {
		m, failed = encodeArgs(false, typeAck, ns.name, id, []any{map[string]any{"ok": false, "error": body}})
	}
	if failed != nil {
		c.srv.cfg.Log.Error("encode error for client", "error", failed)
		return
	}
	c.session.Send(m)
}

// log logs internal errors, which clients must not see.
func (c *client) log(event string, err error) {
	if fault.From(err).Kind == fault.Internal {
		c.srv.cfg.Log.Error("socket event failed", "event", event, "ip", c.session.IP(), "error", err)
	}
}

func (c *client) sendObject(kind byte, namespace string, object any) {
	m, err := encodeObject(kind, namespace, object)
	if err != nil {
		c.srv.cfg.Log.Error("encode packet", "error", err)
		return
	}
	c.session.Send(m)
}
