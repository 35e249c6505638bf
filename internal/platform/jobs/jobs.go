// Package jobs does work after a transaction, and only if it commits.
//
// A service calls Enqueue inside its transaction, so that the job is written
// with the record or not at all. A Queue on each node claims what is due, runs
// it and writes down how it ended. A job is done at least once: a node that
// dies leaves a lease that expires, and the job is run again, so that a worker
// must tolerate work already done. A job that fails is tried again after
// growing pauses, and at last put away as dead for a person to look at.
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

// Args is what a job needs to know. It is kept as JSON in clear: no secrets.
type Args interface {
	Kind() string // such as "notify.deliver"; names the worker, so it never changes
}

// Job is one try of one job.
type Job struct {
	ID      id.ID
	School  id.ID // platform jobs belong to the platform's own school record
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

	// Batch, if set, is called in place of Work with several jobs at once, for a
	// kind that mostly waits for others. It returns how each of them ended.
	Batch func(ctx context.Context, js []Job) []error

	// Dead, if set, is called in the transaction that gives a job up, to mark
	// the record the job was about. The transaction is in the job's school.
	Dead func(ctx context.Context, tx *db.Tx, j Job, cause error) error
}

// What a Worker gets that does not say otherwise.
const (
	DefaultAttempts = 8
	DefaultTimeout  = time.Minute
)

// Work makes a Worker out of a typed function.
func Work[A Args](fn func(ctx context.Context, school id.ID, a A) error) Worker {
	var zero A
	return Worker{Kind: zero.Kind(), Work: func(ctx context.Context, j Job) error {
		var a A
		if err := json.Unmarshal(j.Payload, &a); err != nil {
			return Permanent(fmt.Errorf("read the payload of a %s job: %w", j.Kind, err))
		}
		return fn(ctx, j.School, a)
	}}
}

// verdict is an error that says when to try again, or not to.
type verdict struct {
	error
	permanent bool
	after     time.Duration
}

func (v *verdict) Unwrap() error { return v.error }

// Permanent marks err as not worth another try: the job is dead at once.
func Permanent(err error) error { return &verdict{error: err, permanent: true} }

// Later asks for the next try no sooner than d from now.
func Later(err error, d time.Duration) error { return &verdict{error: err, after: d} }

// IsPermanent reports whether another try of what failed with err is in vain:
// it was marked Permanent, or it is a fault of what was asked and not of the moment.
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

// Pause is how long the error itself asks to wait.
func Pause(err error) time.Duration {
	if v, ok := errors.AsType[*verdict](err); ok {
		return v.after
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return f.RetryAfter
	}
	return 0
}

// pauses after the first, second … failure; the last one repeats.
var pauses = [...]time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour,
}

// pause is the wait after the given number of failures, a fifth longer or
// shorter by chance, so that jobs that failed together don't return together.
func pause(failures int, chance float64) time.Duration {
	p := pauses[min(max(failures, 1), len(pauses))-1]
	return time.Duration(float64(p) * (0.8 + 0.4*chance))
}
