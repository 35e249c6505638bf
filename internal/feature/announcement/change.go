package announcement

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// New is the input of Create.
type New struct {
	Title       string     `json:"title" required:"true" maxLength:"200" example:"Sports day"`
	Body        string     `json:"body" maxLength:"20000" multiline:"true"`
	Audience    Audience   `json:"audience" enum:"ALL,PARENTS,TEACHERS,DRIVERS,CLASS,DIVISION" default:"ALL"`
	ClassIDs    []id.ID    `json:"classIds" maxItems:"200" example:"-" doc:"Only allowed with audience CLASS."`
	DivisionIDs []id.ID    `json:"divisionIds" maxItems:"500" example:"-" doc:"Only allowed with audience DIVISION."`
	Attachments []id.ID    `json:"attachments" maxItems:"10" doc:"File ids."`
	PublishAt   *time.Time `json:"publishAt" doc:"When it is published and its readers are notified. Default: now; also if it is in the past."`
	ExpiresAt   *time.Time `json:"expiresAt" example:"2026-12-15T08:05:00Z" doc:"When readers' lists stop showing it."`
	IsPinned    bool       `json:"isPinned" doc:"Lists show it first."`
	Urgent      bool       `json:"urgent" doc:"Notifies its readers at once by push, SMS and e-mail, whatever their preferences and quiet hours, and past the daily limits."`
}

func (in New) announcement(now time.Time) Announcement {
	a := Announcement{Title: strings.TrimSpace(in.Title), Body: opt.Text(in.Body), Audience: in.Audience,
		ClassIDs: id.Unique(in.ClassIDs), DivisionIDs: id.Unique(in.DivisionIDs), IsPinned: in.IsPinned, Urgent: in.Urgent,
		PublishAt: now, ExpiresAt: in.ExpiresAt, Version: 1, CreatedAt: now, UpdatedAt: now}
	a.Attachments.V = append([]id.ID{}, in.Attachments...)
	if in.PublishAt != nil && in.PublishAt.After(now) {
		a.PublishAt = in.PublishAt.UTC().Truncate(time.Millisecond)
	}
	return a
}

// Create creates an announcement and publishes it now or at publishAt. Teachers can
// write only to their assigned classes and divisions.
func (s *Service) Create(ctx context.Context, who actor.Actor, in New) (out Managed, err error) {
	now := s.Now()
	m := Managed{Announcement: in.announcement(now)}
	m.ID, m.CreatedBy, m.ByOffice = s.NewID(), who.User, who.Role != actor.Teacher
	if err := m.check(); err != nil {
		return m, err
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		targets, err := s.targets(ctx, tx, who, m.Announcement)
		if err != nil {
			return err
		}
		if err := putNew(ctx, tx, m, targets); err != nil {
			return fmt.Errorf("create announcement: %w", err)
		}
		if len(m.Attachments.V) > 0 {
			if err := s.Files.Attach(ctx, tx, who, file.Announcement, m.ID, m.Attachments.V); err != nil {
				return err
			}
		}
		if err := s.schedule(ctx, tx, who.School, m, true); err != nil {
			return err
		}
		if out, err = getManaged(ctx, tx, m.ID, now); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "announcement.create", "announcement", m.ID, nil, out)
	})
	return out, err
}

// Change is a partial update of an announcement.
type Change struct {
	Title       *string            `json:"title" maxLength:"200" pattern:"\\S" patternHint:"must not be blank"`
	Body        *string            `json:"body" maxLength:"20000" multiline:"true"`
	Audience    *Audience          `json:"audience" enum:"ALL,PARENTS,TEACHERS,DRIVERS,CLASS,DIVISION"`
	ClassIDs    *[]id.ID           `json:"classIds" maxItems:"200" example:"-"`
	DivisionIDs *[]id.ID           `json:"divisionIds" maxItems:"500" example:"-"`
	Attachments *[]id.ID           `json:"attachments" maxItems:"10"`
	PublishAt   *time.Time         `json:"publishAt" doc:"409 once it is published."`
	ExpiresAt   web.Opt[time.Time] `json:"expiresAt" example:"2026-12-15T08:05:00Z" doc:"Null: it does not expire."`
	IsPinned    *bool              `json:"isPinned"`
	Urgent      *bool              `json:"urgent" doc:"409 once it is published."`
	Version     *int               `json:"version" doc:"The version you read; 409 if it has changed since."`
}

// apply returns the changed announcement.
func (c Change) apply(m Managed, now time.Time) (Managed, error) {
	if err := fault.SameVersion(c.Version, m.Version); err != nil {
		return m, err
	}
	if c.Audience != nil && *c.Audience != m.Audience { // clear the classes of the old audience
		m.Audience, m.ClassIDs, m.DivisionIDs = *c.Audience, nil, nil
	}
	if c.Urgent != nil && *c.Urgent != m.Urgent && m.PublishedAt != nil {
		return m, errNotified
	}
	opt.Set(&m.Urgent, c.Urgent)
	opt.Set(&m.Title, c.Title)
	opt.Set((*string)(&m.Body), c.Body)
	opt.Set(&m.IsPinned, c.IsPinned)
	opt.Set(&m.Attachments.V, c.Attachments)
	opt.Set(&m.ClassIDs, c.ClassIDs)
	opt.Set(&m.DivisionIDs, c.DivisionIDs)
	m.ClassIDs, m.DivisionIDs = id.Unique(m.ClassIDs), id.Unique(m.DivisionIDs)
	switch {
	case c.ExpiresAt.Null:
		m.ExpiresAt = nil
	case c.ExpiresAt.Set:
		m.ExpiresAt = &c.ExpiresAt.V
	}
	if c.PublishAt != nil {
		at := c.PublishAt.UTC().Truncate(time.Millisecond)
		switch {
		case at.Equal(m.PublishAt):
		case m.PublishedAt != nil:
			return m, errPublished
		case at.Before(now):
			m.PublishAt = now
		default:
			m.PublishAt = at
		}
	}
	m.Title, m.UpdatedAt = strings.TrimSpace(m.Title), now
	return m, m.check()
}

// Update changes an announcement. Readers are not notified again.
func (s *Service) Update(ctx context.Context, who actor.Actor, announcement id.ID, c Change) (out Managed, err error) {
	now := s.Now()
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx, announcement); err != nil {
			return err
		}
		before, err := getManaged(ctx, tx, announcement, now)
		if err != nil {
			return err
		}
		if err := s.mustManage(ctx, tx, who, before); err != nil {
			return err
		}
		after, err := c.apply(before, now)
		if err != nil {
			return err
		}
		after.ByOffice = who.Role != actor.Teacher
		moved := !after.sameAudience(before.Announcement)
		if moved {
			targets, err := s.targets(ctx, tx, who, after.Announcement)
			if err != nil {
				return err
			}
			if err := putTargets(ctx, tx, announcement, targets); err != nil {
				return err
			}
		}
		if err := putChange(ctx, tx, after); err != nil {
			return err
		}
		if c.Attachments != nil {
			if err := s.Files.Attach(ctx, tx, who, file.Announcement, announcement, after.Attachments.V); err != nil {
				return err
			}
		}
		if err := s.schedule(ctx, tx, who.School, after, moved); err != nil {
			return err
		}
		if err := s.keepNews(ctx, tx, who.School, before, after); err != nil {
			return err
		}
		if out, err = getManaged(ctx, tx, announcement, now); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "announcement.update", "announcement", announcement, before, out)
	})
	return out, err
}

// Delete deletes an announcement. It leaves its readers' logs, too.
func (s *Service) Delete(ctx context.Context, who actor.Actor, announcement id.ID) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx, announcement); err != nil {
			return err
		}
		before, err := getManaged(ctx, tx, announcement, s.Now())
		if err != nil {
			return err
		}
		if err := s.mustManage(ctx, tx, who, before); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx, `DELETE FROM announcements WHERE school_id = :school AND id = :id`,
			db.Args{"id": announcement}); err != nil {
			return fmt.Errorf("delete announcement: %w", err)
		}
		if err := s.Files.Release(ctx, tx, file.Announcement, announcement); err != nil {
			return err
		}
		if err := notification.Keep(ctx, tx, announcement, nil); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "announcement.delete", "announcement", announcement, before, nil)
	})
}

// lock serializes changes and the publication of one announcement.
func lock(ctx context.Context, tx *db.Tx, announcement id.ID) error {
	return tx.Lock(ctx, "announcement/"+announcement.String())
}
