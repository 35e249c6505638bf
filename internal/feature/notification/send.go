package notification

import (
	"context"
	"fmt"
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

// Send writes the notices' log entries and queues their pushes, SMS and e-mails in tx,
// in batches.
func (s *Service) Send(ctx context.Context, tx *db.Tx, school id.ID, notices []Notice) error {
	if len(notices) == 0 {
		return nil
	}
	a, err := audienceOf(ctx, tx, notices, s.Now())
	if err != nil {
		return err
	}
	entries := s.entries(a, notices)
	_, err = db.Insert(ctx, tx.Later(), `
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
	return s.sendAll(ctx, tx, school, append(out, s.letters(a, notices)...))
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

// SendToParents sends each notice to the parents who may see its Student.
func (s *Service) SendToParents(ctx context.Context, tx *db.Tx, school id.ID, notices []Notice) error {
	if err := ToParents(ctx, tx, notices); err != nil {
		return err
	}
	return s.Send(ctx, tx, school, notices)
}

// ToParents addresses each notice to the parents who may see its Student, with one
// query for all notices.
func ToParents(ctx context.Context, q db.Q, notices []Notice) error {
	students := make([]id.ID, len(notices))
	for i, n := range notices {
		students[i] = n.Student
	}
	parents, others, err := familiesOf(ctx, q, students)
	if err != nil {
		return err
	}
	for i, n := range notices {
		notices[i].Users, notices[i].Guardians = parents[n.Student], others[n.Student]
	}
	return nil
}

// ParentsOf maps students to the accounts of the parents who may see them.
func ParentsOf(ctx context.Context, q db.Q, students []id.ID) (map[id.ID][]id.ID, error) {
	parents, _, err := familiesOf(ctx, q, students)
	return parents, err
}

// familiesOf maps students to the accounts of the guardians who may see them, and to
// the guardians without an account.
func familiesOf(ctx context.Context, q db.Q, students []id.ID) (parents, others map[id.ID][]id.ID, err error) {
	parents, others = map[id.ID][]id.ID{}, map[id.ID][]id.ID{}
	if len(students) == 0 {
		return parents, others, nil
	}
	type link struct{ StudentID, GuardianID, UserID id.ID }
	err = db.Each(ctx, q, `
		SELECT l.student_id, l.guardian_id, g.user_id FROM student_guardians l
		JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL
		WHERE l.school_id = :school AND l.student_id IN (:students) AND l.can_view_data
		ORDER BY l.student_id, g.user_id, g.id`, db.Args{"students": students}, func(l link) error {
		if l.UserID == "" {
			others[l.StudentID] = append(others[l.StudentID], l.GuardianID)
			return nil
		}
		parents[l.StudentID] = append(parents[l.StudentID], l.UserID)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find parents: %w", err)
	}
	return parents, others, nil
}
