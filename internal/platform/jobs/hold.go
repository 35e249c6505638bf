package jobs

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
)

// Hold keeps the waiting jobs of tx's school from running until Release, here or in the
// installation that the school moves to. Jobs whose worker is gone are held, too. It
// returns how many are still running: they end as usual.
func Hold(ctx context.Context, tx *db.Tx, now time.Time) (running int, err error) {
	_, err = db.Exec(ctx, tx, `
		UPDATE jobs SET state = 'held', leased_by = NULL, lease_until = NULL
		WHERE school_id = :school AND (state = 'waiting' OR state = 'running' AND lease_until <= :now)`, db.Args{"now": now})
	if err != nil {
		return 0, fmt.Errorf("hold jobs: %w", err)
	}
	return db.One[int](ctx, tx, `SELECT COUNT(*) FROM jobs WHERE school_id = :school AND state = 'running'`, nil)
}

// Release lets the held jobs of tx's school run.
func Release(ctx context.Context, tx *db.Tx) error {
	n, err := db.Exec(ctx, tx, `UPDATE jobs SET state = 'waiting' WHERE school_id = :school AND state = 'held'`, nil)
	if err != nil {
		return fmt.Errorf("release jobs: %w", err)
	}
	if n == 0 {
		return nil
	}
	return tx.Notify(ctx, topic, "")
}
