package tracking

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"homeroom/internal/platform/web"
)

var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

func TestReadTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		raw  string
		want time.Time // zero if refused
	}{
		{`"2026-11-16T11:59:00Z"`, noon.Add(-time.Minute)},
		{`"2026-11-16T13:59:00.5+02:00"`, noon.Add(-time.Minute + 500*time.Millisecond)},
		{fmt.Sprint(noon.Unix()), noon},
		{fmt.Sprint(noon.UnixMilli() - 1), noon.Add(-time.Millisecond)},
		{fmt.Sprintf("%d.25", noon.Unix()-1), noon.Add(-750 * time.Millisecond)},
		{fmt.Sprintf("%q", fmt.Sprint(noon.Unix())), noon},
		{fmt.Sprint(noon.Unix() + 5), noon.Add(5 * time.Second)}, // a slightly fast clock
		{fmt.Sprint(noon.Unix() + 60), time.Time{}},
		{fmt.Sprint(noon.UnixMicro()), time.Time{}}, {"0", time.Time{}}, {"-1", time.Time{}}, {"1e300", time.Time{}}, {"true", time.Time{}},
		{`"yesterday"`, time.Time{}}, {`"NaN"`, time.Time{}}, {"null", time.Time{}}, {"", time.Time{}}, {`"1999-01-01T00:00:00Z"`, time.Time{}},
	} {
		got, why := readTime(json.RawMessage(tt.raw), noon)
		if (why == "") != !tt.want.IsZero() || why == "" && !got.Equal(tt.want) {
			t.Errorf("timestamp %s: %s %q, want %s", tt.raw, got, why, tt.want)
		}
	}
}

// drive generates a possible track, a fix every five seconds.
func drive(t *rapid.T) []Fix {
	n := rapid.IntRange(4, 40).Draw(t, "fixes")
	lat := 40.0
	out := make([]Fix, n)
	for i := range out {
		lat += rapid.Float64Range(-0.001, 0.001).Draw(t, "north") // up to 111 m, GPS error included
		out[i] = Fix{At: noon.Add(time.Duration(i) * 5 * time.Second), Lat: lat, Lng: 9}
	}
	return out
}

// TestAnyOrderSamePosition feeds the fixes of a trip in any order, with duplicates,
// impossible fixes and zeros: the bus ends up at the newest good one.
func TestAnyOrderSamePosition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fixes := drive(t)
		arrivals := append(slices.Clone(fixes), fixes[rapid.IntRange(0, len(fixes)-1).Draw(t, "twice")], Fix{At: noon.Add(time.Hour)})
		if len(fixes) > 6 { // an impossible fix that three later ones contradict
			lie := rapid.IntRange(0, len(fixes)-5).Draw(t, "lie")
			arrivals[lie].Lat += 3
		}
		arrivals = rapid.Permutation(arrivals).Draw(t, "order")
		var g gate
		var before time.Time
		for _, f := range arrivals {
			moved := g.admit(f)
			if g.last.At.Before(before) || moved != g.last.At.After(before) {
				t.Fatalf("position at %s after %s, moved %v", g.last.At, before, moved)
			}
			before = g.last.At
		}
		if want := fixes[len(fixes)-1]; g.last != want {
			t.Fatalf("final position %v, want %v", g.last, want)
		}
	})
}

// TestPlausible removes single impossible fixes from a track, and nothing else.
func TestPlausible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fixes := drive(t)
		if got := plausible(fixes); !slices.Equal(got, fixes) {
			t.Fatalf("a good track of %d fixes was cut to %d", len(fixes), len(got))
		}
		lie := rapid.IntRange(0, len(fixes)-1).Draw(t, "lie")
		track := slices.Clone(fixes)
		track[lie].Lat += 3
		if want := slices.Delete(slices.Clone(fixes), lie, lie+1); !slices.Equal(plausible(track), want) {
			t.Fatalf("the impossible fix %d of %d was not the only one removed", lie, len(fixes))
		}
	})
}

// TestOutvoted corrects a wrong first position.
func TestOutvoted(t *testing.T) {
	t.Parallel()
	var g gate
	at := func(second int, lat float64) Fix {
		return Fix{At: noon.Add(time.Duration(second) * time.Second), Lat: lat, Lng: 9}
	}
	for i, tt := range []struct {
		fix  Fix
		want bool
	}{
		{at(0, 50), true}, {at(1, 40), false}, {at(2, 40), false}, {at(3, 40), true},
		{at(4, 40.001), true}, {at(2, 40), false}, {at(5, 50), false},
	} {
		if got := g.admit(tt.fix); got != tt.want {
			t.Errorf("fix %d: moved %v, want %v", i, got, tt.want)
		}
	}
}

func TestEarliestNumberInTheDocument(t *testing.T) {
	t.Parallel()
	var number *web.Schema
	for _, n := range web.SchemaOf(reflect.TypeFor[sent]()).Field("timestamp").Schema.OneOf {
		if n.Kind == "number" {
			number = n
		}
	}
	if number == nil || number.Min == nil {
		t.Fatal("the document has no minimum")
	}
	for n, want := range map[float64]string{*number.Min: "", *number.Min - 1: "must not be before the year 2000"} {
		if _, why := readTime(json.RawMessage(fmt.Sprintf("%.0f", n)), time.Now()); why != want {
			t.Errorf("%.0f: %q, want %q", n, why, want)
		}
	}
}
