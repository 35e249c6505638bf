package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/web"
)

// air is a relay between the nodes of a test.
type air struct{ nodes []*aerial }

type aerial struct {
	air     *air
	deliver func([]byte)
}

func (a *aerial) Publish(_ string, payload []byte) error {
	for _, n := range a.air.nodes {
		if n != a {
			n.deliver(payload)
		}
	}
	return nil
}

func (a *aerial) Subscribe(_ string, deliver func([]byte)) (func(), error) {
	a.deliver = deliver
	a.air.nodes = append(a.air.nodes, a)
	return func() {}, nil
}

func (a *air) limiter(t *testing.T, now clock.Now) *web.Shared {
	t.Helper()
	l, err := web.NewShared(now, &aerial{air: a}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func countOf(t *testing.T, l web.Limiter, key string) (int, time.Duration) {
	t.Helper()
	n, left, err := l.Count(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	return n, left
}

// A user has one budget on three nodes, one of which starts later. It has a new one after
// the window, which is that of the first call on any node.
func TestSharedLimit(t *testing.T) {
	t.Parallel()
	clocks := clock.System()
	now := func() time.Time { return clocks }
	sky := &air{}
	nodes := []*web.Shared{sky.limiter(t, now), sky.limiter(t, now)}
	step := func(node, want int) time.Duration {
		t.Helper()
		n, left := countOf(t, nodes[node], "ann")
		if n != want {
			t.Fatalf("node %d counted %d, want %d", node, n, want)
		}
		for i, other := range nodes {
			await.Until(t, fmt.Sprintf("node %d to hear of call %d", i, want), func() bool { return other.Seen("ann") == want })
		}
		return left
	}
	step(0, 1)
	clocks = clocks.Add(20 * time.Second)
	step(1, 2)
	step(1, 3)
	nodes = append(nodes, sky.limiter(t, now))
	step(0, 4)
	if left := step(2, 5); left != web.Window-20*time.Second {
		t.Errorf("the window of a node that started later ends in %s, want that of the others", left)
	}
	if n, _ := countOf(t, nodes[0], "bob"); n != 1 {
		t.Errorf("another user's calls: %d, want 1", n)
	}
	await.Until(t, "the last node to hear of bob", func() bool { return nodes[2].Seen("bob") == 1 })
	clocks = clocks.Add(41 * time.Second)
	step(1, 1)
}
