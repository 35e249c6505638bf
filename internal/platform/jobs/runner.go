package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"homeroom/internal/platform/id"
	"homeroom/internal/platform/trace"
)

const (
	maxBatch    = 256                     // most jobs held by a node
	maxGroup    = 32                      // most jobs of one Batch call
	claimAhead  = 250 * time.Millisecond  // claim as many jobs as finish within this time
	writeWindow = 20 * time.Millisecond   // results within this window are written in one transaction
	txTimeout   = 10 * time.Second        // of one transaction
	stopTimeout = 1500 * time.Millisecond // of one transaction at shutdown
)

var (
	errStopping = errors.New("the node is stopping")
	errLost     = errors.New("the lease expired while the job ran")
	errExpired  = errors.New("the node that ran it died or hung, and its lease expired")
)

// held is a job claimed by this node.
type held struct {
	Job
	lease  id.ID
	worker Worker
	ctx    context.Context
	cancel context.CancelCauseFunc
	begun  atomic.Int64 // start time in ms; 0 if not started
	err    error        // its result
}

// runner is one Run or Drain of a Queue. The goroutine of loop owns its state and runs
// all its statements: one transaction writes results and claims the next jobs. Worker
// goroutines only receive jobs and return them.
type runner struct {
	*Queue
	base     context.Context // context of the jobs; outlives that of Run
	work     chan []*held    // one job, or several of a Batch kind
	ended    chan *held      // buffered for all held jobs, so that workers never block
	running  map[id.ID]*held
	finished []*held // results not yet written
	batch    int     // how many jobs to hold now
	hungry   bool    // there may be more to claim
	late     bool    // the results have waited long enough
	failing  bool    // the last transaction failed; retry at the next tick
	pace     pace
}

func (q *Queue) newRunner(ctx context.Context) *runner {
	r := &runner{
		Queue: q, base: context.WithoutCancel(ctx), batch: q.Concurrency, hungry: true,
		work: make(chan []*held, maxBatch), ended: make(chan *held, 2*maxBatch), running: map[id.ID]*held{},
	}
	r.pace.reset()
	for range q.Concurrency {
		go func() {
			for group := range r.work {
				r.try(group)
				for _, h := range group {
					r.ended <- h
				}
			}
		}()
	}
	return r
}

// loop runs until ctx ends. Without a poll interval it stops when nothing is due, or at
// the first error.
func (r *runner) loop(ctx context.Context, poll time.Duration) error {
	drain := poll == 0
	if drain {
		poll = time.Second
	}
	look := time.NewTicker(poll)
	defer look.Stop()
	keep := time.NewTicker(r.Lease / 3)
	defer keep.Stop()
	err := r.renewLeases(ctx)
	for ctx.Err() == nil && (!drain || err == nil) {
		if r.shouldFlush() {
			err = r.flush(ctx)
			continue
		}
		if drain && len(r.running) == 0 && len(r.finished) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
		case h := <-r.ended:
			r.collect(h)
			r.hungry = r.hungry || drain // the job may have enqueued others
		case <-r.pace.window:
			r.late = true
		case <-r.wake:
			r.hungry = true
		case <-look.C:
			r.hungry, r.failing = true, false
		case <-keep.C:
			err = r.renewLeases(ctx)
		}
	}
	return err
}

// collect receives all finished jobs.
func (r *runner) collect(h *held) {
	if len(r.finished) == 0 {
		r.late, r.pace.window = false, time.After(writeWindow)
	}
	for {
		h.cancel(nil)
		if r.running[h.ID] == h { // otherwise the lease was lost and the job claimed again
			delete(r.running, h.ID)
		}
		r.finished = append(r.finished, h)
		r.pace.ended++
		select {
		case h = <-r.ended:
		default:
			return
		}
	}
}

// shouldFlush reports whether there are enough results to write, or an idle worker.
func (r *runner) shouldFlush() bool {
	if r.failing {
		return false
	}
	busy := len(r.running)
	if len(r.finished) > 0 && (busy == 0 || r.late || len(r.finished) >= maxBatch/2) {
		return true
	}
	return r.hungry && len(r.kinds) > 0 && (busy < r.Concurrency || r.batch-busy >= max(r.batch/2, 1))
}

// begin gives claimed jobs to the workers: one by one, or in groups for Batch kinds, so
// that each worker gets its share.
func (r *runner) begin(got []claimed, lease id.ID) {
	groups := map[string][]*held{}
	for _, c := range got {
		h := r.hold(c, lease)
		h.ctx, h.cancel = context.WithCancelCause(r.base)
		r.running[h.ID] = h
		if h.worker.Batch == nil {
			r.work <- []*held{h}
		} else {
			groups[h.Kind] = append(groups[h.Kind], h)
		}
	}
	for _, all := range groups {
		share := min((len(all)+r.Concurrency-1)/r.Concurrency, maxGroup)
		for group := range slices.Chunk(all, share) {
			r.work <- group
		}
	}
}

func (r *runner) hold(c claimed, lease id.ID) *held {
	w := r.workers[c.Kind]
	most := w.Attempts
	if c.MaxAttempts != nil {
		most = *c.MaxAttempts
	}
	return &held{lease: lease, worker: w, Job: Job{
		ID: c.ID, School: c.SchoolID, Kind: c.Kind, Payload: c.Payload.V, Attempt: c.Attempts, Last: c.Attempts >= most,
	}}
}

// try runs a group of jobs once, within the timeout. Stopping one stops all.
func (r *runner) try(group []*held) {
	w := group[0].worker
	ctx, cancel := context.WithTimeout(r.base, w.Timeout)
	defer cancel()
	js := make([]Job, len(group))
	for i, h := range group {
		defer context.AfterFunc(h.ctx, cancel)()
		h.begun.Store(r.Now().UnixMilli())
		js[i] = h.Job
	}
	for i, err := range r.traced(ctx, w, js) {
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("not done within %s: %w", w.Timeout, err)
		}
		group[i].err = err
	}
}

// traced runs the jobs in a trace of their own.
func (q *Queue) traced(ctx context.Context, w Worker, js []Job) []error {
	ctx, span := q.Tracer.Begin(ctx, trace.Consumer, w.Kind)
	span.SetInt("homeroom.jobs", len(js))
	errs := guard(ctx, w, js)
	span.End(errors.Join(errs...))
	return errs
}

// guard runs the jobs and turns a panic into an error of each.
func guard(ctx context.Context, w Worker, js []Job) (errs []error) {
	defer func() {
		if p := recover(); p != nil {
			errs = slices.Repeat([]error{&panicked{value: p, stack: debug.Stack()}}, len(js))
		}
	}()
	if w.Batch == nil {
		return []error{w.Work(ctx, js[0])}
	}
	if errs = w.Batch(ctx, js); len(errs) != len(js) {
		panic(fmt.Sprintf("worker of %s got %d jobs and returned %d errors", w.Kind, len(js), len(errs)))
	}
	return errs
}

// panicked is a panic of a worker; the stack is only logged.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// pace measures throughput, so that a node claims many jobs if they are short and only
// as many as it has workers if they are long.
type pace struct {
	since  time.Time
	ended  int
	window <-chan time.Time
}

func (p *pace) reset() { p.since, p.ended = time.Now(), 0 }

// batch returns how many jobs finish within claimAhead, within bounds.
func (p *pace) batch(least int) int {
	n := int(float64(p.ended) * float64(claimAhead) / float64(max(time.Since(p.since), time.Microsecond)))
	return min(max(n, least), maxBatch)
}
