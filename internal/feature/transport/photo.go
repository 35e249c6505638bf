package transport

import (
	"context"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

func (s *Service) showRider(_ context.Context, who actor.Actor, b *boardOut) error {
	b.Photo = s.Files.Photo(who, b.PhotoFileID)
	return nil
}

func (s *Service) showRiders(_ context.Context, who actor.Actor, p *page.Of[Boarding]) error {
	for i, b := range p.Items {
		p.Items[i].Photo = s.Files.Photo(who, b.PhotoFileID)
	}
	return nil
}

func (s *Service) showOwnRiders(_ context.Context, who actor.Actor, p *page.Of[ownRider]) error {
	for i, b := range p.Items {
		p.Items[i].Photo = s.Files.Photo(who, b.PhotoFileID)
	}
	return nil
}

func (s *Service) showIncident(_ context.Context, who actor.Actor, i *Incident) error {
	i.Photo = s.Files.Photo(who, i.PhotoFileID)
	return nil
}

func (s *Service) showIncidents(_ context.Context, who actor.Actor, p *page.Of[Incident]) error {
	for n, i := range p.Items {
		p.Items[n].Photo = s.Files.Photo(who, i.PhotoFileID)
	}
	return nil
}

// SeesIncident returns nil if the caller may read the incident and its photo: the
// caller reported it or may watch the bus.
func (s *Service) SeesIncident(ctx context.Context, who actor.Actor, incident id.ID) error {
	q := s.DB.School(who.School)
	i, err := getIncident(ctx, q, incident)
	switch {
	case err != nil:
		return err
	case i.ReportedBy == who.User:
		return nil
	case !who.Can("transport", actor.Read):
		return ErrNotVisible
	}
	_, err = MaySeeBus(ctx, q, who, i.BusID, s.Now())
	return err
}

var errNotRiding = fault.Denied("This student does not ride with you. Ask your school's administrator.")

// MaySeeRider returns nil if the student rides on a bus or trip of the driver's account.
func MaySeeRider(ctx context.Context, q db.Q, user, student id.ID, now time.Time) error {
	with, args := ridesWith(user, now)
	args["student"] = student
	rides, err := db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM students s WHERE s.school_id = :school AND s.id = :student AND `+with+`) AS rides`, args)
	switch {
	case err != nil:
		return db.Found("read who rides with a driver", err, ErrNoTrip)
	case !rides:
		return errNotRiding
	}
	return nil
}

// ridesWith returns an SQL condition and its arguments: the student s rides on a bus or trip of
// the driver's account.
func ridesWith(user id.ID, now time.Time) (string, db.Args) {
	visible, args := Visible(actor.Driver, user, now)
	args["user"] = user
	return `(EXISTS (SELECT 1 FROM student_stops r
			JOIN route_stops p ON p.school_id = r.school_id AND p.id = r.stop_id
			JOIN buses b ON b.school_id = p.school_id AND b.route_id = p.route_id AND b.archived_at IS NULL
			WHERE r.school_id = :school AND r.student_id = s.id AND s.archived_at IS NULL AND s.status = 'ACTIVE'` + visible + `)
		OR EXISTS (SELECT 1 FROM boardings x JOIN trips t ON t.school_id = x.school_id AND t.id = x.trip_id
			WHERE x.school_id = :school AND x.student_id = s.id AND ` + runningOrComing + `
				AND t.driver_id IN (` + driverIDs + `)))`, args
}
