package jobs

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

// Periodic is work that runs once per period across all nodes. After a failure or the
// death of its node it is retried within the period.
type Periodic struct {
	Name  string
	Every time.Duration
	Run   func(ctx context.Context) error
}

func checkPeriods(all []Periodic) error {
	seen := map[string]bool{}
	for _, p := range all {
		if p.Name == "" || seen[p.Name] || p.Every <= 0 || p.Run == nil {
			return fmt.Errorf("jobs: periodic %q needs a unique name, a period and a function", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}

// timeout limits one run; after it a dead node is replaced.
func (p Periodic) timeout() time.Duration {
	return min(max(p.Every, 30*time.Second), 10*time.Minute)
}

// repeat runs p whenever it is due, until ctx ends.
func (q *Queue) repeat(ctx context.Context, p Periodic) {
	tick := time.NewTicker(q.Poll)
	defer tick.Stop()
	var next time.Time // known to this node; no query before that
	for ctx.Err() == nil {
		if !q.Now().Before(next) {
			at, err := q.once(ctx, p)
			if err != nil && ctx.Err() == nil {
				q.Log.ErrorContext(ctx, "periodic job can't reach the database, will retry", "name", p.Name, "error", err)
			}
			next = at
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// period is the shared state of a periodic job.
type period struct {
	NextAt   time.Time
	Failures int
}

// once runs p if it is due and not leased, and returns when to check again.
func (q *Queue) once(ctx context.Context, p Periodic) (time.Time, error) {
	now, holder := q.Now(), q.NewID()
	per, mine, err := q.takePeriod(ctx, p, holder, now)
	if err != nil || !mine {
		return per.NextAt, err
	}
	run, cancel := context.WithTimeout(ctx, p.timeout())
	defer cancel()
	failed := q.traced(run, Worker{Kind: p.Name, Work: func(ctx context.Context, _ Job) error { return p.Run(ctx) }}, []Job{{}})[0]
	next, failures, cause := now.Add(p.Every), 0, ""
	if failed != nil {
		failures, cause = per.Failures+1, errorText(failed)
		next = q.Now().Add(min(pause(failures, q.Chance()), p.Every))
		q.Log.ErrorContext(ctx, "periodic job failed", "name", p.Name, "again", next, "error", failed)
	}
	end, stop := txContext(ctx)
	defer stop()
	_, err = db.Exec(end, q.DB.Across(unscoped.Permit{}), `
		UPDATE job_periods SET next_at = :next, holder = NULL, failures = :failures, last_error = :cause, last_run = :now
		WHERE name = :name AND holder = :holder`,
		db.Args{"next": next, "failures": failures, "cause": cause, "now": now, "name": p.Name, "holder": holder})
	return next, err
}

// takePeriod claims p if it is due, or returns when it is.
func (q *Queue) takePeriod(ctx context.Context, p Periodic, holder id.ID, now time.Time) (per period, mine bool, err error) {
	err = q.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		// A shorter period in a new version applies at once.
		if _, err := db.Exec(ctx, tx, `
			INSERT INTO job_periods (name, next_at) VALUES (:name, :now)
			ON CONFLICT (name) DO UPDATE SET next_at = :latest WHERE job_periods.next_at > :latest`,
			db.Args{"name": p.Name, "now": now, "latest": now.Add(max(p.Every, p.timeout()))}); err != nil {
			return err
		}
		n, err := db.Exec(ctx, tx, `
			UPDATE job_periods SET next_at = :until, holder = :holder WHERE name = :name AND next_at <= :now`,
			db.Args{"until": now.Add(p.timeout()), "holder": holder, "name": p.Name, "now": now})
		if err != nil {
			return err
		}
		mine = n == 1
		per, err = db.One[period](ctx, tx, `SELECT next_at, failures FROM job_periods WHERE name = :name`, db.Args{"name": p.Name})
		return err
	})
	return per, mine, err
}

// clean deletes old finished jobs, in small batches to avoid long locks.
func (q *Queue) clean(ctx context.Context) error {
	for state, keep := range map[State]time.Duration{Done: q.Keep, Dead: 10 * q.Keep} {
		for {
			const some = 1000
			n, err := deleteFinished(ctx, q.DB.Across(unscoped.Permit{}), state, q.Now().Add(-keep), some)
			if err != nil {
				return fmt.Errorf("delete old %s jobs: %w", state, err)
			}
			if n < some {
				break
			}
		}
	}
	return nil
}
