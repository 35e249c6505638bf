package sim

import (
	"reflect"
	"testing"
	"time"

	"homeroom/internal/feature/tracking/geo"
)

// TestTimesOfArrival checks that five minutes before arrival the median error is
// under a minute, and smaller than the timetable's.
func TestTimesOfArrival(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		e := Replay{Routes: 4, Stops: 12, Learn: 20, Judge: 5, Before: 5 * time.Minute}.Run(seed)
		t.Logf("seed %d, %d predictions: median %s, 90%% %s; without a past %s; timetable %s", seed, len(e.Predicted),
			Median(e.Predicted).Round(time.Second), Percentile(e.Predicted, 90).Round(time.Second),
			Median(e.Fresh).Round(time.Second), Median(e.Planned).Round(time.Second))
		if len(e.Predicted) < 100 {
			t.Fatalf("only %d predictions", len(e.Predicted))
		}
		if got := Median(e.Predicted); got >= time.Minute || got >= Median(e.Planned) {
			t.Errorf("seed %d: median error %s, timetable's %s", seed, got, Median(e.Planned))
		}
	}
}

func TestSameSeedSameTrack(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 9, 7, 7, 15, 0, 0, time.UTC)
	record := func(seed uint64) (Route, Track) {
		town := New(seed)
		r := town.Route(6)
		return r, town.Drive(r, day)
	}
	r, a := record(1)
	_, b := record(1)
	_, c := record(2)
	if !reflect.DeepEqual(a, b) || reflect.DeepEqual(a, c) {
		t.Error("the same seed gave different tracks")
	}
	for i := 1; i < len(a.Fixes); i++ {
		if !a.Fixes[i].At.After(a.Fixes[i-1].At) {
			t.Fatal("positions are not sorted by time")
		}
	}
	for i, at := range a.Arrived {
		if i > 0 && !at.After(a.Arrived[i-1]) {
			t.Errorf("stop %d is reached at %s, the one before at %s", i, at, a.Arrived[i-1])
		}
		near := 1e9
		for _, f := range a.Fixes {
			if f.At.Sub(at).Abs() < 20*time.Second {
				near = min(near, geo.Distance(f.Where, r.Stops[i]))
			}
		}
		if near > 100 {
			t.Errorf("the bus was never seen at stop %d: %.0f m", i, near)
		}
	}
}
