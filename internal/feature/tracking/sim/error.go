package sim

import (
	"slices"
	"strconv"
	"time"

	"homeroom/internal/feature/tracking/eta"
	"homeroom/internal/feature/tracking/geo"
)

// Replay measures the error of predicted arrival times. It drives routes on some
// school days to learn from and on more days to test.
type Replay struct {
	Routes, Stops int
	Learn, Judge  int // school days
	Before        time.Duration
}

// Errors are sorted absolute errors of predictions.
type Errors struct {
	Predicted []time.Duration // from the position and past trips
	Fresh     []time.Duration // from the position alone, without past trips
	Planned   []time.Duration // from the timetable
}

// Median returns the middle of a sorted list.
func Median(list []time.Duration) time.Duration { return list[len(list)/2] }

// Percentile returns the p-th percentile of a sorted list.
func Percentile(list []time.Duration, p int) time.Duration {
	return list[min(len(list)-1, len(list)*p/100)]
}

// Run simulates and compares.
func (p Replay) Run(seed uint64) Errors {
	town := New(seed)
	var out Errors
	for range p.Routes {
		p.route(town, &out)
	}
	slices.Sort(out.Predicted)
	slices.Sort(out.Fresh)
	slices.Sort(out.Planned)
	return out
}

func (p Replay) route(town *Town, out *Errors) {
	r := town.Route(p.Stops)
	day := time.Date(2026, 9, 7, 7, 15, 0, 0, time.UTC) // a Monday
	var past []eta.Leg
	for n := 0; n < p.Learn+p.Judge; day = day.AddDate(0, 0, 1) {
		if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
			continue
		}
		n++
		track, plan := town.Drive(r, day), r.Plan(day)
		if n <= p.Learn {
			past = append(past, journey(r, plan, nil).follow(track.Fixes, nil).Legs()...)
			continue
		}
		p.judge(track, plan, journey(r, plan, past), &out.Predicted, &out.Planned)
		p.judge(track, plan, journey(r, plan, nil), &out.Fresh, nil)
	}
}

// follower feeds a track to a journey.
type follower struct {
	*eta.Journey
	last Fix
}

func journey(r Route, plan []time.Time, past []eta.Leg) *follower {
	stops := make([]eta.Stop, len(r.Stops))
	for i, at := range r.Stops {
		stops[i] = eta.Stop{ID: strconv.Itoa(i), At: at, Reach: 80, Planned: plan[i]}
	}
	return &follower{Journey: eta.New(stops, time.UTC, eta.NewHistory(past))}
}

// follow advances along the plausible fixes of a track and calls each at every position.
func (f *follower) follow(fixes []Fix, each func(at time.Time)) *follower {
	const slack, fastest = 200, 45
	for _, x := range fixes {
		if !f.last.At.IsZero() && geo.Distance(f.last.Where, x.Where) > slack+fastest*x.At.Sub(f.last.At).Seconds() {
			continue
		}
		f.last = x
		f.Advance(x.At, x.Where)
		if each != nil {
			each(x.At)
		}
	}
	return f
}

// judge compares, for every stop, the prediction at that time before the arrival.
func (p Replay) judge(track Track, plan []time.Time, f *follower, predicted, planned *[]time.Duration) {
	asked := make([]bool, len(track.Arrived))
	f.follow(track.Fixes, func(at time.Time) {
		for i, truth := range track.Arrived {
			if asked[i] || at.Before(truth.Add(-p.Before)) || !at.Before(truth) {
				continue
			}
			asked[i] = true
			if truth.Sub(at) < p.Before-10*time.Second {
				continue // before the start of the trip
			}
			if said := f.Arrivals()[i]; !said.At.IsZero() {
				*predicted = append(*predicted, said.At.Sub(truth).Abs())
				if planned != nil {
					*planned = append(*planned, plan[i].Sub(truth).Abs())
				}
			}
		}
	})
}
