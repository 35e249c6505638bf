// Package sim simulates buses in an imaginary town: traffic by day and hour, traffic
// lights, slow boarding and inaccurate GPS. Its tracks measure the accuracy of
// predicted arrival times. The same seed gives the same tracks.
package sim

import (
	"math"
	"math/rand/v2"
	"time"

	"homeroom/internal/feature/tracking/geo"
)

// Town makes routes and drives them.
type Town struct {
	Rand  *rand.Rand
	Every time.Duration // interval of positions
	Noise float64       // GPS error in metres
}

// New returns the town of a seed.
func New(seed uint64) *Town {
	return &Town{Rand: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), Every: 3 * time.Second, Noise: 8}
}

// Route is the stops of a bus and the roads between them.
type Route struct {
	Stops []geo.Point
	legs  []leg
}

type leg struct {
	points []geo.Point
	meters float64
	speed  float64 // metres per second without traffic
	rush   float64 // slowdown at rush hour
	lights int
}

// Track is the recording of a trip.
type Track struct {
	Fixes   []Fix
	Arrived []time.Time // true arrival at each stop
}

// Fix is a position as measured by a device.
type Fix struct {
	At    time.Time
	Where geo.Point
}

const degree = 111_195.0 // metres of a degree of latitude

// Route creates a route with that many stops.
func (t *Town) Route(stops int) Route {
	at := geo.Point{Lat: 40 + t.Rand.Float64()*10, Lng: -3 + t.Rand.Float64()*10}
	heading := t.Rand.Float64() * 2 * math.Pi
	r := Route{Stops: []geo.Point{at}}
	for range stops - 1 {
		heading += (t.Rand.Float64() - 0.5) * math.Pi / 2
		next := shift(at, heading, 700+t.Rand.Float64()*1300)
		r.legs = append(r.legs, t.leg(at, next))
		r.Stops, at = append(r.Stops, next), next
	}
	return r
}

// leg is a bent road between two stops.
func (t *Town) leg(from, to geo.Point) leg {
	points := []geo.Point{from}
	for _, share := range []float64{0.25, 0.5, 0.75} {
		points = append(points, shift(geo.Between(from, to, share), t.Rand.Float64()*2*math.Pi, t.Rand.Float64()*90))
	}
	points = append(points, to)
	l := leg{points: points, speed: 7 + t.Rand.Float64()*6, rush: 0.2 + t.Rand.Float64()*0.8}
	for i := 1; i < len(points); i++ {
		l.meters += geo.Distance(points[i-1], points[i])
	}
	l.lights = int(l.meters / 500)
	return l
}

func shift(p geo.Point, heading, meters float64) geo.Point {
	return geo.Point{Lat: p.Lat + meters*math.Cos(heading)/degree,
		Lng: p.Lng + meters*math.Sin(heading)/degree/math.Cos(p.Lat*math.Pi/180)}
}

// rush is the traffic level; 1 is the peak.
func rush(at time.Time) float64 {
	hour := float64(at.Hour()) + float64(at.Minute())/60
	heavy := math.Exp(-math.Pow(hour-8, 2)) + 0.7*math.Exp(-math.Pow(hour-16.5, 2)/2)
	if at.Weekday() == time.Friday {
		heavy *= 0.7
	}
	return heavy
}

// Plan returns the timetable: average times in whole minutes.
func (r Route) Plan(start time.Time) []time.Time {
	at := start
	plan := []time.Time{at}
	for _, l := range r.legs {
		drive := l.meters / l.speed * (1 + l.rush*rush(at))
		at = at.Add(seconds(28 + drive + 10*float64(l.lights)))
		plan = append(plan, at.Round(time.Minute))
	}
	return plan
}

// Drive records a trip that starts at about this time.
func (t *Town) Drive(r Route, start time.Time) Track {
	day := t.around(1, 0.15) // rain, roadworks, the driver's mood
	at := start.Add(seconds(t.Rand.NormFloat64() * 60))
	rec := recorder{town: t, next: at.Add(-2 * time.Minute)}
	depot := shift(r.Stops[0], t.Rand.Float64()*2*math.Pi, 900)
	rec.drive([]geo.Point{depot, r.Stops[0]}, rec.next, at)
	track := Track{Arrived: []time.Time{at}}
	for i, l := range r.legs {
		left := at.Add(seconds(t.around(25, 0.5)))
		rec.stand(r.Stops[i], at, left)
		at = t.along(&rec, l, left, day)
		track.Arrived = append(track.Arrived, at)
	}
	rec.stand(r.Stops[len(r.Stops)-1], at, at.Add(30*time.Second))
	track.Fixes = rec.fixes
	return track
}

// along drives a leg piece by piece, with stops at some traffic lights.
func (t *Town) along(rec *recorder, l leg, at time.Time, day float64) time.Time {
	pace := l.speed / (day * t.around(1, 0.15) * (1 + l.rush*rush(at)))
	for i := 1; i < len(l.points); i++ {
		took := seconds(geo.Distance(l.points[i-1], l.points[i]) / (pace * t.around(1, 0.1)))
		rec.drive(l.points[i-1:i+1], at, at.Add(took))
		at = at.Add(took)
		if i <= l.lights && t.Rand.Float64() < 0.5 {
			red := at.Add(seconds(t.Rand.Float64() * 40))
			rec.stand(l.points[i], at, red)
			at = red
		}
	}
	return at
}

// around returns a random value near value, at least a third of it.
func (t *Town) around(value, spread float64) float64 {
	return max(value/3, value*math.Exp(t.Rand.NormFloat64()*spread))
}

// recorder is the GPS device of the bus.
type recorder struct {
	town  *Town
	next  time.Time
	fixes []Fix
}

func (r *recorder) stand(where geo.Point, from, to time.Time) {
	r.drive([]geo.Point{where, where}, from, to)
}

// drive records the way along the points.
func (r *recorder) drive(way []geo.Point, from, to time.Time) {
	for ; r.next.Before(to); r.next = r.next.Add(r.town.Every) {
		share := float64(r.next.Sub(from)) / float64(to.Sub(from))
		r.see(geo.Between(way[0], way[1], max(0, share)))
	}
}

// see records a position. Some are dropped, some are far off.
func (r *recorder) see(where geo.Point) {
	chance := r.town.Rand.Float64()
	switch {
	case chance < 0.03:
		return
	case chance < 0.035:
		where = shift(where, r.town.Rand.Float64()*2*math.Pi, 1000+r.town.Rand.Float64()*4000)
	default:
		where = shift(where, r.town.Rand.Float64()*2*math.Pi, math.Abs(r.town.Rand.NormFloat64())*r.town.Noise)
	}
	r.fixes = append(r.fixes, Fix{r.next, where})
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}
