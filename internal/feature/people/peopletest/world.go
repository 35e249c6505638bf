// Package peopletest gives a test two schools on a real database, with real routes
// and a fake authenticator whose tokens are "school user".
package peopletest

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
	"homeroom/internal/platform/web/webtest"
	"homeroom/internal/schema"
)

// Nobody is an id without a record.
const Nobody id.ID = "0199f3a2-0000-7000-8000-000000000000"

// World is the service under test.
type World struct {
	testing.TB
	DB      *db.DB
	URL     string // of the database
	Schools *school.Service
	Roles   *access.Service
	People  *people.Service
	North   School
	South   School
	server  *web.Server
}

// School is a school with a current academic year.
type School struct {
	ID    id.ID
	Year  id.ID
	Admin string // the token of an administrator
}

// Each runs a test on each engine, with a new World.
func Each(t *testing.T, routes func(w *World) []web.Route, test func(t *testing.T, w *World)) {
	t.Helper()
	On(t, dbtest.Engines, routes, test)
}

// On is Each for the given engines.
func On(t *testing.T, engines []string, routes func(w *World) []web.Route, test func(t *testing.T, w *World)) {
	t.Helper()
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, New(t, engine, routes))
		})
	}
}

// New makes a world on one engine.
func New(tb testing.TB, engine string, routes func(w *World) []web.Route) *World {
	tb.Helper()
	w := &World{TB: tb, URL: dbtest.URL(tb, engine, schema.FS)}
	w.DB = dbtest.Dial(tb, w.URL, schema.FS)
	w.start(routes)
	return w
}

func (w *World) start(routes func(*World) []web.Route) {
	w.Helper()
	log := &audit.Service{DB: w.DB, Now: clock.System, NewID: id.New}
	w.Roles = &access.Service{DB: w.DB, Audit: log, Now: clock.System, NewID: id.New}
	w.Schools = &school.Service{DB: w.DB, Audit: log, Access: w.Roles, Now: clock.System, NewID: id.New}
	keys, err := token.ParseRing("test:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		w.Fatal(err)
	}
	mail := &notify.Notifier{DB: w.DB, Now: clock.System, NewID: id.New, Seal: keys, Log: slog.New(slog.DiscardHandler)}
	accounts := identity.New(identity.Options{DB: w.DB, Audit: log, Notify: mail, Keys: keys, Now: clock.System, NewID: id.New,
		Rand: rand.Reader})
	w.Roles.Users = accounts
	w.People = &people.Service{DB: w.DB, Accounts: accounts, Now: clock.System, NewID: id.New}
	w.Schools.Activated, w.Schools.Ended = append(w.Schools.Activated, w.People.SeatYear), w.People.MoveGraduation
	if err := w.Schools.Platform(w.Context()); err != nil {
		w.Fatal(err)
	}
	w.North, w.South = w.school("NORTH"), w.school("SOUTH")
	w.server, err = web.New(web.Config{Routes: routes(w), Gate: Gate{w.DB}, DB: w.DB, Now: clock.System, NewID: id.New,
		Log: slog.New(slog.DiscardHandler), Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: 20 * time.Second})
	if err != nil {
		w.Fatal(err)
	}
}

func (w *World) school(code string) School {
	w.Helper()
	sch, err := w.Schools.Create(w.Context(), actor.Actor{}, school.New{Name: code, Code: code,
		AcademicYear: &school.NewYear{Name: "2026/27", StartDate: "2026-06-01", EndDate: "2027-05-31"}})
	if err != nil {
		w.Fatal(err)
	}
	year, err := school.CurrentYear(w.Context(), w.DB.School(sch.ID))
	if err != nil {
		w.Fatal(err)
	}
	s := School{ID: sch.ID, Year: year.ID}
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		user, err := w.People.Accounts.CreateAccount(ctx, tx, actor.Actor{School: s.ID}, identity.NewAccount{
			Role: actor.SchoolAdmin, Name: "Admin", Email: strings.ToLower(code) + "@example.org",
			PasswordHash: "of no password"}) // with a password no reset link is sent
		s.Admin = s.Token(user)
		return err
	})
	return s
}

// Token is the bearer token of a user of the school.
func (s School) Token(user id.ID) string { return string(s.ID) + " " + string(user) }

// In runs fn in a transaction of the school. Any error fails the test.
func (w *World) In(s School, fn func(ctx context.Context, tx *db.Tx) error) {
	w.Helper()
	if err := w.DB.InSchool(w.Context(), s.ID, fn); err != nil {
		w.Fatal(err)
	}
}

// Enrol adds students. Any error fails the test.
func (w *World) Enrol(s School, in ...people.NewStudent) []id.ID {
	w.Helper()
	var ids []id.ID
	w.In(s, func(ctx context.Context, tx *db.Tx) (err error) {
		ids, err = w.People.AddStudents(ctx, tx, actor.Actor{School: s.ID}, in)
		return err
	})
	return ids
}

// Employ adds an employee and returns its id and token. Any error fails the test.
func (w *World) Employ(s School, role actor.Role, in people.NewEmployee) (id.ID, string) {
	w.Helper()
	var ids []id.ID
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		r, err := access.System(ctx, tx, role)
		if err != nil {
			return err
		}
		in.RoleID = r.ID
		ids, err = w.People.AddEmployees(ctx, tx, actor.Actor{School: s.ID}, []people.NewEmployee{in})
		return err
	})
	return ids[0], s.Token(w.UserOf(s, "employees", "id", string(ids[0])))
}

// UserOf reads user_id of the row whose column has the value.
func (w *World) UserOf(s School, table, column, value string) id.ID {
	w.Helper()
	user, err := db.One[id.ID](w.Context(), w.DB.School(s.ID),
		`SELECT user_id FROM `+table+` WHERE school_id = :school AND `+column+` = :value`, db.Args{"value": value})
	if err != nil {
		w.Fatal(err)
	}
	return user
}

// Exec runs a statement in the school. Any error fails the test.
func (w *World) Exec(s School, sql string, a db.Args) {
	w.Helper()
	if _, err := db.Exec(w.Context(), w.DB.School(s.ID), sql, a); err != nil {
		w.Fatal(err)
	}
}

// Count counts rows of North, from being what follows FROM.
func (w *World) Count(from string, a db.Args) int {
	w.Helper()
	n, err := db.One[int](w.Context(), w.DB.School(w.North.ID), `SELECT COUNT(*) FROM `+from, a)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// Audited checks the number of entries for an action in North's audit log.
func (w *World) Audited(action string, want int) {
	w.Helper()
	if n := w.Count(`audit_log WHERE school_id = :school AND action = :action`, db.Args{"action": action}); n != want {
		w.Errorf("%s: %d entries, want %d", action, n, want)
	}
}

// Gate authenticates the user named in a token.
type Gate struct{ DB *db.DB }

func (g Gate) Authenticate(ctx context.Context, token string) (actor.Actor, error) {
	type user struct {
		Role   actor.Role
		RoleID id.ID
	}
	at, who, _ := strings.Cut(token, " ")
	q := g.DB.School(id.ID(at))
	u, err := db.One[user](ctx, q, `SELECT role, role_id FROM users WHERE school_id = :school AND id = :id`, db.Args{"id": id.ID(who)})
	if err != nil {
		return actor.Actor{}, fault.New(fault.Unauthenticated, "", "Not a token.").Because(err)
	}
	grants, err := access.Grants(ctx, q, u.RoleID)
	return actor.Actor{User: id.ID(who), School: id.ID(at), Role: u.Role, RoleID: u.RoleID, Grants: grants, Zone: "UTC"}, err
}

// Answer is a decoded response.
type Answer = webtest.Answer

// Call sends a request with the token; nil data means no body.
func (w *World) Call(token, method, path string, data any) Answer {
	w.Helper()
	return webtest.Client{TB: w.TB, Handler: w.server}.Call(token, method, path, data)
}

// Send posts a file as the request body. Headers are name, value pairs.
func (w *World) Send(token, path, contentType, body string, headers ...string) Answer {
	w.Helper()
	return webtest.Client{TB: w.TB, Handler: w.server}.Send(token, "POST", path, body, append(headers, "Content-Type", contentType)...)
}

// Fetch downloads a file; Text is its content.
func (w *World) Fetch(token, path string) Answer {
	w.Helper()
	return w.Call(token, "GET", path, nil)
}
