package app

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// Demo mode shows every sign-in code to whoever asks, and everyone knows the
// passwords of its accounts. So a database is the demo's, which the platform's
// record says from the moment it is filled, or real people's, and never both.

var (
	errReal = errors.New("this database has accounts or schools that --demo did not make, and --demo shows everyone's sign-in codes to whoever asks: leave it away, or name an empty --data directory or --database-url")
	errDemo = errors.New("this database holds the demo's accounts, whose passwords everyone knows: start with --demo to go on with it, or name another --data directory or --database-url")
)

// demoMayStart refuses --demo on a database of real people, before anything is
// written to it. One that has no schema, or not this version's, has to be brought
// up to date first; seed asks again.
func (a *App) demoMayStart(ctx context.Context) error {
	if !a.cfg.Demo || a.DB.Current(ctx) != nil {
		return nil
	}
	return mayBeDemo(ctx, a.DB.Across(unscoped.Permit{}))
}

// servable refuses to let real people in where the demo's accounts are.
func (a *App) servable(ctx context.Context) error {
	if a.cfg.Demo {
		return nil
	}
	demo, err := isDemo(ctx, a.DB.Across(unscoped.Permit{}))
	if err == nil && demo {
		err = errDemo
	}
	return err
}

// mayBeDemo is nil for a database that the demo has filled or may fill.
func mayBeDemo(ctx context.Context, all db.Q) error {
	if demo, err := isDemo(ctx, all); err != nil || demo {
		return err
	}
	n, err := db.One[int](ctx, all, `
		SELECT COUNT(*) FROM (SELECT id FROM schools WHERE NOT is_platform UNION ALL SELECT id FROM users LIMIT 1) AS someone`, nil)
	if err != nil {
		return fmt.Errorf("look for accounts: %w", err)
	}
	if n > 0 {
		return errReal
	}
	return nil
}

// isDemo reports whether --demo has filled the database.
func isDemo(ctx context.Context, all db.Q) (bool, error) {
	n, err := db.One[int](ctx, all, `SELECT COUNT(*) FROM schools WHERE is_platform AND is_demo`, nil)
	if err != nil {
		return false, fmt.Errorf("look for the demo's mark: %w", err)
	}
	return n > 0, nil
}

// markDemo says in the database that it is the demo's.
func markDemo(ctx context.Context, tx *db.Tx) error {
	if _, err := db.Exec(ctx, tx, `UPDATE schools SET is_demo = TRUE WHERE is_platform`, nil); err != nil {
		return fmt.Errorf("mark the demo: %w", err)
	}
	return nil
}
