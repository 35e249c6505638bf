package people

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// ArchiveStudent removes a student from every list; its id is 404 from then on. All
// its data is kept. Guardians without another child are disabled.
func (s *Service) ArchiveStudent(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID) error {
	if err := lockFamilies(ctx, tx); err != nil {
		return err
	}
	st, err := getStudent(ctx, tx, student)
	if err != nil {
		return err
	}
	history, err := s.hasHistory(ctx, tx, student)
	if err != nil {
		return err
	}
	st.UpdatedAt = s.Now()
	_, err = db.Exec(ctx, tx, `UPDATE students SET archived_at = :now, updated_at = :now, version = version + 1
		WHERE school_id = :school AND id = :id`, db.Args{"id": student, "now": st.UpdatedAt})
	if err != nil {
		return fmt.Errorf("archive student: %w", err)
	}
	if err := dropLaterEnrolments(ctx, tx, student); err != nil {
		return err
	}
	if err := closeEnrolments(ctx, tx, st, ""); err != nil {
		return err
	}
	guardians, err := guardianIDs(ctx, tx, student)
	if err != nil {
		return err
	}
	if err := s.disableChildless(ctx, tx, who, guardians); err != nil {
		return err
	}
	if err := ReachChanged(ctx, tx, who.School); err != nil {
		return err
	}
	return s.record(ctx, tx, who, "student.archive", student, map[string]any{"archived": false},
		map[string]any{"archived": true, "hasHistory": history})
}

// hasHistory reports whether any module has data of the student that must be kept.
func (s *Service) hasHistory(ctx context.Context, q db.Q, student id.ID) (bool, error) {
	for _, has := range s.HasHistory {
		if ok, err := has(ctx, q, student); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}
