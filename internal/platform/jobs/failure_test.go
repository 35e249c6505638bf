package jobs_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/page"
)

func failing(err error) []jobs.Worker {
	return []jobs.Worker{jobs.Work(func(context.Context, id.ID, ping) error { return err })}
}

func TestPausesGrowUntilDead(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		for name, chance := range map[string]float64{"shortest": 0, "middle": 0.5, "longest": 1} {
			q := k.queue(failing(errors.New("still broken "+name)), func(o *jobs.Options) {
				o.Chance = func() float64 { return chance }
			})
			k.enqueue(ping{1})
			var last time.Duration
			for try := 1; try < jobs.DefaultAttempts; try++ {
				k.drain(q)
				r := k.only(q, jobs.Waiting)
				wait := r.RunAt.Sub(k.watch.Now())
				if r.Attempts != try || wait <= last {
					t.Fatalf("%s: after attempt %d: %d attempts recorded, next in %s, previous pause %s", name, try, r.Attempts, wait, last)
				}
				last = wait
				k.watch.Add(wait - time.Millisecond)
				k.drain(q)
				if r := k.only(q, jobs.Waiting); r.Attempts != try {
					t.Fatalf("%s: retried before its pause was over", name)
				}
				k.watch.Add(time.Millisecond)
			}
			k.drain(q)
			r := k.only(q, jobs.Dead)
			if r.Attempts != jobs.DefaultAttempts || r.LastError == nil || *r.LastError != "still broken "+name || r.FinishedAt == nil {
				t.Fatalf("%s: dead job: %+v", name, r)
			}
			k.watch.Add(100 * 24 * time.Hour) // longer than the retention of dead jobs
			k.drain(q, k.queue(nil))
			if n := len(k.list(q, jobs.Dead)); n != 0 {
				t.Fatalf("dead jobs after their retention: got %d, want 0", n)
			}
		}
	})
}

func TestWhatAnErrorMeans(t *testing.T) {
	boom := errors.New("boom")
	cases := map[string]struct {
		work  func(context.Context) error
		dead  bool
		pause time.Duration
		says  string
	}{
		"plain":               {work: func(context.Context) error { return boom }, pause: 5 * time.Second, says: "boom"},
		"permanent":           {work: func(context.Context) error { return jobs.Permanent(boom) }, dead: true, says: "boom"},
		"wrapped permanent":   {work: func(context.Context) error { return errors.Join(jobs.Permanent(boom)) }, dead: true, says: "boom"},
		"later":               {work: func(context.Context) error { return jobs.Later(boom, time.Hour) }, pause: time.Hour, says: "boom"},
		"sooner than allowed": {work: func(context.Context) error { return jobs.Later(boom, time.Second) }, pause: 5 * time.Second, says: "boom"},
		"missing":             {work: func(context.Context) error { return fault.Missing("class") }, dead: true, says: "class"},
		"field":               {work: func(context.Context) error { return fault.OnField("x", "bad") }, dead: true, says: "bad"},
		"internal fault":      {work: func(context.Context) error { return fault.From(boom) }, pause: 5 * time.Second, says: "boom"},
		"too many": {work: func(context.Context) error { return fault.New(fault.TooMany, "", "slow").After(time.Minute) },
			pause: time.Minute, says: "slow"},
		"panic": {work: func(context.Context) error { panic("oh dear") }, pause: 5 * time.Second, says: "panic: oh dear"},
		"slow": {work: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			pause: 5 * time.Second, says: "not done within 30ms"},
		"bad text": {work: func(context.Context) error { return errors.New("nul \x00 and \xff" + strings.Repeat("é", 3000)) },
			pause: 5 * time.Second, says: "nul � and �é"},
	}
	each(t, func(t *testing.T, k *kit) {
		for name, c := range cases {
			school := k.newSchool(name)
			w := jobs.Work(func(ctx context.Context, _ id.ID, _ ping) error { return c.work(ctx) })
			if name == "slow" {
				w.Timeout = 30 * time.Millisecond
			}
			q := k.queue([]jobs.Worker{w})
			k.must(k.tryEnqueue(school, ping{1}))
			k.drain(q)
			state := jobs.Waiting
			if c.dead {
				state = jobs.Dead
			}
			p, err := q.List(t.Context(), school, state, page.Request{Page: 1, Limit: 10})
			k.must(err)
			if len(p.Items) != 1 {
				t.Errorf("%s: %d jobs are %s, want 1", name, len(p.Items), state)
				continue
			}
			r := p.Items[0]
			if r.LastError == nil || !strings.Contains(*r.LastError, c.says) || len(*r.LastError) > 3000 {
				t.Errorf("%s: last error %v, want it to contain %q", name, r.LastError, c.says)
			}
			if wait := r.RunAt.Sub(k.watch.Now()); !c.dead && wait != c.pause {
				t.Errorf("%s: next attempt in %s, want %s", name, wait, c.pause)
			}
		}
	})
}

func TestUnreadablePayload(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		q := k.queue([]jobs.Worker{jobs.Work(func(context.Context, id.ID, wrong) error { return nil })})
		k.enqueue(ping{1})
		k.drain(q)
		if r := k.only(q, jobs.Dead); !strings.Contains(*r.LastError, "payload") {
			t.Fatalf("last error of a dead job: %q", *r.LastError)
		}
	})
}

// wrong is an incompatible ping payload.
type wrong struct{ N string }

func (wrong) Kind() string { return "ping" }

func TestDeadIsTold(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		boom := errors.New("boom")
		refusal := errors.New("not now")
		var told []error
		w := failing(boom)
		w[0].Dead = func(ctx context.Context, tx *db.Tx, j jobs.Job, cause error) error {
			if !j.Last || j.Attempt != 1 || j.School != k.school {
				t.Errorf("Dead called with %+v", j)
			}
			told = append(told, cause)
			return errors.Join(refusal, jobs.Enqueue(ctx, tx, k.watch.Now(), wrong{"n"}, jobs.At(k.watch.Now().Add(time.Hour))))
		}
		q := k.queue(w)
		k.enqueue(ping{1}, jobs.Attempts(1))
		k.drain(q)
		if len(told) != 1 || !errors.Is(told[0], boom) {
			t.Fatalf("Dead calls: %v", told)
		}
		if dead, waiting := k.list(q, jobs.Dead), k.list(q, jobs.Waiting); len(dead) != 0 || len(waiting) != 0 {
			t.Fatalf("after a failed Dead: dead jobs %v, waiting %v", dead, waiting)
		}
		refusal = nil
		k.watch.Add(2 * time.Minute) // the lease expires, and Dead is called again
		k.drain(q)
		if r := k.only(q, jobs.Dead); len(told) != 2 || r.Attempts != 1 {
			t.Fatalf("Dead called %d times, job %+v", len(told), r)
		}
		k.only(q, jobs.Waiting) // queued in the same transaction
	})
}

func TestRetryByHand(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		var c tally
		bad := true
		q := k.queue([]jobs.Worker{jobs.Work(func(_ context.Context, _ id.ID, p ping) error {
			c.add(p.N)
			if bad {
				return jobs.Permanent(errors.New("no"))
			}
			return nil
		})})
		k.enqueue(ping{1})
		k.drain(q)
		dead := k.only(q, jobs.Dead)
		if err := q.Retry(t.Context(), k.newSchool("BETA"), dead.ID); !errors.Is(err, jobs.ErrNoJob) {
			t.Fatalf("retry from another school: %v", err)
		}
		if err := q.Retry(t.Context(), k.school, id.New()); !errors.Is(err, jobs.ErrNoJob) {
			t.Fatalf("retry of an unknown job: %v", err)
		}
		bad = false
		k.must(q.Retry(t.Context(), k.school, dead.ID))
		k.drain(q)
		if r := k.only(q, jobs.Done); r.Attempts != 1 || c.n[1] != 2 {
			t.Fatalf("retried job %+v, ran %d times", r, c.n[1])
		}
		if err := q.Retry(t.Context(), k.school, dead.ID); !errors.Is(err, jobs.ErrNoJob) {
			t.Fatalf("retry of a done job: %v", err)
		}
	})
}

// TestRetryOfAnOldJob retries a dead job in the moment in which it would be deleted: it runs.
func TestRetryOfAnOldJob(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		bad := true
		q := k.queue([]jobs.Worker{jobs.Work(func(context.Context, id.ID, ping) error {
			if bad {
				return jobs.Permanent(errors.New("no"))
			}
			return nil
		})})
		k.enqueue(ping{1})
		k.drain(q)
		dead := k.only(q, jobs.Dead)
		bad = false
		k.watch.Add(71 * 24 * time.Hour)
		ended := make(chan error, 1)
		k.must(k.db.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
			err := q.Retry(tx.Share(ctx), k.school, dead.ID)
			go func() { ended <- q.Drain(t.Context()) }()
			time.Sleep(100 * time.Millisecond) // the cleaning finds the job dead, and waits for its row
			return err
		}))
		k.must(<-ended)
		k.drain(q)
		k.only(q, jobs.Done)
	})
}

func TestListAndStats(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		q := k.queue(failing(jobs.Permanent(errors.New("no"))))
		k.enqueue(ping{1})
		k.must(k.tryEnqueue(k.newSchool("BETA"), ping{2}))
		k.drain(q)
		k.enqueue(ping{3})
		all, err := q.List(t.Context(), "", jobs.Dead, page.Request{Page: 1, Limit: 10})
		k.must(err)
		if all.Total != 2 || len(k.list(q, jobs.Dead)) != 1 {
			t.Fatalf("dead jobs: %d in all schools, want 2; %d in one, want 1", all.Total, len(k.list(q, jobs.Dead)))
		}
		s, err := q.Stats(t.Context())
		k.must(err)
		if s != (jobs.Stats{Waiting: 1, Dead: 2}) {
			t.Fatalf("stats %+v", s)
		}
		if _, err := q.List(t.Context(), "", "lost' OR 'a'='a", page.Request{Page: 1, Limit: 10}); !errors.Is(err, fault.ErrFields) {
			t.Fatalf("list of an unknown state: %v", err)
		}
	})
}
