package jobs_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// hold holds the jobs of the kit's school.
func (k *kit) hold() (running int) {
	k.Helper()
	k.must(k.db.InSchool(k.Context(), k.school, func(ctx context.Context, tx *db.Tx) (err error) {
		running, err = jobs.Hold(ctx, tx, k.watch.Now())
		return err
	}))
	return running
}

// TestHold keeps the jobs of one school, and those of no other.
func TestHold(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var mu sync.Mutex
		ran := map[id.ID]int{}
		q := k.queue([]jobs.Worker{jobs.Work(func(_ context.Context, school id.ID, _ ping) error {
			mu.Lock()
			defer mu.Unlock()
			ran[school]++
			return nil
		})})
		other := k.newSchool("BETA")
		for n := range 3 {
			k.enqueue(ping{n}, jobs.Unique("ping"), jobs.At(k.watch.Now().Add(time.Minute)))
			k.must(k.tryEnqueue(other, ping{n}))
		}
		if n := k.hold(); n != 0 {
			t.Errorf("%d jobs are running", n)
		}
		k.watch.Add(time.Hour)
		k.enqueue(ping{9}, jobs.Unique("ping")) // the held one counts
		k.must(q.Drain(t.Context()))
		if ran[k.school] != 0 || ran[other] != 3 {
			t.Errorf("jobs ran while held: %d, of the other school %d, want 0 and 3", ran[k.school], ran[other])
		}
		for range 2 {
			k.must(k.db.InSchool(t.Context(), k.school, jobs.Release))
		}
		k.must(q.Drain(t.Context()))
		if ran[k.school] != 1 {
			t.Errorf("%d released jobs ran, want 1", ran[k.school])
		}
	})
}

// TestHoldOfARunningJob counts it, and holds it once its worker is gone.
func TestHoldOfARunningJob(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.enqueue(ping{1})
		_, err := db.Exec(t.Context(), k.db.School(k.school),
			`UPDATE jobs SET state = 'running', leased_by = :me, lease_until = :until WHERE school_id = :school`,
			db.Args{"me": id.New(), "until": k.watch.Now().Add(time.Minute)})
		k.must(err)
		if n := k.hold(); n != 1 {
			t.Errorf("%d jobs are running, want 1", n)
		}
		k.watch.Add(time.Hour)
		if n := k.hold(); n != 0 {
			t.Errorf("%d jobs are running after the end of the lease, want 0", n)
		}
	})
}
