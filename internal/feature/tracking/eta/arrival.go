package eta

import (
	"math"
	"time"

	"homeroom/internal/feature/tracking/geo"
)

// Arrival is the predicted or actual arrival at a stop.
type Arrival struct {
	At      time.Time // zero if unknown, or passed without stopping
	Reached bool
	Meters  int // remaining, along the line of stops
}

// fading is the weight of today's pace, per further leg.
const fading = 0.6

// Arrivals returns the arrival at each stop, as of the newest position.
func (j *Journey) Arrivals() []Arrival {
	out := make([]Arrival, len(j.stops))
	for i := range j.next {
		out[i] = Arrival{At: j.visits[i].reached, Reached: !j.visits[i].reached.IsZero()}
	}
	if j.at.IsZero() || j.next >= len(j.stops) {
		return out
	}
	rest, meters := j.toNext()
	at, trust := j.at.Add(rest), 1.0
	out[j.next] = Arrival{At: at, Meters: round(meters)}
	for i := j.next + 1; i < len(j.stops); i++ {
		trust *= fading
		usual := j.usual(i, at)
		at = at.Add(usual.dwell + scale(usual.drive, 1+(j.pace-1)*trust))
		meters += j.path.Leg(i)
		out[i] = Arrival{At: at, Meters: round(meters)}
	}
	return out
}

// toNext returns the time and distance to the next stop.
func (j *Journey) toNext() (time.Duration, float64) {
	i := j.next
	if i == 0 || j.visits[i-1].passed {
		return j.fromAnywhere(i)
	}
	last := j.visits[i-1]
	if last.left.IsZero() { // still at the stop
		usual := j.usual(i, last.reached)
		halt := max(0, usual.dwell-j.at.Sub(last.reached))
		return halt + scale(usual.drive, j.pace), geo.Distance(j.where, j.stops[i].At)
	}
	usual := j.usual(i, last.left)
	share, _ := j.path.OnLeg(i, j.where)
	rest := float64(scale(usual.drive, j.pace)) * (1 - share)
	if share > 0.1 { // extrapolate from this leg, once there is enough of it
		asNow := float64(j.at.Sub(last.left)) * (1 - share) / share
		rest = rest*(1-share/2) + clamp(asNow, rest/2, rest*2)*share/2
	}
	return time.Duration(rest), max(j.path.Leg(i)*(1-share), geo.Distance(j.where, j.stops[i].At))
}

// fromAnywhere is for a bus before the first stop or off the line.
func (j *Journey) fromAnywhere(i int) (time.Duration, float64) {
	meters := geo.Distance(j.where, j.stops[i].At)
	return seconds(meters * detour / cruise), meters
}

// usual returns the typical time of the leg that ends at i, for a departure at
// leaves: from past trips, else the plan, else its length.
func (j *Journey) usual(i int, leaves time.Time) typical {
	from, to := j.stops[i-1], j.stops[i]
	if t, ok := j.history.leg(from.ID, to.ID, leaves.In(j.zone)); ok {
		return t
	}
	if !from.Planned.IsZero() && to.Planned.After(from.Planned) {
		whole := to.Planned.Sub(from.Planned)
		halt := min(defHalt, whole/4)
		return typical{dwell: halt, drive: whole - halt}
	}
	return typical{dwell: defHalt, drive: seconds(j.path.Leg(i) * detour / cruise)}
}

// Delay returns the delay at the next stop or, at the end, at the last; false
// without planned times.
func (j *Journey) Delay() (time.Duration, bool) {
	i := min(j.next, len(j.stops)-1)
	if i < 0 || j.at.IsZero() || j.stops[i].Planned.IsZero() {
		return 0, false
	}
	at := j.Arrivals()[i].At
	return at.Sub(j.stops[i].Planned), !at.IsZero()
}

func scale(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func round(meters float64) int { return int(math.Round(meters)) }
