package system

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// scheduled queues a backup. The queue calls it once per period on one of the nodes.
func (s *Service) scheduled(ctx context.Context) error {
	err := s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
		platform, err := db.One[id.ID](ctx, all, `SELECT id FROM schools WHERE is_platform`, nil)
		if err != nil {
			return fmt.Errorf("find the platform: %w", err)
		}
		_, err = s.queue(ctx, all, platform, nil)
		return err
	})
	if errors.Is(err, errRunning) { // somebody has just started one
		return nil
	}
	return err
}

// check restores a backup for a test and returns when; nil if this node can't. One that can't
// be restored is deleted: nobody should rely on it.
func (s *Service) check(ctx context.Context, file string) (*time.Time, error) {
	err := s.Verify(ctx, file)
	switch {
	case err != nil && ctx.Err() != nil: // stopping
		return nil, err
	case errors.Is(err, ErrUnchecked):
		s.Log.WarnContext(ctx, "a backup was not checked", "error", err)
		return nil, nil
	case err != nil:
		s.Log.ErrorContext(ctx, "a backup can't be restored", "error", err)
		return nil, jobs.Permanent(errors.Join(reason{Damaged}, os.Remove(file)))
	}
	now := s.Now()
	return &now, nil
}

// Latest is when backups were last made and checked; nil: never.
type Latest struct {
	Made    *time.Time
	Checked *time.Time
}

// Latest returns the newest backups of all nodes.
func (s *Service) Latest(ctx context.Context) (Latest, error) {
	l, err := db.One[Latest](ctx, s.across(), `
		SELECT MAX(finished_at) AS made, MAX(checked_at) AS checked FROM backups WHERE state = 'DONE'`, nil)
	return l, fault.Wrap("read the newest backups", err)
}

// Overdue reports whether there should have been a backup since: one failed, or none was made.
func (s *Service) Overdue(l Latest) bool {
	last := s.started
	if l.Made != nil {
		last = *l.Made
	}
	return s.Every > 0 && s.Now().Sub(last) > s.Every+s.Every/2
}
