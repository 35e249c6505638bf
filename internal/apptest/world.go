package apptest

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// World is a Service within one test. Its methods act in the school North, and end
// the test if they fail. A feature embeds it in a type that adds its own records:
//
//	type world struct {
//		*apptest.World
//		class string
//	}
type World struct {
	*Service
	testing.TB
	accounts []*Account // made by Account
}

type (
	// M is a JSON object of a request.
	M = map[string]any
	// List is a JSON array of a request.
	List = []any
)

// Worlds runs test once per engine, in parallel, each with a new world that setUp fills.
func Worlds[W any](t *testing.T, setUp func(w *World) W, test func(t *testing.T, w W), opts ...Option) {
	t.Helper()
	t.Parallel()
	Each(t, func(t *testing.T, s *Service) { test(t, setUp(s.World(t))) }, opts...)
}

// World returns a world of the service.
func (s *Service) World(t testing.TB) *World { return &World{Service: s, TB: t} }

// As is Call within the world's test.
func (w *World) As(who *Account, method, path string, body any, headers ...string) Reply {
	w.Helper()
	return w.Call(w.TB, who, method, path, body, headers...)
}

// Admin calls as the school's administrator.
func (w *World) Admin(method, path string, body any, headers ...string) Reply {
	w.Helper()
	return w.As(w.North.Admin, method, path, body, headers...)
}

// Make posts to a path below /school-admin/ as the administrator and returns the new id.
func (w *World) Make(path string, body M) string {
	w.Helper()
	return w.Admin("POST", "/school-admin/"+path, body).OK().Text("id")
}

// Upload uploads a letter and returns the file's id.
func (w *World) Upload(who *Account) string {
	w.Helper()
	body, typ := filetest.Form("letter.pdf", filetest.PDF(300))
	return w.As(who, "POST", "/"+who.Role.Prefix()+"/file/upload", body, "Content-Type", typ).OK().Text("id")
}

// Account signs in the user with this role and this phone or e-mail address.
func (w *World) Account(role actor.Role, address string) *Account {
	w.Helper()
	a := &Account{School: w.North.ID, Role: role}
	if a.Phone = address; strings.Contains(address, "@") {
		a.Phone, a.Email = "", address
	}
	a.ID = Value[id.ID](w, `SELECT id FROM users WHERE school_id = :school AND role = :role AND (phone = :address OR email = :address)`,
		db.Args{"role": role, "address": address})
	w.SignIn(w.TB, a)
	w.accounts = append(w.accounts, a)
	return a
}

// Pass moves the clock and signs every account in again.
func (w *World) Pass(d time.Duration) {
	w.Helper()
	w.Clock.Add(d)
	far := w.South
	for _, a := range slices.Concat(w.Everyone(), []*Account{far.Admin, far.Teacher, far.Parent, far.Driver}, w.accounts) {
		w.SignIn(w.TB, a)
	}
}

// Monday moves the clock to this hour of a Monday, one to two weeks ahead, and returns
// the day.
func (w *World) Monday(hour int) clock.Date {
	w.Helper()
	now := w.Now()
	days := (8-int(now.Weekday()))%7 + 7
	w.Pass(now.Truncate(24*time.Hour).AddDate(0, 0, days).Add(time.Duration(hour) * time.Hour).Sub(now))
	return dateOf(w.Now())
}

// Day is today plus n days.
func (w *World) Day(n int) string { return string(dateOf(w.Now()).AddDays(n)) }

// Drain runs the due jobs.
func (w *World) Drain() {
	w.Helper()
	if err := w.Queue.Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// With returns a copy of a body with other values, given as pairs; nil removes one.
func With(body M, pairs ...any) M {
	out := maps.Clone(body)
	for i := 0; i+1 < len(pairs); i += 2 {
		if out[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
			delete(out, pairs[i].(string))
		}
	}
	return out
}

// AtOnce makes n concurrent calls and counts the replies by status.
func AtOnce(n int, call func(i int) Reply) map[int]int {
	replies := make([]Reply, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { replies[i] = call(i) })
	}
	wg.Wait()
	out := map[int]int{}
	for _, r := range replies {
		out[r.Status]++
	}
	return out
}
