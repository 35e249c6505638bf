package school_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// each runs a test on each engine, with its own service.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) { test(t, start(t, d)) })
}

// world is the service under test: the routes on a real database, with tokens of the
// form "ROLE school".
type world struct {
	*testing.T
	db      *db.DB
	schools *school.Service
	server  *web.Server
	admins  *admins
	signals *signals
}

func start(t *testing.T, d *db.DB) *world {
	t.Helper()
	log := &audit.Service{DB: d, Now: clock.System, NewID: id.New}
	roles := &access.Service{DB: d, Audit: log, Now: clock.System, NewID: id.New}
	w := &world{T: t, db: d, admins: &admins{}, signals: &signals{}}
	w.schools = &school.Service{DB: d, Audit: log, Access: roles, Admins: w.admins, Now: clock.System, NewID: id.New}
	d.Listen(access.Topic, w.signals.add)
	if err := w.schools.Platform(t.Context()); err != nil {
		t.Fatal(err)
	}
	var err error
	w.server, err = web.New(web.Config{
		Routes: slices.Concat(log.Routes(), w.schools.Routes()), Gate: gate{d}, DB: d, Now: clock.System, NewID: id.New,
		Log:     slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
		Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: 20 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// gate authenticates tokens with the system role of their school.
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
	userID id.ID = "0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47"
	nobody       = "0199f3a2-0000-7000-8000-000000000000" // an unknown id
	super        = "SUPER_ADMIN " + string(school.PlatformID)
)

// admins implements school.Admins and records invitations.
type admins struct {
	fail    error
	invited []string
}

func (a *admins) Invite(_ context.Context, _ *db.Tx, at id.ID, name, email, phone string) error {
	a.invited = append(a.invited, fmt.Sprint(at, " ", name, " ", email, " ", phone))
	return a.fail
}

// signals collects the signals sent.
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

// announced waits until a signal with the payload was received.
func (w *world) announced(payload string) {
	w.Helper()
	await.Until(w, "the signal "+payload, func() bool {
		w.signals.mu.Lock()
		defer w.signals.mu.Unlock()
		return slices.Contains(w.signals.seen, payload)
	})
}

// answer is a decoded response.
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
	return w.keyed("", as, method, path, data)
}

// keyed is call with an Idempotency-Key.
func (w *world) keyed(key, as, method, path string, data m) answer {
	w.Helper()
	var body bytes.Buffer
	if data != nil {
		if err := json.NewEncoder(&body).Encode(m{"data": data}); err != nil {
			w.Fatal(err)
		}
	}
	r := httptest.NewRequestWithContext(w.Context(), method, path, &body)
	r.Header.Set("Authorization", "Bearer "+as)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
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

// is checks the status, then the error code and, for a 422, the field.
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

// names returns one field of each record of a list.
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

// newSchool creates a school and returns the token of its administrator.
func (w *world) newSchool(code string) (id.ID, string) {
	w.Helper()
	at := w.call(super, "POST", "/super-admin/school/create", m{"name": "School " + code, "code": code}).is(201).id()
	return id.ID(at), "SCHOOL_ADMIN " + at
}

// lastAudit returns the newest entry of a school's audit log.
func (w *world) lastAudit(at id.ID) m {
	w.Helper()
	a := w.call(super, "GET", "/super-admin/audit/list?limit=1&schoolId="+string(at), nil).is(200)
	items := a.Data["items"].([]any)
	if len(items) == 0 {
		w.Fatal("the audit log is empty")
	}
	return items[0].(m)
}

// about reports whether a detail names the field.
func (a answer) about(field string) bool {
	return slices.ContainsFunc(a.Fields, func(f fault.Field) bool { return f.Field == field })
}

// without returns an object without one of its fields.
func without(v any, field string) m {
	out := maps.Clone(v.(m))
	delete(out, field)
	return out
}
