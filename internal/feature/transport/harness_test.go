package transport_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = apptest.M
	list = apptest.List
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
	*apptest.World
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
	apptest.Worlds(t, newWorld, test)
}

func newWorld(base *apptest.World) *world {
	base.Helper()
	w := &world{World: base, monday: base.Monday(6)}
	driver := w.Role(actor.Driver)
	w.dan = w.Make("employee/create", m{"firstName": "Dan", "lastName": "Roe", "roleId": driver, "phone": w.North.Driver.Phone})
	w.eve = w.Make("employee/create", m{"firstName": "Eve", "roleId": driver, "phone": "+15550100001"})
	w.class = w.Make("class/create", m{"name": "One"})
	parent, uncle := m{"name": "Pat", "phone": w.North.Parent.Phone}, m{"name": "Una", "phone": "+15550100003"}
	student := func(name string, guardians ...any) string {
		return w.Make("student/create", m{"firstName": name, "lastName": "Roe", "classId": w.class, "guardians": guardians})
	}
	w.mia, w.noa, w.zoe = student("Mia", parent, uncle), student("Noa", parent), student("Zoe", uncle)
	w.max = student("Max", m{"name": "Ada", "phone": "+15550100004"})
	route := w.Admin("POST", depot+"route/create", m{"name": "Hills", "stops": list{
		m{"name": "Mill", "lat": 40.71, "lng": -74.0, "pickupTime": "07:10", "dropoffTime": "15:30"},
		m{"name": "Church", "lat": 40.72, "lng": -74.0}, m{"name": "Gate", "lat": 40.73, "lng": -74.0}}}).OK()
	w.hills = route.Text("id")
	stops := route.Objects("stops")
	w.mill, w.church, w.gate = stops[0].Text("id"), stops[1].Text("id"), stops[2].Text("id")
	w.bus = w.Make("transport/bus/create", m{"registrationNo": "B-1", "name": "Blue bus", "capacity": 3,
		"driverId": w.dan, "routeId": w.hills})
	w.Admin("PUT", depot+"route/"+w.hills+"/students", m{"students": list{
		m{"studentId": w.mia, "stopId": w.mill}, m{"studentId": w.noa, "stopId": w.church}, m{"studentId": w.zoe, "stopId": w.church}}}).OK()
	w.eves = w.Account(actor.Driver, "+15550100001")
	w.uncle, w.aunt = w.Account(actor.Parent, "+15550100003"), w.Account(actor.Parent, "+15550100004")
	return w
}

// day is the n-th day after the Monday.
func (w *world) day(n int) string { return string(w.monday.AddDays(n)) }

// plan schedules a trip of the bus for the Monday.
func (w *world) plan(typ, at string) string {
	w.Helper()
	return w.Make("transport/trip/schedule", m{"busId": w.bus, "type": typ, "date": w.monday, "startTime": at})
}

// act calls an action of a trip as its driver.
func (w *world) act(trip, action string, body any) apptest.Reply {
	w.Helper()
	return w.As(w.North.Driver, "POST", trips+trip+"/"+action, body)
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
	for _, b := range w.Admin("GET", "/bus-tracking/trip/"+trip+"/students", nil).OK().Items() {
		out[b.Text("studentId")] = b.Text("status")
	}
	return out
}

// told returns an account's TRANSPORT notifications about a record, oldest first.
func (w *world) told(who *apptest.Account, record string) []string {
	w.Helper()
	return w.All(`
		SELECT title || ': ' || body FROM notifications
		WHERE school_id = :school AND user_id = :user AND type = 'TRANSPORT' AND record_id = :record ORDER BY id`,
		db.Args{"user": who.ID, "record": id.ID(record)})
}
