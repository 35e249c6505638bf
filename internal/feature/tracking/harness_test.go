package tracking_test

import (
	"encoding/json"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio/siotest"
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

// world is North at seven on a Monday morning. Dan, the school's Driver, drives
// the bus B-1 along Hills: Mill, Church, Gate, each 1.1 km north of the one
// before. Mia, Parent's child, waits at Mill, and Zoe, Aunt's, at Gate. Eve
// drives too, and has no bus.
type world struct {
	*apptest.Service
	testing.TB
	monday             clock.Date
	dan, eve           string
	eves, aunt         *apptest.Account
	mia, zoe, class    string
	hills, bus         string
	mill, church, gate string
}

func each(t *testing.T, test func(t *testing.T, w *world), opts ...apptest.Option) {
	t.Helper()
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) { test(t, newWorld(t, s)) }, opts...)
}

func newWorld(t testing.TB, s *apptest.Service) *world {
	t.Helper()
	w := &world{Service: s, TB: t}
	now := s.Now()
	monday := now.Truncate(24*time.Hour).AddDate(0, 0, (8-int(now.Weekday()))%7+7).Add(7 * time.Hour)
	w.pass(monday.Sub(now))
	w.monday = clock.DateIn(monday, "UTC")
	driver := w.one(`SELECT id FROM roles WHERE school_id = :school AND type = 'DRIVER'`, nil)
	w.dan = w.make("employee/create", m{"firstName": "Dan", "roleId": driver, "phone": s.North.Driver.Phone})
	w.eve = w.make("employee/create", m{"firstName": "Eve", "roleId": driver, "phone": "+15550100001"})
	w.class = w.make("class/create", m{"name": "One"})
	w.mia = w.make("student/create", m{"firstName": "Mia", "classId": w.class,
		"guardians": list{m{"name": "Pat", "phone": s.North.Parent.Phone}}})
	w.zoe = w.make("student/create", m{"firstName": "Zoe", "classId": w.class, "guardians": list{m{"name": "Ada", "phone": "+15550100004"}}})
	route := w.do(s.North.Admin, "POST", depot+"route/create", m{"name": "Hills", "stops": list{
		m{"name": "Mill", "lat": 40.71, "lng": -74.0, "pickupTime": "07:05"},
		m{"name": "Church", "lat": 40.72, "lng": -74.0, "pickupTime": "07:10"},
		m{"name": "Gate", "lat": 40.73, "lng": -74.0, "pickupTime": "07:15"}}})
	w.hills = route.Text("id")
	stops := objects(route["stops"])
	w.mill, w.church, w.gate = stops[0].Text("id"), stops[1].Text("id"), stops[2].Text("id")
	w.bus = w.make("transport/bus/create", m{"registrationNo": "B-1", "name": "Blue bus", "capacity": 3,
		"driverId": w.dan, "routeId": w.hills})
	w.do(s.North.Admin, "PUT", depot+"route/"+w.hills+"/students", m{"students": list{
		m{"studentId": w.mia, "stopId": w.mill}, m{"studentId": w.zoe, "stopId": w.gate}}})
	w.eves = w.account("employees", w.eve, actor.Driver)
	w.aunt = w.account("guardians", w.one(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Ada'`, nil), actor.Parent)
	return w
}

// teach gives North's teacher the class.
func (w *world) teach() {
	w.Helper()
	teacher := w.make("employee/create", m{"firstName": "Tom", "phone": w.North.Teacher.Phone})
	w.do(w.North.Admin, "POST", "/school-admin/employee/"+teacher+"/assignments", m{"assignments": list{m{"classId": w.class}}})
}

// letTeachersSee lets the school's teachers see buses.
func (w *world) letTeachersSee() {
	w.Helper()
	role := w.one(`SELECT id FROM roles WHERE school_id = :school AND type = 'TEACHER'`, nil)
	module := w.one(`SELECT id FROM modules WHERE name = 'transport' AND :school <> ''`, nil)
	w.do(w.North.Admin, "PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": list{m{"moduleId": module, "canRead": true}}})
}

func objects(v any) (out []apptest.Object) {
	items, _ := v.([]any)
	for _, i := range items {
		o, _ := i.(map[string]any)
		out = append(out, o)
	}
	return out
}

func object(v any) apptest.Object {
	o, _ := v.(map[string]any)
	return o
}

func (w *world) account(table, record string, role actor.Role) *apptest.Account {
	w.Helper()
	user := w.one(`SELECT user_id FROM `+table+` WHERE school_id = :school AND id = :id`, db.Args{"id": id.ID(record)})
	a := &apptest.Account{ID: id.ID(user), School: w.North.ID, Role: role}
	w.SignIn(w.TB, a)
	return a
}

func (w *world) one(sql string, a db.Args) string {
	w.Helper()
	v, err := db.One[string](w.Context(), w.DB.School(w.North.ID), sql, a)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// pass advances the clock and signs everyone in again.
func (w *world) pass(d time.Duration) {
	w.Helper()
	w.Clock.Add(d)
	for _, a := range append(w.Everyone(), w.South.Admin, w.South.Parent, w.eves, w.aunt) {
		if a != nil {
			w.SignIn(w.TB, a)
		}
	}
}

func (w *world) do(who *apptest.Account, method, path string, body any) apptest.Object {
	w.Helper()
	return w.Call(w.TB, who, method, path, body).OK()
}

func (w *world) make(path string, body m) string {
	w.Helper()
	return w.do(w.North.Admin, "POST", "/school-admin/"+path, body).Text("id")
}

// begin schedules a trip and starts it.
func (w *world) begin(typ string) string {
	w.Helper()
	trip := w.make("transport/trip/schedule", m{"busId": w.bus, "type": typ, "date": w.monday, "startTime": w.Now().Format("15:04")})
	w.act(trip, "start", m{}).OK()
	return trip
}

func (w *world) act(trip, action string, body any) apptest.Reply {
	w.Helper()
	return w.Call(w.TB, w.North.Driver, "POST", trips+trip+"/"+action, body)
}

func (w *world) live(who *apptest.Account) apptest.Object {
	w.Helper()
	return w.do(who, "GET", "/bus-tracking/bus/"+w.bus+"/live", nil)
}

// at is a position on the line of stops: 0 is Mill, 1 Church, 2 Gate.
func at(share float64, when time.Time) m {
	return m{"lat": 40.71 + share*0.01, "lng": -74.0, "speed": 30, "heading": 0, "timestamp": when.Format(time.RFC3339Nano)}
}

// client is a socket of an account.
type client struct {
	*siotest.Client
	t testing.TB
}

// dial connects a socket of the account.
func (w *world) dial(who *apptest.Account) *client {
	w.Helper()
	c, err := siotest.Connect(w.Context(), w.URL+"/socket.io/", m{"token": who.Access}, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(c.Close)
	return &client{c, w.TB}
}

// ask sends an event and returns its acknowledgement.
func (c *client) ask(event string, args ...any) apptest.Object {
	c.t.Helper()
	raw, err := c.Call(event, args...)
	if err != nil {
		c.t.Fatal(err)
	}
	return decode(c.t, raw)
}

// ok requires a success.
func (c *client) ok(event string, args ...any) apptest.Object {
	c.t.Helper()
	got := c.ask(event, args...)
	if got["ok"] != true {
		c.t.Fatalf("%s %v: %v", event, args, got)
	}
	return got
}

// refused requires an error of this status and name, and returns its body.
func (c *client) refused(status int, name, event string, args ...any) apptest.Object {
	c.t.Helper()
	got := c.ask(event, args...)
	body := object(got["error"])
	if got["ok"] != false || body["statusCode"] != float64(status) || body.Text("error") != name {
		c.t.Fatalf("%s %v: %v, want %d %s", event, args, got, status, name)
	}
	return body
}

// hears waits for an event.
func (c *client) hears(event string) apptest.Object {
	c.t.Helper()
	raw, err := c.Event(event, await.Limit)
	if err != nil {
		c.t.Fatal(err)
	}
	return decode(c.t, raw)
}

// hearsNo requires that the event has not come before a later reply.
func (c *client) hearsNo(event string) {
	c.t.Helper()
	c.ask("nonsense")
	if raw, err := c.Event(event, 20*time.Millisecond); err == nil {
		c.t.Errorf("heard %s: %s", event, raw)
	}
}

func decode(t testing.TB, raw json.RawMessage) (o apptest.Object) {
	t.Helper()
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatalf("decode %s: %v", raw, err)
	}
	return o
}

// join joins the room of the bus.
func (w *world) join(c *client) {
	c.t.Helper()
	c.ok("join-bus-room", m{"schoolId": w.North.ID, "busId": w.bus})
}
