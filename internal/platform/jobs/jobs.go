// Package jobs is a durable background queue: work runs after a transaction, and only
// if it commits.
//
// A service calls Enqueue inside its transaction. A Queue on each node claims due jobs,
// runs them and records the result. Delivery is at least once: if a node dies its lease
// expires and another runs the job again, so workers must be idempotent. A failed job
// is retried with growing pauses, and is dead after its last attempt.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Args are the arguments of a job, stored as plain JSON. They must not contain secrets.
type Args interface {
	Kind() string // such as "notify.deliver"; must never change
}

// Laned are the arguments of jobs that a queue with that Options.Lane runs, so that other
// jobs don't wait for slow ones.
type Laned interface {
	Args
	Lane() string
}

// topicOf is the database signal for new jobs of a lane.
func topicOf(lane string) string {
	if lane == "" {
		return topic
	}
	return topic + "." + lane
}

// Job is one attempt of a job.
type Job struct {
	ID      id.ID
	School  id.ID // platform jobs use the platform's school record
	Kind    string
	Payload []byte
	Attempt int  // from 1
	Last    bool // a failure of this attempt is final
}

// Worker runs the jobs of one kind.
type Worker struct {
	Kind     string
	Work     func(ctx context.Context, j Job) error
	Attempts int           // 0 = DefaultAttempts
	Timeout  time.Duration // of one attempt; 0 = DefaultTimeout

	// Batch, if set, is called instead of Work with several jobs at once, for kinds
	// that mostly wait for I/O. It returns one error per job.
	Batch func(ctx context.Context, js []Job) []error

	// Dead, if set, is called in the transaction that marks a job dead, in the job's
	// school, to update the record that the job was about.
	Dead func(ctx context.Context, tx *db.Tx, j Job, cause error) error
}

// Defaults of a Worker.
const (
	DefaultAttempts = 8
	DefaultTimeout  = time.Minute
)

// Work returns a Worker for a typed function.
func Work[A Args](fn func(ctx context.Context, school id.ID, a A) error) Worker {
	var zero A
	return Worker{Kind: zero.Kind(), Work: func(ctx context.Context, j Job) error {
		var a A
		if err := json.Unmarshal(j.Payload, &a); err != nil {
			return Permanent(fmt.Errorf("decode payload of a %s job: %w", j.Kind, err))
		}
		return fn(ctx, j.School, a)
	}}
}

// verdict is an error with a retry decision.
type verdict struct {
	error
	permanent bool
	after     time.Duration
}

func (v *verdict) Unwrap() error { return v.error }

// Permanent marks err as final: the job is dead at once.
func Permanent(err error) error { return &verdict{error: err, permanent: true} }

// Later delays the next attempt by at least d.
func Later(err error, d time.Duration) error { return &verdict{error: err, after: d} }

// IsPermanent reports whether retrying is pointless: err is marked Permanent, or is a
// fault of the request and not of the moment.
func IsPermanent(err error) bool {
	if v, ok := errors.AsType[*verdict](err); ok {
		return v.permanent
	}
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		return false
	}
	return f.Kind != fault.Internal && f.Kind != fault.TooMany && f.Kind != fault.Unavailable
}

// Pause returns how long the error itself asks to wait.
func Pause(err error) time.Duration {
	if v, ok := errors.AsType[*verdict](err); ok {
		return v.after
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return f.RetryAfter
	}
	return 0
}

// pauses are the waits after the first, second … failure; the last one repeats.
var pauses = [...]time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour,
}

// pause returns the wait after the given number of failures, with a jitter of 20 %, so
// that jobs that failed together don't retry together.
func pause(failures int, chance float64) time.Duration {
	p := pauses[min(max(failures, 1), len(pauses))-1]
	return time.Duration(float64(p) * (0.8 + 0.4*chance))
}
