package tracking_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/bus"
	"homeroom/internal/platform/freeaddr"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/socketio/siotest"
)

// TestFanOutAcrossNodes watches buses of one node on the other, over a real NATS
// connection: no event is lost, duplicated, out of order or in a wrong room.
func TestFanOutAcrossNodes(t *testing.T) {
	t.Parallel()
	const rooms, watchers, rounds = 40, 4, 10
	addresses := []string{freeaddr.In(t), freeaddr.In(t)}
	driven, _ := socketNode(t, addresses[0], addresses[1])
	_, url := socketNode(t, addresses[1], addresses[0])
	var all sync.WaitGroup
	var ready atomic.Int64 // watchers that have received something
	for room := range rooms {
		for range watchers {
			c, err := siotest.Connect(t.Context(), url+"/socket.io/", m{"token": "x"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			if _, err := c.Call("join", name(room)); err != nil {
				t.Fatal(err)
			}
			all.Go(func() { watch(t, c, name(room), rounds, &ready) })
		}
	}
	// Other nodes learn of rooms with a delay: send until then.
	await.Until(t, "every watcher to receive something", func() bool {
		for room := range rooms {
			emit(t, driven, room, -1)
		}
		time.Sleep(100 * time.Millisecond)
		return ready.Load() == rooms*watchers || t.Failed()
	})
	for round := range rounds {
		for room := range rooms {
			emit(t, driven, room, round)
		}
		time.Sleep(20 * time.Millisecond)
	}
	all.Wait()
}

func name(room int) string { return fmt.Sprint("room-", room) }

type note struct {
	Room  string
	Round int
}

func emit(t *testing.T, s *socketio.Server, room, round int) {
	t.Helper()
	if err := s.To(name(room)).Emit("position", note{name(room), round}); err != nil {
		t.Fatal(err)
	}
}

// watch requires every round of its room, once and in order.
func watch(t *testing.T, c *siotest.Client, room string, rounds int, ready *atomic.Int64) {
	first := sync.OnceFunc(func() { ready.Add(1) })
	for next := 0; next < rounds; {
		raw, err := c.Event("position", await.Limit)
		if err != nil {
			t.Errorf("%s: round %d: %v", room, next, err)
			return
		}
		var n note
		if err := json.Unmarshal(raw, &n); err != nil || n.Room != room {
			t.Errorf("%s got %s", room, raw)
			return
		}
		if first(); n.Round < 0 && next == 0 {
			continue // warm-up
		}
		if n.Round != next {
			t.Errorf("%s: got round %d, want %d", room, n.Round, next)
			return
		}
		next++
	}
}

// socketNode starts a server connected to another.
func socketNode(t *testing.T, own, other string) (*socketio.Server, string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	b, err := bus.Open(bus.Options{Listen: own, Peers: []string{other}, Secret: "a secret of the tests", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	s, err := socketio.New(socketio.Config{Log: log, Relay: b,
		Authenticate: func(context.Context, socketio.Handshake) (socketio.Identity, error) { return socketio.Identity{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	s.On("join", func(_ context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
		var room string
		if err := e.Bind(&room); err != nil {
			return nil, err
		}
		return nil, so.Join(room)
	})
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), await.Limit)
		defer cancel()
		_ = s.Shutdown(ctx) // closes remaining connections
		h.Close()
	})
	return s, h.URL
}
