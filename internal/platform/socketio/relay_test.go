package socketio_test

import (
	"errors"
	"sync"
	"testing"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/socketio/siotest"
)

func TestTwoNodes(t *testing.T) {
	t.Parallel()
	var bus socketio.Bus
	node := func() *lab { return newLab(t, func(c *socketio.Config) { c.Relay = bus.Node() }) }
	a, b := node(), node()
	here, there, elsewhere := a.connect("ann"), b.connect("ben"), b.connect("cy")
	for _, c := range []*siotest.Client{here, there} {
		wantCall(t, c, `{"ok":true,"joined":"bus:1"}`, "join", "bus:1")
	}
	wantCall(t, elsewhere, `{"ok":true,"joined":"bus:2"}`, "join", "bus:2")
	if n := bus.Subscriptions(); n != 3 {
		t.Errorf("subscriptions: got %d", n)
	}
	for i, target := range []socketio.Target{a.To("bus:1"), b.To("bus:1").Volatile()} {
		if err := target.Emit("bus-location", i, socketio.Binary{1, 2}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []*siotest.Client{here, there} {
		for _, want := range []string{"0", "1"} {
			text, err := c.Await(`451-["bus-location",`+want+`,{"_placeholder":true,"num":0}]`, patience)
			if err != nil {
				t.Fatalf("broadcast: got %q, %v", text, err)
			}
		}
		wantNothing(t, c, "bus-location") // no echo
	}
	wantNothing(t, elsewhere, "bus-location")
	wantCall(t, here, `{"ok":true}`, "leave", "bus:1")
	there.Close()
	elsewhere.Close()
	await.Until(t, "nothing is subscribed to", func() bool { return bus.Subscriptions() == 0 })
}

// relay is a bus node that can fail, block and receive any payload.
type relay struct {
	socketio.Relay
	mu      sync.Mutex
	fail    error
	wait    chan struct{}
	deliver func([]byte)
}

func (r *relay) Subscribe(subject string, deliver func([]byte)) (func(), error) {
	r.mu.Lock()
	fail, wait := r.fail, r.wait
	r.deliver = deliver
	r.mu.Unlock()
	if wait != nil {
		<-wait
	}
	if fail != nil {
		return nil, fail
	}
	return r.Relay.Subscribe(subject, deliver)
}

func (r *relay) Publish(subject string, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.fail, r.Relay.Publish(subject, p))
}

func TestRelayFails(t *testing.T) {
	t.Parallel()
	var bus socketio.Bus
	r := &relay{Relay: bus.Node(), fail: errors.New("no network")}
	l := newLab(t, func(c *socketio.Config) { c.Relay = r })
	c := l.connect("ann")
	got, err := c.Call("join", "bus:1")
	if err != nil || string(got[:9]) != `{"error":` {
		t.Errorf("joined without a relay: %s, %v", got, err)
	}
	if l.Stats().Rooms != 0 {
		t.Error("the room was not deleted")
	}
	if err := l.To("bus:1").Emit("x"); err == nil {
		t.Error("a failed broadcast returned no error")
	}
	r.mu.Lock()
	r.fail = nil
	r.mu.Unlock()
	wantCall(t, c, `{"ok":true,"joined":"bus:1"}`, "join", "bus:1")
	for _, payload := range []string{"", "e", "x\x81\x00", "e\x81\x05", "e\x81\x002", "e\x82\x012"} {
		r.deliver([]byte(payload)) // of another version, or corrupt
	}
	r.deliver([]byte("e\x81\x0742[\"y\"]"))
	if _, err := c.Event("y", patience); err != nil {
		t.Errorf("call after invalid payloads: %v", err)
	}
}

// TestRelayIsSlow blocks the subscription of one room; others continue.
func TestRelayIsSlow(t *testing.T) {
	t.Parallel()
	var bus socketio.Bus
	r := &relay{Relay: bus.Node()}
	l := newLab(t, func(c *socketio.Config) { c.Relay = r })
	a, b := l.connect("ann"), l.connect("ben")
	wantCall(t, a, `{"ok":true,"joined":"quick"}`, "join", "quick")
	r.mu.Lock()
	r.wait = make(chan struct{})
	r.mu.Unlock()
	if err := b.Emit("join", "stuck"); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "ben to be in the room", func() bool { return l.Stats().Rooms == 2 })
	for _, room := range []string{"quick", "stuck"} {
		if err := l.To(room).Emit("go", room); err != nil {
			t.Fatal(err)
		}
	}
	wantEvent(t, a, "go", `"quick"`)
	wantCall(t, a, `{"ok":true}`, "leave", "quick")
	wantEvent(t, b, "go", `"stuck"`)
	close(r.wait)
}
