package announcement

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/text"
)

// maxExcerpt is the maximum length of a body in a notification, in characters. The app
// shows the full text.
const maxExcerpt = 300

// publish is the job that publishes a scheduled announcement. It has no text, so that
// the current one is used.
type publish struct {
	Announcement id.ID `json:"announcement"`
}

// Kind names the job.
func (publish) Kind() string { return "announcement.publish" }

// Workers returns the workers of the job queue.
func (s *Service) Workers() []jobs.Worker {
	w := jobs.Work(s.publishDue)
	w.Timeout = 5 * time.Minute
	return []jobs.Worker{w}
}

// publishDue publishes an announcement that is due. It skips one that was deleted,
// published or postponed meanwhile: the new time has its own job.
func (s *Service) publishDue(ctx context.Context, school id.ID, a publish) error {
	return s.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx, a.Announcement); err != nil {
			return err
		}
		m, err := getManaged(ctx, tx, a.Announcement, s.Now())
		switch {
		case errors.Is(err, errNone):
			return nil
		case err != nil:
			return err
		case !m.due(s.Now()):
			return nil
		}
		switch may, err := s.mayPublish(ctx, tx, m); {
		case err != nil:
			return err
		case !may:
			return s.holdBack(ctx, tx, school, m)
		}
		if err := s.publishNow(ctx, tx, school, m); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, actor.Actor{}, "announcement.publish", "announcement", m.ID,
			map[string]any{"publishedAt": nil}, map[string]any{"publishedAt": s.Now()})
	})
}

// schedule publishes a written announcement now, or enqueues a job for publishAt. If
// the audience has changed (moved), it counts the recipients again.
func (s *Service) schedule(ctx context.Context, tx *db.Tx, school id.ID, m Managed, moved bool) error {
	now := s.Now()
	if m.due(now) {
		return s.publishNow(ctx, tx, school, m)
	}
	if m.PublishedAt == nil && m.PublishAt.After(now) {
		key := m.ID.String() + "@" + strconv.FormatInt(m.PublishAt.UnixMilli(), 10)
		if err := jobs.Enqueue(ctx, tx, now, publish{m.ID}, jobs.At(m.PublishAt), jobs.Unique(key)); err != nil {
			return err
		}
	}
	if !moved {
		return nil
	}
	c, err := recipientsOf(ctx, tx, school, m.Announcement)
	if err != nil {
		return err
	}
	return putCount(ctx, tx, m.ID, len(c.users))
}

// publishNow marks the announcement as published and notifies its recipients.
func (s *Service) publishNow(ctx context.Context, tx *db.Tx, school id.ID, m Managed) error {
	c, err := recipientsOf(ctx, tx, school, m.Announcement)
	if err != nil {
		return err
	}
	if err := putPublished(ctx, tx, m.ID, len(c.users), s.Now()); err != nil {
		return err
	}
	if err := s.Notify.Send(ctx, tx, school, c.notices(m.Announcement)); err != nil {
		return fmt.Errorf("publish announcement: %w", err)
	}
	return nil
}

// notices are the notices of an announcement: its pushes, those to guardians without an
// account, and the log entries with their SMS and e-mails.
func (c recipients) notices(a Announcement) []notification.Notice {
	notice := notification.Notice{Type: notification.Announcement, Record: a.ID, Urgent: a.Urgent,
		Title: text.Plain(a.Title), Body: text.Plain(excerpt(string(a.Body))), Mail: text.Plain(string(a.Body))}
	notices := make([]notification.Notice, 0, 1+len(c.topics))
	for _, t := range c.topics {
		push := notice
		push.Topic, push.Student, push.Readers = t.name, t.student, t.users
		notices = append(notices, push)
	}
	for student, guardians := range c.others {
		letter := notice
		letter.Student, letter.Guardians = student, guardians
		notices = append(notices, letter)
	}
	notice.Users = c.users
	return append(notices, notice)
}

// excerpt shortens a text to maxExcerpt.
func excerpt(body string) string {
	if utf8.RuneCountInString(body) <= maxExcerpt {
		return body
	}
	return string([]rune(body)[:maxExcerpt-1]) + "…"
}
