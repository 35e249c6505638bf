package announcement

import (
	"context"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

var (
	errNotAuthor = fault.Denied("This announcement was written by someone else. Only its author and the office can do this.")
	errOffices   = fault.Denied("The office has taken over this announcement. Ask the office to do this.")
)

// mustManage checks that the caller may change an announcement and see its readers.
// Teachers may if they wrote it and still teach all of its classes, unless the office
// has made it urgent or widened its audience.
func (s *Service) mustManage(ctx context.Context, q db.Q, who actor.Actor, m Managed) error {
	if who.Role != actor.Teacher {
		return nil
	}
	if m.CreatedBy != who.User {
		r, err := readerOf(ctx, q, who)
		if err != nil {
			return err
		}
		if _, err := getShown(ctx, q, r, m.ID, s.Now()); err != nil {
			return err // not found, if the teacher can't read it either
		}
		return errNotAuthor
	}
	if m.Urgent || !m.narrow() {
		return errOffices
	}
	_, err := s.targets(ctx, q, who, m.Announcement)
	return err
}

// teacherChange is Change with the fields and audiences allowed for teachers.
type teacherChange struct {
	ID          id.ID              `path:"id"`
	Title       *string            `json:"title" maxLength:"200" pattern:"\\S" patternHint:"must not be blank"`
	Body        *string            `json:"body" maxLength:"20000" multiline:"true"`
	Audience    *Audience          `json:"audience" enum:"CLASS,DIVISION"`
	ClassIDs    *[]id.ID           `json:"classIds" maxItems:"200" doc:"Classes that the caller is assigned to, as a whole or in each division."`
	DivisionIDs *[]id.ID           `json:"divisionIds" maxItems:"500" example:"-" doc:"Divisions that the caller is assigned to."`
	Attachments *[]id.ID           `json:"attachments" maxItems:"10"`
	PublishAt   *time.Time         `json:"publishAt" doc:"409 once it is published."`
	ExpiresAt   web.Opt[time.Time] `json:"expiresAt" example:"2026-12-15T08:05:00Z" doc:"Null: it does not expire."`
	IsPinned    *bool              `json:"isPinned"`
	Version     *int               `json:"version" doc:"The version you read; 409 if it has changed since."`
}

func (s *Service) updateAsTeacher(ctx context.Context, who actor.Actor, in teacherChange) (Managed, error) {
	return s.Update(ctx, who, in.ID, Change{Title: in.Title, Body: in.Body, Audience: in.Audience, ClassIDs: in.ClassIDs,
		DivisionIDs: in.DivisionIDs, Attachments: in.Attachments, PublishAt: in.PublishAt, ExpiresAt: in.ExpiresAt,
		IsPinned: in.IsPinned, Version: in.Version})
}
