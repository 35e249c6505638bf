package eta

import (
	"testing"
	"time"

	"homeroom/internal/feature/tracking/geo"
)

var seven = time.Date(2026, 11, 16, 7, 0, 0, 0, time.UTC)

// line is three stops, 1,112 m and five minutes apart.
func line(planned bool) []Stop {
	var out []Stop
	for i, name := range []string{"a", "b", "c"} {
		s := Stop{ID: name, At: on(float64(i)), Reach: 80}
		if planned {
			s.Planned = seven.Add(time.Duration(i) * 5 * time.Minute)
		}
		out = append(out, s)
	}
	return out
}

func on(share float64) geo.Point { return geo.Point{Lat: 40 + share*0.01, Lng: 9} }

func after(s int) time.Time { return seven.Add(time.Duration(s) * time.Second) }

func TestSourcesOfTimes(t *testing.T) {
	t.Parallel()
	past := func(n int, hour int, took time.Duration) (out []Leg) {
		for range n {
			out = append(out, Leg{FromStop: "b", ToStop: "c", Weekday: time.Monday, Hour: hour, Dwell: 30 * time.Second, Drive: took})
		}
		return out
	}
	for name, tt := range map[string]struct {
		legs    []Leg
		planned bool
		want    time.Duration // from b to c
	}{
		"length alone":        {nil, false, 20*time.Second + 206*time.Second},
		"the plan":            {nil, true, 5 * time.Minute},
		"this hour":           {append(past(3, 7, 2*time.Minute), past(9, 16, 9*time.Minute)...), true, 150 * time.Second},
		"too few of the hour": {append(past(2, 7, 2*time.Minute), past(9, 16, 9*time.Minute)...), true, 570 * time.Second},
	} {
		j := New(line(tt.planned), time.UTC, NewHistory(tt.legs))
		j.Advance(after(0), on(0))
		got := j.Arrivals()
		if d := got[2].At.Sub(got[1].At); (d - tt.want).Abs() > 5*time.Second {
			t.Errorf("%s: %s from b to c, want %s", name, d, tt.want)
		}
		if !got[0].Reached || got[1].Reached || got[2].Meters < 2200 || got[2].Meters > 2250 {
			t.Errorf("%s: arrivals %v", name, got)
		}
	}
}

func TestAlongTheStops(t *testing.T) {
	t.Parallel()
	j := New(line(true), time.UTC, NewHistory(nil))
	if got := j.Arrivals(); !got[0].At.IsZero() || got[0].Reached {
		t.Errorf("arrivals before the first position: %v", got)
	}
	for s := -60; s <= 0; s += 5 { // to a, there at 0
		j.Advance(after(s), on(float64(s)/300))
	}
	if next, ahead := j.Next(); next != 1 || !ahead || j.Reached(0).IsZero() {
		t.Errorf("at a: next %d, reached %s", next, j.Reached(0))
	}
	for s := 5; s <= 150; s += 5 { // half way to b in half the time
		j.Advance(after(s), on(float64(s)/300))
	}
	if d := j.Arrivals()[1].At.Sub(after(300)); d.Abs() > 30*time.Second {
		t.Errorf("arrival at b is off by %s", d)
	}
	if d, known := j.Delay(); !known || d.Abs() > 30*time.Second {
		t.Errorf("delay: got %s, %v", d, known)
	}
	j.Advance(after(100), on(3)) // older than the newest: ignored
	for s := 155; s <= 300; s += 5 {
		j.Advance(after(s), on(float64(s)/300))
	}
	for s := 305; s <= 600; s += 5 {
		j.Advance(after(s), on(float64(s)/300))
	}
	if _, ahead := j.Next(); ahead {
		t.Error("a stop is still ahead at the end")
	}
	if legs := j.Legs(); len(legs) != 2 || legs[1].Drive < 4*time.Minute || legs[1].Drive > 5*time.Minute ||
		legs[1].Weekday != time.Monday || legs[1].Hour != 7 {
		t.Errorf("legs: got %v", legs)
	}
}

// TestPassingBy drives around a stop and then detects the next one.
func TestPassingBy(t *testing.T) {
	t.Parallel()
	j := New(line(true), time.UTC, NewHistory(nil))
	j.Advance(after(0), on(0))
	for s := 10; s <= 200; s += 10 { // a parallel road, 500 m to the east
		p := on(float64(s) / 150)
		p.Lng += 0.006
		j.Advance(after(s), p)
	}
	for s := 210; s <= 260; s += 10 {
		j.Advance(after(s), on(float64(s)/150))
	}
	if next, _ := j.Next(); next != 2 || !j.Reached(1).IsZero() {
		t.Errorf("next stop: got %d", next)
	}
	j.Advance(after(300), on(2))
	if j.Reached(2).IsZero() || len(j.Legs()) != 0 {
		t.Errorf("c reached %s, legs %v", j.Reached(2), j.Legs())
	}
}
