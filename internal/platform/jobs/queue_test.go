package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

func TestAJobIsThereIfItsTransactionCommits(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var got []ping
		var in id.ID
		q := k.queue([]jobs.Worker{jobs.Work(func(_ context.Context, school id.ID, p ping) error {
			got, in = append(got, p), school
			return nil
		})})
		broken := errors.New("the caller changed its mind")
		err := k.db.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
			k.must(jobs.Enqueue(ctx, tx, k.watch.Now(), ping{1}))
			return broken
		})
		if !errors.Is(err, broken) {
			t.Fatalf("transaction: got %v", err)
		}
		k.drain(q)
		if n := len(k.list(q, jobs.Waiting)); n != 0 || len(got) != 0 {
			t.Fatalf("after a rollback: %d jobs, %d ran", n, len(got))
		}
		k.enqueue(ping{2})
		if r := k.only(q, jobs.Waiting); r.Kind != "ping" || string(r.Payload.V) != `{"N":2}` && string(r.Payload.V) != `{"N": 2}` ||
			r.Attempts != 0 {
			t.Fatalf("queued job: %+v", r)
		}
		k.drain(q)
		if len(got) != 1 || got[0] != (ping{2}) || in != k.school {
			t.Fatalf("ran %v in school %s", got, in)
		}
		if r := k.only(q, jobs.Done); r.FinishedAt == nil || r.Attempts != 1 || r.LastError != nil {
			t.Fatalf("done job: %+v", r)
		}
	})
}

func TestFourQueuesDoEachJobOnce(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		const all = 1000
		args := make([]ping, all)
		for i := range args {
			args[i].N = i
		}
		k.must(k.db.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
			return jobs.EnqueueAll(ctx, tx, k.watch.Now(), args)
		}))
		var c tally
		for range 4 {
			k.run(k.queue([]jobs.Worker{c.worker()}, k.anotherNode))
		}
		q := k.queue(nil)
		k.eventually("all jobs done", func() bool {
			s, err := q.Stats(t.Context())
			k.must(err)
			return s.Waiting == 0 && s.Running == 0
		})
		if different, runs := c.count(); different != all || runs != all {
			t.Fatalf("ran %d of %d jobs, %d times in total", different, all, runs)
		}
	})
}

func TestCommitWakesAQueue(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var c tally
		k.run(k.queue([]jobs.Worker{c.worker()}, func(o *jobs.Options) { o.Poll = time.Hour }))
		time.Sleep(50 * time.Millisecond) // it has polled and sleeps
		k.enqueue(ping{1})
		k.eventually("the job", func() bool { n, _ := c.count(); return n == 1 })
	})
}

func TestAnExpiredLeaseIsTakenOver(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		begun, end := make(chan struct{}), make(chan struct{})
		frozen := k.queue([]jobs.Worker{jobs.Work(func(context.Context, id.ID, ping) error {
			close(begun)
			<-end
			return nil
		})}, func(o *jobs.Options) { o.Poll = time.Hour })
		stop := k.run(frozen)
		k.enqueue(ping{1})
		<-begun
		var c tally
		other := k.queue([]jobs.Worker{c.worker()})

		k.watch.Add(59 * time.Second)
		k.drain(other)
		if r := k.only(other, jobs.Running); r.Attempts != 1 {
			t.Fatalf("job during the lease: %+v", r)
		}
		k.watch.Add(2 * time.Second)
		k.drain(other)
		if r := k.only(other, jobs.Waiting); r.LastError == nil || r.Attempts != 1 {
			t.Fatalf("job after the lease: %+v", r)
		}
		k.watch.Add(6 * time.Second)
		k.drain(other)
		if _, runs := c.count(); runs != 1 {
			t.Fatalf("further runs of the job: got %d, want 1", runs)
		}
		done := k.only(other, jobs.Done)
		k.watch.Add(time.Minute)
		close(end) // the frozen node returns; its result is ignored
		k.must(stop())
		if again := k.only(other, jobs.Done); again.Attempts != 2 || !again.FinishedAt.Equal(*done.FinishedAt) {
			t.Fatalf("the late node changed the job to %+v from %+v", again, done)
		}
	})
}

// awaitRenewal waits until the lease of the only job was renewed.
func (k *kit) awaitRenewal() {
	k.Helper()
	k.eventually("the renewal", func() bool {
		until, err := db.One[time.Time](k.Context(), k.db.School(k.school),
			`SELECT lease_until FROM jobs WHERE school_id = :school AND state = 'running'`, nil)
		k.must(err)
		return until.After(k.watch.Now())
	})
}

func TestALeaseIsRenewedWhileTheJobRuns(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		begun, end := make(chan struct{}), make(chan struct{})
		w := []jobs.Worker{jobs.Work(func(context.Context, id.ID, ping) error {
			close(begun) // a second run would panic
			<-end
			return nil
		})}
		q, other := k.queue(w, func(o *jobs.Options) { o.Lease = 60 * time.Millisecond }), k.queue(w)
		stop := k.run(q)
		k.enqueue(ping{1})
		<-begun
		for range 5 {
			k.watch.Add(time.Second)
			k.awaitRenewal()
			k.drain(other)
		}
		close(end)
		k.must(stop())
		if r := k.only(q, jobs.Done); r.Attempts != 1 || r.LastError != nil {
			t.Fatalf("done job: %+v", r)
		}
	})
}

func TestAJobThatHangsIsTakenOver(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		begun, end := make(chan struct{}), make(chan struct{})
		w := jobs.Work(func(context.Context, id.ID, ping) error {
			close(begun)
			<-end
			return nil
		})
		w.Timeout = time.Minute
		short := func(o *jobs.Options) { o.Lease = 60 * time.Millisecond } // renewed every 20 ms
		stop := k.run(k.queue([]jobs.Worker{w}, short))
		k.enqueue(ping{1})
		<-begun
		var c tally
		other := k.queue([]jobs.Worker{c.worker()})
		k.watch.Add(30 * time.Second)
		k.awaitRenewal()
		k.drain(other)
		if r := k.only(other, jobs.Running); r.LastError != nil {
			t.Fatalf("job within its timeout: %+v", r)
		}
		k.watch.Add(31 * time.Second)
		k.drain(other) // or the first node is faster
		k.eventually("the end of the lease", func() bool { return len(k.list(other, jobs.Waiting)) == 1 })
		if r := k.only(other, jobs.Waiting); r.Attempts != 1 || r.LastError == nil {
			t.Fatalf("job after its timeout: %+v", r)
		}
		close(end)
		k.must(stop())
	})
}

func TestUnique(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var c tally
		fail := false
		q := k.queue([]jobs.Worker{jobs.Work(func(_ context.Context, _ id.ID, p ping) error {
			c.add(p.N)
			if fail {
				return jobs.Permanent(errors.New("no"))
			}
			return nil
		})})
		k.enqueue(ping{1}, jobs.Unique("a"))
		k.enqueue(ping{2}, jobs.Unique("a")) // one waits
		k.enqueue(ping{3}, jobs.Unique("b"))
		k.must(k.tryEnqueue(k.newSchool("BETA"), ping{4}, jobs.Unique("a"))) // another school
		k.drain(q)
		k.enqueue(ping{5}, jobs.Unique("a")) // one is done
		k.drain(q)
		if c.n[1] != 1 || c.n[2] != 0 || c.n[3] != 1 || c.n[4] != 1 || c.n[5] != 0 {
			t.Fatalf("runs: %v", c.n)
		}
		fail = true
		k.enqueue(ping{6}, jobs.Unique("c"))
		k.drain(q)
		dead := k.only(q, jobs.Dead)
		k.enqueue(ping{7}, jobs.Unique("c")) // a dead one does not block
		if err := q.Retry(t.Context(), k.school, dead.ID); !errors.Is(err, jobs.ErrSuperseded) {
			t.Fatalf("retry of a superseded job: %v", err)
		}
		fail = false
		k.drain(q)
		if c.n[6] != 1 || c.n[7] != 1 {
			t.Fatalf("runs: %v", c.n)
		}
	})
}

func TestOrder(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var got []int
		q := k.queue([]jobs.Worker{jobs.Work(func(_ context.Context, _ id.ID, p ping) error {
			got = append(got, p.N)
			return nil
		})}, func(o *jobs.Options) { o.Concurrency = 1 })
		k.enqueue(ping{3}, jobs.At(k.watch.Now().Add(time.Hour)))
		k.enqueue(ping{1})
		k.enqueue(ping{2})
		k.enqueue(ping{0}, jobs.Urgent())
		k.drain(q)
		if len(got) != 3 {
			t.Fatalf("ran before their time: %v", got)
		}
		k.watch.Add(time.Hour)
		k.drain(q)
		for i, n := range got {
			if i != n {
				t.Fatalf("order of runs: %v", got)
			}
		}
	})
}

func TestUnknownKindsWait(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		q := k.queue([]jobs.Worker{{Kind: "other", Work: func(context.Context, jobs.Job) error { return nil }}})
		k.enqueue(ping{1})
		k.drain(q, k.queue(nil))
		if r := k.only(q, jobs.Waiting); r.Attempts != 0 {
			t.Fatalf("a job without a worker was tried: %+v", r)
		}
	})
}

func TestAJobMayQueueOthers(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var c tally
		q := k.queue([]jobs.Worker{jobs.Work(func(_ context.Context, school id.ID, p ping) error {
			c.add(p.N)
			if p.N < 5 {
				return k.tryEnqueue(school, ping{p.N + 1})
			}
			return nil
		})})
		k.enqueue(ping{1})
		k.drain(q)
		if n, _ := c.count(); n != 5 {
			t.Fatalf("ran %d of a chain of 5", n)
		}
	})
}
