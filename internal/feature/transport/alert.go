package transport

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// Alert is a notification to parents about a trip. It is sent once per child and Kind, unless
// it is taken back (tellUndone).
type Alert struct {
	Trip   id.ID
	Kind   string // started, near, boarded, alighted, incident:<id>, withdrawn:<id>
	Record id.ID  // opened by the app; "" for the trip
	// Say returns the text for the parents of a student; name is the student's.
	Say func(student id.ID, name string) (title, body text.Text)
	// Urgent alerts ignore quiet hours.
	Urgent bool
}

// Alert notifies the parents of students. It skips students whose parents have had
// this alert and returns the rest.
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
		return nil, fmt.Errorf("insert alerts: %w", err)
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

// tellUndone tells the parents who were told that a student got on or off that this was a
// mistake. They are told again once it is so.
func (s *Service) tellUndone(ctx context.Context, tx *db.Tx, school id.ID, t Trip, was Boarding) error {
	told, err := db.Exec(ctx, tx, `
		DELETE FROM trip_alerts WHERE school_id = :school AND trip_id = :trip AND student_id = :student AND kind = :kind`,
		db.Args{"trip": t.ID, "student": was.StudentID, "kind": string(was.Status)})
	if err != nil || told == 0 {
		return fault.Wrap("take back an alert", err)
	}
	return s.Notify.SendToParents(ctx, tx, school, []notification.Notice{{Topic: notification.StudentTopic(was.StudentID),
		Type: notification.Transport, Record: t.ID, Student: was.StudentID, Title: text.T("transport.undone." + string(was.Status) + ".title"),
		Body: text.T("transport.undone."+string(was.Status)+".body", "student", was.Name(), "bus", t.Label())}})
}

// tellStarted notifies the parents of the riders, except those on leave, that the bus
// is on its way.
func (s *Service) tellStarted(ctx context.Context, tx *db.Tx, who actor.Actor, t Trip) error {
	riders, err := RidersOf(ctx, tx, t)
	if err != nil {
		return err
	}
	stops := make(map[id.ID]string, len(riders))
	var students []id.ID
	for _, b := range riders {
		if b.Expected() {
			students, stops[b.StudentID] = append(students, b.StudentID), b.StopName
		}
	}
	_, err = s.Alert(ctx, tx, who.School, Alert{Trip: t.ID, Kind: "started", Say: func(student id.ID, name string) (title, body text.Text) {
		return text.T("transport.started.title"), text.T("transport.started.body", "bus", t.Label(), "student", name, "stop", stops[student])
	}}, students)
	return err
}

// Label is the bus name, or its registration number if it has none.
func (t Trip) Label() text.Text { return label(string(t.BusName), t.BusRegistrationNo) }

func label(name, registrationNo string) text.Text {
	if name != "" {
		return text.Plain(name)
	}
	return text.T("transport.bus", "number", registrationNo)
}

// tellBoarded notifies the parents of students who got on or off, and names the stop
// if it is known.
func (s *Service) tellBoarded(ctx context.Context, tx *db.Tx, school id.ID, t Trip, changed []Boarding) error {
	at := map[BoardingStatus][]id.ID{}
	stops := map[id.ID]string{}
	for _, b := range changed {
		at[b.Status] = append(at[b.Status], b.StudentID)
		_, stops[b.StudentID] = b.Where()
	}
	_, err := s.Alert(ctx, tx, school, Alert{Trip: t.ID, Kind: "boarded", Say: func(student id.ID, name string) (title, body text.Text) {
		if stop := stops[student]; stop != "" {
			return text.T("transport.boarded.title"), text.T("transport.boarded.at", "student", name, "bus", t.Label(), "stop", stop)
		}
		return text.T("transport.boarded.title"), text.T("transport.boarded.body", "student", name, "bus", t.Label())
	}}, at[Boarded])
	if err != nil {
		return err
	}
	_, err = s.Alert(ctx, tx, school, Alert{Trip: t.ID, Kind: "alighted", Say: func(student id.ID, name string) (title, body text.Text) {
		switch stop := stops[student]; {
		case stop != "":
			return text.T("transport.alighted.title"), text.T("transport.alighted.at", "student", name, "bus", t.Label(), "stop", stop)
		case t.Type == Pickup:
			return text.T("transport.arrived.title"), text.T("transport.arrived.body", "student", name, "bus", t.Label())
		}
		return text.T("transport.empty.title"), text.T("transport.empty.body", "bus", t.Label(), "student", name)
	}}, at[Alighted])
	return err
}
