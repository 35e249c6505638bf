package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

// outcome is the results to write.
type outcome struct {
	done, released map[id.ID][]id.ID // by lease
	retry          []later
	dead           []*held
}

type later struct {
	*held
	at time.Time
}

// sort decides the next state of each finished job.
func (r *runner) sort(ended []*held, now time.Time) outcome {
	o := outcome{done: map[id.ID][]id.ID{}, released: map[id.ID][]id.ID{}}
	for _, h := range ended {
		switch cause := h.stopped(); {
		case errors.Is(cause, errLost): // another node has claimed it
		case h.err == nil:
			o.done[h.lease] = append(o.done[h.lease], h.ID)
		case errors.Is(cause, errStopping):
			o.released[h.lease] = append(o.released[h.lease], h.ID)
		case h.Last || IsPermanent(h.err):
			o.dead = append(o.dead, h)
		default:
			wait := max(pause(h.Attempt, r.Chance()), Pause(h.err))
			o.retry = append(o.retry, later{h, now.Add(wait)})
		}
	}
	return o
}

// stopped returns why the job was cancelled, or nil.
func (h *held) stopped() error {
	if h.ctx == nil {
		return h.err
	}
	return context.Cause(h.ctx)
}

// txContext returns a context with the transaction timeout. When ctx ends it gets the
// shorter timeout of a shutdown instead of ending at once.
func txContext(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), txTimeout)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(stopTimeout, cancel) })
	return out, func() { stop(); cancel() }
}

// flush writes results and claims the next jobs.
func (r *runner) flush(ctx context.Context) error {
	ctx, cancel := txContext(ctx)
	defer cancel()
	now, lease, n := r.Now(), r.NewID(), 0
	if r.hungry {
		r.batch = r.pace.batch(r.Concurrency)
		n = max(r.batch-len(r.running), 0)
	}
	o := r.sort(r.finished, now)
	var got []claimed
	err := r.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) (err error) {
		if err = o.write(ctx, tx, now); err == nil && n > 0 {
			got, err = claim(ctx, tx, lease, r.kinds, now, now.Add(r.Lease), n)
		}
		return err
	})
	if r.note(ctx, err) != nil {
		return err
	}
	r.report(ctx, o)
	r.markDead(ctx, o.dead, now)
	r.finished = nil
	if n > 0 {
		r.pace.reset()
		r.hungry = len(got) == n
	}
	r.begin(got, lease)
	return nil
}

func (o outcome) write(ctx context.Context, tx *db.Tx, now time.Time) error {
	for lease, ids := range o.done {
		if _, err := putDone(ctx, tx, lease, ids, now); err != nil {
			return err
		}
	}
	for lease, ids := range o.released {
		if _, err := putReleased(ctx, tx, lease, ids); err != nil {
			return err
		}
	}
	for _, l := range o.retry {
		if _, err := putRetry(ctx, tx, l.lease, l.ID, l.at, errorText(l.err)); err != nil {
			return err
		}
	}
	if len(o.released) > 0 {
		return tx.Notify(ctx, topic, "")
	}
	return nil
}

// markDead marks jobs as dead, each in a transaction of its own school, so that an error
// of one Dead callback does not affect the others.
func (r *runner) markDead(ctx context.Context, dead []*held, now time.Time) {
	for _, h := range dead {
		err := r.DB.InSchool(ctx, h.School, func(ctx context.Context, tx *db.Tx) error {
			n, err := putDead(ctx, tx, h.lease, h.ID, now, errorText(h.err))
			if err != nil || n == 0 || h.worker.Dead == nil {
				return err
			}
			return h.worker.Dead(ctx, tx, h.Job, h.err)
		})
		if err != nil {
			// The lease expires, and the next node tries again.
			r.Log.ErrorContext(ctx, "job not marked dead", "kind", h.Kind, "job", h.ID, "school", h.School, "error", err)
		}
	}
}

// renewLeases renews the leases of running jobs and takes over expired ones.
func (r *runner) renewLeases(ctx context.Context) error {
	ctx, cancel := txContext(ctx)
	defer cancel()
	now, lease := r.Now(), r.NewID()
	until := now.Add(r.Lease)
	mine := r.leases(now)
	var kept map[id.ID]bool
	var expired []claimed
	err := r.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) (err error) {
		kept = map[id.ID]bool{}
		for l, ids := range mine {
			still, err := renew(ctx, tx, l, ids, until)
			if err != nil {
				return err
			}
			for _, job := range still {
				kept[job] = true
			}
		}
		if len(r.kinds) > 0 {
			expired, err = claimExpired(ctx, tx, lease, r.kinds, now, until)
		}
		return err
	})
	if r.note(ctx, err) != nil {
		return err
	}
	r.dropLost(ctx, mine, kept)
	for _, c := range expired {
		h := r.hold(c, lease)
		h.err = errExpired
		r.finished, r.late = append(r.finished, h), true
	}
	return nil
}

// leases groups running jobs by lease, without those past their timeout: their leases
// may expire.
func (r *runner) leases(now time.Time) map[id.ID][]id.ID {
	by := map[id.ID][]id.ID{}
	for _, h := range r.running {
		begun := h.begun.Load()
		if begun != 0 && now.Sub(time.UnixMilli(begun)) > h.worker.Timeout+r.Lease {
			continue
		}
		by[h.lease] = append(by[h.lease], h.ID)
	}
	return by
}

// dropLost cancels jobs that another node has taken over.
func (r *runner) dropLost(ctx context.Context, mine map[id.ID][]id.ID, kept map[id.ID]bool) {
	for _, ids := range mine {
		for _, job := range ids {
			if h := r.running[job]; !kept[job] && h != nil {
				h.cancel(errLost)
				r.Log.WarnContext(ctx, "job lost: its lease expired while it ran", "kind", h.Kind, "job", job, "school", h.School)
			}
		}
	}
}

// note logs the first of a series of failed transactions.
func (r *runner) note(ctx context.Context, err error) error {
	if err != nil && !r.failing {
		r.Log.ErrorContext(ctx, "jobs can't reach the database, will retry", "error", err)
	}
	r.failing = err != nil
	return err
}

// report logs failed jobs.
func (r *runner) report(ctx context.Context, o outcome) {
	for _, l := range o.retry {
		r.logFailure(ctx, slog.LevelWarn, "job failed, will retry", l.held, "again", l.at)
	}
	for _, h := range o.dead {
		r.logFailure(ctx, slog.LevelError, "job is dead", h)
	}
}

func (r *runner) logFailure(ctx context.Context, level slog.Level, message string, h *held, more ...any) {
	args := append(more, "kind", h.Kind, "job", h.ID, "school", h.School, "attempt", h.Attempt, "error", h.err)
	if p, ok := errors.AsType[*panicked](h.err); ok {
		args = append(args, "stack", string(p.stack))
	}
	r.Log.Log(ctx, level, message, args...)
}

// stop stops the runner. It releases jobs that have not started, gives running ones the
// grace period, then cancels them. Jobs that ignore that are released too, with an
// error.
func (r *runner) stop(ctx context.Context) error {
	close(r.work)
	for group := range r.work {
		for _, h := range group {
			h.cancel(errStopping)
			h.err = errStopping
			r.collect(h)
		}
	}
	r.hungry = false
	if len(r.running) > 0 && len(r.finished) > 0 {
		_ = r.flush(ctx) // releases them now; errors are logged and retried below
	}
	r.await(r.Grace)
	for _, h := range r.running {
		h.cancel(errStopping)
	}
	r.await(r.Grace / 4)
	left := len(r.running)
	for _, h := range r.running {
		r.finished = append(r.finished, &held{Job: h.Job, lease: h.lease, worker: h.worker, err: errStopping})
	}
	if len(r.finished) > 0 {
		_ = r.flush(ctx) // errors are logged; unwritten leases expire
	}
	if left > 0 {
		return fmt.Errorf("jobs: %d jobs did not end in time and will run again", left)
	}
	return nil
}

// await collects jobs that finish within the limit.
func (r *runner) await(limit time.Duration) {
	end := time.After(limit)
	for len(r.running) > 0 {
		select {
		case h := <-r.ended:
			r.collect(h)
		case <-end:
			return
		}
	}
}

// errorText returns err as valid UTF-8, shortened for the column.
func errorText(err error) string {
	const most = 2000
	s := err.Error()
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", "�")
}
