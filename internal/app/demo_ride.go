package app

import (
	"math"
	"slices"
	"time"

	"homeroom/internal/feature/tracking"
	"homeroom/internal/feature/tracking/geo"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/id"
)

const (
	rideSpeed = 8.0              // metres per second
	rideDwell = 20 * time.Second // at each stop and at the school
	rideRest  = 2 * time.Minute  // between two trips
)

// ride is the course of a simulated trip. Where the bus is depends only on the time
// since the start, so a restarted service continues it.
type ride struct {
	typ    transport.Type
	points []geo.Point   // the stops in order and the school
	place  map[id.ID]int // of each stop in points
}

// newRide returns the ride of a trip; stops are in morning order.
func newRide(typ transport.Type, stops []transport.Stop, home geo.Point) ride {
	r := ride{typ: typ, place: map[id.ID]int{}}
	for _, s := range stops {
		r.points = append(r.points, geo.Point{Lat: s.Lat, Lng: s.Lng})
	}
	r.points = append(r.points, home)
	for i, s := range stops {
		r.place[s.ID] = i
	}
	if typ == transport.Dropoff {
		slices.Reverse(r.points)
		for stop, i := range r.place {
			r.place[stop] = len(r.points) - 1 - i
		}
	}
	return r
}

// moment is a moment of a ride.
type moment struct {
	at      geo.Point
	heading float64 // degrees, clockwise from north
	speed   float64
	reached int // number of points reached
	over    bool
}

// after returns the moment some time after the start.
func (r ride) after(d time.Duration) moment {
	last := len(r.points) - 1
	for i, p := range r.points {
		if d -= rideDwell; d < 0 || i == last {
			return moment{at: p, heading: r.heading(max(i, 1)), reached: i + 1, over: d >= 0}
		}
		meters := geo.Distance(p, r.points[i+1])
		leg := time.Duration(meters / rideSpeed * float64(time.Second))
		if d < leg {
			return moment{at: geo.Between(p, r.points[i+1], d.Seconds()/leg.Seconds()), heading: r.heading(i + 1), speed: rideSpeed, reached: i + 1}
		}
		d -= leg
	}
	return moment{over: true}
}

// heading is the direction of the leg that ends at point i.
func (r ride) heading(i int) float64 {
	if i >= len(r.points) {
		return 0
	}
	a, b := r.points[i-1], r.points[i]
	east, north := (b.Lng-a.Lng)*math.Cos(a.Lat*math.Pi/180), b.Lat-a.Lat
	return math.Mod(math.Atan2(east, north)*180/math.Pi+360, 360)
}

// next returns the status of a student at a moment; "" if it stays the same.
func (r ride) next(now moment, b transport.Boarding) transport.BoardingStatus {
	passed := now.reached > r.place[b.StopID]
	switch {
	case b.Expected() && (passed || r.typ == transport.Dropoff): // all get on at the school
		return transport.Boarded
	case b.Status == transport.Boarded && r.typ == transport.Dropoff && (passed || now.over):
		return transport.Alighted
	}
	return ""
}

func (m moment) fix(now time.Time) tracking.Fix {
	return tracking.Fix{At: now.UTC().Truncate(time.Millisecond), Lat: m.at.Lat, Lng: m.at.Lng, Speed: m.speed, Heading: m.heading}
}
