package event

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// New is the input of Create.
type New struct {
	Title          string           `json:"title" required:"true" maxLength:"200" example:"Science fair"`
	Description    string           `json:"description" maxLength:"5000" multiline:"true"`
	EventDate      clock.Date       `json:"eventDate" required:"true"`
	StartTime      *clock.TimeOfDay `json:"startTime" doc:"Default: the start of the day."`
	EndTime        *clock.TimeOfDay `json:"endTime" example:"09:35" doc:"Must be after startTime. Default: the end of the day."`
	Venue          string           `json:"venue" maxLength:"200"`
	TargetAudience Audience         `json:"targetAudience" enum:"ALL,PARENTS,TEACHERS,STUDENTS,CLASS" default:"ALL"`
	ClassIDs       []id.ID          `json:"classIds" maxItems:"200" example:"-" doc:"Only allowed with targetAudience CLASS."`
}

// Check validates the fields together.
func (in *New) Check() error { return in.event().check() }

func (in New) event() Event {
	e := Event{Title: strings.TrimSpace(in.Title), Description: opt.Text(in.Description), EventDate: in.EventDate,
		StartTime: dayStart, EndTime: dayEnd,
		Venue: opt.Text(strings.TrimSpace(in.Venue)), TargetAudience: in.TargetAudience, ClassIDs: id.Unique(in.ClassIDs), Version: 1}
	opt.Set(&e.StartTime, in.StartTime)
	opt.Set(&e.EndTime, in.EndTime)
	return e
}

// Create creates an event.
func (s *Service) Create(ctx context.Context, who actor.Actor, in New) (out Event, err error) {
	e := in.event()
	e.ID, e.CreatedAt = s.NewID(), s.Now()
	e.UpdatedAt = e.CreatedAt
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := mayName(ctx, tx, who, e.ClassIDs); err != nil {
			return err
		}
		if err := putNew(ctx, tx, e); err != nil {
			return fmt.Errorf("create event: %w", err)
		}
		if out, err = get(ctx, tx, s.moment(who), e.ID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "event.create", "event", e.ID, nil, out)
	})
	return out, err
}

// Change is a partial update of an event.
type Change struct {
	Title          *string          `json:"title" maxLength:"200" pattern:"\\S" patternHint:"must not be blank"`
	Description    *string          `json:"description" maxLength:"5000" multiline:"true"`
	EventDate      *clock.Date      `json:"eventDate"`
	StartTime      *clock.TimeOfDay `json:"startTime"`
	EndTime        *clock.TimeOfDay `json:"endTime" example:"09:35"`
	Venue          *string          `json:"venue" maxLength:"200"`
	TargetAudience *Audience        `json:"targetAudience" enum:"ALL,PARENTS,TEACHERS,STUDENTS,CLASS"`
	ClassIDs       *[]id.ID         `json:"classIds" maxItems:"200" example:"-"`
	Status         *Status          `json:"status" enum:"UPCOMING,ONGOING,COMPLETED,CANCELLED" doc:"CANCELLED cancels the event. Any other status must match the date and time, else 409."`
	Version        *int             `json:"version" doc:"The version you read; 409 if it has changed since."`
}

// apply returns the changed event, without the status.
func (c Change) apply(e Event) (Event, error) {
	if err := fault.SameVersion(c.Version, e.Version); err != nil {
		return e, err
	}
	if c.TargetAudience != nil && *c.TargetAudience != e.TargetAudience { // clear the classes of the old audience
		e.TargetAudience, e.ClassIDs = *c.TargetAudience, nil
	}
	opt.Set(&e.Title, c.Title)
	opt.Set((*string)(&e.Description), c.Description)
	opt.Set(&e.EventDate, c.EventDate)
	opt.Set(&e.StartTime, c.StartTime)
	opt.Set(&e.EndTime, c.EndTime)
	opt.Set((*string)(&e.Venue), c.Venue)
	opt.Set(&e.ClassIDs, c.ClassIDs)
	e.Title, e.Venue, e.ClassIDs = strings.TrimSpace(e.Title), opt.Text(strings.TrimSpace(string(e.Venue))), id.Unique(e.ClassIDs)
	return e, e.check()
}

// Update changes an event. The status CANCELLED cancels it.
func (s *Service) Update(ctx context.Context, who actor.Actor, event id.ID, c Change) (Event, error) {
	return s.write(ctx, who, event, change, func(ctx context.Context, tx *db.Tx, before Event) error {
		after, err := c.apply(before)
		if err != nil {
			return err
		}
		if err := mayName(ctx, tx, who, after.ClassIDs); err != nil {
			return err
		}
		after.UpdatedAt = s.Now()
		if err := putChange(ctx, tx, after); err != nil {
			return err
		}
		if c.Status == nil || *c.Status == before.Status {
			return nil
		}
		return s.applyStatus(ctx, tx, who, event, *c.Status)
	})
}

// applyStatus cancels the event for CANCELLED, and checks any other status.
func (s *Service) applyStatus(ctx context.Context, tx *db.Tx, who actor.Actor, event id.ID, sent Status) error {
	e, err := get(ctx, tx, s.moment(who), event)
	switch {
	case err != nil:
		return err
	case sent == e.Status: // matches the new date and time
		return nil
	case sent != Cancelled:
		return errByTime
	case refusals[e.Status][cancel] != nil:
		return refusals[e.Status][cancel]
	}
	return putCancelled(ctx, tx, e, s.Now())
}

// Cancel cancels an event.
func (s *Service) Cancel(ctx context.Context, who actor.Actor, event id.ID) (Event, error) {
	return s.write(ctx, who, event, cancel, func(ctx context.Context, tx *db.Tx, before Event) error {
		return putCancelled(ctx, tx, before, s.Now())
	})
}

// write runs fn on an event if its status allows the action, and audits the change.
func (s *Service) write(ctx context.Context, who actor.Actor, event id.ID, does action,
	fn func(context.Context, *db.Tx, Event) error) (after Event, err error) {
	now := s.moment(who)
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := s.editable(ctx, tx, who, now, event)
		if err != nil {
			return err
		}
		if refused := refusals[before.Status][does]; refused != nil {
			return refused
		}
		if err := fn(ctx, tx, before); err != nil {
			return err
		}
		if after, err = get(ctx, tx, now, event); err != nil {
			return err
		}
		verb := "event.update"
		if after.Status == Cancelled {
			verb = "event.cancel"
		}
		return s.Audit.Record(ctx, tx, who, verb, "event", event, before, after)
	})
	return after, err
}

// Delete deletes an event.
func (s *Service) Delete(ctx context.Context, who actor.Actor, event id.ID) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := s.editable(ctx, tx, who, s.moment(who), event)
		if err != nil {
			return err
		}
		n, err := db.Exec(ctx, tx, `DELETE FROM events WHERE school_id = :school AND id = :id`, db.Args{"id": event})
		switch {
		case err != nil:
			return fmt.Errorf("delete event: %w", err)
		case n == 0: // another call was first
			return errNone
		}
		return s.Audit.Record(ctx, tx, who, "event.delete", "event", event, before, nil)
	})
}

// editable returns an event that the caller may change. For an event of classes, a
// teacher must teach in each of them.
func (s *Service) editable(ctx context.Context, tx *db.Tx, who actor.Actor, now moment, event id.ID) (Event, error) {
	e, err := get(ctx, tx, now, event)
	if err != nil {
		return e, err
	}
	return e, mayName(ctx, tx, who, e.ClassIDs)
}

// mayName checks that each class exists and, for a teacher, is an assigned one.
func mayName(ctx context.Context, q db.Q, who actor.Actor, classes []id.ID) error {
	if len(classes) == 0 {
		return nil
	}
	taught, err := listTaught(ctx, q, who.User, classes)
	switch {
	case err != nil:
		return err
	case len(taught) < len(classes):
		return academics.ErrNoClass
	case who.Role != actor.Teacher:
		return nil
	}
	for _, t := range taught {
		if !t {
			return academics.ErrNotAssigned
		}
	}
	return nil
}
