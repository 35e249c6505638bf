package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/jobs"
)

// batches is a worker that takes several jobs at once.
func batches(fail func(j jobs.Job) error) (jobs.Worker, func() (sizes []int)) {
	var mu sync.Mutex
	var sizes []int
	return jobs.Worker{Kind: ping{}.Kind(), Attempts: 1, Batch: func(_ context.Context, js []jobs.Job) []error {
		mu.Lock()
		defer mu.Unlock()
		sizes = append(sizes, len(js))
		errs := make([]error, len(js))
		for i, j := range js {
			errs[i] = fail(j)
		}
		return errs
	}}, func() []int { mu.Lock(); defer mu.Unlock(); return sizes }
}

func TestBatch(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		const all = 600
		args := make([]ping, all)
		for i := range args {
			args[i].N = i
		}
		k.must(k.db.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
			return jobs.EnqueueAll(ctx, tx, k.watch.Now(), args)
		}))
		w, sizes := batches(func(j jobs.Job) error {
			if strings.Contains(string(j.Payload), "77") {
				return errors.New("not this one")
			}
			return nil
		})
		q := k.queue([]jobs.Worker{w})
		k.drain(q)
		ran, largest := 0, 0
		for _, n := range sizes() {
			ran, largest = ran+n, max(largest, n)
		}
		if ran != all || largest < 2 || largest > 32 {
			t.Errorf("ran %d of %d jobs, at most %d at once", ran, all, largest)
		}
		dead := k.list(q, jobs.Dead)
		for _, d := range dead {
			if !strings.Contains(string(d.Payload.V), "77") {
				t.Errorf("%s is dead but did not fail", d.Payload.V)
			}
		}
		if len(dead) != 6 { // 77, 177 … 577
			t.Errorf("dead jobs: got %d, want the 6 that failed", len(dead))
		}
	})
}

func TestBatchThatBreaks(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		for name, batch := range map[string]func(context.Context, []jobs.Job) []error{
			"panics":       func(context.Context, []jobs.Job) []error { panic("oh dear") },
			"forgets some": func(context.Context, []jobs.Job) []error { return nil },
		} {
			k.enqueue(ping{1})
			k.enqueue(ping{2})
			q := k.queue([]jobs.Worker{{Kind: ping{}.Kind(), Attempts: 1, Batch: batch}})
			before := len(k.list(q, jobs.Dead))
			k.drain(q)
			dead := k.list(q, jobs.Dead)
			if len(dead)-before != 2 || !strings.Contains(*dead[0].LastError, "panic: ") {
				t.Errorf("worker that %s: %d more dead jobs, last error %v", name, len(dead)-before, *dead[0].LastError)
			}
		}
	})
}
