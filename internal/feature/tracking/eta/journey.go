// Package eta follows a bus along its stops and says when it will reach those
// that are left.
//
//	j := eta.New(stops, zone, history)
//	j.Advance(at, point)      // for every position, in the order of time
//	j.Arrivals()              // when it was or will be at each stop
//	j.Legs()                  // what the next trips can learn from this one
//
// It knows no database and no clock: what it says follows from the positions.
package eta

import (
	"time"

	"homeroom/internal/feature/tracking/geo"
)

const (
	leaves  = 25.0 // metres beyond a stop's reach at which the bus has left it
	beside  = 150. // metres: so near a later leg, and not the own, the bus has passed a stop
	passes  = 3    // positions in a row that show it
	defHalt = 20 * time.Second
	detour  = 1.3 // roads are longer than the line from stop to stop
	cruise  = 7.0 // metres a second, where nothing better is known
)

// Stop is a place on the way, in the order in which the bus comes by.
type Stop struct {
	ID      string
	At      geo.Point
	Reach   float64   // metres: so near, the bus is there
	Planned time.Time // zero: there is no plan
}

// visit is what the bus did at a stop.
type visit struct {
	reached, left time.Time
	passed        bool // without coming near
}

// Journey is one trip of a bus. It is of one goroutine.
type Journey struct {
	stops   []Stop
	path    geo.Path
	zone    *time.Location
	history *History

	visits []visit
	next   int // the first stop that lies ahead
	seen   int // positions in a row that look as if next was passed
	at     time.Time
	where  geo.Point
	pace   float64 // today's times as a share of the usual ones
}

// New is the journey of a bus that is nowhere yet.
func New(stops []Stop, zone *time.Location, h *History) *Journey {
	points := make([]geo.Point, len(stops))
	for i, s := range stops {
		points[i] = s.At
	}
	return &Journey{stops: stops, path: geo.NewPath(points), zone: zone, history: h, visits: make([]visit, len(stops)), pace: 1}
}

// Advance takes the next position. One that is not newer than the last is ignored.
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

// leave notes that the bus has driven off from the stop it was at last.
func (j *Journey) leave() {
	last := j.next - 1
	if last < 0 || !j.visits[last].left.IsZero() || j.visits[last].passed {
		return
	}
	if s := j.stops[last]; geo.Distance(s.At, j.where) > s.Reach+leaves {
		j.visits[last].left = j.at
	}
}

// near is the first stop ahead that the bus is at, or -1.
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

// learnPace compares the leg that ended at i with what it usually takes.
func (j *Journey) learnPace(i int) {
	usual := j.usual(i, j.visits[i-1].left).drive
	if usual < 20*time.Second {
		return
	}
	ratio := float64(j.at.Sub(j.visits[i-1].left)) / float64(usual)
	j.pace = (j.pace + clamp(ratio, 0.5, 2)) / 2
}

// passing is the end of a later leg that the bus is on, while it is off its own; or -1.
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

// beyond is the first leg from i on that the bus is well inside of, or -1.
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

// Next is the index of the stop that comes next; false: none is left.
func (j *Journey) Next() (int, bool) { return j.next, j.next < len(j.stops) }

// Zone is the time zone that the bus drives in.
func (j *Journey) Zone() *time.Location { return j.zone }

// Seen is the time of the newest position.
func (j *Journey) Seen() time.Time { return j.at }

// Reached is when the bus was at a stop; zero: it was not.
func (j *Journey) Reached(i int) time.Time { return j.visits[i].reached }

// Left is when the bus left a stop; zero: it has not.
func (j *Journey) Left(i int) time.Time { return j.visits[i].left }

// Legs is what the journey took, leg by leg, where the bus was seen at both ends.
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
