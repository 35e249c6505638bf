package socketio

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"homeroom/internal/platform/socketio/engine"
)

// Event is an event of a client, or its acknowledgement of Socket.Ask.
type Event struct {
	Name        string
	Args        []json.RawMessage
	Attachments [][]byte // referenced in Args by {"_placeholder":true,"num":n}
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

// Handler handles an event. The reply is an object, to which ok is added, or nil, or
// Args.
type Handler func(context.Context, *Socket, Event) (reply any, err error)

// Args as a reply are the arguments of the acknowledgement, unchanged.
type Args []any

// Namespace has its own handlers and rooms. Set the handlers before the server is used.
type Namespace struct {
	srv          *Server
	name         string
	handlers     map[string]Handler
	declared     []Declared // nil: any event; sends and takes have them by name
	sends        map[string]reflect.Type
	takes        map[string]bool
	onConnect    func(context.Context, *Socket) error
	onRenew      func(context.Context, *Socket) error
	onDisconnect func(ctx context.Context, so *Socket, reason string)

	history *history

	mu    sync.RWMutex
	rooms map[string]*room
}

// On sets the handler of an event.
func (n *Namespace) On(event string, h Handler) { n.handlers[event] = h }

// OnConnect sets a hook that runs before the client is told that it is connected.
// Messages to the socket or its rooms are held back until then; Ask would block. A
// recovered socket is in its rooms already: leaving one discards what it missed. An
// error refuses the client like Authenticate, and the socket leaves its rooms.
func (n *Namespace) OnConnect(f func(context.Context, *Socket) error) { n.onConnect = f }

// OnRenew sets a hook that runs when a socket has a new token. An error is the reply
// to the event "authenticate".
func (n *Namespace) OnRenew(f func(context.Context, *Socket) error) { n.onRenew = f }

// OnDisconnect sets a hook that runs after the last event of a disconnected socket. It
// has left its rooms, unless its client can recover.
func (n *Namespace) OnDisconnect(f func(ctx context.Context, so *Socket, reason string)) {
	n.onDisconnect = f
}

// Target is a room to send to.
type Target struct {
	ns        *Namespace
	room      string
	droppable bool
}

// To returns the target for a room.
func (n *Namespace) To(room string) Target { return Target{ns: n, room: room} }

// Volatile allows dropping messages for slow clients, oldest first. Use it for
// positions, which the next one replaces.
func (t Target) Volatile() Target { t.droppable = true; return t }

// Emit sends an event to the room, on all nodes. It never blocks on a client. After
// an error, other nodes may not have got the event.
func (t Target) Emit(event string, args ...any) error {
	if err := t.ns.check(event, args); err != nil {
		return err
	}
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

// okBody encodes the acknowledgement of a success.
func okBody(reply any) (json.RawMessage, error) {
	body, err := json.Marshal(reply)
	if err != nil {
		return nil, fmt.Errorf("encode reply: %w", err)
	}
	switch {
	case string(body) == "null" || string(body) == "{}":
		return json.RawMessage(`{"ok":true}`), nil
	case body[0] != '{':
		return nil, fmt.Errorf("reply must be an object, not %T", reply)
	}
	return append(json.RawMessage(`{"ok":true,`), body[1:]...), nil
}

// ack encodes the acknowledgement of event id.
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
