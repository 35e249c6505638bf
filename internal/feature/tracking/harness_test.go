package tracking_test

import (
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db/dbtest"
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

// world is North at seven on a Monday morning. Dan, the school's Driver, drives
// the bus B-1 along Hills: Mill, Church, Gate, each 1.1 km north of the one
// before. Mia, Parent's child, waits at Mill, and Zoe, Aunt's, at Gate. Eve
// drives too, and has no bus.
type world struct {
	*apptest.World
	monday             clock.Date
	dan, eve           string
	eves, aunt         *apptest.Account
	mia, zoe, class    string
	hills, bus         string
	mill, church, gate string
}

func each(t *testing.T, test func(t *testing.T, w *world), opts ...apptest.Option) {
	t.Helper()
	apptest.Worlds(t, newWorld, test, opts...)
}

func newWorld(base *apptest.World) *world {
	base.Helper()
	w := &world{World: base, monday: base.Monday(7)}
	driver := w.Role(actor.Driver)
	w.dan = w.Make("employee/create", m{"firstName": "Dan", "roleId": driver, "phone": w.North.Driver.Phone})
	w.eve = w.Make("employee/create", m{"firstName": "Eve", "roleId": driver, "phone": "+15550100001"})
	w.class = w.Make("class/create", m{"name": "One"})
	w.mia = w.Make("student/create", m{"firstName": "Mia", "classId": w.class,
		"guardians": list{m{"name": "Pat", "phone": w.North.Parent.Phone}}})
	w.zoe = w.Make("student/create", m{"firstName": "Zoe", "classId": w.class, "guardians": list{m{"name": "Ada", "phone": "+15550100004"}}})
	route := w.Admin("POST", depot+"route/create", m{"name": "Hills", "stops": list{
		m{"name": "Mill", "lat": 40.71, "lng": -74.0, "pickupTime": "07:05"},
		m{"name": "Church", "lat": 40.72, "lng": -74.0, "pickupTime": "07:10"},
		m{"name": "Gate", "lat": 40.73, "lng": -74.0, "pickupTime": "07:15"}}}).OK()
	w.hills = route.Text("id")
	stops := route.Objects("stops")
	w.mill, w.church, w.gate = stops[0].Text("id"), stops[1].Text("id"), stops[2].Text("id")
	w.bus = w.Make("transport/bus/create", m{"registrationNo": "B-1", "name": "Blue bus", "capacity": 3,
		"driverId": w.dan, "routeId": w.hills})
	w.Admin("PUT", depot+"route/"+w.hills+"/students", m{"students": list{
		m{"studentId": w.mia, "stopId": w.mill}, m{"studentId": w.zoe, "stopId": w.gate}}}).OK()
	w.eves, w.aunt = w.Account(actor.Driver, "+15550100001"), w.Account(actor.Parent, "+15550100004")
	return w
}

// teach gives North's teacher the class.
func (w *world) teach() {
	w.Helper()
	teacher := w.Make("employee/create", m{"firstName": "Tom", "phone": w.North.Teacher.Phone})
	w.Admin("POST", "/school-admin/employee/"+teacher+"/assignments", m{"assignments": list{m{"classId": w.class}}}).OK()
}

// begin schedules a trip and starts it.
func (w *world) begin(typ string) string {
	w.Helper()
	trip := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": typ, "date": w.monday, "startTime": w.Now().Format("15:04")})
	w.act(trip, "start", m{}).OK()
	return trip
}

func (w *world) act(trip, action string, body any) apptest.Reply {
	w.Helper()
	return w.As(w.North.Driver, "POST", trips+trip+"/"+action, body)
}

func (w *world) live(who *apptest.Account) apptest.Object {
	w.Helper()
	return w.As(who, "GET", "/bus-tracking/bus/"+w.bus+"/live", nil).OK()
}

// at is a position on the line of stops: 0 is Mill, 1 Church, 2 Gate.
func at(share float64, when time.Time) m {
	return m{"lat": 40.71 + share*0.01, "lng": -74.0, "speed": 30, "heading": 0, "timestamp": when.Format(time.RFC3339Nano)}
}

// join joins the room of the bus.
func (w *world) join(c *apptest.Socket) {
	w.Helper()
	c.OK("join-bus-room", m{"schoolId": w.North.ID, "busId": w.bus})
}
