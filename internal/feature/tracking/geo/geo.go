// Package geo measures distances on the scale of a school bus route: between two
// points, and along a line of stops.
package geo

import "math"

const radius = 6_371_000 // of the earth, in metres

// Point is a position in degrees.
type Point struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// Zero reports whether p is 0,0, which devices send without a GPS fix.
func (p Point) Zero() bool { return math.Abs(p.Lat) < 1e-6 && math.Abs(p.Lng) < 1e-6 }

// Distance returns the metres between two points.
func Distance(a, b Point) float64 {
	φ1, φ2 := radians(a.Lat), radians(b.Lat)
	sinφ, sinλ := math.Sin((φ2-φ1)/2), math.Sin(radians(b.Lng-a.Lng)/2)
	h := sinφ*sinφ + math.Cos(φ1)*math.Cos(φ2)*sinλ*sinλ
	return 2 * radius * math.Asin(math.Min(1, math.Sqrt(h)))
}

// Between returns the point at a share of the way from a to b.
func Between(a, b Point, share float64) Point {
	return Point{a.Lat + (b.Lat-a.Lat)*share, a.Lng + (b.Lng-a.Lng)*share}
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

// Path is a line through stops.
type Path struct {
	points []Point
	upTo   []float64 // metres from the first point
}

// NewPath joins the points in order.
func NewPath(points []Point) Path {
	p := Path{points: points, upTo: make([]float64, len(points))}
	for i := 1; i < len(points); i++ {
		p.upTo[i] = p.upTo[i-1] + Distance(points[i-1], points[i])
	}
	return p
}

// Leg returns the length in metres of the leg that ends at point i.
func (p Path) Leg(i int) float64 { return p.upTo[i] - p.upTo[i-1] }

// OnLeg projects a point onto the leg that ends at i. It returns the share of the
// leg behind the point, and the distance from the line in metres.
func (p Path) OnLeg(i int, at Point) (share, off float64) {
	a, b := p.points[i-1], p.points[i]
	// At this scale a plane approximates the globe.
	k := math.Cos(radians(a.Lat))
	bx, by := (b.Lng-a.Lng)*k, b.Lat-a.Lat
	px, py := (at.Lng-a.Lng)*k, at.Lat-a.Lat
	if length := bx*bx + by*by; length > 0 {
		share = math.Max(0, math.Min(1, (px*bx+py*by)/length))
	}
	return share, Distance(at, Between(a, b, share))
}

// Off returns the metres from a point to the nearest part of the line.
func (p Path) Off(at Point) float64 {
	if len(p.points) == 0 {
		return 0
	}
	nearest := Distance(at, p.points[0])
	for i := 1; i < len(p.points); i++ {
		_, off := p.OnLeg(i, at)
		nearest = math.Min(nearest, off)
	}
	return nearest
}
