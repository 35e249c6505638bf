package crash_test

import (
	"testing"

	"homeroom/internal/apptest/crash"
	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// TestNothingAcknowledgedIsLost runs fewer rounds than the kill program of bench.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	bin, err := process.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			r, err := crash.Loop(t.Context(), bin, 10, "--demo", "--data", t.TempDir(), "--database-url", dbtest.URL(t, engine, nil))
			if err != nil {
				t.Fatal(err)
			}
			if r.Acknowledged == 0 || r.Lost > 0 || r.Twice > 0 {
				t.Errorf("after %d kills: %+v, want nothing lost or stored twice", r.Rounds, r)
			}
		})
	}
}
