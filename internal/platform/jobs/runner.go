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
)

const (
	maxBatch = 256                     // jobs held at most
	maxGroup = 32                      // of them, that one worker gets at once
	ahead    = 250 * time.Millisecond  // a node claims no more than it does in this time
	linger   = 20 * time.Millisecond   // ends are written together if they come this close
	patience = 10 * time.Second        // with one look at the table
	hurry    = 1500 * time.Millisecond // with the same when the node is stopping
)

var (
	errStopping = errors.New("the node is stopping")
	errLost     = errors.New("the lease ran out while the job ran")
	errExpired  = errors.New("the node that ran it died or hung, and its lease expired")
)

// held is a job that this node has claimed.
type held struct {
	Job
	lease  id.ID
	worker Worker
	ctx    context.Context
	cancel context.CancelCauseFunc
	begun  atomic.Int64 // when it was started, in ms; 0 = not yet
	err    error        // how it ended
}

// runner is one Run or Drain of a Queue. One goroutine, that of loop, owns its
// state and all its statements: what has ended is written and what comes next is
// claimed in one transaction. The others only take jobs and give them back.
type runner struct {
	*Queue
	base     context.Context // of the jobs; ends later than that of Run
	work     chan []*held    // one job, or several of a kind that takes them so
	ended    chan *held      // has room for all that is held, so that a worker never waits
	running  map[id.ID]*held
	finished []*held // ended and not yet written
	batch    int     // how many to hold at present
	hungry   bool    // there may be more to claim
	late     bool    // the finished have waited long enough
	failing  bool    // the last transaction failed: wait for the next tick
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

// loop works until ctx ends. Without a poll interval it stops, with the first
// error there is, when nothing is due.
func (r *runner) loop(ctx context.Context, poll time.Duration) error {
	drain := poll == 0
	if drain {
		poll = time.Second
	}
	look := time.NewTicker(poll)
	defer look.Stop()
	keep := time.NewTicker(r.Lease / 3)
	defer keep.Stop()
	err := r.tend(ctx)
	for ctx.Err() == nil && (!drain || err == nil) {
		if r.shouldSettle() {
			err = r.settle(ctx)
			continue
		}
		if drain && len(r.running) == 0 && len(r.finished) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
		case h := <-r.ended:
			r.collect(h)
			r.hungry = r.hungry || drain // it may have queued others
		case <-r.pace.linger:
			r.late = true
		case <-r.wake:
			r.hungry = true
		case <-look.C:
			r.hungry, r.failing = true, false
		case <-keep.C:
			err = r.tend(ctx)
		}
	}
	return err
}

// collect takes what has ended, all of it.
func (r *runner) collect(h *held) {
	if len(r.finished) == 0 {
		r.late, r.pace.linger = false, time.After(linger)
	}
	for {
		h.cancel(nil)
		if r.running[h.ID] == h { // else its lease was lost and the job claimed anew
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

// shouldSettle reports whether there is enough to write or a worker to feed.
func (r *runner) shouldSettle() bool {
	if r.failing {
		return false
	}
	busy := len(r.running)
	if len(r.finished) > 0 && (busy == 0 || r.late || len(r.finished) >= maxBatch/2) {
		return true
	}
	return r.hungry && len(r.kinds) > 0 && (busy < r.Concurrency || r.batch-busy >= max(r.batch/2, 1))
}

// begin hands claimed jobs to the workers: one by one, or in groups where their
// kind takes several, so that each worker gets its share.
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

// try runs the jobs of a group once, within their time. One that is told to stop
// stops all.
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
	for i, err := range guard(ctx, w, js) {
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("not done within %s: %w", w.Timeout, err)
		}
		group[i].err = err
	}
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
		panic(fmt.Sprintf("the worker of %s was given %d jobs and told of %d", w.Kind, len(js), len(errs)))
	}
	return errs
}

// panicked is a panic of a worker; the stack is for the log alone.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// pace measures how fast jobs end, so that a node claims far ahead when they are
// short, and no more than it has hands for when they are long.
type pace struct {
	since  time.Time
	ended  int
	linger <-chan time.Time
}

func (p *pace) reset() { p.since, p.ended = time.Now(), 0 }

// batch is how many jobs end in the time to claim ahead, within bounds.
func (p *pace) batch(least int) int {
	n := int(float64(p.ended) * float64(ahead) / float64(max(time.Since(p.since), time.Microsecond)))
	return min(max(n, least), maxBatch)
}
