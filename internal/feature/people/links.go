package people

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// ChildrenOf lists the students that a parent's account may see: linked to its
// guardian, not archived, and not withheld by canViewData.
func ChildrenOf(ctx context.Context, q db.Q, parentUser id.ID) ([]id.ID, error) {
	children, err := db.All[id.ID](ctx, q, `
		SELECT id FROM students
		WHERE school_id = :school AND archived_at IS NULL AND id IN (`+childrenOfUser+`)
		ORDER BY id`, db.Args{"user": parentUser})
	if err != nil {
		return nil, fmt.Errorf("list children: %w", err)
	}
	return children, nil
}

// MustBeLinked returns nil if the parent's account may see the student, else
// ErrNoStudent or ErrNotLinked.
func MustBeLinked(ctx context.Context, q db.Q, parentUser, student id.ID) error {
	linked, err := db.One[bool](ctx, q, `
		SELECT id IN (`+childrenOfUser+`) AS linked FROM students
		WHERE school_id = :school AND id = :student AND archived_at IS NULL`,
		db.Args{"user": parentUser, "student": student})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return ErrNoStudent
	case err != nil:
		return fmt.Errorf("read link: %w", err)
	case !linked:
		return ErrNotLinked
	}
	return nil
}

// childrenOfUser selects the students linked to the account :user.
const childrenOfUser = `
	SELECT l.student_id FROM guardians g
	JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id
	WHERE g.school_id = :school AND g.user_id = :user AND l.can_view_data`

// SeenByParents selects (user_id, student_id) for the parents' accounts :users and
// the students each may see, by the same rule as ChildrenOf.
const SeenByParents = `
	SELECT g.user_id, l.student_id FROM guardians g
	JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id AND l.can_view_data
	JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL
	WHERE g.school_id = :school AND g.user_id IN (:users)`
