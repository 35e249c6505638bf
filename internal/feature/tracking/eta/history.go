package eta

import (
	"slices"
	"time"
)

// Leg is one recorded time from one stop to the next.
type Leg struct {
	FromStop, ToStop string
	Weekday          time.Weekday // of departure, like Hour, in the school's time zone
	Hour             int
	Dwell            time.Duration // at the first stop
	Drive            time.Duration // from leaving it to reaching the second
}

// enough is the number of samples that a median needs.
const enough = 3

// moment is a key of History, from specific to general: weekday and hour, hour, any.
type moment struct {
	from, to string
	weekday  time.Weekday // -1: any
	hour     int          // -1: any
}

// History has typical times of the legs of a route.
type History struct {
	medians map[moment]typical
}

type typical struct {
	dwell, drive time.Duration
	n            int
}

// NewHistory calculates the medians of past legs.
func NewHistory(legs []Leg) *History {
	dwells, drives := map[moment][]time.Duration{}, map[moment][]time.Duration{}
	for _, l := range legs {
		for _, m := range []moment{
			{l.FromStop, l.ToStop, l.Weekday, l.Hour}, {l.FromStop, l.ToStop, -1, l.Hour}, {l.FromStop, l.ToStop, -1, -1},
		} {
			dwells[m], drives[m] = append(dwells[m], l.Dwell), append(drives[m], l.Drive)
		}
	}
	h := &History{medians: make(map[moment]typical, len(drives))}
	for m, list := range drives {
		h.medians[m] = typical{median(dwells[m]), median(list), len(list)}
	}
	return h
}

// leg returns the typical time for a departure at leaves; false if unknown.
func (h *History) leg(from, to string, leaves time.Time) (typical, bool) {
	for _, m := range []moment{
		{from, to, leaves.Weekday(), leaves.Hour()}, {from, to, -1, leaves.Hour()}, {from, to, -1, -1},
	} {
		if t := h.medians[m]; t.n >= enough || t.n > 0 && m.hour < 0 {
			return t, true
		}
	}
	return typical{}, false
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	n := len(list)
	if n%2 == 1 {
		return list[n/2]
	}
	return (list[n/2-1] + list[n/2]) / 2
}
