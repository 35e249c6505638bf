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

// New is what an event is made of.
type New struct {
	Title          string           `json:"title" required:"true" maxLength:"200" example:"Science fair"`
	Description    string           `json:"description" maxLength:"5000" multiline:"true"`
	EventDate      clock.Date       `json:"eventDate" required:"true"`
	StartTime      *clock.TimeOfDay `json:"startTime" doc:"Left out: the start of the day."`
	EndTime        *clock.TimeOfDay `json:"endTime" doc:"After startTime. Left out: the end of the day."`
	Venue          string           `json:"venue" maxLength:"200"`
	TargetAudience Audience         `json:"targetAudience" enum:"ALL,PARENTS,TEACHERS,STUDENTS,CLASS" default:"ALL"`
	ClassIDs       []id.ID          `json:"classIds" maxItems:"200" doc:"With the targetAudience CLASS."`
}

// Check implements web's check of the whole.
func (in *New) Check() error { return in.event().check() }

func (in New) event() Event {
	e := Event{Title: strings.TrimSpace(in.Title), Description: in.Description, EventDate: in.EventDate, StartTime: dayStart, EndTime: dayEnd,
		Venue: strings.TrimSpace(in.Venue), TargetAudience: in.TargetAudience, ClassIDs: id.Unique(in.ClassIDs), Version: 1}
	opt.Set(&e.StartTime, in.StartTime)
	opt.Set(&e.EndTime, in.EndTime)
	return e
}

// Create adds an event.
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

// Change is a change of an event; what was not sent stays.
type Change struct {
	Title          *string          `json:"title" maxLength:"200" pattern:"\\S" patternHint:"must not be blank"`
	Description    *string          `json:"description" maxLength:"5000" multiline:"true"`
	EventDate      *clock.Date      `json:"eventDate"`
	StartTime      *clock.TimeOfDay `json:"startTime"`
	EndTime        *clock.TimeOfDay `json:"endTime"`
	Venue          *string          `json:"venue" maxLength:"200"`
	TargetAudience *Audience        `json:"targetAudience" enum:"ALL,PARENTS,TEACHERS,STUDENTS,CLASS"`
	ClassIDs       *[]id.ID         `json:"classIds" maxItems:"200"`
	Status         *Status          `json:"status" enum:"UPCOMING,ONGOING,COMPLETED,CANCELLED" doc:"CANCELLED cancels the event. Any other must be the one that it has by its date and time: 409 otherwise."`
	Version        *int             `json:"version" doc:"The version you read; 409 when it is no longer that."`
}

// apply is the event as the change makes it, but for its status.
func (c Change) apply(e Event) (Event, error) {
	if err := fault.SameVersion(c.Version, e.Version); err != nil {
		return e, err
	}
	if c.TargetAudience != nil && *c.TargetAudience != e.TargetAudience { // the old one's classes go with it
		e.TargetAudience, e.ClassIDs = *c.TargetAudience, nil
	}
	opt.Set(&e.Title, c.Title)
	opt.Set(&e.Description, c.Description)
	opt.Set(&e.EventDate, c.EventDate)
	opt.Set(&e.StartTime, c.StartTime)
	opt.Set(&e.EndTime, c.EndTime)
	opt.Set(&e.Venue, c.Venue)
	opt.Set(&e.ClassIDs, c.ClassIDs)
	e.Title, e.Venue, e.ClassIDs = strings.TrimSpace(e.Title), strings.TrimSpace(e.Venue), id.Unique(e.ClassIDs)
	return e, e.check()
}

// Update changes an event, or cancels it with the status CANCELLED.
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
		return s.follow(ctx, tx, who, event, *c.Status)
	})
}

// follow does what a status asks for that was sent and that the event did not have.
func (s *Service) follow(ctx context.Context, tx *db.Tx, who actor.Actor, event id.ID, sent Status) error {
	e, err := get(ctx, tx, s.moment(who), event)
	switch {
	case err != nil:
		return err
	case sent == e.Status: // by its new date and time
		return nil
	case sent != Cancelled:
		return errByTime
	case refusals[e.Status][cancel] != nil:
		return refusals[e.Status][cancel]
	}
	return putCancelled(ctx, tx, e, s.Now())
}

// Cancel calls an event off.
func (s *Service) Cancel(ctx context.Context, who actor.Actor, event id.ID) (Event, error) {
	return s.write(ctx, who, event, cancel, func(ctx context.Context, tx *db.Tx, before Event) error {
		return putCancelled(ctx, tx, before, s.Now())
	})
}

// write does something to an event that its status allows.
func (s *Service) write(ctx context.Context, who actor.Actor, event id.ID, does action, fn func(context.Context, *db.Tx, Event) error) (after Event, err error) {
	now := s.moment(who)
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := s.mine(ctx, tx, who, now, event)
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

// Delete removes an event.
func (s *Service) Delete(ctx context.Context, who actor.Actor, event id.ID) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := s.mine(ctx, tx, who, s.moment(who), event)
		if err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx, `DELETE FROM events WHERE school_id = :school AND id = :id`, db.Args{"id": event}); err != nil {
			return fmt.Errorf("delete event: %w", err)
		}
		return s.Audit.Record(ctx, tx, who, "event.delete", "event", event, before, nil)
	})
}

// mine is an event that the caller may write: that of classes is written by
// those who teach in each of them.
func (s *Service) mine(ctx context.Context, tx *db.Tx, who actor.Actor, now moment, event id.ID) (Event, error) {
	e, err := get(ctx, tx, now, event)
	if err != nil {
		return e, err
	}
	return e, mayName(ctx, tx, who, e.ClassIDs)
}

// mayName wants each class to be there, and a teacher to teach in it.
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
