package socketio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/socketio/siotest"
)

// TestStorm has clients of two nodes join, leave and vanish during broadcasts and
// disconnects. No client gets events of rooms that it never joined, and nothing is left
// at the end.
func TestStorm(t *testing.T) {
	t.Parallel()
	var bus socketio.Bus
	nodes := make([]*lab, 2)
	for i := range nodes {
		nodes[i] = newLab(t, func(c *socketio.Config) { c.Relay = bus.Node() })
	}
	stop, stopped := context.WithTimeout(t.Context(), 2*time.Second)
	defer stopped()
	var wg sync.WaitGroup
	var got atomic.Int64
	for i := range 24 {
		wg.Go(func() {
			for stop.Err() == nil {
				stormy(t, stop, nodes[i%2], fmt.Sprint("u", i), &got)
			}
		})
	}
	for i := range 4 {
		wg.Go(func() {
			for n := 0; stop.Err() == nil; n++ {
				room := fmt.Sprint("r", n%8)
				target := nodes[i%2].To(room)
				if n%2 == 0 {
					target = target.Volatile()
				}
				if err := target.Emit("news", room); err != nil {
					t.Error(err)
				}
				if n%50 == 0 {
					for _, so := range nodes[i%2].UserSockets(fmt.Sprint("u", n%24)) {
						so.Disconnect()
					}
				}
				time.Sleep(100 * time.Microsecond)
			}
		})
	}
	wg.Wait()
	if got.Load() == 0 {
		t.Error("no event arrived at all")
	}
	for _, l := range nodes {
		await.Until(t, "all are gone", func() bool {
			s := l.Stats()
			return s.Sessions == 0 && s.Sockets == 0 && s.Rooms == 0
		})
	}
	if n := bus.Subscriptions(); n != 0 {
		t.Errorf("subscriptions at the end: got %d, want 0", n)
	}
}

// stormy runs one short-lived client.
func stormy(t *testing.T, ctx context.Context, l *lab, user string, got *atomic.Int64) {
	c, err := siotest.Connect(ctx, l.url, auth{user}, nil)
	if err != nil {
		return // disconnected already
	}
	defer c.Close()
	mine := map[string]bool{}
	for range rand.IntN(20) {
		room := fmt.Sprint("r", rand.IntN(8))
		event := "leave"
		if rand.IntN(3) > 0 {
			event, mine[room] = "join", true
		}
		if _, err := c.Call(event, room); err != nil {
			return
		}
		for {
			raw, err := c.Event("news", time.Millisecond)
			if err != nil {
				break
			}
			var room string
			if json.Unmarshal(raw, &room) != nil || !mine[room] {
				t.Errorf("%s got an event of %s", user, raw)
			}
			got.Add(1)
		}
	}
	if rand.IntN(2) == 0 {
		_ = c.Send("1") // some disconnect properly
	}
}

// TestSlowMember checks that a client that reads nothing does not delay its room.
func TestSlowMember(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *socketio.Config) { // only the queue may end it, however slow the machine is
		c.MaxQueue, c.PingInterval, c.WriteTimeout = 32<<10, await.Limit, await.Limit
	})
	slow, quick := l.connect("slow"), l.connect("quick")
	for _, c := range []*siotest.Client{slow, quick} {
		wantCall(t, c, `{"ok":true,"joined":"r"}`, "join", "r")
	}
	payload := strings.Repeat("x", 32<<10)
	for range 300 {
		if err := l.To("r").Volatile().Emit("position", payload); err != nil {
			t.Fatal(err)
		}
		if _, err := quick.Event("position", patience); err != nil {
			t.Fatal(err)
		}
	}
	if s := l.Stats(); s.Sockets != 2 || s.Dropped == 0 {
		t.Errorf("want dropped positions and no closed session: %+v", s)
	}
	for range 300 {
		if err := l.To("r").Emit("incident", payload); err != nil {
			t.Fatal(err)
		}
		if _, err := quick.Event("incident", patience); err != nil {
			t.Fatal(err)
		}
	}
	await.Until(t, "who does not take what must arrive is disconnected", func() bool {
		s := l.Stats()
		return s.Sockets == 1 && s.Slow == 1
	})
}

// TestNothingLeaks connects and drops clients, round after round.
func TestNothingLeaks(t *testing.T) { // not parallel: it counts goroutines
	l := newLab(t)
	round := func() {
		t.Helper()
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				c, err := siotest.Connect(t.Context(), l.url, auth{fmt.Sprint("u", i)}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				if _, err := c.Call("join", fmt.Sprint("r", i%7)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		await.Until(t, "all are gone", func() bool { s := l.Stats(); return s.Sessions == 0 && s.Sockets == 0 && s.Rooms == 0 })
	}
	measure := func() (goroutines int, heap uint64) {
		time.Sleep(50 * time.Millisecond)
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapInuse
	}
	for range 3 {
		round()
	}
	goroutines, heap := measure()
	for range 10 {
		round()
	}
	after, heapAfter := measure()
	if after > goroutines+100 { // workers vary with load; a leak would be one for each of 1,000
		t.Errorf("goroutines: %d before, %d after", goroutines, after)
	}
	if heapAfter > heap+1<<20 {
		t.Errorf("heap: %d bytes before, %d after 1,000 connections", heap, heapAfter)
	}
}
