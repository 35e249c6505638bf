package transport

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// Alert is something that parents are told of a trip: once per child and Kind.
type Alert struct {
	Trip   id.ID
	Kind   string // started, near, boarded, alighted, incident:<id>
	Record id.ID  // what the app opens; "": the trip
	// Say is what the parents of a child read. name is the child's.
	Say func(student id.ID, name string) (title, body text.Text)
	// Urgent alerts don't wait for the end of anyone's quiet hours.
	Urgent bool
}

// Alert tells the parents of students, but for those who have been told, and
// returns whose parents it told.
func (s *Service) Alert(ctx context.Context, tx *db.Tx, school id.ID, a Alert, students []id.ID) (told []id.ID, err error) {
	if len(students) == 0 {
		return students, nil
	}
	told, err = db.All[id.ID](ctx, tx, `
		INSERT INTO trip_alerts (school_id, trip_id, student_id, kind, created_at)
		SELECT :school, :trip, id, :kind, :now FROM students
		WHERE school_id = :school AND archived_at IS NULL AND id IN (:students)
		ON CONFLICT DO NOTHING RETURNING student_id`, db.Args{"trip": a.Trip, "kind": a.Kind, "now": s.Now(), "students": students})
	if err != nil {
		return nil, fmt.Errorf("note alerts: %w", err)
	}
	if len(told) == 0 {
		return told, nil
	}
	type person struct {
		ID                  id.ID
		FirstName, LastName string
	}
	people, err := db.All[person](ctx, tx, `
		SELECT id, first_name, last_name FROM students WHERE school_id = :school AND id IN (:told) ORDER BY id`, db.Args{"told": told})
	if err != nil {
		return nil, fmt.Errorf("read names: %w", err)
	}
	if a.Record == "" {
		a.Record = a.Trip
	}
	notices := make([]notification.Notice, len(people))
	for i, p := range people {
		title, body := a.Say(p.ID, strings.TrimSpace(p.FirstName+" "+p.LastName))
		notices[i] = notification.Notice{Topic: notification.StudentTopic(p.ID), Type: notification.Transport, Record: a.Record,
			Student: p.ID, Urgent: a.Urgent, Title: title, Body: body}
	}
	return told, s.Notify.SendToParents(ctx, tx, school, notices)
}

// tellStarted tells the parents of everyone on the list that the bus is on its way.
func (s *Service) tellStarted(ctx context.Context, tx *db.Tx, who actor.Actor, t Trip) error {
	riders, err := RidersOf(ctx, tx, t)
	if err != nil {
		return err
	}
	stops := make(map[id.ID]string, len(riders))
	students := make([]id.ID, len(riders))
	for i, b := range riders {
		students[i], stops[b.StudentID] = b.StudentID, b.StopName
	}
	_, err = s.Alert(ctx, tx, who.School, Alert{Trip: t.ID, Kind: "started", Say: func(student id.ID, name string) (title, body text.Text) {
		return text.T("transport.started.title"), text.T("transport.started.body", "bus", t.Label(), "student", name, "stop", stops[student])
	}}, students)
	return err
}

// Label is how people call the bus.
func (t Trip) Label() text.Text {
	if t.BusName != "" {
		return text.Plain(t.BusName)
	}
	return text.T("transport.bus", "number", t.BusRegistrationNo)
}

// tellBoarded tells the parents of those who got on or off.
func (s *Service) tellBoarded(ctx context.Context, tx *db.Tx, school id.ID, t Trip, changed []Boarding) error {
	at := map[BoardingStatus][]id.ID{}
	unseen := map[id.ID]bool{} // at no stop
	for _, b := range changed {
		at[b.Status] = append(at[b.Status], b.StudentID)
		unseen[b.StudentID] = b.AlightedStopID == nil
	}
	_, err := s.Alert(ctx, tx, school, Alert{Trip: t.ID, Kind: "boarded", Say: func(_ id.ID, name string) (title, body text.Text) {
		return text.T("transport.boarded.title"), text.T("transport.boarded.body", "student", name, "bus", t.Label())
	}}, at[Boarded])
	if err != nil {
		return err
	}
	_, err = s.Alert(ctx, tx, school, Alert{Trip: t.ID, Kind: "alighted", Say: func(student id.ID, name string) (title, body text.Text) {
		switch {
		case t.Type == Pickup && unseen[student]:
			return text.T("transport.arrived.title"), text.T("transport.arrived.body", "student", name, "bus", t.Label())
		case unseen[student]:
			return text.T("transport.empty.title"), text.T("transport.empty.body", "bus", t.Label(), "student", name)
		}
		return text.T("transport.alighted.title"), text.T("transport.alighted.body", "student", name, "bus", t.Label())
	}}, at[Alighted])
	return err
}
