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
)

// Options make a Queue. The clock decides what is due and what has expired;
// how often the queue looks goes by the machine's own.
type Options struct {
	DB       *db.DB
	Now      clock.Now
	NewID    id.Source
	Chance   func() float64 // from 0 to 1, spreads the pauses: rand.Float64
	Log      *slog.Logger
	Workers  []Worker
	Periodic []Periodic

	Concurrency int           // jobs run at once; 0 = 8
	Poll        time.Duration // look for work at least this often; 0 = 1 s
	Lease       time.Duration // a node silent for this long has lost its jobs; 0 = 1 min
	Grace       time.Duration // what running jobs get to end when the node stops; 0 = 4 s
	Keep        time.Duration // done jobs are kept this long, dead ones ten times; 0 = 7 days
}

// Queue is one node's share of the work.
type Queue struct {
	Options
	workers map[string]Worker
	kinds   []string
	wake    chan struct{}
}

// New checks the options and makes a Queue, which does nothing until Run or Drain.
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
	o.DB.Listen(topic, func(db.Signal) {
		select {
		case q.wake <- struct{}{}:
		default: // it is awake already: a burst of signals is one look at the table
		}
	})
	return q, nil
}

func setDefault[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Run works until ctx ends. Then it finishes or gives back what it holds and
// returns, within ten seconds.
func (q *Queue) Run(ctx context.Context) error {
	var periods sync.WaitGroup
	for _, p := range q.Periodic {
		periods.Go(func() { q.repeat(ctx, p) })
	}
	r := q.newRunner(ctx)
	_ = r.loop(ctx, q.Poll)                // logged, and got over
	limit := time.After(q.Grace + 3*hurry) // for the periodic jobs, counted from now and not from the end of the others
	return errors.Join(r.stop(ctx), waitFor(&periods, limit))
}

// waitFor waits for the periodic jobs, but no longer than the limit.
func waitFor(periods *sync.WaitGroup, limit <-chan time.Time) error {
	done := make(chan struct{})
	go func() { periods.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-limit:
		return errors.New("jobs: a periodic job did not stop when told to")
	}
}

// Drain runs what is due, and what that makes due, and returns when nothing is.
// It is how tests and commands work the queue by hand.
func (q *Queue) Drain(ctx context.Context) error {
	for _, p := range q.Periodic {
		if _, err := q.once(ctx, p); err != nil {
			return err
		}
	}
	r := q.newRunner(ctx)
	return errors.Join(r.loop(ctx, 0), r.stop(ctx), ctx.Err())
}
