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

// outcome is what is to be written about jobs that ended.
type outcome struct {
	done, released map[id.ID][]id.ID // by lease
	retry          []later
	dead           []*held
}

type later struct {
	*held
	at time.Time
}

// sort decides what becomes of each job that ended.
func (r *runner) sort(ended []*held, now time.Time) outcome {
	o := outcome{done: map[id.ID][]id.ID{}, released: map[id.ID][]id.ID{}}
	for _, h := range ended {
		switch cause := h.stopped(); {
		case errors.Is(cause, errLost): // another node has it
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

// stopped is why the job was told to stop, if it was.
func (h *held) stopped() error {
	if h.ctx == nil {
		return h.err
	}
	return context.Cause(h.ctx)
}

// patient is for a transaction that the end of ctx must not cut off at once.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(hurry, cancel) })
	return out, func() { stop(); cancel() }
}

// settle writes what has ended and claims what comes next.
func (r *runner) settle(ctx context.Context) error {
	ctx, cancel := patient(ctx)
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
	r.bury(ctx, o.dead, now)
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

// bury gives jobs up, each in a transaction of its own school, so that what one
// of them has to say about its record can't keep the others.
func (r *runner) bury(ctx context.Context, dead []*held, now time.Time) {
	for _, h := range dead {
		err := r.DB.InSchool(ctx, h.School, func(ctx context.Context, tx *db.Tx) error {
			n, err := putDead(ctx, tx, h.lease, h.ID, now, errorText(h.err))
			if err != nil || n == 0 || h.worker.Dead == nil {
				return err
			}
			return h.worker.Dead(ctx, tx, h.Job, h.err)
		})
		if err != nil {
			// Its lease will expire, and the next node to see it tries this again.
			r.Log.ErrorContext(ctx, "job could not be given up", "kind", h.Kind, "job", h.ID, "school", h.School, "error", err)
		}
	}
}

// tend renews the leases of what runs and takes over what others let expire.
func (r *runner) tend(ctx context.Context) error {
	ctx, cancel := patient(ctx)
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

// leases lists what runs by lease, but for jobs that hang past their time: theirs
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

// dropLost stops the jobs that another node has taken over.
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

// note logs the first of a run of failing transactions, and its end.
func (r *runner) note(ctx context.Context, err error) error {
	if err != nil && !r.failing {
		r.Log.ErrorContext(ctx, "jobs can't reach their table; trying on", "error", err)
	}
	r.failing = err != nil
	return err
}

// report logs the jobs that failed.
func (r *runner) report(ctx context.Context, o outcome) {
	for _, l := range o.retry {
		r.logFailure(ctx, slog.LevelWarn, "job failed and will be tried again", l.held, "again", l.at)
	}
	for _, h := range o.dead {
		r.logFailure(ctx, slog.LevelError, "job failed for good", h)
	}
}

func (r *runner) logFailure(ctx context.Context, level slog.Level, message string, h *held, more ...any) {
	args := append(more, "kind", h.Kind, "job", h.ID, "school", h.School, "attempt", h.Attempt, "error", h.err)
	if p, ok := errors.AsType[*panicked](h.err); ok {
		args = append(args, "stack", string(p.stack))
	}
	r.Log.Log(ctx, level, message, args...)
}

// stop ends the runner: jobs not started are given back, running ones get their
// grace, then are told to stop, and those that don't listen are given back too,
// which is an error.
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
		_ = r.settle(ctx) // others can have these now; an error is logged, and comes again below
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
		_ = r.settle(ctx) // logged; what could not be written expires
	}
	if left > 0 {
		return fmt.Errorf("jobs: %d did not end in time and will be run again", left)
	}
	return nil
}

// await collects what ends within the time.
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

// errorText is err as a column takes it: no longer than anyone reads, and valid text.
func errorText(err error) string {
	const most = 2000
	s := err.Error()
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", "�")
}
