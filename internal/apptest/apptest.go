// Package apptest boots the whole service for a test, over HTTP and on either
// engine, with two schools and an account of every role signed in:
//
//	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
//		s.Call(t, s.North.Admin, "GET", "/school-admin/setting", nil).OK()
//	})
//
// Every response is validated against the OpenAPI document.
package apptest

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

// Service is a running service with signed-in accounts.
type Service struct {
	*app.App
	URL          string
	Data         string // the data directory
	Clock        *Clock
	North, South School
	Super        *Account

	client   *http.Client
	contract *contract
	stop     func() error
}

// School is a school with an account of each role.
type School struct {
	ID                             id.ID
	Admin, Teacher, Parent, Driver *Account
}

// Account is a signed-in account.
type Account struct {
	ID     id.ID
	School id.ID
	Role   actor.Role
	Phone  string
	Email  string
	Access string // access token

	session id.ID
}

// Clock is a test clock that only Add moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now implements clock.Now.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Add moves the clock forward. Access tokens expire after 15 minutes.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Option changes the service before it starts.
type Option func(*app.Config)

// Each runs test once per engine, in parallel, each with its own service.
func Each(t *testing.T, test func(t *testing.T, s *Service), opts ...Option) {
	t.Helper()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, Start(t, engine, opts...))
		})
	}
}

// Start boots the service on a new database.
func Start(t testing.TB, engine string, opts ...Option) *Service {
	t.Helper()
	var c app.Config
	for _, o := range opts {
		o(&c)
	}
	template := &twoSchools
	if c.Demo {
		template = &withDemo
	}
	url, schools := template.Copy(t, engine)
	s := boot(t, url, opts...)
	s.useAccounts(t, schools)
	return s
}

// Empty boots the service on a new database without any account, as at its first start.
func Empty(t testing.TB, engine string, opts ...Option) *Service {
	t.Helper()
	return boot(t, dbtest.URL(t, engine, schema.FS), opts...)
}

// Open boots the service on the database of url. Two services with the same url
// are two nodes.
func Open(t testing.TB, url string, opts ...Option) *Service {
	t.Helper()
	s := boot(t, url, opts...)
	s.addAccounts(t)
	return s
}

func boot(t testing.TB, url string, opts ...Option) *Service {
	t.Helper()
	c := app.Config{Workers: 2,
		Retention: app.Default().Retention,
		Store:     app.Store{Data: t.TempDir(), DatabaseURL: app.DSN(url), DBMaxConns: 4, Keys: TestKeys},
		Listen:    app.Listen{RequestTimeout: await.Limit, ShutdownTimeout: await.Limit},
		Sending:   app.Sending{SMSProvider: "local", MailProvider: "local", PushProvider: "local", FileProvider: "local"},
		Browsers:  app.Browsers{WebPush: "on"}}
	for _, o := range opts {
		o(&c)
	}
	s := &Service{Data: c.Data, Clock: &Clock{now: clock.System()}}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	cheap := &token.Hasher{Rand: rand.Reader, Cheap: true} // tests sign in thousands of times
	var err error
	if s.App, err = app.New(t.Context(), c, app.Deps{Now: s.Clock.Now, Log: log, Hasher: cheap}); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler)
	s.stop = sync.OnceValue(func() error {
		srv.Close()
		return s.Close()
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	s.URL, s.client, s.contract = srv.URL, srv.Client(), contractOf(t, s.App.Routes)
	return s
}

// Stop shuts the service down before the test ends, as a restart does.
func (s *Service) Stop(t testing.TB) {
	t.Helper()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

// TestKeys sign the tokens of tests.
const TestKeys = "test:dGhlIHRlc3RzJyBvd24ga2V5LCBrbm93biB0byBldmVyeW9uZSE="

// Routes returns every served route, including the POST forms of lists.
func (s *Service) Routes() []web.Route { return web.Expand(s.App.Routes) }

// Everyone returns an account of every role.
func (s *Service) Everyone() []*Account {
	return []*Account{s.North.Parent, s.North.Teacher, s.North.Driver, s.North.Admin, s.Super}
}

// OfRole returns the account of Everyone with the role.
func (s *Service) OfRole(r actor.Role) *Account {
	for _, a := range s.Everyone() {
		if a.Role == r {
			return a
		}
	}
	return nil
}

// WithoutPermissions revokes every permission of every role of every school.
func (s *Service) WithoutPermissions(t testing.TB) {
	t.Helper()
	err := s.DB.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		_, err := db.Exec(ctx, tx, `UPDATE role_permissions SET can_read = FALSE, can_write = FALSE, can_delete = FALSE`, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Work runs the job queue and other background work until the test ends.
func (s *Service) Work(t testing.TB) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
