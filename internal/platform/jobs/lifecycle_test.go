package jobs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

func TestStopFinishesOrReleases(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		begun, end := make(chan int, 10), make(chan struct{})
		q := k.queue([]jobs.Worker{jobs.Work(func(_ context.Context, _ id.ID, p ping) error {
			begun <- p.N
			<-end
			return nil
		})}, func(o *jobs.Options) { o.Concurrency = 2; o.Grace = await.Limit })
		for n := range 6 {
			k.enqueue(ping{n})
		}
		stop := k.run(q)
		<-begun
		<-begun
		time.AfterFunc(100*time.Millisecond, func() { close(end) })
		k.must(stop())
		if done := k.list(q, jobs.Done); len(done) != 2 {
			t.Fatalf("finished jobs: got %d, want the 2 that ran", len(done))
		}
		waiting := k.list(q, jobs.Waiting)
		for _, r := range waiting {
			if r.Attempts != 0 || r.LastError != nil {
				t.Fatalf("released job: %+v", r)
			}
		}
		if len(waiting) != 4 {
			t.Fatalf("waiting jobs: got %d, want 4", len(waiting))
		}
	})
}

func TestStopInterrupts(t *testing.T) {
	cases := map[string]struct {
		hears bool
		fails bool
	}{"a job that listens": {hears: true}, "a job that does not": {fails: true}}
	each(t, func(t *testing.T, k *kit) {
		for name, c := range cases {
			begun, end := make(chan struct{}), make(chan struct{})
			q := k.queue([]jobs.Worker{jobs.Work(func(ctx context.Context, _ id.ID, _ ping) error {
				close(begun)
				if c.hears {
					<-ctx.Done()
					return ctx.Err()
				}
				<-end
				return nil
			})}, func(o *jobs.Options) { o.Grace = time.Second })
			k.enqueue(ping{1}, jobs.Unique(name))
			stop := k.run(q)
			<-begun
			at := time.Now()
			err := stop()
			if (err != nil) != c.fails || time.Since(at) > await.Limit {
				t.Errorf("%s: Run ended after %s with %v", name, time.Since(at), err)
			}
			if r := k.only(q, jobs.Waiting); r.Attempts != 0 {
				t.Errorf("%s: released job: %+v", name, r)
			}
			close(end)
			var c2 tally
			k.drain(k.queue([]jobs.Worker{c2.worker()}))
			if _, runs := c2.count(); runs != 1 {
				t.Errorf("%s: another node ran it %d times, want 1", name, runs)
			}
		}
	})
}

func TestPeriodicOnceOverAllNodes(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var runs atomic.Int32
		var qs []*jobs.Queue
		for range 3 {
			qs = append(qs, k.queue(nil, func(o *jobs.Options) {
				o.Periodic = []jobs.Periodic{{Name: "tidy", Every: time.Hour, Run: func(context.Context) error {
					runs.Add(1)
					return nil
				}}}
			}))
		}
		for period := range 5 {
			k.drain(qs...)
			k.watch.Add(59 * time.Minute)
			k.drain(qs...)
			if n := int(runs.Load()); n != period+1 {
				t.Fatalf("got %d runs in %d periods", n, period+1)
			}
			k.watch.Add(time.Minute)
		}
		for _, q := range qs {
			k.run(q)
		}
		k.eventually("the sixth run", func() bool { return runs.Load() == 6 })
		time.Sleep(200 * time.Millisecond)
		if n := runs.Load(); n != 6 {
			t.Fatalf("got %d runs in 6 periods on three nodes", n)
		}
	})
}

func TestPeriodicFailureAndDeath(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var runs atomic.Int32
		fate := func(context.Context) error { return errors.New("no") }
		every := 24 * time.Hour
		make1 := func() *jobs.Queue {
			return k.queue(nil, func(o *jobs.Options) {
				o.Periodic = []jobs.Periodic{{Name: "tidy", Every: every, Run: func(ctx context.Context) error {
					runs.Add(1)
					return fate(ctx)
				}}}
			})
		}
		expect := func(after time.Duration, want int32) {
			t.Helper()
			k.watch.Add(after)
			k.drain(make1())
			if n := runs.Load(); n != want {
				t.Fatalf("got %d runs, want %d", n, want)
			}
		}
		expect(0, 1)
		expect(4*time.Second, 1)
		expect(time.Second, 2) // failed once: 5 s
		expect(29*time.Second, 2)
		fate = func(context.Context) error { panic("at the disco") }
		expect(time.Second, 3) // failed twice: 30 s
		fate = func(context.Context) error { return nil }
		expect(2*time.Minute, 4) // failed three times: 2 min; now it succeeds
		expect(23*time.Hour, 4)
		expect(time.Hour, 5)
		every = time.Hour // a new version has a shorter period
		expect(0, 5)
		expect(time.Hour, 6)
	})
}

func TestDoneJobsAreCleanedAway(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var c tally
		q := k.queue([]jobs.Worker{c.worker()})
		k.enqueue(ping{1})
		k.drain(q)
		k.watch.Add(6 * 24 * time.Hour)
		k.enqueue(ping{2})
		k.drain(q)
		if n := len(k.list(q, jobs.Done)); n != 2 {
			t.Fatalf("done jobs after six days: got %d, want 2", n)
		}
		k.watch.Add(2 * 24 * time.Hour)
		k.drain(q)
		if n := len(k.list(q, jobs.Done)); n != 1 {
			t.Fatalf("done jobs after eight days: got %d, want the newer one", n)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	work := func(context.Context, jobs.Job) error { return nil }
	run := func(context.Context) error { return nil }
	for name, o := range map[string]jobs.Options{
		"two workers of a kind":  {Workers: []jobs.Worker{{Kind: "a", Work: work}, {Kind: "a", Work: work}}},
		"a worker without kind":  {Workers: []jobs.Worker{{Work: work}}},
		"a worker without work":  {Workers: []jobs.Worker{{Kind: "a"}}},
		"a period of nothing":    {Periodic: []jobs.Periodic{{Name: "a", Run: run}}},
		"two periods of a name":  {Periodic: []jobs.Periodic{{Name: "a", Every: 1, Run: run}, {Name: "a", Every: 1, Run: run}}},
		"a period without a run": {Periodic: []jobs.Periodic{{Name: "a", Every: 1}}},
	} {
		if _, err := jobs.New(o); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
