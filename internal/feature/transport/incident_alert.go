package transport

import (
	"context"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// says is the kind of incident as a sentence.
func (i Incident) says() text.Text {
	return text.T("transport.incident.type."+i.Type, "bus", label(string(i.BusName), i.BusRegistrationNo))
}

// alertKind is the kind of the alert to the parents.
func (i Incident) alertKind() string { return "incident:" + i.ID.String() }

// tellIncident notifies the office and, if the trip is running, the parents of students
// who wait for the bus or are on it.
func (s *Service) tellIncident(ctx context.Context, tx *db.Tx, who actor.Actor, t Trip, i Incident) error {
	var riders []Boarding
	if t.StillRuns(s.Now()) {
		var err error
		if riders, err = RidersOf(ctx, tx, t); err != nil {
			return err
		}
	}
	var students []id.ID
	on := map[id.ID]bool{}
	aboard := 0
	for _, b := range riders {
		switch {
		case b.Status == Boarded:
			students, on[b.StudentID] = append(students, b.StudentID), true
			aboard++
		case b.Expected():
			students = append(students, b.StudentID)
		}
	}
	if err := s.tellOffice(ctx, tx, who, i, aboard); err != nil {
		return err
	}
	_, err := s.Alert(ctx, tx, who.School, Alert{Trip: t.ID, Kind: i.alertKind(), Record: i.ID, Urgent: i.Severity == "HIGH",
		Say: func(student id.ID, name string) (title, body text.Text) {
			title = text.T("transport.incident.title")
			if on[student] {
				return title, text.T("transport.incident.rides", "what", i.says(), "student", name)
			}
			return title, text.T("transport.incident.waits", "what", i.says(), "student", name)
		}}, students)
	return err
}

// tellOffice notifies the administrators who may read transport, and of a grave incident
// also the emergency contacts.
func (s *Service) tellOffice(ctx context.Context, tx *db.Tx, who actor.Actor, i Incident, aboard int) error {
	body := text.T("transport.incident.office.body", "what", i.says(), "driver", i.ReportedByName, "count", aboard)
	if i.Description != "" {
		body = text.T("transport.incident.office.said", "what", i.says(), "driver", i.ReportedByName,
			"description", i.Description, "count", aboard)
	}
	return s.Notify.Office(ctx, tx, who, "transport.read", notification.Notice{Type: notification.Transport, Record: i.ID,
		Urgent: i.Severity == "HIGH", Title: text.T("transport.incident.title"), Body: body})
}

// tellAcknowledged tells the reporter of an incident who has acknowledged it.
func (s *Service) tellAcknowledged(ctx context.Context, tx *db.Tx, school id.ID, i Incident) error {
	body := text.T("transport.incident.seen.body", "name", i.AcknowledgedByName, "what", i.says())
	if i.AcknowledgeNote != "" {
		body = text.T("transport.incident.seen.note", "name", i.AcknowledgedByName, "what", i.says(), "note", i.AcknowledgeNote)
	}
	return s.tellDrivers(ctx, tx, school, notification.Notice{Record: i.ID, Title: text.T("transport.incident.seen.title"), Body: body},
		i.ReportedBy)
}

// tellDrivers sends a notice to the accounts of drivers; "" is nobody.
func (s *Service) tellDrivers(ctx context.Context, tx *db.Tx, school id.ID, n notification.Notice, users ...id.ID) error {
	var notices []notification.Notice
	for _, user := range users {
		if user != "" {
			n.Type, n.Topic, n.Users = notification.Transport, notification.DriverTopic(user), []id.ID{user}
			notices = append(notices, n)
		}
	}
	return s.Notify.Send(ctx, tx, school, notices)
}
