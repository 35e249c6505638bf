package bus_test

import (
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/bus"
	"homeroom/internal/platform/freeaddr"
)

var quiet = slog.New(slog.DiscardHandler)

// TestThreeNodes joins nodes that know only the first.
func TestThreeNodes(t *testing.T) {
	t.Parallel()
	first := freeaddr.In(t)
	nodes := []*bus.Bus{
		open(t, bus.Options{Listen: first, Secret: "s", Log: quiet}),
		open(t, bus.Options{Listen: freeaddr.In(t), Peers: []string{first}, Secret: "s", Log: quiet}),
		open(t, bus.Options{Listen: freeaddr.In(t), Peers: []string{first}, Secret: "s", Log: quiet}),
	}
	for i, n := range nodes {
		await.Until(t, fmt.Sprintf("node %d to know two others", i), func() bool { return n.Nodes() == 2 })
	}
	got := make([]chan string, len(nodes))
	for i, n := range nodes {
		got[i] = make(chan string, 100)
		cancel, err := n.Subscribe("room.a", func(p []byte) { got[i] <- string(p) })
		if err != nil {
			t.Fatal(err)
		}
		defer cancel()
		if err := n.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	// Subscriptions reach other nodes with a delay: send until they have.
	await.Until(t, "every node to receive from node 0", func() bool {
		if err := nodes[0].Publish("room.a", []byte("hello")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		return len(got[1]) > 0 && len(got[2]) > 0
	})
	if err := nodes[0].Publish("room.b", []byte("elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := nodes[0].Publish("room.a", []byte("last")); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{1, 2} {
		for m := ""; m != "last"; {
			select {
			case m = <-got[i]:
				if m != "hello" && m != "last" {
					t.Fatalf("node %d got %q", i, m)
				}
			case <-time.After(await.Limit):
				t.Fatalf("node %d never got the last message", i)
			}
		}
	}
	if len(got[0]) != 0 {
		t.Error("a node received its own message:", <-got[0])
	}
}

func TestStrangersStayOut(t *testing.T) {
	t.Parallel()
	first := freeaddr.In(t)
	node := open(t, bus.Options{Listen: first, Secret: "right", Log: quiet})
	stranger := open(t, bus.Options{Listen: freeaddr.In(t), Peers: []string{first}, Secret: "wrong", Log: quiet})
	time.Sleep(500 * time.Millisecond)
	if node.Nodes() != 0 || stranger.Nodes() != 0 {
		t.Error("a node with another secret could connect")
	}
	if _, err := bus.Open(bus.Options{Listen: freeaddr.In(t), Log: quiet}); err == nil {
		t.Error("a cluster without a secret started")
	}
}

// TestLateStart does not wait for the embedded server, as on a busy machine: messages arrive once it has started.
func TestLateStart(t *testing.T) {
	t.Parallel()
	first := freeaddr.In(t)
	nodes := []*bus.Bus{
		open(t, bus.Options{Listen: first, Secret: "s", Wait: 1, Log: quiet}),
		open(t, bus.Options{Listen: freeaddr.In(t), Peers: []string{first}, Secret: "s", Wait: 1, Log: quiet}),
	}
	got := make(chan string, 1000)
	cancel, err := nodes[1].Subscribe("room.a", func(p []byte) { got <- string(p) })
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	await.Until(t, "a message of the other node", func() bool {
		if err := nodes[0].Publish("room.a", []byte("hello")); err != nil { // dropped until both are there
			t.Fatal(err)
		}
		return len(got) > 0
	})
}

func TestAddressInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = bus.Open(bus.Options{Listen: l.Addr().String(), Secret: "s", Log: quiet})
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("got %v, want that the address is in use", err)
	}
}

func TestOutsideServer(t *testing.T) {
	t.Parallel()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(await.Limit) {
		t.Fatal("the server did not start")
	}
	a, b := open(t, bus.Options{URL: s.ClientURL(), Log: quiet}), open(t, bus.Options{URL: s.ClientURL(), Log: quiet})
	got := make(chan string, 1)
	cancel, err := b.Subscribe("room.a", func(p []byte) { got <- string(p) })
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := a.Publish("room.a", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-got:
		if m != "hello" {
			t.Errorf("got %q", m)
		}
	case <-time.After(await.Limit):
		t.Fatal("no message arrived")
	}
	cancel()
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := a.Publish("room.a", []byte("too late")); err != nil {
		t.Fatal(err)
	}
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if len(got) != 0 {
		t.Error("received after unsubscribing:", <-got)
	}
}

func open(t *testing.T, o bus.Options) *bus.Bus {
	t.Helper()
	b, err := bus.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}
