package app

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// Demo mode shows sign-in codes to everyone, and its passwords are public. So a
// database holds either demo data or real data, never both: schools.is_demo of
// the platform's row marks a demo database.

var (
	errReal = errors.New("this database has real accounts or schools, and --demo would show their sign-in codes to everyone: " +
		"remove --demo, or use an empty database with --data or --database-url")
	errDemo = errors.New("this database has demo accounts, whose passwords are public, so only serve --demo opens it: " +
		"name another directory with --data, or another database with --database-url")
)

// refuseRealData refuses --demo on a database with real data, before anything is
// written to it. A database that needs a migration first is checked by seed.
func (a *App) refuseRealData(ctx context.Context) error {
	if !a.cfg.Demo || a.DB.Current(ctx) != nil {
		return nil
	}
	return allowsDemo(ctx, a.DB.Across(unscoped.Permit{}))
}

// refuseDemo refuses a database with demo accounts unless demo mode is on.
func (a *App) refuseDemo(ctx context.Context) error {
	if a.cfg.Demo {
		return nil
	}
	demo, err := isDemo(ctx, a.DB.Across(unscoped.Permit{}))
	if err == nil && demo {
		err = errDemo
	}
	return err
}

// allowsDemo returns nil if the database is empty or has demo data already.
func allowsDemo(ctx context.Context, all db.Q) error {
	if demo, err := isDemo(ctx, all); err != nil || demo {
		return err
	}
	n, err := db.One[int](ctx, all, `
		SELECT COUNT(*) FROM (SELECT id FROM schools WHERE NOT is_platform UNION ALL SELECT id FROM users LIMIT 1) AS someone`, nil)
	if err != nil {
		return fmt.Errorf("count accounts: %w", err)
	}
	if n > 0 {
		return errReal
	}
	return nil
}

// isDemo reports whether the database has demo data.
func isDemo(ctx context.Context, all db.Q) (bool, error) {
	n, err := db.One[int](ctx, all, `SELECT COUNT(*) FROM schools WHERE is_platform AND is_demo`, nil)
	if err != nil {
		return false, fmt.Errorf("read is_demo: %w", err)
	}
	return n > 0, nil
}

// markDemo marks the database as a demo.
func markDemo(ctx context.Context, tx *db.Tx) error {
	if _, err := db.Exec(ctx, tx, `UPDATE schools SET is_demo = TRUE WHERE is_platform`, nil); err != nil {
		return fmt.Errorf("set is_demo: %w", err)
	}
	return nil
}
