package app_test

import (
	"slices"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
)

// soon limits how long a lost right may still work: long enough for slow machines,
// and well below the minute after which caches expire. The test logs the real time (-v).
const soon = 15 * time.Second

// TestLossOfRights revokes each right in every way. Every read, event and file that
// depends on it must end; the others must go on.
func TestLossOfRights(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		s.Work(t)
		t.Run("rows", func(t *testing.T) { // finishes before the service stops
			for i, l := range losses {
				t.Run(l.name, func(t *testing.T) {
					t.Parallel()
					l.run(newLossWorld(t, s, s, 100+i, !l.route), ways(s))
				})
			}
		})
	})
}

// run tests one row of the matrix.
func (l loss) run(w *lossWorld, all []way) {
	w.Helper()
	gone, kept := l.split(all)
	if len(gone) == 0 {
		w.Fatal("this loss ends no way")
	}
	lost, others := w.open(gone), w.open(kept)
	l.do(w)
	w.checkLost(lost)
	for _, r := range others {
		if !r.still() {
			w.Errorf("a %s no longer receives %s (%s), but should", r.role, r.name, r.kind)
		}
	}
}

// receiver is an opened way.
type receiver struct {
	way
	still func() bool
}

// open opens the ways and checks that each receives something.
func (w *lossWorld) open(all []way) []receiver {
	w.Helper()
	out := make([]receiver, 0, len(all))
	for _, c := range all {
		r := receiver{c, c.open(w)}
		// Joining a room takes a moment to reach the other node.
		if !r.still() && (w.s == w.far || !await.Comes(r.still)) {
			w.Errorf("before the loss, a %s does not receive %s (%s)", c.role, c.name, c.kind)
			continue
		}
		out = append(out, r)
	}
	return out
}

// checkLost waits until the lost ways receive nothing, and checks that they stay so.
func (w *lossWorld) checkLost(lost []receiver) {
	w.Helper()
	left, start := slices.Clone(lost), time.Now()
	await.Until(w.T, "rights to be lost", func() bool {
		left = slices.DeleteFunc(left, func(r receiver) bool { return !r.still() })
		return len(left) == 0 || time.Since(start) > soon
	})
	w.Logf("%d of %d ways ended after %v", len(lost)-len(left), len(lost), time.Since(start))
	for _, r := range left {
		w.Errorf("a %s still receives %s (%s)", r.role, r.name, r.kind)
	}
	for _, r := range lost {
		if !slices.ContainsFunc(left, func(l receiver) bool { return l.name == r.name && l.role == r.role }) && r.still() {
			w.Errorf("a %s receives %s (%s) again", r.role, r.name, r.kind)
		}
	}
}

// TestLossOfPermission revokes one module after the other from a role. Ways that
// need it must end; the others must go on.
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
		w.checkLost(lost)
		for _, r := range open {
			if !r.still() {
				w.Errorf("without %s, a %s no longer receives %s (%s), but should", module, r.role, r.name, r.kind)
			}
		}
	}
}
