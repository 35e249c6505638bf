package web_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

// at is a clock that is set by the test.
type at struct{ atomic.Pointer[time.Time] }

func newAt() *at {
	a, now := &at{}, clock.System()
	a.Store(&now)
	return a
}

func (a *at) now() time.Time { return *a.Load() }

func (a *at) pass(d time.Duration) {
	now := a.now().Add(d)
	a.Store(&now)
}

// Concurrent calls on two nodes are all counted.
func TestTableCountsExactly(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url, clock := dbtest.URL(t, engine, schema.FS), newAt()
			nodes := []*web.Table{
				{DB: dbtest.Dial(t, url, schema.FS), Now: clock.now},
				{DB: dbtest.Dial(t, url, schema.FS), Now: clock.now},
			}
			const calls = 60
			var seen sync.Map
			var wg sync.WaitGroup
			for i := range calls {
				wg.Go(func() {
					n, left, err := nodes[i%2].Count(t.Context(), "ip:192.0.2.1")
					if err != nil || left != web.Window {
						t.Errorf("count: %d %s %v", n, left, err)
					}
					if _, twice := seen.LoadOrStore(n, true); twice {
						t.Errorf("two calls were number %d", n)
					}
				})
			}
			wg.Wait()
			for n := 1; n <= calls; n++ {
				if _, ok := seen.Load(n); !ok {
					t.Errorf("no call was number %d", n)
				}
			}
		})
	}
}

func TestTableWindow(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) {
		clock := newAt()
		table := &web.Table{DB: d, Now: clock.now}
		for _, step := range []struct {
			key   string
			after time.Duration
			n     int
			left  time.Duration
		}{
			{"a", 0, 1, time.Minute},
			{"b", 0, 1, time.Minute},
			{"a", 20 * time.Second, 2, 40 * time.Second},
			{"a", 39 * time.Second, 3, time.Second},
			{"a", time.Second, 1, time.Minute},
			{"b", 0, 1, time.Minute},
		} {
			clock.pass(step.after)
			n, left, err := table.Count(t.Context(), step.key)
			if err != nil || n != step.n || left != step.left {
				t.Fatalf("%+v: got %d %s %v", step, n, left, err)
			}
		}
		count := func() int {
			n, err := db.One[int](t.Context(), d.Across(unscoped.Permit{}), `SELECT COUNT(*) FROM rate_counts`, nil)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		clock.pass(30 * time.Second)
		if _, _, err := table.Count(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{3, 1, 0} { // c is younger than a and b
			if err := table.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := count(); got != want {
				t.Fatalf("%d windows are kept, want %d", got, want)
			}
			clock.pass(30 * time.Second)
		}
	})
}

func TestSweepAnswers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) {
		now, school := clock.System(), id.New()
		all := d.Across(unscoped.Permit{})
		if _, err := db.Exec(t.Context(), all, `
			INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
			VALUES (:id, 'Greenfield', 'GREENFIELD', 'UTC', 'USD', 'en', 'ACTIVE', :now, :now)`, db.Args{"id": school, "now": now}); err != nil {
			t.Fatal(err)
		}
		for key, age := range map[string]time.Duration{
			"fresh": 0, "nearly": 24*time.Hour - time.Second, "old": 24 * time.Hour, "older": 72 * time.Hour,
		} {
			if _, err := db.Exec(t.Context(), d.School(school), `
				INSERT INTO idempotency_keys (school_id, id, user_id, key, hash, status, body, created_at)
				VALUES (:school, :id, :user, :key, '', 200, '', :at)`,
				db.Args{"id": id.New(), "user": id.New(), "key": key, "at": now.Add(-age)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := web.SweepAnswers(t.Context(), d, now); err != nil {
			t.Fatal(err)
		}
		kept, err := db.All[string](t.Context(), d.School(school), `SELECT key FROM idempotency_keys WHERE school_id = :school ORDER BY key`, nil)
		if err != nil || len(kept) != 2 || kept[0] != "fresh" || kept[1] != "nearly" {
			t.Errorf("kept %v (%v), want fresh and nearly", kept, err)
		}
	})
}
