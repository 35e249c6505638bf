package audit

import (
	"context"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/jobs"
)

// Periodics delete old entries of the audit log and of the log of reads.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{{Name: "audit.forget", Every: 24 * time.Hour, Run: s.forget}}
}

func (s *Service) forget(ctx context.Context) error {
	if s.Keep == 0 {
		return nil
	}
	return db.DeleteOld(ctx, s.DB.Across(unscoped.Permit{}), s.Now().Add(-s.Keep),
		db.Old{Table: "audit_log", Key: []string{"school_id", "entity", "at", "id"}, Age: "at"},
		db.Old{Table: "reads", Key: []string{"school_id", "record_id", "at", "id"}, Age: "at"})
}
