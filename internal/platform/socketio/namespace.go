package socketio

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"homeroom/internal/platform/socketio/engine"
)

// Event is what a client sent, or its answer to Socket.Ask.
type Event struct {
	Name        string
	Args        []json.RawMessage
	Attachments [][]byte // what {"_placeholder":true,"num":n} in Args stands for
}

// Bind decodes the first argument.
func (e Event) Bind(v any) error {
	if len(e.Args) == 0 {
		return errBadArgs
	}
	if err := json.Unmarshal(e.Args[0], v); err != nil {
		return errBadArgs.Because(err)
	}
	return nil
}

// Handler handles an event. A reply is an object, to which ok is added, or nil,
// or Args.
type Handler func(context.Context, *Socket, Event) (reply any, err error)

// Args, as a reply, are the arguments of the acknowledgement as they are.
type Args []any

// Namespace is a set of handlers and rooms of its own. Its handlers are set
// before the server is used.
type Namespace struct {
	srv          *Server
	name         string
	handlers     map[string]Handler
	onConnect    func(context.Context, *Socket) error
	onRenew      func(context.Context, *Socket) error
	onDisconnect func(ctx context.Context, so *Socket, reason string)

	mu    sync.RWMutex
	rooms map[string]*room
}

// On sets the handler of an event.
func (n *Namespace) On(event string, h Handler) { n.handlers[event] = h }

// OnConnect sets what happens before a client is told that it is connected. What
// is sent to the socket or its rooms meanwhile reaches the client after that; an
// Ask would wait in vain. An error refuses the client as Authenticate does, and
// the socket is out of its rooms again.
func (n *Namespace) OnConnect(f func(context.Context, *Socket) error) { n.onConnect = f }

// OnRenew sets what happens when a socket has a fresh token. An error answers the
// event "authenticate".
func (n *Namespace) OnRenew(f func(context.Context, *Socket) error) { n.onRenew = f }

// OnDisconnect sets what happens when a socket is gone, after its last event.
// It is out of its rooms by then.
func (n *Namespace) OnDisconnect(f func(ctx context.Context, so *Socket, reason string)) {
	n.onDisconnect = f
}

// Target is a room to send to.
type Target struct {
	ns        *Namespace
	room      string
	droppable bool
}

// To names the room that Emit sends to.
func (n *Namespace) To(room string) Target { return Target{ns: n, room: room} }

// Volatile lets what is sent be dropped for a client that is slow to take it, the
// oldest first: for positions, which the next one replaces.
func (t Target) Volatile() Target { t.droppable = true; return t }

// Emit sends an event to all in the room, on all nodes. It waits for nobody. An
// error may mean that other nodes did not get it.
func (t Target) Emit(event string, args ...any) error {
	m, err := encodeEvent(t.droppable, t.ns.name, noAck, event, args)
	if err != nil {
		return fmt.Errorf("emit %s: %w", event, err)
	}
	t.ns.mu.RLock()
	r := t.ns.rooms[t.room]
	t.ns.mu.RUnlock()
	if r != nil {
		r.send(m)
	}
	if relay := t.ns.srv.cfg.Relay; relay != nil {
		if err := relay.Publish(subject(t.ns.name, t.room), relayPayload(t.droppable, m)); err != nil {
			return fmt.Errorf("emit %s to other nodes: %w", event, err)
		}
	}
	return nil
}

// okBody is the acknowledgement of a success.
func okBody(reply any) (json.RawMessage, error) {
	body, err := json.Marshal(reply)
	if err != nil {
		return nil, fmt.Errorf("encode reply: %w", err)
	}
	switch {
	case string(body) == "null" || string(body) == "{}":
		return json.RawMessage(`{"ok":true}`), nil
	case body[0] != '{':
		return nil, fmt.Errorf("a reply must be an object, not %T", reply)
	}
	return append(json.RawMessage(`{"ok":true,`), body[1:]...), nil
}

// ack is the answer to the event with the id.
func (n *Namespace) ack(id int64, reply any) (*engine.Message, error) {
	if args, ok := reply.(Args); ok {
		return encodeArgs(false, typeAck, n.name, id, args)
	}
	body, err := okBody(reply)
	if err != nil {
		return nil, err
	}
	return encodeArgs(false, typeAck, n.name, id, []any{body})
}
