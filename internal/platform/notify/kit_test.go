package notify_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/token"
	"homeroom/internal/schema"
)

// kit is a notifier with its queue, on a database with one school.
type kit struct {
	testing.TB
	*notify.Notifier
	queue  *jobs.Queue
	school id.ID
	now    time.Time
	log    *safeBuffer
	fake   *provider
}

// safeBuffer is a buffer for concurrent use.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}
func (s *safeBuffer) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.b.String() }

// provider is a fake provider.
type provider struct {
	mu   sync.Mutex
	took []notify.Message
	fail func(notify.Message) error
}

func (*provider) Name() string { return "fake" }

func (p *provider) Send(_ context.Context, m notify.Message) (string, error) {
	if p.fail != nil {
		if err := p.fail(m); err != nil {
			return "", err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took = append(p.took, m)
	return "accepted " + m.ID.String(), nil
}

func TestMain(m *testing.M) { dbtest.Main(m) }

func each(t *testing.T, test func(t *testing.T, k *kit)) {
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) { test(t, newKit(t, d)) })
}

func newKit(t testing.TB, d *db.DB) *kit {
	ring, err := token.NewRing(token.Key{ID: "k1", Secret: bytes.Repeat([]byte("s"), 32)})
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{TB: t, now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), log: &safeBuffer{}, fake: &provider{}, school: id.New()}
	now := func() time.Time { return k.now }
	log := slog.New(slog.NewTextHandler(k.log, nil))
	k.Notifier = &notify.Notifier{DB: d, Now: now, NewID: id.New, Seal: ring, Log: log}
	k.queue, err = jobs.New(jobs.Options{
		DB: d, Now: now, NewID: id.New, Chance: func() float64 { return 0.5 }, Log: log, Workers: k.Workers(),
	})
	k.must(err)
	_, err = db.Exec(t.Context(), d.Across(unscoped.Permit{}), `
		INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
		VALUES (:id, 'Alpha', 'ALPHA', 'UTC', 'USD', 'en', 'ACTIVE', :now, :now)`, db.Args{"id": k.school, "now": k.now})
	k.must(err)
	return k
}

func (k *kit) must(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// useFake sends all channels through the fake provider, one message at a time.
func (k *kit) useFake() {
	k.Providers = map[notify.Channel]notify.Provider{notify.SMS: k.fake, notify.Email: k.fake, notify.Push: k.fake}
}

func (k *kit) send(m ...notify.Message) {
	k.Helper()
	k.must(k.DB.InSchool(k.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
		for _, m := range m {
			if err := k.Send(ctx, tx, k.school, m); err != nil {
				return err
			}
		}
		return nil
	}))
	k.now = k.now.Add(time.Second) // so that the order by time is defined
}

func (k *kit) drain() { k.Helper(); k.must(k.queue.Drain(k.Context())) }

func (k *kit) deliveries(f notify.Filter) []notify.Delivery {
	k.Helper()
	p, err := k.Deliveries(k.Context(), k.school, f, page.Request{Page: 1, Limit: 100})
	k.must(err)
	return p.Items
}

func (k *kit) only() notify.Delivery {
	k.Helper()
	all := k.deliveries(notify.Filter{})
	if len(all) != 1 {
		k.Fatalf("%d deliveries, want 1", len(all))
	}
	return all[0]
}

// raw returns all columns of the tables of jobs and deliveries.
func (k *kit) raw() string {
	k.Helper()
	columns := `SELECT name FROM pragma_table_info(:table)`
	if k.DB.Engine() != "sqlite" {
		columns = `SELECT column_name FROM information_schema.columns WHERE table_name = :table`
	}
	q := k.DB.Across(unscoped.Permit{})
	var all strings.Builder
	for _, table := range []string{"jobs", "deliveries"} {
		names, err := db.All[string](k.Context(), q, columns, db.Args{"table": table})
		k.must(err)
		if len(names) < 10 {
			k.Fatalf("found only the columns %v of %s", names, table)
		}
		for _, name := range names {
			values, err := db.All[string](k.Context(), q, `SELECT COALESCE(CAST(`+name+` AS TEXT), '') AS v FROM `+table, nil)
			k.must(err)
			all.WriteString(strings.Join(values, "\n") + "\n")
		}
	}
	return all.String()
}

var errBusy = errors.New("the provider is busy")
