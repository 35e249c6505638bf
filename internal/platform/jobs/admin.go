package jobs

import (
	"context"
	"encoding/json"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// State is the state of a job.
type State string

// The states of a job.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Dead    State = "dead"
)

// Errors of job administration.
var (
	ErrNoJob      = fault.Missing("failed job")
	ErrBadState   = fault.OnField("state", "must be waiting, running, done or dead")
	ErrSuperseded = fault.New(fault.Conflict, "", "The same job has been queued again since this one failed. There is nothing to retry.")
)

// Record is a job as shown to administrators.
type Record struct {
	ID         id.ID                    `json:"id"`
	School     id.ID                    `json:"schoolId" db:"school_id"`
	Kind       string                   `json:"kind"`
	Payload    db.JSON[json.RawMessage] `json:"payload"`
	State      State                    `json:"state"`
	RunAt      time.Time                `json:"runAt"`
	Attempts   int                      `json:"attempts"`
	LastError  *string                  `json:"lastError"`
	CreatedAt  time.Time                `json:"createdAt"`
	FinishedAt *time.Time               `json:"finishedAt"`
}

// Stats counts the jobs of all schools by state.
type Stats struct{ Waiting, Running, Dead int }

// Stats counts jobs for the metrics. Each count uses a partial index, without done jobs.
func (q *Queue) Stats(ctx context.Context) (Stats, error) {
	return db.One[Stats](ctx, q.DB.Across(unscoped.Permit{}), `
		SELECT (SELECT COUNT(*) FROM jobs WHERE state = 'waiting') AS waiting,
		       (SELECT COUNT(*) FROM jobs WHERE state = 'running') AS running,
		       (SELECT COUNT(*) FROM jobs WHERE state = 'dead') AS dead`, nil)
}

// Settled waits until no job is due, at most for limit. Use it to see the effects of
// a job.
func (q *Queue) Settled(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for ctx.Err() == nil {
		n, err := db.One[int](ctx, q.DB.Across(unscoped.Permit{}),
			`SELECT COUNT(*) FROM jobs WHERE state = 'running' OR state = 'waiting' AND run_at <= :now`, db.Args{"now": q.Now()})
		if err != nil || n == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// List returns a page of the jobs in one state, newest first, of one school or ("") of
// all.
func (q *Queue) List(ctx context.Context, school id.ID, s State, r page.Request) (page.Of[Record], error) {
	switch s {
	case Waiting, Running, Done, Dead:
	default:
		return page.Of[Record]{}, ErrBadState
	}
	in := q.DB.Across(unscoped.Permit{})
	if school != "" {
		in = q.DB.School(school)
	}
	return db.Page[Record](ctx, in, db.List{
		Columns: `id, school_id, kind, payload, state, run_at, attempts, last_error, created_at, finished_at`,
		From:    `jobs WHERE state = '` + string(s) + `'` + db.When(school != "", ` AND school_id = :school`),
		Sorts:   map[string]string{"createdAt": "created_at", "runAt": "run_at", "kind": "kind"},
		Default: "-createdAt",
	}, r, nil)
}

// Retry resets the attempts of a dead job of the school, and runs it now.
func (q *Queue) Retry(ctx context.Context, school, job id.ID) error {
	return q.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
		n, err := db.Exec(ctx, tx, `
			UPDATE jobs SET state = 'waiting', attempts = 0, run_at = :now, finished_at = NULL
			WHERE school_id = :school AND id = :id AND state = 'dead'`,
			db.Args{"id": job, "now": q.Now()})
		switch {
		case db.IsDuplicate(err, "jobs_unique_key"):
			return ErrSuperseded.Because(err)
		case err != nil:
			return err
		case n == 0:
			return ErrNoJob
		}
		return tx.Notify(ctx, topic, "")
	})
}
