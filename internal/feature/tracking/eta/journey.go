// Package eta follows a bus along its stops and predicts its arrival times.
//
//	j := eta.New(stops, zone, history)
//	j.Advance(at, point)      // for every position, oldest first
//	j.Arrivals()              // actual or predicted arrival at each stop
//	j.Legs()                  // travel times for later predictions
//
// It uses no database and no clock: results depend only on the positions.
package eta

import (
	"time"

	"homeroom/internal/feature/tracking/geo"
)

const (
	leaves  = 25.0 // metres beyond a stop's radius at which the bus has left it
	beside  = 150. // metres: nearer than this to a later leg, the bus has passed a stop
	passes  = 3    // positions in a row that prove it
	defHalt = 20 * time.Second
	detour  = 1.3 // road distance / straight distance
	cruise  = 7.0 // metres per second, the default speed
)

// Stop is a stop, in the order of the trip.
type Stop struct {
	ID      string
	At      geo.Point
	Reach   float64   // metres: radius within which the bus is at the stop
	Planned time.Time // zero if not planned
}

// visit is what happened at a stop.
type visit struct {
	reached, left time.Time
	passed        bool // without stopping there
}

// Journey is one trip of a bus. It is not safe for concurrent use.
type Journey struct {
	stops   []Stop
	path    geo.Path
	zone    *time.Location
	history *History

	visits []visit
	next   int // index of the first stop ahead
	seen   int // positions in a row that suggest next was passed
	at     time.Time
	where  geo.Point
	pace   float64 // ratio of today's times to typical ones
}

// New returns a journey without positions.
func New(stops []Stop, zone *time.Location, h *History) *Journey {
	points := make([]geo.Point, len(stops))
	for i, s := range stops {
		points[i] = s.At
	}
	return &Journey{stops: stops, path: geo.NewPath(points), zone: zone, history: h, visits: make([]visit, len(stops)), pace: 1}
}

// Advance adds a position. It ignores one that is not newer than the last.
func (j *Journey) Advance(at time.Time, where geo.Point) {
	if !at.After(j.at) {
		return
	}
	j.at, j.where = at, where
	j.leave()
	if i := j.near(); i >= 0 {
		j.arrive(i)
		return
	}
	if i := j.passing(); i >= 0 {
		if j.seen++; j.seen >= passes {
			j.skipTo(i)
		}
		return
	}
	j.seen = 0
}

// leave records the departure from the last stop.
func (j *Journey) leave() {
	last := j.next - 1
	if last < 0 || !j.visits[last].left.IsZero() || j.visits[last].passed {
		return
	}
	if s := j.stops[last]; geo.Distance(s.At, j.where) > s.Reach+leaves {
		j.visits[last].left = j.at
	}
}

// near returns the first stop ahead that the bus is at, or -1.
func (j *Journey) near() int {
	for i := j.next; i < len(j.stops); i++ {
		if geo.Distance(j.stops[i].At, j.where) <= j.stops[i].Reach {
			return i
		}
	}
	return -1
}

func (j *Journey) arrive(i int) {
	for k := j.next; k < i; k++ {
		j.visits[k].passed = true
	}
	j.visits[i].reached = j.at
	if i > 0 && i == j.next && !j.visits[i-1].left.IsZero() {
		j.learnPace(i)
	}
	j.next, j.seen = i+1, 0
}

// learnPace compares the leg that ended at i with its typical time.
func (j *Journey) learnPace(i int) {
	usual := j.usual(i, j.visits[i-1].left).drive
	if usual < 20*time.Second {
		return
	}
	ratio := float64(j.at.Sub(j.visits[i-1].left)) / float64(usual)
	j.pace = (j.pace + clamp(ratio, 0.5, 2)) / 2
}

// passing returns the end of the later leg that the bus is on while off its own, or -1.
func (j *Journey) passing() int {
	if j.next == 0 {
		return j.beyond(1)
	}
	if j.next >= len(j.stops) {
		return -1
	}
	if _, off := j.path.OnLeg(j.next, j.where); off < 2*beside {
		return -1
	}
	return j.beyond(j.next + 1)
}

// beyond returns the first leg from i on that the bus is well inside of, or -1.
func (j *Journey) beyond(i int) int {
	for ; i < len(j.stops); i++ {
		if share, off := j.path.OnLeg(i, j.where); off < beside && share > 0.1 && share < 1 {
			return i
		}
	}
	return -1
}

func (j *Journey) skipTo(i int) {
	for k := j.next; k < i; k++ {
		j.visits[k].passed = true
	}
	j.next, j.seen = i, 0
}

// Next returns the index of the next stop; false if none is left.
func (j *Journey) Next() (int, bool) { return j.next, j.next < len(j.stops) }

// Zone returns the time zone of the journey.
func (j *Journey) Zone() *time.Location { return j.zone }

// Seen returns the time of the newest position.
func (j *Journey) Seen() time.Time { return j.at }

// Reached returns the arrival at a stop; zero if the bus was not there.
func (j *Journey) Reached(i int) time.Time { return j.visits[i].reached }

// Left returns the departure from a stop; zero if the bus has not left.
func (j *Journey) Left(i int) time.Time { return j.visits[i].left }

// Legs returns the travel times between stops at which the bus was seen.
func (j *Journey) Legs() []Leg {
	var out []Leg
	for i := 1; i < len(j.stops); i++ {
		from, to := j.visits[i-1], j.visits[i]
		if from.left.IsZero() || to.reached.IsZero() || from.reached.IsZero() {
			continue
		}
		left := from.left.In(j.zone)
		out = append(out, Leg{FromStop: j.stops[i-1].ID, ToStop: j.stops[i].ID, Weekday: left.Weekday(), Hour: left.Hour(),
			Dwell: from.left.Sub(from.reached), Drive: to.reached.Sub(from.left)})
	}
	return out
}

func clamp(v, low, high float64) float64 { return max(low, min(high, v)) }
