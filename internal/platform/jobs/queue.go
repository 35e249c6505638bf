package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/trace"
)

// Options configure a Queue. Now decides what is due and expired; polling uses the
// machine's clock.
type Options struct {
	DB       *db.DB
	Now      clock.Now
	NewID    id.Source
	Chance   func() float64 // jitter of pauses, from 0 to 1: rand.Float64
	Log      *slog.Logger
	Tracer   *trace.Tracer // nil: off
	Workers  []Worker
	Periodic []Periodic
	Lane     string // of Laned jobs; "": all others

	Concurrency int           // concurrent jobs; 0 = 8
	Poll        time.Duration // polling interval; 0 = 1 s
	Lease       time.Duration // a job is taken over if not renewed this long; 0 = 1 min
	Grace       time.Duration // shutdown grace period of running jobs; 0 = 4 s
	Keep        time.Duration // retention of done jobs; dead ones ten times as long; 0 = 7 days
}

// Queue runs jobs on one node.
type Queue struct {
	Options
	workers map[string]Worker
	kinds   []string
	wake    chan struct{}
}

// New validates the options and returns a Queue, which is idle until Run or Drain.
func New(o Options) (*Queue, error) {
	q := &Queue{Options: o, workers: map[string]Worker{}, wake: make(chan struct{}, 1)}
	setDefault(&q.Concurrency, 8)
	setDefault(&q.Poll, time.Second)
	setDefault(&q.Lease, time.Minute)
	setDefault(&q.Grace, 4*time.Second)
	setDefault(&q.Keep, 7*24*time.Hour)
	for _, w := range o.Workers {
		if _, twice := q.workers[w.Kind]; twice || w.Kind == "" || w.Work == nil && w.Batch == nil {
			return nil, fmt.Errorf("jobs: kind %q needs exactly one worker, with a name and a function", w.Kind)
		}
		setDefault(&w.Attempts, DefaultAttempts)
		setDefault(&w.Timeout, DefaultTimeout)
		q.workers[w.Kind] = w
		q.kinds = append(q.kinds, w.Kind)
	}
	q.Periodic = append(slices.Clone(o.Periodic), Periodic{Name: "jobs.clean", Every: time.Hour, Run: q.clean})
	if err := checkPeriods(q.Periodic); err != nil {
		return nil, err
	}
	o.DB.Listen(topicOf(o.Lane), func(db.Signal) {
		select {
		case q.wake <- struct{}{}:
		default: // already woken: a burst of signals is one query
		}
	})
	return q, nil
}

func setDefault[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Run runs jobs until ctx ends. It then finishes or releases its jobs and returns
// within ten seconds.
func (q *Queue) Run(ctx context.Context) error {
	var periods sync.WaitGroup
	for _, p := range q.Periodic {
		periods.Go(func() { q.repeat(ctx, p) })
	}
	r := q.newRunner(ctx)
	_ = r.loop(ctx, q.Poll)                      // already logged
	limit := time.After(q.Grace + 3*stopTimeout) // for periodic jobs, from now
	return errors.Join(r.stop(ctx), waitFor(&periods, limit))
}

// waitFor waits for the periodic jobs, up to the limit.
func waitFor(periods *sync.WaitGroup, limit <-chan time.Time) error {
	done := make(chan struct{})
	go func() { periods.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-limit:
		return errors.New("jobs: a periodic job did not stop in time")
	}
}

// Drain runs due jobs, and those that they enqueue, until none is due. Tests and
// commands use it.
func (q *Queue) Drain(ctx context.Context) error {
	for _, p := range q.Periodic {
		if _, err := q.once(ctx, p); err != nil {
			return err
		}
	}
	r := q.newRunner(ctx)
	return errors.Join(r.loop(ctx, 0), r.stop(ctx), ctx.Err())
}
