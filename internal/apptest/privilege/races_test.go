package privilege

import (
	"flag"
	"testing"
)

var rounds = flag.Int("rounds", 20, "rounds of each race on PostgreSQL; bench runs 200")

// TestRaces fails if a session works after a change that should have ended it,
// whichever of sign-in and change came first.
func TestRaces(t *testing.T) {
	t.Parallel()
	for engine, n := range map[string]int{"sqlite": 3, "postgres": *rounds} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			races, err := open(t, engine).Races(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range races {
				t.Logf("%-9s × %-18s %3d rounds, both succeeded in %3d, %3d survived %s", r.Way, r.Change, r.Rounds, r.Both, r.Survived, r.Skipped)
				if r.Survived+r.Broken > 0 {
					t.Errorf("%s × %s: %d of %d sessions survived, %d internal errors: %s", r.Way, r.Change, r.Survived, r.Both, r.Broken, r.Example)
				}
			}
		})
	}
}
