package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// topic is the signal that says: there is something to do.
const topic = "jobs"

// urgency is how far ahead of the others an urgent job is queued.
const urgency = 24 * time.Hour

// Option changes how a job is queued.
type Option func(*row)

// At runs the job no sooner than t.
func At(t time.Time) Option { return func(r *row) { r.RunAt = t } }

// Unique drops the job silently if its school has one of the same kind and key
// that waits, runs, or was done and is not cleaned away yet.
func Unique(key string) Option { return func(r *row) { r.UniqueKey = &key } }

// Attempts overrides how often the worker of this kind tries.
func Attempts(n int) Option { return func(r *row) { r.MaxAttempts = &n } }

// Urgent puts the job ahead of all that fell due within a day: someone is
// waiting for it now, as for a sign-in code.
func Urgent() Option { return func(r *row) { r.RunAt = r.RunAt.Add(-urgency) } }

// row is a job as it is queued.
type row struct {
	ID          id.ID
	Kind        string
	Payload     db.JSON[json.RawMessage]
	UniqueKey   *string
	RunAt       time.Time
	MaxAttempts *int
	CreatedAt   time.Time
}

const insertJob = `
	INSERT INTO jobs (school_id, id, kind, payload, unique_key, state, run_at, max_attempts, created_at)
	VALUES (:school, :id, :kind, :payload, :unique_key, 'waiting', :run_at, :max_attempts, :created_at)
	ON CONFLICT (school_id, kind, unique_key) WHERE unique_key IS NOT NULL AND state <> 'dead' DO NOTHING`

// Enqueue writes a job in tx, a transaction of the school it is for. Workers
// start on it as soon as tx commits.
func Enqueue(ctx context.Context, tx *db.Tx, now time.Time, a Args, opts ...Option) error {
	return EnqueueAll(ctx, tx, now, []Args{a}, opts...)
}

// EnqueueAll writes many jobs in few statements.
func EnqueueAll[A Args](ctx context.Context, tx *db.Tx, now time.Time, args []A, opts ...Option) error {
	rows := make([]row, 0, len(args))
	due := false
	for _, a := range args {
		payload, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("write the payload of a %s job: %w", a.Kind(), err)
		}
		r := row{ID: id.New(), Kind: a.Kind(), RunAt: now, CreatedAt: now}
		r.Payload.V = payload
		for _, o := range opts {
			o(&r)
		}
		due = due || !r.RunAt.After(now)
		rows = append(rows, r)
	}
	if _, err := db.Insert(ctx, tx, insertJob, rows); err != nil {
		return fmt.Errorf("queue jobs: %w", err)
	}
	if due { // other nodes find what this one is too busy for when they next look
		tx.Wake(topic)
	}
	return nil
}
