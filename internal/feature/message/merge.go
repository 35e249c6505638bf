package message

import (
	"context"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// twins pairs each conversation of the account :from with that of :to with the same
// peer about the same student.
const twins = `(SELECT t.id AS old, k.id AS kept FROM message_threads t
	JOIN message_threads k ON k.school_id = t.school_id AND k.user_id = :to AND k.peer_id = t.peer_id
		AND k.student_id IS NOT DISTINCT FROM t.student_id
	WHERE t.school_id = :school AND t.user_id = :from) AS twin`

// Merge gives the conversations of one account to another of the same person. Two
// conversations with one peer about one student become one.
func Merge(ctx context.Context, tx *db.Tx, m people.Merged) error {
	for _, user := range []id.ID{m.From, m.To} {
		if err := lock(ctx, tx, user); err != nil {
			return err
		}
	}
	for _, step := range []string{
		`DELETE FROM message_sides WHERE school_id = :school AND thread_id IN (SELECT old FROM ` + twins + `)`,
		`UPDATE messages SET thread_id = twin.kept FROM ` + twins + ` WHERE school_id = :school AND thread_id = twin.old`,
		`UPDATE messages SET side_id = :to WHERE school_id = :school AND side_id = :from`,
		`UPDATE messages SET author_id = :to WHERE school_id = :school AND author_id = :from`,
		`UPDATE messages SET read_by = :to WHERE school_id = :school AND read_by = :from`,
		`UPDATE message_sides SET
			last_message_id = (SELECT x.id FROM messages x WHERE x.school_id = message_sides.school_id
				AND x.thread_id = message_sides.thread_id ORDER BY x.id DESC LIMIT 1),
			unread = (SELECT count(*) FROM messages x WHERE x.school_id = message_sides.school_id
				AND x.thread_id = message_sides.thread_id AND x.read_at IS NULL AND x.side_id <> message_sides.side_id)
		FROM ` + twins + ` WHERE school_id = :school AND thread_id = twin.kept`,
		`DELETE FROM message_threads WHERE school_id = :school AND id IN (SELECT old FROM ` + twins + `)`,
		`UPDATE message_threads SET user_id = :to WHERE school_id = :school AND user_id = :from`,
		`UPDATE message_sides SET side_id = :to WHERE school_id = :school AND side_id = :from`,
		`UPDATE message_sides SET user_id = :to WHERE school_id = :school AND user_id = :from`,
	} {
		if _, err := db.Exec(ctx, tx, step, db.Args{"from": m.From, "to": m.To}); err != nil {
			return fmt.Errorf("merge conversations: %w", err)
		}
	}
	return nil
}
