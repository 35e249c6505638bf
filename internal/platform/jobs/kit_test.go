package jobs_test

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/page"
	"homeroom/internal/schema"
)

// watch is a manual clock.
type watch struct {
	mu  sync.Mutex
	now time.Time
}

func newWatch() *watch { return &watch{now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)} }

func (w *watch) Now() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }

func (w *watch) Add(d time.Duration) { w.mu.Lock(); w.now = w.now.Add(d); w.mu.Unlock() }

// kit is a database with one school and a clock.
type kit struct {
	testing.TB
	db     *db.DB
	url    string
	watch  *watch
	school id.ID
}

func TestMain(m *testing.M) { dbtest.Main(m) }

func each(t *testing.T, test func(t *testing.T, k *kit)) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newKit(t, engine))
		})
	}
}

func newKit(t testing.TB, engine string) *kit {
	k := &kit{TB: t, url: dbtest.URL(t, engine, schema.FS), watch: newWatch()}
	k.db = dbtest.Dial(t, k.url, schema.FS)
	k.school = k.newSchool("ALPHA")
	return k
}

// anotherNode gives a queue its own connection to the kit's database.
func (k *kit) anotherNode(o *jobs.Options) { o.DB = dbtest.Dial(k, k.url, schema.FS) }

func (k *kit) must(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

func (k *kit) newSchool(code string) id.ID {
	school := id.New()
	_, err := db.Exec(k.Context(), k.db.Across(unscoped.Permit{}), `
		INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
		VALUES (:id, :code, :code, 'UTC', 'USD', 'en', 'ACTIVE', :now, :now)`,
		db.Args{"id": school, "code": code, "now": k.watch.Now()})
	k.must(err)
	return school
}

// queue creates a queue without jitter.
func (k *kit) queue(workers []jobs.Worker, change ...func(*jobs.Options)) *jobs.Queue {
	k.Helper()
	o := jobs.Options{
		DB: k.db, Now: k.watch.Now, NewID: id.New, Chance: func() float64 { return 0.5 },
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Workers: workers, Poll: 20 * time.Millisecond,
	}
	for _, c := range change {
		c(&o)
	}
	q, err := jobs.New(o)
	k.must(err)
	return q
}

// run runs the queue until the end of the test or stop.
func (k *kit) run(q *jobs.Queue) (stop func() error) {
	ctx, cancel := context.WithCancel(k.Context())
	ended := make(chan error, 1)
	go func() { ended <- q.Run(ctx) }()
	stop = sync.OnceValue(func() error { cancel(); return <-ended })
	k.Cleanup(func() { _ = stop() })
	return stop
}

type ping struct{ N int }

func (ping) Kind() string { return "ping" }

func (k *kit) enqueue(a jobs.Args, opts ...jobs.Option) {
	k.Helper()
	k.must(k.tryEnqueue(k.school, a, opts...))
}

func (k *kit) tryEnqueue(school id.ID, a jobs.Args, opts ...jobs.Option) error {
	return k.db.InSchool(k.Context(), school, func(ctx context.Context, tx *db.Tx) error {
		return jobs.Enqueue(ctx, tx, k.watch.Now(), a, opts...)
	})
}

func (k *kit) drain(qs ...*jobs.Queue) {
	k.Helper()
	var wg sync.WaitGroup
	for _, q := range qs {
		wg.Go(func() {
			if err := q.Drain(k.Context()); err != nil {
				k.Error(err)
			}
		})
	}
	wg.Wait()
}

// list returns all jobs of the kit's school in the state.
func (k *kit) list(q *jobs.Queue, s jobs.State) []jobs.Record {
	k.Helper()
	p, err := q.List(k.Context(), k.school, s, page.Request{Page: 1, Limit: 100})
	k.must(err)
	return p.Items
}

// only returns the one job of the kit's school in the state.
func (k *kit) only(q *jobs.Queue, s jobs.State) jobs.Record {
	k.Helper()
	all := k.list(q, s)
	if len(all) != 1 {
		k.Fatalf("%d jobs are %s, want 1", len(all), s)
	}
	return all[0]
}

// eventually waits for a condition of another goroutine.
func (k *kit) eventually(what string, ok func() bool) {
	k.Helper()
	await.Until(k, what, ok)
}

// tally counts the runs of each job.
type tally struct {
	mu sync.Mutex
	n  map[int]int
}

func (c *tally) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[int]int{}
	}
	c.n[n]++
}

func (c *tally) count() (different, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.n {
		all += n
	}
	return len(c.n), all
}

func (c *tally) worker() jobs.Worker {
	return jobs.Work(func(_ context.Context, _ id.ID, p ping) error { c.add(p.N); return nil })
}
