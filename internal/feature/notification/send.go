package notification

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

// entry is a row of the log.
type entry struct {
	ID        id.ID
	UserID    id.ID
	Type      Type
	Title     string
	Body      string
	RecordID  *id.ID
	StudentID *id.ID
	CreatedAt time.Time
}

// Send writes the notices' log entries and queues their pushes in tx, in batches.
func (s *Service) Send(ctx context.Context, tx *db.Tx, school id.ID, notices []Notice) error {
	if len(notices) == 0 {
		return nil
	}
	a, err := audienceOf(ctx, tx, everyoneOf(notices), s.Now())
	if err != nil {
		return err
	}
	entries := s.entries(a, notices)
	_, err = db.Insert(ctx, tx, `
		INSERT INTO notifications (school_id, id, user_id, type, title, body, record_id, student_id, created_at)
		VALUES (:school, :id, :user_id, :type, :title, :body, :record_id, :student_id, :created_at)`, entries)
	if err != nil {
		return fmt.Errorf("write notifications: %w", err)
	}
	unread, err := s.unread(ctx, tx, entries)
	if err != nil {
		return err
	}
	out, err := s.pushes(ctx, tx, a, notices, unread)
	if err != nil {
		return err
	}
	s.emit(tx, school, entries, unread)
	return s.sendAll(ctx, tx, school, out)
}

func (s *Service) sendAll(ctx context.Context, tx *db.Tx, school id.ID, out []notify.Message) error {
	if len(out) == 0 {
		return nil
	}
	return s.Out.SendAll(ctx, tx, school, out)
}

// entries returns the log entries of the notices, each in its user's language.
func (s *Service) entries(a audience, notices []Notice) []entry {
	var out []entry
	for _, n := range notices {
		title, body := a.say(n.Title), a.say(n.Body)
		for _, user := range n.Users {
			lang := a.lang(user)
			out = append(out, entry{s.NewID(), user, n.Type, title(lang), body(lang), ref(n.Record), ref(n.Student), a.now})
		}
	}
	return out
}

// say translates a text, caching by language.
func (a audience) say(t text.Text) func(lang string) string {
	said := map[string]string{}
	return func(lang string) string {
		words, ok := said[lang]
		if !ok {
			words = text.Standard().Say(lang, t)
			said[lang] = words
		}
		return words
	}
}

// ref returns nil for "".
func ref(record id.ID) *id.ID {
	if record == "" {
		return nil
	}
	return &record
}

// everyoneOf lists the distinct users and readers of the notices.
func everyoneOf(notices []Notice) []id.ID {
	var all []id.ID
	for _, n := range notices {
		all = append(append(all, n.Users...), n.Readers...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// SendToParents sends each notice to the parents who may see its Student. It sets
// Users, with one query for all notices.
func (s *Service) SendToParents(ctx context.Context, tx *db.Tx, school id.ID, notices []Notice) error {
	students := make([]id.ID, len(notices))
	for i, n := range notices {
		students[i] = n.Student
	}
	parents, err := ParentsOf(ctx, tx, students)
	if err != nil {
		return err
	}
	for i := range notices {
		notices[i].Users = parents[notices[i].Student]
	}
	return s.Send(ctx, tx, school, notices)
}

// ParentsOf maps students to the accounts of the parents who may see them.
func ParentsOf(ctx context.Context, q db.Q, students []id.ID) (map[id.ID][]id.ID, error) {
	out := map[id.ID][]id.ID{}
	if len(students) == 0 {
		return out, nil
	}
	type link struct{ StudentID, UserID id.ID }
	err := db.Each(ctx, q, `
		SELECT l.student_id, g.user_id FROM student_guardians l
		JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL
		WHERE l.school_id = :school AND l.student_id IN (:students) AND l.can_view_data AND g.user_id IS NOT NULL
		ORDER BY l.student_id, g.user_id`, db.Args{"students": students}, func(l link) error {
		out[l.StudentID] = append(out[l.StudentID], l.UserID)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find parents: %w", err)
	}
	return out, nil
}
