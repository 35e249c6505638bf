package access_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// each runs a test on each engine, with a new world.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) { test(t, start(t, d)) })
}

// world is the service under test: real routes on a real database, behind a
// gate whose tokens are "ROLE school".
type world struct {
	*testing.T
	db      *db.DB
	roles   *access.Service
	server  *web.Server
	users   users
	signals *signals
}

func start(t *testing.T, d *db.DB) *world {
	t.Helper()
	log := &audit.Service{DB: d, Now: clock.System, NewID: id.New}
	w := &world{T: t, db: d, users: users{}, signals: &signals{}}
	w.roles = &access.Service{DB: d, Audit: log, Users: w.users, Now: clock.System, NewID: id.New}
	d.Listen(access.Topic, w.signals.add)
	w.putSchool(platform, "PLATFORM", w.roles.SeedPlatform)
	var err error
	w.server, err = web.New(web.Config{
		Routes: slices.Concat(log.Routes(), w.roles.Routes()), Gate: gate{d}, DB: d, Now: clock.System, NewID: id.New,
		Log:     slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
		Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: 20 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// putSchool makes the row of a school, and its roles.
func (w *world) putSchool(at id.ID, code string, seed func(context.Context, *db.Tx) error) {
	w.Helper()
	err := w.db.InAll(w.Context(), unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
		_, err := db.Exec(ctx, all, `INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
			VALUES (:id, :code, :code, 'UTC', 'USD', 'en', 'ACTIVE', :now, :now)`, db.Args{"id": at, "code": code, "now": clock.System()})
		if err != nil {
			return err
		}
		return seed(ctx, all.School(at))
	})
	if err != nil {
		w.Fatal(err)
	}
}

// newSchool makes a school and returns the token of its administrator.
func (w *world) newSchool(code string) (id.ID, string) {
	w.Helper()
	at := id.New()
	w.putSchool(at, code, w.roles.Seed)
	return at, "SCHOOL_ADMIN " + string(at)
}

// gate gives a token's bearer the system role of that school.
type gate struct{ db *db.DB }

func (g gate) Authenticate(ctx context.Context, token string) (actor.Actor, error) {
	typ, at, _ := strings.Cut(token, " ")
	role, err := access.System(ctx, g.db.School(id.ID(at)), actor.Role(typ))
	if err != nil {
		return actor.Actor{}, fault.New(fault.Unauthenticated, "", "Not a token.").Because(err)
	}
	grants, err := access.Grants(ctx, g.db.School(id.ID(at)), role.ID)
	return actor.Actor{User: userID, School: id.ID(at), Role: role.Type, RoleID: role.ID, Grants: grants}, err
}

const (
	userID   id.ID = "0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47"
	nobody         = "0199f3a2-0000-7000-8000-000000000000" // an id without a record
	platform id.ID = "0199f3a2-0000-7000-8000-00000000f001"
	super          = "SUPER_ADMIN " + string(platform)
)

// users is the port to accounts: how many hold a role.
type users map[id.ID]int

func (u users) CountByRole(_ context.Context, _ db.Q, role id.ID) (int, error) { return u[role], nil }

// Authority is that of the role that the gate gave; identity tests the real one.
func (users) Authority(ctx context.Context, tx *db.Tx, who actor.Actor) (access.Authority, error) {
	return access.AuthorityOf(ctx, tx, who.RoleID)
}

func (users) KeepAdministrator(_ context.Context, _ *db.Tx, change func() error) error {
	return change()
}

// signals collects what was announced.
type signals struct {
	mu   sync.Mutex
	seen []string
}

func (s *signals) add(sig db.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !sig.Lost { // a node that begins to listen may have missed some
		s.seen = append(s.seen, sig.Payload)
	}
}

// announced waits until the payload was heard.
func (w *world) announced(payload string) {
	w.Helper()
	await.Until(w, "the signal "+payload, func() bool {
		w.signals.mu.Lock()
		defer w.signals.mu.Unlock()
		return slices.Contains(w.signals.seen, payload)
	})
}

// answer is a reply, read.
type answer struct {
	t      *testing.T
	call   string
	status int
	text   string
	Data   map[string]any `json:"data"`
	Error  string         `json:"error"`
	Says   string         `json:"message"`
	Fields []fault.Field  `json:"details"`
}

func (w *world) call(as, method, path string, data m) answer {
	w.Helper()
	var body bytes.Buffer
	if data != nil {
		if err := json.NewEncoder(&body).Encode(m{"data": data}); err != nil {
			w.Fatal(err)
		}
	}
	r := httptest.NewRequestWithContext(w.Context(), method, path, &body)
	r.Header.Set("Authorization", "Bearer "+as)
	rec := httptest.NewRecorder()
	w.server.ServeHTTP(rec, r)
	a := answer{t: w.T, call: as + " " + method + " " + path, status: rec.Code, text: rec.Body.String()}
	if rec.Body.Len() > 0 {
		if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
			w.Fatalf("%s: %v: %s", a.call, err, a.text)
		}
	}
	return a
}

// is demands a status, and for a failure the error's name and, for a 422, the field.
func (a answer) is(status int, more ...string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d: %s", a.call, a.status, status, a.text)
	}
	if len(more) > 0 && a.Error != more[0] {
		a.t.Errorf("%s: error %q, want %q: %s", a.call, a.Error, more[0], a.text)
	}
	if len(more) > 1 && !a.about(more[1]) {
		a.t.Errorf("%s: no detail on %q: %s", a.call, more[1], a.text)
	}
	return a
}

func (a answer) id() string { return fmt.Sprint(a.Data["id"]) }

// names is one field of each record of a list.
func (a answer) names(field string) []string {
	a.t.Helper()
	out := []string{}
	for _, item := range a.is(200).Data["items"].([]any) {
		out = append(out, fmt.Sprint(item.(map[string]any)[field]))
	}
	return out
}

// m is a JSON object.
type m = map[string]any

// lastAudit is the newest entry of a school's log.
func (w *world) lastAudit(at id.ID) m {
	w.Helper()
	a := w.call(super, "GET", "/super-admin/audit/list?limit=1&schoolId="+string(at), nil).is(200)
	items := a.Data["items"].([]any)
	if len(items) == 0 {
		w.Fatal("the audit log is empty")
	}
	return items[0].(m)
}

// about reports whether a detail speaks of the field.
func (a answer) about(field string) bool {
	return slices.ContainsFunc(a.Fields, func(f fault.Field) bool { return f.Field == field })
}

// all is what was announced so far.
func (s *signals) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}
