package socketio

import (
	"fmt"
	"slices"
	"sync"

	"homeroom/internal/platform/socketio/engine"
)

// Relay carries broadcasts between nodes, with one subject per room. Its methods are
// called concurrently, and never under a lock that others wait for.
type Relay interface {
	// Publish sends a payload to subscribers on other nodes, not on this one. The
	// payload must not be changed.
	Publish(subject string, payload []byte) error
	// Subscribe calls deliver with each payload, in order, until cancel.
	Subscribe(subject string, deliver func(payload []byte)) (cancel func(), err error)
}

// The first byte of a payload; the rest is the encoded packet.
const (
	relayPlain    = 'e'
	relayVolatile = 'v'
)

func relayPayload(droppable bool, m *engine.Message) []byte {
	kind := byte(relayPlain)
	if droppable {
		kind = relayVolatile
	}
	frames := m.Frames()
	return append(append(make([]byte, 0, len(frames)+1), kind), frames...)
}

func readRelayed(payload []byte) (*engine.Message, error) {
	if len(payload) == 0 || payload[0] != relayPlain && payload[0] != relayVolatile {
		return nil, fmt.Errorf("relayed payload of %d bytes has an unknown version", len(payload))
	}
	return engine.ReadMessage(payload[0] == relayVolatile, payload[1:])
}

// Bus connects servers in one process, for tests. The zero Bus is ready to use.
type Bus struct {
	mu    sync.Mutex
	nodes []*busNode
}

type busNode struct {
	bus  *Bus
	subs map[string][]*busSub
}

type busSub struct{ deliver func([]byte) }

// Node returns the Relay of another server.
func (b *Bus) Node() Relay {
	n := &busNode{bus: b, subs: map[string][]*busSub{}}
	b.mu.Lock()
	b.nodes = append(b.nodes, n)
	b.mu.Unlock()
	return n
}

// Subscriptions counts the subscriptions of all nodes.
func (b *Bus) Subscriptions() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, node := range b.nodes {
		n += len(node.subs)
	}
	return n
}

func (n *busNode) Publish(subject string, payload []byte) error {
	n.bus.mu.Lock()
	var to []*busSub
	for _, node := range n.bus.nodes {
		if node != n {
			to = append(to, node.subs[subject]...)
		}
	}
	n.bus.mu.Unlock()
	for _, s := range to {
		s.deliver(payload)
	}
	return nil
}

func (n *busNode) Subscribe(subject string, deliver func([]byte)) (func(), error) {
	s := &busSub{deliver}
	n.bus.mu.Lock()
	defer n.bus.mu.Unlock()
	n.subs[subject] = append(n.subs[subject], s)
	return func() {
		n.bus.mu.Lock()
		defer n.bus.mu.Unlock()
		left := slices.DeleteFunc(slices.Clone(n.subs[subject]), func(o *busSub) bool { return o == s })
		if n.subs[subject] = left; len(left) == 0 {
			delete(n.subs, subject)
		}
	}, nil
}
