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
	"homeroom/internal/platform/opt"
)

// HasHistory reports whether there are messages about a student.
func HasHistory(ctx context.Context, q db.Q, student id.ID) (bool, error) {
	has, err := db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM message_threads WHERE school_id = :school AND student_id = :student) AS has`, db.Args{"student": student})
	if err != nil {
		return false, fmt.Errorf("find messages: %w", err)
	}
	return has, nil
}

// written is a message in an export.
type written struct {
	ID          id.ID            `json:"id"`
	ThreadID    id.ID            `json:"threadId"`
	CreatedAt   time.Time        `json:"createdAt"`
	AuthorID    id.ID            `json:"authorId"`
	AuthorName  opt.Text         `json:"authorName"`
	AuthorRole  actor.Role       `json:"authorRole"`
	Body        opt.Text         `json:"body"`
	Attachments db.JSON[[]id.ID] `json:"attachments"`
	ReadAt      *time.Time       `json:"readAt"`
}

// Section exports the messages about a student, oldest first.
func Section() people.Section {
	read := func(ctx context.Context, q db.Q, student id.ID) (any, error) {
		list, err := db.All[written](ctx, q, `
			SELECT m.id, m.thread_id, m.created_at, m.author_id, a.name AS author_name, a.role AS author_role, m.body, m.attachments, m.read_at
			FROM message_threads t JOIN messages m ON m.school_id = t.school_id AND m.thread_id = t.id
			JOIN users a ON a.school_id = m.school_id AND a.id = m.author_id
			WHERE t.school_id = :school AND t.student_id = :student ORDER BY m.id`, db.Args{"student": student})
		if err != nil {
			return nil, fmt.Errorf("list messages: %w", err)
		}
		return list, nil
	}
	return people.Section{Name: "messages", Module: "message", Private: true, Read: read}
}

// ofErased selects the conversations about a student and with the guardians erased
// with it.
const ofErased = `(SELECT t.id FROM message_threads t WHERE t.school_id = :school AND (t.student_id = :student OR t.user_id IN (:users)))`

// Erase clears the text and attachments of messages about a student and with erased
// guardians. The rows stay.
func (s *Service) Erase(ctx context.Context, tx *db.Tx, e people.Erased) error {
	a := db.Args{"student": e.Student, "users": e.Users}
	attached, err := db.All[id.ID](ctx, tx, `
		SELECT id FROM messages WHERE school_id = :school AND thread_id IN `+ofErased+` AND CAST(attachments AS TEXT) <> '[]' ORDER BY id`, a)
	if err != nil {
		return fmt.Errorf("find attachments: %w", err)
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
			return fmt.Errorf("clear messages: %w", err)
		}
	}
	return nil
}

// SeesFiles returns nil if who is on one of the two sides of a message, and so may
// see its attachments.
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
