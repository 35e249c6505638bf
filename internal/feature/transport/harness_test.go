package transport_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = map[string]any
	list = []any
)

const (
	depot = "/school-admin/transport/"
	trips = "/driver/bus-tracking/trips/"
)

// world is North on a Monday morning. Dan, the school's Driver, drives the bus B-1
// along Hills, from Mill by Church to Gate; Eve drives too, and has no bus. Mia
// waits at Mill, Noa and Zoe at Church. Mia and Noa are Parent's children, Mia
// and Zoe are Uncle's; Max rides on no bus, and is Aunt's.
type world struct {
	*apptest.Service
	testing.TB
	monday             clock.Date
	dan, eve           string // employees
	eves, uncle, aunt  *apptest.Account
	mia, noa, zoe, max string
	class              string
	hills, bus         string
	mill, church, gate string
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) { test(t, newWorld(t, s)) })
}

func newWorld(t testing.TB, s *apptest.Service) *world {
	t.Helper()
	w := &world{Service: s, TB: t}
	now := s.Now()
	monday := now.Truncate(24*time.Hour).AddDate(0, 0, (8-int(now.Weekday()))%7+7).Add(6 * time.Hour)
	w.pass(monday.Sub(now))
	w.monday = clock.DateIn(monday, "UTC")
	driver := w.one(`SELECT id FROM roles WHERE school_id = :school AND type = 'DRIVER'`, nil)
	w.dan = w.make("employee/create", m{"firstName": "Dan", "lastName": "Roe", "roleId": driver, "phone": s.North.Driver.Phone})
	w.eve = w.make("employee/create", m{"firstName": "Eve", "roleId": driver, "phone": "+15550100001"})
	w.class = w.make("class/create", m{"name": "One"})
	parent, uncle := m{"name": "Pat", "phone": s.North.Parent.Phone}, m{"name": "Una", "phone": "+15550100003"}
	student := func(name string, guardians ...any) string {
		return w.make("student/create", m{"firstName": name, "lastName": "Roe", "classId": w.class, "guardians": guardians})
	}
	w.mia, w.noa, w.zoe = student("Mia", parent, uncle), student("Noa", parent), student("Zoe", uncle)
	w.max = student("Max", m{"name": "Ada", "phone": "+15550100004"})
	route := w.do(s.North.Admin, "POST", depot+"route/create", m{"name": "Hills", "stops": list{
		m{"name": "Mill", "lat": 40.71, "lng": -74.0, "pickupTime": "07:10", "dropoffTime": "15:30"},
		m{"name": "Church", "lat": 40.72, "lng": -74.0}, m{"name": "Gate", "lat": 40.73, "lng": -74.0}}})
	w.hills = route.Text("id")
	stops := stopsOf(route)
	w.mill, w.church, w.gate = stops[0].Text("id"), stops[1].Text("id"), stops[2].Text("id")
	w.bus = w.make("transport/bus/create", m{"registrationNo": "B-1", "name": "Blue bus", "capacity": 3,
		"driverId": w.dan, "routeId": w.hills})
	w.do(s.North.Admin, "PUT", depot+"route/"+w.hills+"/students", m{"students": list{
		m{"studentId": w.mia, "stopId": w.mill}, m{"studentId": w.noa, "stopId": w.church}, m{"studentId": w.zoe, "stopId": w.church}}})
	w.eves = w.account("employees", w.eve, actor.Driver)
	w.uncle, w.aunt = w.guardian("Una"), w.guardian("Ada")
	return w
}

func stopsOf(route apptest.Object) (out []apptest.Object) {
	stops, _ := route["stops"].([]any)
	for _, s := range stops {
		o, _ := s.(map[string]any)
		out = append(out, o)
	}
	return out
}

func (w *world) guardian(name string) *apptest.Account {
	w.Helper()
	return w.account("guardians", w.one(`SELECT id FROM guardians WHERE school_id = :school AND name = :name`,
		db.Args{"name": name}), actor.Parent)
}

// account creates and signs in the account of a record.
func (w *world) account(table, record string, role actor.Role) *apptest.Account {
	w.Helper()
	user := w.one(`SELECT user_id FROM `+table+` WHERE school_id = :school AND id = :id`, db.Args{"id": id.ID(record)})
	a := &apptest.Account{ID: id.ID(user), School: w.North.ID, Role: role}
	w.SignIn(w.TB, a)
	return a
}

// one reads one string from North.
func (w *world) one(sql string, a db.Args) string {
	w.Helper()
	v, err := db.One[string](w.Context(), w.DB.School(w.North.ID), sql, a)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// in runs fn in a transaction of North.
func (w *world) in(fn func(context.Context, *db.Tx) error) error {
	return w.DB.InSchool(w.Context(), w.North.ID, fn)
}

// pass advances the clock and signs everyone in again.
func (w *world) pass(d time.Duration) {
	w.Helper()
	w.Clock.Add(d)
	for _, a := range append(w.Everyone(), w.South.Admin, w.South.Driver, w.eves, w.uncle, w.aunt) {
		if a != nil {
			w.SignIn(w.TB, a)
		}
	}
}

// day is the n-th day after the Monday.
func (w *world) day(n int) string { return string(w.monday.AddDays(n)) }

func (w *world) call(who *apptest.Account, method, path string, body any) apptest.Reply {
	w.Helper()
	return w.Call(w.TB, who, method, path, body)
}

// do calls and requires success.
func (w *world) do(who *apptest.Account, method, path string, body any) apptest.Object {
	w.Helper()
	return w.call(who, method, path, body).OK()
}

// make creates a record as the administrator and returns its id.
func (w *world) make(path string, body m) string {
	w.Helper()
	return w.do(w.North.Admin, "POST", "/school-admin/"+path, body).Text("id")
}

// with returns a copy of body with other values; nil removes one.
func with(body m, pairs ...any) m {
	out := m{}
	for k, v := range body {
		out[k] = v
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if out[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
			delete(out, pairs[i].(string))
		}
	}
	return out
}

// plan schedules a trip of the bus for the Monday.
func (w *world) plan(typ, at string) string {
	w.Helper()
	return w.make("transport/trip/schedule", m{"busId": w.bus, "type": typ, "date": w.monday, "startTime": at})
}

// act calls an action of a trip as its driver.
func (w *world) act(trip, action string, body any) apptest.Reply {
	w.Helper()
	return w.call(w.North.Driver, "POST", trips+trip+"/"+action, body)
}

// set records the status of a student.
func (w *world) set(trip, student, status string) apptest.Reply {
	w.Helper()
	return w.act(trip, "students/"+student+"/status", m{"status": status})
}

// begin plans a trip and starts it.
func (w *world) begin(typ, at string) string {
	w.Helper()
	trip := w.plan(typ, at)
	w.act(trip, "start", m{}).OK()
	return trip
}

// statuses returns the statuses of a trip's students, by student.
func (w *world) statuses(trip string) map[string]string {
	w.Helper()
	out := map[string]string{}
	for _, b := range w.do(w.North.Admin, "GET", "/bus-tracking/trip/"+trip+"/students", nil).Items() {
		out[b.Text("studentId")] = b.Text("status")
	}
	return out
}

// told returns an account's TRANSPORT notifications about a record, oldest first.
func (w *world) told(who *apptest.Account, record string) []string {
	w.Helper()
	list, err := db.All[string](w.Context(), w.DB.School(w.North.ID), `
		SELECT title || ': ' || body FROM notifications
		WHERE school_id = :school AND user_id = :user AND type = 'TRANSPORT' AND record_id = :record ORDER BY id`,
		db.Args{"user": who.ID, "record": id.ID(record)})
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// count counts rows of North.
func (w *world) count(from string, a db.Args) string {
	w.Helper()
	return w.one(`SELECT CAST(COUNT(*) AS TEXT) FROM `+from, a)
}

// texts returns one field of each item.
func texts(o apptest.Object, key string) (out []string) {
	for _, item := range o.Items() {
		out = append(out, fmt.Sprint(item[key]))
	}
	return out
}

// lines reads one string of each row of North.
func (w *world) lines(sql string) []string {
	w.Helper()
	list, err := db.All[string](w.Context(), w.DB.School(w.North.ID), sql, nil)
	if err != nil {
		w.Fatal(err)
	}
	return list
}
