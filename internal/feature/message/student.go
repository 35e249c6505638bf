package message

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// HasHistory reports whether anything was written about a student.
func HasHistory(ctx context.Context, q db.Q, student id.ID) (bool, error) {
	has, err := db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM message_threads WHERE school_id = :school AND student_id = :student) AS has`, db.Args{"student": student})
	if err != nil {
		return false, fmt.Errorf("look for messages: %w", err)
	}
	return has, nil
}

// written is a message as an export shows it.
type written struct {
	ID          id.ID            `json:"id"`
	ThreadID    id.ID            `json:"threadId"`
	CreatedAt   time.Time        `json:"createdAt"`
	AuthorID    id.ID            `json:"authorId"`
	AuthorName  string           `json:"authorName"`
	AuthorRole  actor.Role       `json:"authorRole"`
	Body        string           `json:"body"`
	Attachments db.JSON[[]id.ID] `json:"attachments"`
	ReadAt      *time.Time       `json:"readAt"`
}

// Section is what was written about a student, in the order in which it was.
func Section() people.Section {
	return people.Section{Name: "messages", Private: true, Read: func(ctx context.Context, q db.Q, student id.ID) (any, error) {
		list, err := db.All[written](ctx, q, `
			SELECT m.id, m.thread_id, m.created_at, m.author_id, a.name AS author_name, a.role AS author_role, m.body, m.attachments, m.read_at
			FROM message_threads t JOIN messages m ON m.school_id = t.school_id AND m.thread_id = t.id
			JOIN users a ON a.school_id = m.school_id AND a.id = m.author_id
			WHERE t.school_id = :school AND t.student_id = :student ORDER BY m.id`, db.Args{"student": student})
		if err != nil {
			return nil, fmt.Errorf("list messages: %w", err)
		}
		return list, nil
	}}
}

// ofErased selects the conversations about a student and with the guardians who
// are forgotten with it.
const ofErased = `(SELECT t.id FROM message_threads t WHERE t.school_id = :school AND (t.student_id = :student OR t.user_id IN (:users)))`

// Erase blanks what was written about a student, and with those of its guardians
// who are forgotten too, and lets go what was attached. That something was
// written stays.
func (s *Service) Erase(ctx context.Context, tx *db.Tx, e people.Erased) error {
	a := db.Args{"student": e.Student, "users": e.Users}
	attached, err := db.All[id.ID](ctx, tx, `
		SELECT id FROM messages WHERE school_id = :school AND thread_id IN `+ofErased+` AND CAST(attachments AS TEXT) <> '[]' ORDER BY id`, a)
	if err != nil {
		return fmt.Errorf("find what is attached to messages: %w", err)
	}
	if len(attached) > 0 {
		if err := s.Files.Erase(ctx, tx, file.Message, attached); err != nil {
			return err
		}
	}
	for _, sql := range []string{
		`UPDATE messages SET body = '', attachments = '[]' WHERE school_id = :school AND thread_id IN ` + ofErased,
		`UPDATE message_sides SET search = '' WHERE school_id = :school AND (student_id = :student OR user_id IN (:users))`,
	} {
		if _, err := db.Exec(ctx, tx, sql, a); err != nil {
			return fmt.Errorf("blank messages: %w", err)
		}
	}
	return nil
}

// SeesFiles is nil where who may see what is attached to a message: who is of
// one of the two sides.
func (s *Service) SeesFiles(ctx context.Context, who actor.Actor, message id.ID) error {
	sees, err := db.One[bool](ctx, s.DB.School(who.School), `
		SELECT EXISTS (SELECT 1 FROM messages m JOIN message_sides d ON d.school_id = m.school_id AND d.thread_id = m.thread_id
			WHERE m.school_id = :school AND m.id = :id AND d.side_id = :side) AS sees`, db.Args{"id": message, "side": sideOf(who)})
	switch {
	case err != nil:
		return fmt.Errorf("read who sees a file: %w", err)
	case !sees || sideOf(who) == who.School && !who.Can("message", actor.Read):
		return file.ErrNoFile
	}
	return nil
}
