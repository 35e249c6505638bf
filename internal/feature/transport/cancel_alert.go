package transport

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// longestTrip is how long the bus may be under way, past midnight too.
const longestTrip = 12 * time.Hour

// because adds the reason of a cancelled trip, if there is one.
func (t Trip) because(words text.Text) text.Text {
	if t.CancelReason == "" {
		return words
	}
	return text.T("transport.cancelled.because", "words", words, "reason", t.CancelReason)
}

// concerned returns the students whom a cancelled trip leaves without a bus.
func concerned(riders []Boarding) (students []id.ID, aboard map[id.ID]bool) {
	students, aboard = expectedOf(riders), map[id.ID]bool{}
	for _, b := range riders {
		if b.Status == Boarded {
			students, aboard[b.StudentID] = append(students, b.StudentID), true
		}
	}
	return students, aboard
}

// missed reports whether a trip was of a day before today and has never started, or was never
// ended: cancelling or changing it now is tidying up.
func (s *Service) missed(who actor.Actor, t Trip) bool {
	now := s.Now()
	return t.Date < clock.DateIn(now, who.Zone) && (t.StartedAt == nil || t.StartedAt.Before(now.Add(-longestTrip)))
}

// tellCancelled notifies the driver and the parents of a cancelled trip. riders are its
// students just before.
func (s *Service) tellCancelled(ctx context.Context, tx *db.Tx, who actor.Actor, t Trip, riders []Boarding) error {
	if s.missed(who, t) {
		return nil
	}
	if err := s.tellDrivers(ctx, tx, who.School, t.calledOff(), t.DriverUserID); err != nil {
		return err
	}
	students, aboard := concerned(riders)
	_, err := s.Alert(ctx, tx, who.School, Alert{Trip: t.ID, Kind: "cancelled", Urgent: true,
		Say: func(student id.ID, name string) (title, body text.Text) {
			key := string(t.Type)
			if aboard[student] {
				key = "empty"
			}
			return text.T("transport.cancelled.title"), t.because(text.T("transport.cancelled.day."+key, "student", name, "bus", t.Label(),
				"date", t.Date, "time", t.StartTime))
		}}, students)
	return err
}

// calledOff is the notice to the driver of a cancelled trip.
func (t Trip) calledOff() notification.Notice {
	return notification.Notice{Record: t.ID, Urgent: true, Title: text.T("transport.cancelled.driver.title"),
		Body: t.because(text.T("transport.cancelled.driver.body", "bus", t.Label(), "date", t.Date, "time", t.StartTime))}
}

// tellCalledOff notifies the drivers and the parents of cancelled trips of one bus, each
// person once per child.
func (s *Service) tellCalledOff(ctx context.Context, tx *db.Tx, who actor.Actor, gone []Trip) error {
	gone = slices.DeleteFunc(slices.Clone(gone), func(t Trip) bool { return s.missed(who, t) })
	if len(gone) == 0 {
		return nil
	}
	first, last := gone[0], gone[len(gone)-1]
	if len(gone) == 1 {
		before := first
		before.Status = Scheduled
		riders, err := RidersOf(ctx, tx, before)
		if err != nil {
			return err
		}
		return s.tellCancelled(ctx, tx, who, first, riders)
	}
	var drivers []id.ID
	for _, t := range gone {
		drivers = append(drivers, t.DriverUserID)
	}
	slices.Sort(drivers)
	err := s.tellDrivers(ctx, tx, who.School, notification.Notice{Record: first.ID, Urgent: true,
		Title: text.T("transport.cancelled.driver.title"), Body: first.because(text.T("transport.cancelled.driver.many",
			"count", len(gone), "bus", first.Label(), "from", first.Date, "to", last.Date))}, slices.Compact(drivers)...)
	if err != nil {
		return err
	}
	students, err := expectedOn(ctx, tx, gone)
	if err != nil {
		return err
	}
	var notices []notification.Notice
	for student, name := range students {
		notices = append(notices, notification.Notice{Topic: notification.StudentTopic(student), Type: notification.Transport,
			Record: first.ID, Student: student, Urgent: true, Title: text.T("transport.cancelled.title"),
			Body: first.because(text.T("transport.cancelled.many", "student", name, "count", len(gone), "bus", first.Label(),
				"from", first.Date, "to", last.Date))})
	}
	return s.Notify.SendToParents(ctx, tx, who.School, notices)
}

// expectedOn returns the students of trips that have not started, with their names. It
// reads each route and direction once.
func expectedOn(ctx context.Context, q db.Q, trips []Trip) (map[id.ID]string, error) {
	type way struct {
		route id.ID
		typ   Type
	}
	out, read := map[id.ID]string{}, map[way]bool{}
	for _, t := range trips {
		if read[way{t.RouteID, t.Type}] {
			continue
		}
		read[way{t.RouteID, t.Type}] = true
		err := db.Each(ctx, q, `SELECT s.id AS student_id, s.first_name, s.last_name FROM `+expected(t.Type)+` WHERE s.school_id = :school`,
			db.Args{"route": t.RouteID}, func(b Boarding) error {
				out[b.StudentID] = b.Name()
				return nil
			})
		if err != nil {
			return nil, fmt.Errorf("read the students of trips: %w", err)
		}
	}
	return out, nil
}

// tellRunsAgain notifies the parents and the driver of new trips of one bus on days on which
// a trip of the route was cancelled: they were told that it does not run.
func (s *Service) tellRunsAgain(ctx context.Context, tx *db.Tx, who actor.Actor, added []Trip) error {
	if len(added) == 0 {
		return nil
	}
	ids, days := make([]id.ID, len(added)), make([]clock.Date, len(added))
	for i, t := range added {
		ids[i], days[i] = t.ID, t.Date
	}
	off, err := db.All[clock.Date](ctx, tx, `
		SELECT DISTINCT c.date FROM trips c
		WHERE c.school_id = :school AND c.route_id = :route AND c.type = :type AND c.date IN (:days) AND c.date >= :today
			AND c.status = 'cancelled' AND NOT EXISTS (SELECT 1 FROM trips n
				WHERE n.school_id = c.school_id AND n.route_id = c.route_id AND n.type = c.type AND n.date = c.date
					AND n.status <> 'cancelled' AND n.created_at >= c.cancelled_at AND n.id NOT IN (:ids))`,
		db.Args{"route": added[0].RouteID, "type": added[0].Type, "days": days, "today": clock.DateIn(s.Now(), who.Zone), "ids": ids})
	if err != nil {
		return fmt.Errorf("read cancelled trips: %w", err)
	}
	again := slices.DeleteFunc(slices.Clone(added), func(t Trip) bool { return !slices.Contains(off, t.Date) })
	if len(again) == 0 {
		return nil
	}
	first, last, duty := again[0], again[len(again)-1], duties("yours", again)
	duty.Urgent = true
	if err := s.tellDrivers(ctx, tx, who.School, duty, first.DriverUserID); err != nil {
		return err
	}
	students, err := expectedOn(ctx, tx, again)
	if err != nil {
		return err
	}
	var notices []notification.Notice
	for student, name := range students {
		notices = append(notices, notification.Notice{Topic: notification.StudentTopic(student), Type: notification.Transport,
			Record: first.ID, Student: student, Urgent: true, Title: text.T("transport.again.title"),
			Body: text.T("transport.again.body", "student", name, "count", len(again), "bus", first.Label(), "from", first.Date,
				"to", last.Date, "time", first.StartTime)})
	}
	return s.Notify.SendToParents(ctx, tx, who.School, notices)
}
