package school_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/access/accesstest"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// each runs a test on each engine, with its own service.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) { test(t, start(t, d)) })
}

// world is the service under test.
type world struct {
	*accesstest.World
	schools *school.Service
	admins  *admins
}

func start(t *testing.T, d *db.DB) *world {
	t.Helper()
	log := &audit.Service{DB: d, Now: clock.System, NewID: id.New}
	w := &world{World: accesstest.New(t, d), admins: &admins{}}
	w.schools = &school.Service{DB: d, Audit: log, Access: &access.Service{DB: d, Audit: log, Now: clock.System, NewID: id.New},
		Admins: w.admins, Now: clock.System, NewID: id.New}
	if err := w.schools.Platform(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Serve(slices.Concat(log.Routes(), w.schools.Routes())...)
	return w
}

const super = "SUPER_ADMIN " + string(school.PlatformID)

// admins implements school.Admins and records invitations.
type admins struct {
	fail    error
	invited []string
}

func (a *admins) Invite(_ context.Context, _ *db.Tx, at id.ID, name, email, phone string) error {
	a.invited = append(a.invited, fmt.Sprint(at, " ", name, " ", email, " ", phone))
	return a.fail
}

// m is a JSON object.
type m = map[string]any

// newSchool creates a school and returns the token of its administrator.
func (w *world) newSchool(code string) (id.ID, string) {
	w.Helper()
	at := w.Call(super, "POST", "/super-admin/school/create", m{"name": "School " + code, "code": code}).Is(201).ID()
	return id.ID(at), "SCHOOL_ADMIN " + at
}

// without returns an object without one of its fields.
func without(v any, field string) m {
	out := maps.Clone(v.(m))
	delete(out, field)
	return out
}
