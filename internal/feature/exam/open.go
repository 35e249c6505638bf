package exam

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var errOpened = fault.New(fault.Conflict, "",
	"A parent has opened these results already. Take them back with a reason; when you publish again, parents are told of a correction.")

func unopened(e Exam) bool { return e.Status == Published && e.OpenedAt == nil }

// open notes that a parent opens published results. It is written before the results are
// read: whoever takes them back unopened does so before a parent sees them, or is refused.
func (s *Service) open(ctx context.Context, who actor.Actor, exams []Exam) error {
	var ids []id.ID
	for _, e := range exams {
		if unopened(e) {
			ids = append(ids, e.ID)
		}
	}
	_, err := db.Exec(ctx, s.DB.School(who.School), `
		UPDATE exams SET opened_at = :now WHERE school_id = :school AND id IN (:ids) AND state = 'PUBLISHED' AND opened_at IS NULL`,
		db.Args{"ids": ids, "now": s.Now()})
	if err != nil {
		return fmt.Errorf("note that results were opened: %w", err)
	}
	return nil
}
