package attendance

import (
	"context"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/jobs"
)

// Periodics delete old marks, with their revisions and alerts.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{{Name: "attendance.forget", Every: 24 * time.Hour, Run: s.forget}}
}

func (s *Service) forget(ctx context.Context) error {
	if s.Keep == 0 {
		return nil
	}
	before := s.Now().Add(-s.Keep).UTC().Format(time.DateOnly)
	return db.DeleteOld(ctx, s.DB.Across(unscoped.Permit{}), before,
		db.Old{Table: "attendance", Key: []string{"school_id", "student_id", "date", "period_no"}, Age: "date"},
		db.Old{Table: "attendance_revisions", Key: []string{"school_id", "student_id", "date", "period_no", "ended_at", "id"}, Age: "date"},
		db.Old{Table: "attendance_alerts", Key: []string{"school_id", "date", "student_id"}, Age: "date"})
}
