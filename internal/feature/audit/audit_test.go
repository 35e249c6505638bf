package audit_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
	"homeroom/internal/platform/web/webtest"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// world is the audit log with a test clock and two schools.
type world struct {
	*testing.T
	db     *db.DB
	log    *audit.Service
	server *web.Server
	now    time.Time
}

const (
	one, two     id.ID = "0199f3a2-0000-7000-8000-000000000001", "0199f3a2-0000-7000-8000-000000000002"
	ada, bob     id.ID = "0199f3a2-0000-7000-8000-00000000000a", "0199f3a2-0000-7000-8000-00000000000b"
	thing, other id.ID = "0199f3a2-0000-7000-8000-0000000000a1", "0199f3a2-0000-7000-8000-0000000000a2"
)

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) {
		w := &world{T: t, db: d, now: time.Date(2026, 11, 15, 8, 5, 0, 0, time.UTC)}
		w.log = &audit.Service{DB: d, Now: func() time.Time { return w.now }, NewID: id.New}
		for _, at := range []id.ID{one, two} {
			_, err := db.Exec(t.Context(), d.Across(unscoped.Permit{}),
				`INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
				VALUES (:id, :name, :name, 'UTC', 'USD', 'en', 'ACTIVE', :now, :now)`, db.Args{"id": at, "name": string(at), "now": w.now})
			if err != nil {
				t.Fatal(err)
			}
		}
		var err error
		w.server, err = web.New(web.Config{Routes: w.log.Routes(), Gate: gate{}, DB: d, Now: clock.System, NewID: id.New,
			Log:     slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
			Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		test(t, w)
	})
}

// gate accepts tokens "ROLE school", with " -module" for one that the role may not read.
type gate struct{}

func (gate) Authenticate(_ context.Context, token string) (actor.Actor, error) {
	role, at, _ := strings.Cut(token, " ")
	at, without, _ := strings.Cut(at, " -")
	grants := actor.Grants{}
	for _, module := range []string{"report", "student", "employee", "fee", "role", "setting"} {
		grants[module] = actor.Read
	}
	delete(grants, without)
	return actor.Actor{User: ada, School: id.ID(at), Role: actor.Role(role), Grants: grants}, nil
}

func (w *world) get(as, path string) webtest.Answer {
	w.Helper()
	return webtest.Client{TB: w.T, Handler: w.server}.Call(as, "GET", path, nil)
}

// record writes an entry like a feature.
func (w *world) record(at id.ID, who actor.Actor, action, entity string, of id.ID, before, after any) {
	w.Helper()
	err := w.db.InSchool(w.Context(), at, func(ctx context.Context, tx *db.Tx) error {
		return w.log.Record(ctx, tx, who, action, entity, of, before, after)
	})
	if err != nil {
		w.Fatal(err)
	}
}

type m = map[string]any

func TestRecord(t *testing.T) {
	t.Parallel()
	who := actor.Actor{User: ada, School: one, Role: actor.SchoolAdmin, RequestID: "req-12345678", IP: "192.0.2.1"}
	type user struct {
		Name  string `json:"name"`
		Phone string `json:"phone"`
		Pin   string `json:"pin"`
	}
	old, changed := user{"Ada", "+1", "1234"}, user{"Ada", "+2", "5678"}
	for _, tt := range []struct {
		name          string
		who           actor.Actor
		of            id.ID
		before, after any
		want          m
	}{
		{"a new record", who, thing, nil, old,
			m{"userId": string(ada), "role": "SCHOOL_ADMIN", "entityId": string(thing), "requestId": "req-12345678", "ip": "192.0.2.1",
				"before": nil, "after": m{"name": "Ada", "phone": "+1"}}},
		{"a change", who, thing, old, changed,
			m{"userId": string(ada), "role": "SCHOOL_ADMIN", "entityId": string(thing), "requestId": "req-12345678", "ip": "192.0.2.1",
				"before": m{"phone": "+1"}, "after": m{"phone": "+2"}}},
		{"a deletion by the service itself", actor.Actor{}, "", old, nil,
			m{"userId": nil, "role": nil, "entityId": nil, "requestId": nil, "ip": nil, "before": m{"name": "Ada", "phone": "+1"}, "after": nil}},
		{"a change of nothing", who, thing, old, old,
			m{"userId": string(ada), "role": "SCHOOL_ADMIN", "entityId": string(thing), "requestId": "req-12345678", "ip": "192.0.2.1",
				"before": m{}, "after": m{}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.record(one, tt.who, "user.do", "user", tt.of, tt.before, tt.after)
				a := w.get("SCHOOL_ADMIN "+string(one), "/school-admin/audit/list")
				if a.Status != 200 || a.Data["total"] != 1.0 {
					t.Fatalf("response: got %v", a.Text)
				}
				got := a.Data["items"].([]any)[0].(m)
				want := m{"id": got["id"], "schoolId": string(one), "at": "2026-11-15T08:05:00.000Z", "userName": nil, "action": "user.do",
					"entity": "user"}
				for k, v := range tt.want {
					want[k] = v
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("diff: got %v", d)
				}
			})
		})
	}
}

// TestRecordIsPartOfTheChange rolls back a change together with its entry.
func TestRecordIsPartOfTheChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		undo := errors.New("undo")
		err := w.db.InSchool(t.Context(), one, func(ctx context.Context, tx *db.Tx) error {
			if err := w.log.Record(ctx, tx, actor.Actor{}, "a.b", "a", thing, nil, m{}); err != nil {
				t.Error(err)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Error(err)
		}
		if a := w.get("SCHOOL_ADMIN "+string(one), "/school-admin/audit/list"); a.Data["total"] != 0.0 {
			t.Errorf("response: got %v", a.Text)
		}
	})
}

func TestList(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i, e := range []struct {
			at       id.ID
			user     id.ID
			day      int
			hour     int
			entity   string
			entityID id.ID
		}{
			{one, ada, 10, 0, "role", thing},   // 0
			{one, bob, 10, 23, "role", other},  // 1
			{one, ada, 11, 12, "fee", thing},   // 2
			{two, ada, 11, 12, "role", thing},  // 3
			{one, bob, 12, 0, "fee", other},    // 4
			{two, bob, 13, 0, "school", other}, // 5
		} {
			w.now = time.Date(2026, 11, e.day, e.hour, 0, 0, 0, time.UTC)
			w.record(e.at, actor.Actor{User: e.user, Role: actor.SchoolAdmin}, fmt.Sprintf("%s.do", e.entity), e.entity, e.entityID, nil, m{"n": i})
		}
		admin, super := "SCHOOL_ADMIN "+string(one), "SUPER_ADMIN "+string(two)
		const own, all = "/school-admin/audit/list", "/super-admin/audit/list"
		for _, tt := range []struct {
			as, path string
			want     []float64
		}{
			{admin, own, []float64{4, 2, 1, 0}},
			{admin, own + "?sort=at", []float64{0, 1, 2, 4}},
			{admin, own + "?sort=at&order=desc&limit=2&page=2", []float64{1, 0}},
			{admin, own + "?userId=" + string(ada), []float64{2, 0}},
			{admin, own + "?action=role.do", []float64{1, 0}},
			{admin, own + "?entity=fee", []float64{4, 2}},
			{admin, own + "?entityId=" + string(thing), []float64{2, 0}},
			{admin, own + "?entityId=" + string(thing) + "&entity=fee&userId=" + string(ada), []float64{2}},
			{admin, own + "?from=2026-11-11", []float64{4, 2}},
			{admin, own + "?to=2026-11-10", []float64{1, 0}},
			{admin, own + "?from=2026-11-10&to=2026-11-11", []float64{2, 1, 0}},
			{admin, own + "?from=2026-11-10T23:00:00Z&to=2026-11-11T12:00:00Z", []float64{2, 1}},
			{admin, own + "?from=2026-11-11T00:00:00.001%2B01:00&to=2026-11-11T11:59:59.999Z", []float64{}},
			{admin, own + "?userId=" + string(one), []float64{}},
			{super, all, []float64{5, 4, 3, 2, 1, 0}},
			{super, all + "?schoolId=" + string(two), []float64{5, 3}},
			{super, all + "?userId=" + string(ada) + "&from=2026-11-11", []float64{3, 2}},
			{super, all + "?action=school.do", []float64{5}},
			{super, all + "?to=2026-11-11&sort=at&limit=1", []float64{0}},
		} {
			a := w.get(tt.as, tt.path)
			if a.Status != 200 {
				t.Errorf("%s: %s", tt.path, a.Text)
				continue
			}
			got := []float64{}
			for _, item := range a.Data["items"].([]any) {
				got = append(got, item.(m)["after"].(m)["n"].(float64))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s: %s", tt.path, d)
			}
		}
		for _, tt := range []struct{ as, path, field string }{
			{admin, own + "?schoolId=" + string(two), "schoolId"},
			{admin, own + "?userId=ada", "userId"},
			{admin, own + "?from=yesterday", "from"},
			{admin, own + "?from=2026-02-30", "from"},
			{admin, own + "?to=2026-11-11Tnoon", "to"},
			{admin, own + "?sort=action", "sort.field"},
			{super, all + "?entity=fee", "entity"},
		} {
			if a := w.get(tt.as, tt.path); a.Status != 422 || !a.About(tt.field) {
				t.Errorf("%s: %d %s", tt.path, a.Status, a.Text)
			}
		}
		if a := w.get(admin, all); a.Status != 403 {
			t.Errorf("response: got %v", a.Text)
		}
	})
}

// Whoever may not read a module sees that its records changed, but not what is in them.
func TestStatesNeedTheModule(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		who := actor.Actor{User: ada, School: one, Role: actor.SchoolAdmin}
		for _, action := range []string{"student.create", "guardian.change.propose", "employee.update", "user.create", "fee-charge.void"} {
			w.record(one, who, action, "entity", thing, m{"n": 1}, m{"n": 2})
		}
		for _, path := range []string{"SCHOOL_ADMIN /school-admin/audit/list", "SUPER_ADMIN /super-admin/audit/list"} {
			role, path, _ := strings.Cut(path, " ")
			for without, hidden := range map[string][]string{
				"":         {},
				"student":  {"student.create", "guardian.change.propose", "user.create"},
				"employee": {"employee.update", "user.create"},
				"fee":      {"fee-charge.void"},
			} {
				for _, e := range w.get(role+" "+string(one)+" -"+without, path).Data["items"].([]any) {
					entry := e.(m)
					want := slices.Contains(hidden, entry["action"].(string))
					if got := entry["before"] == nil && entry["after"] == nil; got != want {
						t.Errorf("%s without %q: %v", path, without, entry)
					}
				}
			}
		}
	})
}
