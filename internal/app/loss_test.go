package app_test

import (
	"slices"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
)

// soon is how long a lost right may still be of use in a test: the slowest machine
// needs it, and it is well before the minute after which everything is looked at
// anew. How long it was is in the log of the test (-v).
const soon = 15 * time.Second

// TestLossOfRights loses each right in every way, and finds nothing received in
// any way afterwards, while what stands on something else goes on.
func TestLossOfRights(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		s.Work(t)
		t.Run("rows", func(t *testing.T) { // end before the service does
			for i, l := range losses {
				t.Run(l.name, func(t *testing.T) {
					t.Parallel()
					l.run(newLossWorld(t, s, s, 100+i, !l.route), ways(s))
				})
			}
		})
	})
}

// run is one row.
func (l loss) run(w *lossWorld, all []way) {
	w.Helper()
	gone, kept := l.part(all)
	if len(gone) == 0 {
		w.Fatal("this takes nothing")
	}
	lost, others := w.open(gone), w.open(kept)
	l.do(w)
	w.nothing(lost)
	for _, r := range others {
		if !r.still() {
			w.Errorf("a %s receives nothing by %s (%s) any more, and should", r.role, r.name, r.kind)
		}
	}
}

// receiver is a way that was opened.
type receiver struct {
	way
	still func() bool
}

// open opens the ways, and wants something to come by each.
func (w *lossWorld) open(all []way) []receiver {
	w.Helper()
	out := make([]receiver, 0, len(all))
	for _, c := range all {
		r := receiver{c, c.open(w)}
		// Rooms take a moment to be known on another node.
		if !r.still() && (w.s == w.far || !await.Comes(r.still)) {
			w.Errorf("a %s receives nothing by %s (%s) in the first place", c.role, c.name, c.kind)
			continue
		}
		out = append(out, r)
	}
	return out
}

// nothing waits until nothing comes any more by ways that were lost. Then nothing
// may come again.
func (w *lossWorld) nothing(lost []receiver) {
	w.Helper()
	left, start := slices.Clone(lost), time.Now()
	await.Until(w.T, "rights to be lost", func() bool {
		left = slices.DeleteFunc(left, func(r receiver) bool { return !r.still() })
		return len(left) == 0 || time.Since(start) > soon
	})
	w.Logf("%d ways of %d ended, in %v", len(lost)-len(left), len(lost), time.Since(start))
	for _, r := range left {
		w.Errorf("a %s still receives by %s (%s)", r.role, r.name, r.kind)
	}
	for _, r := range lost {
		if !slices.ContainsFunc(left, func(l receiver) bool { return l.name == r.name && l.role == r.role }) && r.still() {
			w.Errorf("a %s receives by %s (%s) again", r.role, r.name, r.kind)
		}
	}
}

// TestLossOfPermission takes one module after the other from a role. What needs it
// ends, and what needs another goes on.
func TestLossOfPermission(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		s.Work(t)
		t.Run("roles", func(t *testing.T) {
			for i, role := range reachers {
				t.Run(string(role), func(t *testing.T) {
					t.Parallel()
					withoutPermissions(newLossWorld(t, s, s, 200+i, true), role, ways(s))
				})
			}
		})
	})
}

func withoutPermissions(w *lossWorld, role actor.Role, all []way) {
	w.Helper()
	all = slices.DeleteFunc(all, func(c way) bool { return c.role != role || c.needs == "" })
	var needed []string
	for _, c := range all {
		if !slices.Contains(needed, c.needs) {
			needed = append(needed, c.needs)
		}
	}
	open := w.open(all)
	for _, module := range needed {
		lost := slices.DeleteFunc(slices.Clone(open), func(r receiver) bool { return r.needs != module })
		open = slices.DeleteFunc(open, func(r receiver) bool { return r.needs == module })
		w.grant(role, module, false)
		w.nothing(lost)
		for _, r := range open {
			if !r.still() {
				w.Errorf("without %s a %s receives nothing by %s (%s) any more, and should", module, r.role, r.name, r.kind)
			}
		}
	}
}
