package tracking

import (
	"context"
	"math"
	"time"

	"homeroom/internal/feature/tracking/eta"
	"homeroom/internal/feature/tracking/geo"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

const (
	offRoute   = 300.0            // metres from the line of stops
	speedLimit = 80.0             // km/h
	speedOver  = 10 * time.Second // speeds are averaged over this: single fixes are inaccurate
	learnAfter = 5 * time.Second  // every node has flushed its positions by then
)

type tripIn struct {
	ID id.ID `path:"id"`
}

// feature is a GeoJSON feature: the track of a trip.
type feature struct {
	Type       string     `json:"type" enum:"Feature"`
	Geometry   *geometry  `json:"geometry" doc:"Null with fewer than two positions."`
	Properties properties `json:"properties"`
}

type geometry struct {
	Type        string      `json:"type" enum:"LineString"`
	Coordinates [][]float64 `json:"coordinates" doc:"Longitude, latitude."`
}

type properties struct {
	TripID         id.ID       `json:"tripId"`
	BusID          id.ID       `json:"busId"`
	Times          []time.Time `json:"times" doc:"One per coordinate pair."`
	Speeds         []float64   `json:"speeds" doc:"As measured by the device; one per coordinate pair."`
	DistanceMeters int         `json:"distanceMeters"`
}

// past reads a trip and its track, pending positions included.
func (s *Service) past(ctx context.Context, q db.Q, trip id.ID) (transport.Trip, []Fix, error) {
	t, err := transport.TripOf(ctx, q, trip)
	if err != nil {
		return t, nil, err
	}
	if err := s.Flush(ctx); err != nil {
		return t, nil, err
	}
	steps, err := listSteps(ctx, q, trip, time.Time{})
	return t, plausible(steps), err
}

func (s *Service) track(ctx context.Context, who actor.Actor, in tripIn) (feature, error) {
	t, steps, err := s.past(ctx, s.DB.School(who.School), in.ID)
	if err != nil {
		return feature{}, err
	}
	out := feature{Type: "Feature", Properties: properties{TripID: t.ID, BusID: t.BusID,
		Times: []time.Time{}, Speeds: []float64{}, DistanceMeters: length(steps)}}
	line := make([][]float64, len(steps))
	for i, f := range steps {
		line[i] = []float64{f.Lng, f.Lat}
		out.Properties.Times, out.Properties.Speeds = append(out.Properties.Times, f.At), append(out.Properties.Speeds, f.Speed)
	}
	if len(line) > 1 {
		out.Geometry = &geometry{"LineString", line}
	}
	return out, nil
}

// stopReport is a stop with planned and actual times.
type stopReport struct {
	StopID       id.ID      `json:"stopId"`
	Name         string     `json:"name"`
	Order        int        `json:"order"`
	PlannedAt    *time.Time `json:"plannedAt"`
	ReachedAt    *time.Time `json:"reachedAt" doc:"Null if the bus was not seen there."`
	LeftAt       *time.Time `json:"leftAt"`
	DelaySeconds *int       `json:"delaySeconds"`
}

// stretch is a part of a trip off the route or over the speed limit.
type stretch struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Most float64   `json:"most" doc:"Maximum: metres from the route, or km/h."`
}

type reportOut struct {
	Trip            transport.Trip `json:"trip"`
	Positions       int            `json:"positions"`
	DurationSeconds int            `json:"durationSeconds"`
	DistanceMeters  int            `json:"distanceMeters"`
	TopSpeedKmh     float64        `json:"topSpeedKmh" doc:"Averaged over ten seconds, calculated from positions."`
	SpeedLimitKmh   float64        `json:"speedLimitKmh"`
	Stops           []stopReport   `json:"stops" doc:"In the order of the trip."`
	Overspeed       []stretch      `json:"overspeed"`
	OffRoute        []stretch      `json:"offRoute" doc:"More than 300 m from the line of stops, between the first and the last stop."`
}

func (s *Service) report(ctx context.Context, who actor.Actor, in tripIn) (reportOut, error) {
	q := s.DB.School(who.School)
	t, steps, err := s.past(ctx, q, in.ID)
	if err != nil {
		return reportOut{}, err
	}
	r, err := newRun(ctx, q, t, s.Now())
	if err != nil {
		return reportOut{}, err
	}
	r.replay(steps)
	out := reportOut{Trip: t, Positions: len(steps), DistanceMeters: length(steps), SpeedLimitKmh: speedLimit, Stops: r.stopReports()}
	if len(steps) > 0 {
		out.DurationSeconds = int(steps[len(steps)-1].At.Sub(steps[0].At).Seconds())
	}
	out.Overspeed, out.TopSpeedKmh = overspeed(steps)
	out.OffRoute = r.offRoute(steps)
	return out, nil
}

func (r *run) replay(steps []Fix) {
	for _, f := range steps {
		r.journey.Advance(f.At, f.point())
	}
}

func (r *run) stopReports() []stopReport {
	out := make([]stopReport, len(r.stops))
	for i, stop := range r.stops {
		l := stopOf(stop, r.trip, r.journey.Zone())
		out[i] = stopReport{StopID: stop.ID, Name: stop.Name, Order: stop.Position, PlannedAt: l.PlannedAt}
		if at := r.journey.Reached(i); !at.IsZero() {
			out[i].ReachedAt = &at
			if l.PlannedAt != nil {
				delay := int(at.Sub(*l.PlannedAt).Seconds())
				out[i].DelaySeconds = &delay
			}
		}
		if at := r.journey.Left(i); !at.IsZero() {
			out[i].LeftAt = &at
		}
	}
	return out
}

// offRoute returns the stretches between the first and the last stop on which the
// bus was off the line.
func (r *run) offRoute(steps []Fix) []stretch {
	first, last := time.Time{}, time.Time{}
	points := make([]geo.Point, len(r.stops))
	for i, stop := range r.stops {
		points[i] = geo.Point{Lat: stop.Lat, Lng: stop.Lng}
		if at := r.journey.Reached(i); !at.IsZero() {
			last = at
			if first.IsZero() {
				first = at
			}
		}
	}
	path := geo.NewPath(points)
	return stretches(steps, func(i int) (float64, bool) {
		if steps[i].At.Before(first) || steps[i].At.After(last) {
			return 0, false
		}
		off := path.Off(steps[i].point())
		return math.Round(off), off > offRoute
	})
}

// overspeed returns the stretches over the speed limit, and the top speed.
func overspeed(steps []Fix) (list []stretch, top float64) {
	from := 0
	list = stretches(steps, func(i int) (float64, bool) {
		for from < i && steps[i].At.Sub(steps[from+1].At) >= speedOver {
			from++
		}
		over := steps[i].At.Sub(steps[from].At)
		if over < speedOver {
			return 0, false
		}
		kmh := math.Round(geo.Distance(steps[from].point(), steps[i].point())/over.Seconds()*36) / 10
		if kmh > maxSpeed*3.6 { // impossible: a GPS jump
			return 0, false
		}
		top = max(top, kmh)
		return kmh, kmh > speedLimit
	})
	return list, top
}

// stretches returns runs of at least two matching steps, with the maximum of each.
func stretches(steps []Fix, standsOut func(i int) (float64, bool)) []stretch {
	out := []stretch{}
	var now *stretch
	for i, f := range steps {
		value, is := standsOut(i)
		switch {
		case !is:
			now = nil
		case now == nil:
			now = &stretch{From: f.At, To: f.At, Most: value}
		default:
			if now.To.Equal(now.From) {
				out = append(out, *now)
			}
			now.To, now.Most = f.At, max(now.Most, value)
			out[len(out)-1] = *now
		}
	}
	return out
}

func length(steps []Fix) int {
	sum := 0.0
	for i := 1; i < len(steps); i++ {
		sum += geo.Distance(steps[i-1].point(), steps[i].point())
	}
	return int(sum)
}

// learn is the job that stores the travel times of a completed trip.
type learn struct {
	Trip id.ID `json:"trip"`
}

// Kind implements jobs.Args.
func (learn) Kind() string { return "tracking.learn" }

// Workers are this feature's jobs.
func (s *Service) Workers() []jobs.Worker { return []jobs.Worker{jobs.Work(s.learn)} }

func (s *Service) learn(ctx context.Context, school id.ID, a learn) error {
	trip, steps, err := s.past(ctx, s.DB.School(school), a.Trip)
	if err != nil {
		return err
	}
	return s.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
		r, err := newRun(ctx, tx, trip, s.Now())
		if err != nil {
			return err
		}
		r.replay(steps)
		return putLegs(ctx, tx, trip, *trip.StartedAt, sane(r.journey.Legs()))
	})
}

// sane drops outliers such as breakdowns and detours.
func sane(legs []eta.Leg) (out []eta.Leg) {
	const longest = time.Hour
	for _, l := range legs {
		if l.Drive > 0 && l.Drive < longest && l.Dwell < longest {
			out = append(out, l)
		}
	}
	return out
}

// Periodics delete old tracks.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{{Name: "tracking.forget", Every: 24 * time.Hour, Run: s.deleteOld}}
}

func (s *Service) deleteOld(ctx context.Context) error {
	if s.Keep == 0 {
		return nil
	}
	return db.DeleteOld(ctx, s.DB.Across(unscoped.Permit{}), s.Now().Add(-s.Keep),
		db.Old{Table: "trip_positions", Key: []string{"school_id", "trip_id", "at"}, Age: "at"},
		db.Old{Table: "leg_times", Key: []string{"school_id", "trip_id", "from_stop_id", "to_stop_id"}, Age: "at"})
}
