package leave

import (
	"context"
	"fmt"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// HasHistory reports whether a student has leave.
func (s *Service) HasHistory(ctx context.Context, q db.Q, student id.ID) (bool, error) {
	has, err := db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM leaves WHERE school_id = :school AND student_id = :student) AS has`, db.Args{"student": student})
	if err != nil {
		return false, fmt.Errorf("find leaves: %w", err)
	}
	return has, nil
}

// Section is the leave section of a student's profile: all leave, the latest first.
func (s *Service) Section() people.Section {
	return people.Section{Name: "leave", Module: "leave", Read: func(ctx context.Context, q db.Q, student id.ID) (any, error) {
		f := filter{student: &student}
		list, err := db.All[Leave](ctx, q, `SELECT `+columns+` FROM `+leaveFrom+f.where()+` ORDER BY l.from_date DESC, l.id DESC`, f.args())
		if err != nil {
			return nil, fmt.Errorf("list leaves: %w", err)
		}
		return list, count(ctx, q, list)
	}}
}

// Erase deletes the free text and files of a student's leaves, but not the leaves.
func (s *Service) Erase(ctx context.Context, tx *db.Tx, e people.Erased) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE leaves SET reason = '', attachments = '[]', decision_note = '', updated_at = :now
		WHERE school_id = :school AND student_id = :student`, db.Args{"student": e.Student, "now": s.Now()})
	if err != nil {
		return fmt.Errorf("erase text of leaves: %w", err)
	}
	leaves, err := db.All[id.ID](ctx, tx, `SELECT id FROM leaves WHERE school_id = :school AND student_id = :student`,
		db.Args{"student": e.Student})
	if err != nil {
		return fmt.Errorf("find leaves: %w", err)
	}
	return s.Files.Erase(ctx, tx, file.Leave, leaves)
}
