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
	ahead    = 10 * time.Second // tolerance for fast device clocks
	oldest   = 2000             // earliest year of a plausible timestamp
	maxSpeed = 45.0             // metres per second
	blur     = 200.0            // metres, accuracy of a good fix
	agree    = 3                // fixes in a row that override a position they contradict
	stale    = time.Minute
)

// Fix is a position reported by a device.
type Fix struct {
	At      time.Time
	Lat     float64
	Lng     float64
	Speed   float64
	Heading float64
}

func (f Fix) point() geo.Point { return geo.Point{Lat: f.Lat, Lng: f.Lng} }

// reaches reports whether a bus can be at f and later at g.
func (f Fix) reaches(g Fix) bool {
	return geo.Distance(f.point(), g.point()) <= blur+maxSpeed*g.At.Sub(f.At).Abs().Seconds()
}

// sent is a fix in the clients' format.
type sent struct {
	Lat       *float64        `json:"lat" required:"true" minimum:"-90" maximum:"90"`
	Lng       *float64        `json:"lng" required:"true" minimum:"-180" maximum:"180"`
	Speed     *float64        `json:"speed" minimum:"0" doc:"As measured by the device; stored and passed on unchanged."`
	Heading   *float64        `json:"heading" minimum:"0" maximum:"360" doc:"Degrees, clockwise from north."`
	Timestamp json.RawMessage `json:"timestamp" required:"true" oneOf:"date-time,number" minimum:"946684800" doc:"ISO 8601, or seconds or milliseconds since 1970. Not before 2000." example:"2026-11-15T07:05:00Z"`
}

// fix validates and converts; at is the prefix of field names in errors.
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

// readTime parses a timestamp in any accepted format, or returns an error message.
func readTime(raw json.RawMessage, now time.Time) (t time.Time, why string) {
	const form = "must be a timestamp: ISO 8601 with a time zone, or seconds or milliseconds since 1970"
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
		if n < 1e11 { // seconds: 1e11 is the year 5138, but 1973 in milliseconds
			n *= 1000
		}
		t = time.UnixMilli(int64(n))
	}
	t = t.UTC().Truncate(time.Millisecond)
	switch {
	case t.After(now.Add(ahead)):
		return t, "must not be in the future"
	case t.Year() < oldest:
		return t, "must not be before the year 2000"
	}
	return t, ""
}

// decodeSent parses the argument of update-location.
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

// gate filters fixes. It accepts those that are newer than the current position and
// within reach of it. A few fixes that agree override a wrong position. Late fixes
// never move the bus back.
type gate struct {
	last     Fix // zero At if there is none
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

// outvote moves the bus to the end of the first run of agreeing suspects.
func (g *gate) outvote() bool {
	const most = 32 // enough to decide
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

// plausible removes impossible fixes from a sorted track: those out of reach of
// earlier fixes and contradicted by later ones.
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

// startsAstray reports whether the next fixes contradict the first.
func startsAstray(track []Fix) bool {
	return len(track) > agree && !track[0].reaches(track[1]) && agrees(track[1:])
}

// agrees reports whether each of the first fixes is within reach of the one before.
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
