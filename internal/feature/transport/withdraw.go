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

// This file takes back incidents that were reported by mistake. They are kept, and everyone
// who was told hears of it.

var (
	errWithdrawn   = fault.New(fault.Conflict, "", "This incident has been withdrawn.")
	errNotReporter = fault.Denied("Only the driver who reported this incident can withdraw it. Ask your school's administrator.")
	errTooLate     = fault.New(fault.Conflict, "", "Only the school office can withdraw this incident now. Call them.")
)

type withdrawIn struct {
	ID     id.ID  `path:"id"`
	Reason string `json:"reason" maxLength:"1000" multiline:"true" doc:"The office and the driver read it."`
}

// withdrawOwn is for the driver who reported the incident, while its trip runs or, without a
// trip, until somebody has acknowledged it.
func (s *Service) withdrawOwn(ctx context.Context, who actor.Actor, in withdrawIn) (Incident, error) {
	return s.takeBack(ctx, who, in, func(ctx context.Context, tx *db.Tx, i Incident) error {
		switch {
		case i.ReportedBy != who.User:
			return errNotReporter
		case i.WithdrawnAt != nil: // takeBack says by whom
			return nil
		case i.TripID == nil && i.AcknowledgedAt != nil:
			return errTooLate
		case i.TripID == nil:
			return nil
		}
		t, err := TripOf(ctx, tx, *i.TripID)
		if err == nil && !t.StillRuns(s.Now()) {
			err = errTooLate
		}
		return err
	})
}

// withdraw is for the office, at any time.
func (s *Service) withdraw(ctx context.Context, who actor.Actor, in withdrawIn) (Incident, error) {
	return s.takeBack(ctx, who, in, func(context.Context, *db.Tx, Incident) error { return nil })
}

func (s *Service) takeBack(ctx context.Context, who actor.Actor, in withdrawIn,
	may func(context.Context, *db.Tx, Incident) error) (after Incident, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := getIncident(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := may(ctx, tx, before); err != nil {
			return err
		}
		n, err := db.Exec(ctx, tx, `
			UPDATE incidents SET withdrawn_by = :user, withdrawn_at = :now, withdraw_reason = :reason
			WHERE school_id = :school AND id = :id AND withdrawn_at IS NULL`,
			db.Args{"id": in.ID, "user": who.User, "now": s.Now(), "reason": strings.TrimSpace(in.Reason)})
		if err != nil {
			return fmt.Errorf("withdraw incident: %w", err)
		}
		if after, err = getIncident(ctx, tx, in.ID); err != nil {
			return err
		}
		if n == 0 {
			return after.alreadyWithdrawn()
		}
		if err := s.tellWithdrawn(ctx, tx, who, after); err != nil {
			return err
		}
		if err := s.Audit.Record(ctx, tx, who, "incident.withdraw", "incident", in.ID, before, after); err != nil {
			return err
		}
		return s.events().Withdrawn(ctx, tx, after)
	})
	return after, err
}

func (i Incident) alreadyWithdrawn() error {
	return errWithdrawn.Saying("%s has withdrawn this incident already.", i.WithdrawnByName)
}

// tellWithdrawn tells the office, the driver and the parents who were told of the incident.
func (s *Service) tellWithdrawn(ctx context.Context, tx *db.Tx, who actor.Actor, i Incident) error {
	body := text.T("transport.incident.withdrawn.office", "name", i.WithdrawnByName, "what", i.says())
	if i.WithdrawReason != "" {
		body = text.T("transport.cancelled.because", "words", body, "reason", i.WithdrawReason)
	}
	n := notification.Notice{Type: notification.Transport, Record: i.ID, Urgent: i.Severity == "HIGH",
		Title: text.T("transport.incident.withdrawn.title"), Body: body}
	if err := s.Notify.Office(ctx, tx, who, "transport.read", n); err != nil {
		return err
	}
	if i.ReportedBy != who.User {
		if err := s.tellDrivers(ctx, tx, who.School, n, i.ReportedBy); err != nil {
			return err
		}
	}
	if i.TripID == nil {
		return nil
	}
	told, err := db.All[id.ID](ctx, tx, `
		SELECT student_id FROM trip_alerts WHERE school_id = :school AND trip_id = :trip AND kind = :kind`,
		db.Args{"trip": i.TripID, "kind": i.alertKind()})
	if err != nil {
		return fmt.Errorf("read whose parents were told of an incident: %w", err)
	}
	bus := label(string(i.BusName), i.BusRegistrationNo)
	_, err = s.Alert(ctx, tx, who.School, Alert{Trip: *i.TripID, Kind: "withdrawn:" + i.ID.String(), Record: i.ID, Urgent: n.Urgent,
		Say: func(_ id.ID, name string) (title, body text.Text) {
			return n.Title, text.T("transport.incident.withdrawn.parents", "bus", bus, "student", name)
		}}, told)
	return err
}
