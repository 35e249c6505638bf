package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

// newApp builds the service on a new database.
func newApp(t *testing.T, engine string, change func(*Config)) (*App, error) {
	t.Helper()
	c := Default()
	c.Store = newStore(t, engine, true)
	if change != nil {
		change(&c)
	}
	return New(t.Context(), c, Deps{})
}

func mustApp(t *testing.T, engine string, change func(*Config)) *App {
	t.Helper()
	a, err := newApp(t, engine, change)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func get(a *App, path string) (int, string) {
	w := httptest.NewRecorder()
	a.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

// TestReadiness makes each part fail in turn. /healthz must stay 200.
func TestReadiness(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			a := mustApp(t, engine, nil)
			want := func(status int, state readiness) {
				t.Helper()
				code, body := get(a, "/readyz")
				var got readiness
				err := json.Unmarshal([]byte(body), &got)
				if state.Schema == "" && strings.Contains(got.Schema, "written by a newer homeroom") {
					got.Schema = ""
				}
				if err != nil || code != status || got != state {
					t.Errorf("/readyz is %d %s (%v), want %d %+v", code, body, err, status, state)
				}
				if code, _ := get(a, "/healthz"); code != http.StatusOK {
					t.Errorf("/healthz is %d", code)
				}
			}
			await.Until(t, "the first signal to be heard", func() bool { return a.DB.Hears() == nil })
			want(200, readiness{Ready: true, Server: "ok", Database: "ok", Schema: "ok", Signals: "ok", Backups: "off"})
			a.stopping.Store(true)
			want(503, readiness{Server: "shutting down", Database: "ok", Schema: "ok", Signals: "ok", Backups: "off"})
			a.stopping.Store(false)

			later := dbtest.Dial(t, string(a.cfg.URL()), futureSchema(t))
			if _, err := later.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			want(503, readiness{Server: "ok", Database: "ok", Signals: "ok", Backups: "off"})
			if err := a.DB.Close(); err != nil {
				t.Fatal(err)
			}
			want(503, readiness{Server: "ok", Database: "unreachable", Schema: "unknown", Signals: "unknown", Backups: "off"})
			if code, body := scraped(a); code != 200 || !strings.Contains(body, "go_goroutines") {
				t.Errorf("without a database /metrics is %d", code)
			}
		})
	}
}

// TestReadyWhileBusy: a node whose connections are all in use stays ready while the database answers.
func TestReadyWhileBusy(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			a := mustApp(t, engine, func(c *Config) { c.DBMaxConns = 3 })
			await.Until(t, "the first signal to be heard", func() bool { return a.DB.Hears() == nil })
			if code, body := get(a, "/readyz"); code != 200 {
				t.Fatalf("/readyz is %d %s", code, body)
			}
			var all sync.WaitGroup
			release := make(chan struct{})
			defer all.Wait()
			defer close(release)
			for range 4 { // one more than there are connections
				all.Go(func() {
					_ = db.Each(context.Background(), a.DB.Across(unscoped.Permit{}), `SELECT id FROM schools`, nil,
						func(id.ID) error { <-release; return nil })
				})
			}
			await.Until(t, "the connections to be in use", func() bool { return a.DB.Busy(time.Hour) })
			if code, body := get(a, "/readyz"); code != 200 {
				t.Errorf("/readyz of a busy node is %d %s", code, body)
			}
			if a.DB.Busy(0) {
				t.Error("a database that has not answered for a while counts as busy")
			}
		})
	}
}

func TestGreeting(t *testing.T) {
	t.Parallel()
	a := &App{cfg: Default(), Deps: Deps{}.withDefaults()}
	a.cfg.DatabaseURL, a.cfg.Demo = "postgres://ada:hunter22@db/school", true
	var out bytes.Buffer
	addr := httptest.NewServer(http.NotFoundHandler())
	defer addr.Close()
	a.greet(addr.Listener.Addr(), "", &out, func(string) string { return "" })
	if strings.Contains(out.String(), "/app/setup") {
		t.Errorf("a set-up link without a secret:\n%s", out.String())
	}
	a.greet(addr.Listener.Addr(), "s3cret", &out, func(string) string { return "" })
	for _, want := range []string{addr.URL, addr.URL + "/api-docs", "/dev/outbox", "postgres://ada:xxxxx@db/school",
		"super@homeroom.test", "+15550100001", addr.URL + "/app/setup#s3cret"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
	out.Reset()
	a.cfg.LogFormat = "json"
	a.greet(addr.Listener.Addr(), "s3cret", &out, func(string) string { return "" })
	if out.Len() > 0 {
		t.Errorf("with the JSON log format the text greeting is printed:\n%s", out.String())
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	s := Store{Data: t.TempDir(), DatabaseURL: DSN("sqlite:" + t.TempDir() + "/x.db")}
	lock := must(s.Lock("serve"))(t)
	if held, ok := s.Holder(); !ok || held.What != "serve" || held.PID == 0 {
		t.Errorf("holder of the lock: got %+v, %v, want this process as serve", held, ok)
	}
	for name, other := range map[string]Store{
		"the same":          s,
		"the same data":     {Data: s.Data, DatabaseURL: DSN("sqlite:" + t.TempDir() + "/x.db")},
		"the same database": {Data: t.TempDir(), DatabaseURL: s.DatabaseURL},
	} {
		_, err := other.Lock("restore")
		if err == nil {
			t.Errorf("%s was locked twice", name)
			continue
		}
		wantError(t, err, "in use by homeroom serve")
	}
	lock.Unlock()
	if _, ok := s.Holder(); ok {
		t.Error("the lock is still held after Unlock")
	}
	must(s.Lock("serve"))(t).Unlock()

	// Nodes with no data in the directory don't lock it.
	shared := Store{Data: s.Data, DatabaseURL: "postgres://db/school", Keys: "k:x"}
	defer must(shared.Lock("serve"))(t).Unlock()
	must(shared.Lock("serve"))(t).Unlock()
}

// futureSchema is the schema of a later version.
func futureSchema(t *testing.T) fs.FS {
	t.Helper()
	next := fstest.MapFS{"9999_future.sql": {Data: []byte("CREATE TABLE future (id {{text}} PRIMARY KEY){{strict}};")}}
	for _, e := range must(schema.FS.ReadDir("."))(t) {
		next[e.Name()] = &fstest.MapFile{Data: must(schema.FS.ReadFile(e.Name()))(t)}
	}
	return next
}

// TestPeriodics checks that the periodic jobs of platform and features are registered and run.
func TestPeriodics(t *testing.T) {
	t.Parallel()
	a := mustApp(t, "sqlite", nil)
	var names []string
	for _, p := range a.Queue.Periodic {
		names = append(names, p.Name)
	}
	for _, want := range []string{"db.optimize", "web.answers", "web.counts", "identity.sweep", "jobs.clean"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %v", want, names)
		}
	}
	if err := a.Queue.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHashCost: a service that is not a test's hashes passwords at full cost.
func TestHashCost(t *testing.T) {
	t.Parallel()
	hash, err := Deps{}.withDefaults().Hasher.Hash(t.Context(), "correct horse")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("%q, %v", hash, err)
	}
}
