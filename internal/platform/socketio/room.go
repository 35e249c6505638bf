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
	now     *audience // copy of the members for sending without a lock; nil if outdated

	sending sync.RWMutex // read lock to send; write lock to wait for senders

	relaying sync.Mutex // held during relay calls; senders don't need it
	cancel   func()     // ends the subscription; nil if not subscribed
}

// audience is the members of a room by how they are sent to.
type audience struct {
	plain      []*engine.Session // connected
	early      []*Socket         // not yet connected
	recovering []*Socket         // connected or not: clients that can recover
	kept       bool              // the history is needed, at least for a parked member
}

func (r *room) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.members)
}

// everyone returns the current members.
func (r *room) everyone() *audience {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != nil {
		return r.now
	}
	r.now = &audience{plain: make([]*engine.Session, 0, len(r.members))}
	for so := range r.members {
		r.now.kept = r.now.kept || so.pid != ""
		switch {
		case so.parked.Load():
		case so.pid != "":
			r.now.recovering = append(r.now.recovering, so)
		case so.connected.Load():
			r.now.plain = append(r.now.plain, so.client.session)
		default:
			r.now.early = append(r.now.early, so)
		}
	}
	return r.now
}

func (r *room) send(m *engine.Message) {
	r.sending.RLock()
	defer r.sending.RUnlock()
	to := r.everyone()
	for _, session := range to.plain {
		session.Send(m)
	}
	for _, so := range to.early {
		so.send(r, m)
	}
	if to.kept && !m.Droppable() {
		r.ns.history.send(r, m)
		return
	}
	for _, so := range to.recovering {
		so.send(r, m)
	}
}

// quiet waits until sends in progress are done.
func (r *room) quiet() {
	r.sending.Lock()
	defer r.sending.Unlock()
}

// changed marks the copy of the members as outdated.
func (r *room) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = nil
}

// relayed sends a broadcast of another node.
func (r *room) relayed(payload []byte) {
	m, err := readRelayed(payload)
	if err != nil {
		r.ns.srv.cfg.Log.Warn("can't read a broadcast of another node; do all nodes run the same version?",
			"room", r.name, "error", err)
		return
	}
	r.send(m)
}

// add adds a socket to a room, creating the room if needed.
func (n *Namespace) add(so *Socket, name string) *room {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.rooms[name]
	if r == nil {
		r = &room{ns: n, name: name, members: map[*Socket]struct{}{}}
		n.rooms[name] = r
	}
	r.put(so)
	return r
}

// put adds a socket to a room that has members.
func (r *room) put(so *Socket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[so] = struct{}{}
	r.now = nil
}

// remove removes a socket; call updateSubscription after.
func (r *room) remove(so *Socket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, so)
	r.now = nil
}

// updateSubscription subscribes a room with members, and unsubscribes and deletes an
// empty one. Call it after every change of members; the last call sees the final
// state.
func (r *room) updateSubscription() error {
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
	if r.ns.rooms[r.name] == r && r.count() == 0 { // still empty
		delete(r.ns.rooms, r.name)
	}
	return nil
}

func (r *room) subject() string { return subject(r.ns.name, r.name) }

func subject(namespace, room string) string { return namespace + "#" + room }
