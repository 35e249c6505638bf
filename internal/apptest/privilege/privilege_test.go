package privilege

import (
	"flag"
	"slices"
	"sync"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var (
	firstSeed = flag.Uint64("seed", 0, "seed of the first sequence; 0: different seeds on each engine")
	shrink    = flag.Int("shrink", 4, "findings to shrink")
	sequences = flag.Int("sequences", 100, "sequences on each engine; bench has 10,000")
)

func open(t *testing.T, engine string, opts ...func(*app.Config)) *World {
	t.Helper()
	w, err := Open(t.Context(), dbtest.URL(t, engine, schema.FS), t.TempDir(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// TestModel plays random sequences, which must not end in a violation. Every
// sensitive route must have been called.
func TestModel(t *testing.T) {
	t.Parallel()
	calls := &tally{}
	t.Run("engine", func(t *testing.T) {
		for i, engine := range dbtest.Engines {
			t.Run(engine, func(t *testing.T) {
				t.Parallel()
				w, first := open(t, engine), *firstSeed
				if first == 0 {
					first = uint64(1 + i**sequences)
				}
				r, err := w.Run(t.Context(), first, *sequences, *shrink)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range r.Findings {
					t.Errorf("violation: %s", f)
				}
				t.Logf("from seed %d: %d sequences, %d steps, %d violations", first, r.Sequences, r.Steps, len(r.Findings))
				calls.add(w)
			})
		}
	})
	calls.check(t)
}

// tally counts the calls of both engines.
type tally struct {
	mu     sync.Mutex
	routes map[string]web.Route
	calls  map[string][2]int
}

func (c *tally) add(w *World) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.routes == nil {
		c.routes, c.calls = map[string]web.Route{}, map[string][2]int{}
	}
	for _, rt := range w.sensitiveRoutes() {
		route := rt.Pattern()
		n, more := c.calls[route], w.tally[route]
		c.routes[route], c.calls[route] = rt, [2]int{n[0] + more[0], n[1] + more[1]}
	}
}

// check fails if a route was never called with success. Routes of super-administrators
// must have been called, but always refuse the attacker.
func (c *tally) check(t *testing.T) {
	t.Helper()
	for _, route := range sortedKeys(c.calls) {
		n := c.calls[route]
		t.Logf("%-60s %5d calls, %5d with success", route, n[0], n[1])
		platform := slices.Equal(c.routes[route].Roles, []actor.Role{actor.SuperAdmin})
		if n[0] == 0 || !platform && n[1] == 0 {
			t.Errorf("%s was called %d times and never with success: add its fields to vocabulary, "+
				"or add it to excluded with the reason", route, n[0])
		}
	}
}

// TestVocabulary fails if vocabulary lacks a required field of a sensitive route, so
// that new routes are called.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	w := open(t, "sqlite")
	for _, rt := range w.sensitiveRoutes() {
		for _, f := range fields(rt.In) {
			if f.required && vocabulary[f.name] == nil {
				t.Errorf("%s requires %q: add it to vocabulary, or add the route to excluded with the reason", rt.Pattern(), f.name)
			}
		}
	}
	for route := range excluded {
		if !w.has(route) {
			t.Errorf("excluded has %s, which is not a route", route)
		}
	}
}
