package tracking

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"homeroom/internal/feature/tracking/geo"
	"homeroom/internal/platform/fault"
)

const (
	ahead    = 10 * time.Second // a device's clock may be so much fast
	oldest   = 2000             // years that a clock with no idea of the time may not name
	maxSpeed = 45.0             // metres a second that a bus can't drive faster
	blur     = 200.0            // metres that a good fix may be wrong by
	agree    = 3                // fixes in a row that outvote the position they contradict
	stale    = time.Minute
)

// Fix is where a bus was at a time, as its device saw it.
type Fix struct {
	At      time.Time
	Lat     float64
	Lng     float64
	Speed   float64
	Heading float64
}

func (f Fix) point() geo.Point { return geo.Point{Lat: f.Lat, Lng: f.Lng} }

// reaches tells whether a bus can be at f and later at g.
func (f Fix) reaches(g Fix) bool {
	return geo.Distance(f.point(), g.point()) <= blur+maxSpeed*g.At.Sub(f.At).Abs().Seconds()
}

// sent is a fix as clients send it.
type sent struct {
	Lat       *float64        `json:"lat" required:"true" minimum:"-90" maximum:"90"`
	Lng       *float64        `json:"lng" required:"true" minimum:"-180" maximum:"180"`
	Speed     *float64        `json:"speed" minimum:"0" doc:"As the device tells it; kept and handed on."`
	Heading   *float64        `json:"heading" minimum:"0" maximum:"360" doc:"Degrees, clockwise from north."`
	Timestamp json.RawMessage `json:"timestamp" required:"true" doc:"ISO 8601, or seconds or milliseconds since 1970." example:"2026-11-15T07:05:00Z"`
}

// fix reads what was sent. at names the object in complaints.
func (s sent) fix(at string, now time.Time) (Fix, []fault.Field) {
	var wrong []fault.Field
	number := func(name string, v *float64, needed bool, low, high float64) float64 {
		switch {
		case v == nil && needed:
			wrong = append(wrong, fault.Field{Field: at + name, Message: "is required"})
		case v == nil:
			return 0
		case math.IsNaN(*v) || *v < low || *v > high:
			message := fmt.Sprintf("must be from %g to %g", low, high)
			if math.IsInf(high, 1) {
				message = fmt.Sprintf("must be at least %g", low)
			}
			wrong = append(wrong, fault.Field{Field: at + name, Message: message})
		default:
			return *v
		}
		return 0
	}
	f := Fix{Lat: number("lat", s.Lat, true, -90, 90), Lng: number("lng", s.Lng, true, -180, 180),
		Speed: number("speed", s.Speed, false, 0, math.Inf(1)), Heading: number("heading", s.Heading, false, 0, 360)}
	var why string
	if f.At, why = readTime(s.Timestamp, now); why != "" {
		wrong = append(wrong, fault.Field{Field: at + "timestamp", Message: why})
	}
	return f, wrong
}

// readTime reads a timestamp in any of its forms, or says what is wrong with it.
func readTime(raw json.RawMessage, now time.Time) (t time.Time, why string) {
	const form = "must be a time: ISO 8601 with its zone, or seconds or milliseconds since 1970"
	var text string
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		return t, "is required"
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &text); err != nil {
			return t, form
		}
	default:
		text = string(raw)
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0 && n < 1e14) {
			return t, form
		}
		if n < 1e11 { // in seconds it is the year 5138, in milliseconds 1973
			n *= 1000
		}
		t = time.UnixMilli(int64(n))
	}
	t = t.UTC().Truncate(time.Millisecond)
	switch {
	case t.After(now.Add(ahead)):
		return t, "must not be in the future"
	case t.Year() < oldest:
		return t, "must not be so long ago"
	}
	return t, ""
}

// decodeSent reads the argument of update-location.
func decodeSent(raw json.RawMessage) (s sent, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return s, fault.OnField("lat", "is required; send an object with lat, lng, speed, heading and timestamp")
	}
	var wrong []fault.Field
	for name, to := range map[string]**float64{"lat": &s.Lat, "lng": &s.Lng, "speed": &s.Speed, "heading": &s.Heading} {
		if v, ok := fields[name]; ok && json.Unmarshal(v, to) != nil {
			wrong = append(wrong, fault.Field{Field: name, Message: "must be a number"})
		}
	}
	s.Timestamp = fields["timestamp"]
	if len(wrong) > 0 {
		return s, fault.Fields(wrong...)
	}
	return s, nil
}

// gate decides which fixes move a bus: those that are newer than where it is,
// and within its reach. A few fixes that agree with each other outvote a
// position that was wrong itself. Late fixes never move the bus back.
type gate struct {
	last     Fix // zero At: it has not been seen
	suspects []Fix
}

func (g *gate) admit(f Fix) bool {
	switch {
	case f.point().Zero(), !f.At.After(g.last.At):
		return false
	case g.last.At.IsZero() || g.last.reaches(f):
		g.move(f)
		return true
	}
	for i, s := range g.suspects {
		if s.At.Equal(f.At) {
			return false
		}
		if s.At.After(f.At) {
			g.suspects = append(g.suspects[:i], append([]Fix{f}, g.suspects[i:]...)...)
			return g.outvote()
		}
	}
	g.suspects = append(g.suspects, f)
	return g.outvote()
}

func (g *gate) move(f Fix) {
	g.last = f
	g.suspects = slices.DeleteFunc(g.suspects, func(s Fix) bool { return !s.At.After(f.At) })
}

// outvote moves the bus to the end of the first run of suspects that agree.
func (g *gate) outvote() bool {
	const most = 32 // more of them say no more
	run := 1
	for i := 1; i < len(g.suspects); i++ {
		if g.suspects[i-1].reaches(g.suspects[i]) {
			run++
		} else {
			run = 1
		}
		if last := i == len(g.suspects)-1; run >= agree && (last || !g.suspects[i].reaches(g.suspects[i+1])) {
			g.move(g.suspects[i])
			return true
		}
	}
	if len(g.suspects) > most {
		g.suspects = g.suspects[1:]
	}
	return false
}

// plausible leaves out of a track, in the order of time, what no bus can have
// driven: a fix out of reach of those before it that those after it contradict.
func plausible(track []Fix) []Fix {
	out := make([]Fix, 0, len(track))
	for i, f := range track {
		switch {
		case f.point().Zero():
		case len(out) == 0 && startsAstray(track[i:]):
		case len(out) == 0 || out[len(out)-1].reaches(f):
			out = append(out, f)
		case agrees(track[i:]):
			out = append(out, f)
		}
	}
	return out
}

// startsAstray tells a first fix that the next ones contradict.
func startsAstray(track []Fix) bool {
	return len(track) > agree && !track[0].reaches(track[1]) && agrees(track[1:])
}

// agrees tells whether the first fixes of a track follow from each other.
func agrees(track []Fix) bool {
	if len(track) < agree {
		return false
	}
	for i := 1; i < agree; i++ {
		if !track[i-1].reaches(track[i]) {
			return false
		}
	}
	return true
}
