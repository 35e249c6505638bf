package access_test

import (
	"context"
	"slices"
	"testing"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/access/accesstest"
	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// each runs a test on each engine, with a new world.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) { test(t, start(t, d)) })
}

// world is the service under test.
type world struct {
	*accesstest.World
	roles *access.Service
	users users
}

func start(t *testing.T, d *db.DB) *world {
	t.Helper()
	log := &audit.Service{DB: d, Now: clock.System, NewID: id.New}
	w := &world{World: accesstest.New(t, d), users: users{}}
	w.roles = &access.Service{DB: d, Audit: log, Users: w.users, Now: clock.System, NewID: id.New}
	w.putSchool(platform, "PLATFORM", w.roles.SeedPlatform)
	w.Serve(slices.Concat(log.Routes(), w.roles.Routes())...)
	return w
}

// putSchool makes the row of a school, and its roles.
func (w *world) putSchool(at id.ID, code string, seed func(context.Context, *db.Tx) error) {
	w.Helper()
	err := w.DB.InAll(w.Context(), unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
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

const (
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

// m is a JSON object.
type m = map[string]any
