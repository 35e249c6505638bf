package socketio

import (
	"sync"

	"homeroom/internal/platform/socketio/engine"
)

// room is the members of a room on this node.
type room struct {
	ns   *Namespace
	name string

	mu      sync.Mutex
	members map[*Socket]struct{}
	list    []*engine.Session // of the members, to send to without a lock; nil: to be made again
	early   []*Socket         // members who are not in list because they are not connected yet

	sending sync.RWMutex // held, with others, by who sends; alone by who waits for them to end

	relaying sync.Mutex // held while the relay is spoken to; senders don't need it
	cancel   func()     // of the subscription; nil: there is none
}

func (r *room) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.members)
}

// everyone is the members of this moment.
func (r *room) everyone() (list []*engine.Session, early []*Socket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list == nil {
		r.list, r.early = make([]*engine.Session, 0, len(r.members)), nil
		for so := range r.members {
			if so.connected.Load() {
				r.list = append(r.list, so.client.session)
			} else {
				r.early = append(r.early, so)
			}
		}
	}
	return r.list, r.early
}

func (r *room) send(m *engine.Message) {
	r.sending.RLock()
	defer r.sending.RUnlock()
	list, early := r.everyone()
	for _, session := range list {
		session.Send(m)
	}
	for _, so := range early {
		so.send(m)
	}
}

// quiet returns when what was being sent has been.
func (r *room) quiet() {
	r.sending.Lock()
	defer r.sending.Unlock()
}

// changed has the list made again.
func (r *room) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = nil
}

// relayed takes a broadcast of another node.
func (r *room) relayed(payload []byte) {
	m, err := readRelayed(payload)
	if err != nil {
		r.ns.srv.cfg.Log.Warn("a broadcast of another node can't be read: do all nodes run the same version?", "room", r.name, "error", err)
		return
	}
	r.send(m)
}

// add puts a socket into the room of that name, which it makes if need be.
func (n *Namespace) add(so *Socket, name string) *room {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.rooms[name]
	if r == nil {
		r = &room{ns: n, name: name, members: map[*Socket]struct{}{}}
		n.rooms[name] = r
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[so] = struct{}{}
	r.list = nil
	return r
}

// remove takes a socket out; settle must follow.
func (r *room) remove(so *Socket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, so)
	r.list = nil
}

// settle brings subscription and list of rooms in line with the members: a
// room with members is subscribed to, one without is neither subscribed to nor
// kept. Whoever changes the members calls it after; the last to come sees the
// final state.
func (r *room) settle() error {
	r.relaying.Lock()
	defer r.relaying.Unlock()
	relay := r.ns.srv.cfg.Relay
	if r.count() > 0 {
		if relay == nil || r.cancel != nil {
			return nil
		}
		cancel, err := relay.Subscribe(r.subject(), r.relayed)
		if err != nil {
			return err
		}
		r.cancel = cancel
		return nil
	}
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
	r.ns.mu.Lock()
	defer r.ns.mu.Unlock()
	if r.ns.rooms[r.name] == r && r.count() == 0 { // nobody has come meanwhile
		delete(r.ns.rooms, r.name)
	}
	return nil
}

func (r *room) subject() string { return subject(r.ns.name, r.name) }

func subject(namespace, room string) string { return namespace + "#" + room }
