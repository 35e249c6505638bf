package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// topic is the database signal for new jobs.
const topic = "jobs"

// urgency is how far ahead in the queue an urgent job is placed.
const urgency = 24 * time.Hour

// Option changes how a job is queued.
type Option func(*row)

// At runs the job at t or later.
func At(t time.Time) Option { return func(r *row) { r.RunAt = t } }

// Unique drops the job silently if its school has a waiting, running or done job of
// the same kind and key. Done ones count until they are cleaned up.
func Unique(key string) Option { return func(r *row) { r.UniqueKey = &key } }

// Attempts overrides the number of attempts.
func Attempts(n int) Option { return func(r *row) { r.MaxAttempts = &n } }

// Urgent runs the job before all that became due within a day, for example a sign-in
// code.
func Urgent() Option { return func(r *row) { r.RunAt = r.RunAt.Add(-urgency) } }

// row is a job to insert.
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

// Enqueue inserts a job in tx, a transaction of its school. It runs as soon as tx
// commits.
func Enqueue(ctx context.Context, tx *db.Tx, now time.Time, a Args, opts ...Option) error {
	return EnqueueAll(ctx, tx, now, []Args{a}, opts...)
}

// EnqueueAll inserts many jobs in few statements.
func EnqueueAll[A Args](ctx context.Context, tx *db.Tx, now time.Time, args []A, opts ...Option) error {
	rows := make([]row, 0, len(args))
	due, lane := false, ""
	for _, a := range args {
		payload, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("encode payload of a %s job: %w", a.Kind(), err)
		}
		r := row{ID: id.New(), Kind: a.Kind(), RunAt: now, CreatedAt: now}
		r.Payload.V = payload
		for _, o := range opts {
			o(&r)
		}
		due = due || !r.RunAt.After(now)
		if l, ok := any(a).(Laned); ok {
			lane = l.Lane()
		}
		rows = append(rows, r)
	}
	if _, err := db.Insert(ctx, tx.Later(), insertJob, rows); err != nil {
		return fmt.Errorf("insert jobs: %w", err)
	}
	if due { // only this node is woken; others poll
		tx.Wake(topicOf(lane))
	}
	return nil
}
