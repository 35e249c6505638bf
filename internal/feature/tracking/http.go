package tracking

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/web"
)

// Routes are the endpoints of this feature.
func (s *Service) Routes() []web.Route {
	everyone := web.Roles(actor.Parent, actor.Teacher, actor.Driver, actor.SchoolAdmin)
	return []web.Route{
		web.Handle("GET /bus-tracking/bus/{busId}/live", s.live, everyone, web.Read("transport"),
			web.Doc("Position, trip and arrival times of a bus.")),
		web.Handle("GET /bus-tracking/bus/list", s.visible, everyone, web.Read("transport"), web.List("registrationNo", "name"),
			web.Doc("The buses that the caller may watch.")),
		web.Handle("GET /school-admin/transport/live", s.board, web.Read("transport"), web.List("registrationNo", "startedAt"),
			web.Doc("All buses on a running trip, with positions.")),
		web.Handle("GET /school-admin/transport/trip/{id}/track", s.track, web.Read("transport"),
			web.Doc("The track of a trip as GeoJSON.")),
		web.Handle("GET /school-admin/transport/trip/{id}/report", s.report, web.Read("transport"),
			web.Doc("Planned and actual course of a trip: stops, delay, top speed, stretches off the route.")),
		web.Handle("POST /driver/bus-tracking/trips/{tripId}/locations", s.locations, web.Write("transport"), web.Stream(),
			web.Says("Positions kept."),
			web.Doc("Uploads positions of a trip recorded offline, in any order. Duplicates are ignored.")),
	}
}

type locationsIn struct {
	TripID    id.ID  `path:"tripId"`
	Locations []sent `json:"locations" required:"true" minItems:"1" maxItems:"1000"`
}

type locationsOut struct {
	Received   int  `json:"received"`
	Kept       int  `json:"kept" doc:"Added to the track of the trip."`
	Duplicates int  `json:"duplicates" doc:"With a timestamp that the track already has."`
	Ignored    int  `json:"ignored" doc:"Without a position (0, 0), or outside the time of the trip."`
	Live       bool `json:"live" doc:"The newest became the current position of the bus."`
}

// locations writes a batch before it answers.
func (s *Service) locations(ctx context.Context, who actor.Actor, in locationsIn) (out locationsOut, err error) {
	fixes, err := s.readFixes(in.Locations)
	if err != nil {
		return out, err
	}
	var trip transport.Trip
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) (err error) {
		if trip, err = transport.MayDrive(ctx, tx, who.User, in.TripID, s.Now()); err != nil {
			return err
		}
		if trip.StartedAt == nil {
			return errNotStarted
		}
		steps := stepsOf(who.School, trip, fixes)
		kept, err := db.Insert(ctx, tx, putStepsHere, steps)
		if err != nil {
			return fmt.Errorf("write positions: %w", err)
		}
		out = locationsOut{Received: len(fixes), Kept: int(kept), Duplicates: len(steps) - int(kept), Ignored: len(fixes) - len(steps)}
		if trip.Status == transport.Completed && kept > 0 { // learn again from the longer track
			err := jobs.Enqueue(ctx, tx, s.Now(), learn{trip.ID}, jobs.At(s.Now().Add(learnAfter)), jobs.Unique(string(trip.ID)+who.RequestID))
			if err != nil {
				return err
			}
		}
		return s.Audit.Record(ctx, tx, who, "trip.locations", "trip", trip.ID, nil, out)
	})
	if err != nil || !trip.Running() {
		return out, err
	}
	out.Live, err = s.follow(ctx, who.School, trip, fixes)
	return out, err
}

// putStepsHere is putSteps within one school.
const putStepsHere = `
	INSERT INTO trip_positions (school_id, trip_id, at, lat, lng, speed, heading)
	VALUES (:school, :trip_id, :at, :lat, :lng, :speed, :heading)
	ON CONFLICT (school_id, trip_id, at) DO NOTHING`

func (s *Service) readFixes(list []sent) ([]Fix, error) {
	now := s.Now()
	fixes := make([]Fix, len(list))
	var wrong []fault.Field
	for i, l := range list {
		f, bad := l.fix(fmt.Sprintf("locations[%d].", i), now)
		fixes[i], wrong = f, append(wrong, bad...)
	}
	if len(wrong) > 0 {
		return nil, fault.Fields(wrong[:min(len(wrong), 100)]...)
	}
	slices.SortStableFunc(fixes, func(a, b Fix) int { return a.At.Compare(b.At) })
	return fixes, nil
}

// stepsOf returns the rows of a batch that belong to the track of a trip.
func stepsOf(school id.ID, trip transport.Trip, fixes []Fix) (out []step) {
	r, end := run{trip: trip}, cmp.Or(trip.EndedAt, trip.CancelledAt)
	for _, f := range fixes {
		late := end != nil && f.At.After(end.Add(time.Minute))
		if !f.point().Zero() && r.covers(f) && !late {
			out = append(out, step{school, trip.ID, f})
		}
	}
	return out
}

// follow moves the bus to the newest position of a batch, if it is live.
func (s *Service) follow(ctx context.Context, school id.ID, trip transport.Trip, fixes []Fix) (live bool, err error) {
	t := s.tracker(school, trip.BusID)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(ctx, s); err != nil {
		return false, err
	}
	for _, f := range fixes {
		live = t.move(s, f) || live
	}
	return live, nil
}
