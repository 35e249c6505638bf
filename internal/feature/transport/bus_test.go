package transport_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

func TestBuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		spare := w.As(admin, "POST", depot+"bus/create", m{"registrationNo": " A-7 "}).OK()
		if spare.Text("registrationNo") != "A-7" || spare.Text("status") != "ACTIVE" || spare["capacity"] != 40.0 || spare["driverId"] != nil {
			t.Errorf("bus with only a number: %v", spare)
		}
		w.As(w.South.Admin, "POST", depot+"bus/create", m{"registrationNo": "A-7"}).OK() // another school's
		for _, tt := range []struct {
			query string
			want  []string
		}{
			{"", []string{"A-7", "B-1"}}, {"?search=BLUE", []string{"B-1"}}, {"?search=7", []string{"A-7"}}, {"?search=%25", nil},
			{"?status=RETIRED", nil}, {"?driverId=" + w.dan, []string{"B-1"}}, {"?routeId=" + w.hills, []string{"B-1"}}, {"?driverId=" + w.eve, nil},
		} {
			apptest.Eq(t, fmt.Sprint("bus list ", tt.query),
				w.As(admin, "GET", depot+"bus/list"+tt.query, nil).OK().Texts("registrationNo"), tt.want)
		}

		path := depot + "bus/" + spare.Text("id")
		changed := w.As(admin, "PUT", path, m{"name": "Red", "driverId": w.eve, "insuranceExpiry": "2030-01-31", "version": 1}).OK()
		if changed.Text("driverId") != w.eve || changed.Text("registrationNo") != "A-7" ||
			changed["version"] != 2.0 || changed.Text("insuranceExpiry") != "2030-01-31" {
			t.Errorf("changed bus: %v", changed)
		}
		w.As(admin, "PUT", path, m{"name": "Late", "version": 1}).Want(409, "Conflict")
		cleared := w.As(admin, "PUT", path, m{"driverId": nil, "insuranceExpiry": nil}).OK()
		if cleared["driverId"] != nil || cleared["insuranceExpiry"] != nil || cleared.Text("name") != "Red" {
			t.Errorf("bus without driver and route: %v", cleared)
		}
		teacher := w.Make("employee/create", m{"firstName": "Tom"})
		for name, tt := range map[string]struct {
			body   m
			status int
			fault  string
		}{
			"number taken":        {m{"registrationNo": "B-1"}, 409, "DUPLICATE_ENTRY"},
			"blank":               {m{"registrationNo": " "}, 422, "Unprocessable Entity"},
			"no seat":             {m{"capacity": 0}, 422, "Unprocessable Entity"},
			"not a driver":        {m{"driverId": teacher}, 422, "Unprocessable Entity"},
			"too small":           {m{"routeId": w.hills, "capacity": 1, "status": "RETIRED"}, 200, ""}, // but retired
			"unknown":             {m{"status": "BROKEN"}, 422, "Unprocessable Entity"},
			"driver unknown":      {m{"driverId": w.mia}, 404, "Not Found"},
			"route unknown":       {m{"routeId": w.mia}, 404, "Not Found"},
			"expiry is no date":   {m{"fitnessExpiry": "soon"}, 422, "Unprocessable Entity"},
			"seats of three fits": {m{"name": "x"}, 200, ""},
		} {
			if r := w.As(admin, "PUT", path, tt.body); tt.status >= 300 {
				r.Want(tt.status, tt.fault)
			} else if r.Status != tt.status {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
		w.As(admin, "PUT", depot+"bus/"+w.bus, m{"capacity": 2}).Want(409, "Conflict")
		w.As(admin, "POST", depot+"bus/create", m{"driverId": w.dan}).Want(422, "Unprocessable Entity")

		if r := w.As(admin, "DELETE", path, nil); r.Status != 204 {
			t.Errorf("delete: %d %s", r.Status, r.Body)
		}
		w.As(admin, "GET", path, nil).Want(404, "Not Found")
		w.As(admin, "PUT", path, m{"name": "x"}).Want(404, "Not Found")
		w.Make("transport/bus/create", m{"registrationNo": "A-7"}) // the number is free again
		if got := w.Count("audit_log WHERE school_id = :school AND action LIKE 'bus.%'", nil); got < 5 {
			t.Errorf("%d changes of buses are logged", got)
		}
	})
}

// TestABusWithTripsStays refuses to delete a bus or a route with scheduled trips,
// and keeps past trips.
func TestABusWithTripsStays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		trip := w.begin("pickup", "07:00")
		path := depot + "bus/" + w.bus
		w.As(admin, "DELETE", path, nil).Want(409, "Conflict")
		w.As(admin, "PUT", path, m{"status": "RETIRED"}).Want(409, "Conflict")
		w.act(trip, "end", m{}).OK()
		w.As(admin, "PUT", depot+"route/"+w.hills+"/students", m{"students": list{}}).OK()
		if e := w.As(admin, "DELETE", depot+"route/"+w.hills, nil).Want(409, "Conflict"); !strings.Contains(e.Message, "1 buses") {
			t.Errorf("the route is in use: %s", e.Message)
		}
		for _, gone := range []string{path, depot + "route/" + w.hills} {
			if r := w.As(admin, "DELETE", gone, nil); r.Status != 204 {
				t.Fatalf("%s: %d %s", gone, r.Status, r.Body)
			}
		}
		past := w.As(admin, "GET", depot+"trip/"+trip, nil).OK()
		if past.Text("busRegistrationNo") != "B-1" || past.Text("routeName") != "Hills" || len(w.statuses(trip)) != 3 {
			t.Errorf("past trip %v, students %v", past, w.statuses(trip))
		}
	})
}

// TestSeatsOfARoute: a bus that others can't replace stays on its route. A route that is too full
// already keeps no bus from another driver.
func TestSeatsOfARoute(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		blue := depot + "bus/" + w.bus
		small := depot + "bus/" + w.Make("transport/bus/create", m{"registrationNo": "A-1", "capacity": 2})
		far := w.Make("transport/route/create", m{"name": "Far"})
		w.Admin("PUT", small, m{"routeId": w.hills}).OK()
		for _, change := range []m{{"routeId": nil}, {"routeId": far}, {"status": "RETIRED"}, {"capacity": 1, "routeId": far}} {
			if e := w.Admin("PUT", blue, change).Want(409, "Conflict"); !strings.Contains(e.Message, "3 students are on this route") {
				t.Errorf("%v: %s", change, e.Message)
			}
		}
		w.Admin("DELETE", blue, nil).Want(409, "Conflict")
		apptest.Eq(t, "route of the bus", w.Admin("GET", blue, nil).OK().Text("routeId"), w.hills)
		w.Admin("PUT", small, m{"routeId": nil}).OK()

		w.Admin("PUT", "/school-admin/student/"+w.zoe, m{"status": "LEFT"}).OK()
		w.Admin("PUT", blue, m{"capacity": 2}).OK()
		w.Admin("PUT", "/school-admin/student/"+w.zoe, m{"status": "ACTIVE"}).OK()
		w.Admin("PUT", blue, m{"driverId": w.eve}).OK()
		w.Admin("PUT", blue, m{"capacity": 1}).Want(409, "Conflict")
		w.Admin("PUT", blue, m{"routeId": nil}).OK() // a route without a bus has no limit
	})
}

func TestADriversOwnBus(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		mine := w.As(w.North.Driver, "GET", "/driver/bus/get", nil).OK()
		way := mine.Object("route").Objects("stops")
		if mine.Text("registrationNo") != "B-1" || len(way) != 3 ||
			way[0]["order"] != 1.0 || way[0]["lat"] != 40.71 || way[0].Text("pickupTime") != "07:10" {
			t.Errorf("the driver's bus: %v", mine)
		}
		w.As(w.eves, "GET", "/driver/bus/get", nil).Want(404, "Not Found")
		w.As(w.South.Driver, "GET", "/driver/bus/get", nil).Want(404, "Not Found")
		trip := w.Make("transport/trip/schedule", m{"busId": w.bus, "driverId": w.eve, "type": "pickup", "date": w.monday, "startTime": "07:00"})
		w.As(w.eves, "POST", trips+trip+"/start", m{}).OK()
		apptest.Eq(t, "on a trip, the bus of the trip", w.As(w.eves, "GET", "/driver/bus/get", nil).OK().Text("id"), w.bus)
	})
}

// TestAdding tests AddBuses, AddRoutes and AddRiders, which the demo data uses without HTTP.
func TestAdding(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := &transport.Service{DB: w.DB, Now: clock.System, NewID: id.New}
		foreign := id.ID(w.As(w.South.Admin, "POST", depot+"route/create",
			m{"name": "Far", "stops": list{m{"name": "End", "lat": 1, "lng": 1}}}).OK().Text("id"))
		ride := func(student, stop string) func(context.Context, *db.Tx) error {
			return func(ctx context.Context, tx *db.Tx) error {
				return s.AddRiders(ctx, tx, []transport.Rider{{StudentID: id.ID(student), StopID: id.ID(stop), Pickup: true}})
			}
		}
		for name, tt := range map[string]struct {
			add  func(context.Context, *db.Tx) error
			want string
		}{
			"registration taken": {func(ctx context.Context, tx *db.Tx) error {
				_, err := s.AddBuses(ctx, tx, []transport.Bus{{RegistrationNo: "B-1"}})
				return err
			}, "registration number"},
			"route of another school": {func(ctx context.Context, tx *db.Tx) error {
				_, err := s.AddBuses(ctx, tx, []transport.Bus{{RegistrationNo: "A-2", RouteID: &foreign}})
				return err
			}, "no such driver or route"},
			"route name taken": {func(ctx context.Context, tx *db.Tx) error {
				_, err := s.AddRoutes(ctx, tx, []transport.Route{{Name: "Hills"}})
				return err
			}, "Another route"},
			"a second pickup": {ride(w.mia, w.gate), "one pickup stop"},
			"no such stop":    {ride(w.max, w.mia), "no such student or stop"},
		} {
			if err := w.DB.InSchool(w.Context(), w.North.ID, tt.add); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", name, err, tt.want)
			}
		}
	})
}

// TestIfMatch: a DELETE or an action for an older version of a bus or trip does nothing.
func TestIfMatch(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		bus := depot + "bus/" + w.Make("transport/bus/create", m{"registrationNo": "A-1"})
		trip := depot + "trip/" + w.plan("pickup", "07:00")
		w.Admin("PUT", bus, m{"name": "Red"}).OK()
		w.Admin("PUT", trip, m{"startTime": "07:10"}).OK()
		old := []string{"If-Match", `"1"`}
		w.Admin("DELETE", bus, nil, old...).Want(409, "Conflict")
		w.Admin("POST", trip+"/cancel", m{}, old...).Want(409, "Conflict")
		w.Admin("POST", trip+"/cancel", m{}, append(old, "Idempotency-Key", "k")...).Want(409, "Conflict")
		apptest.Eq(t, "name", w.Admin("GET", bus, nil).OK().Text("name"), "Red")
		apptest.Eq(t, "status", w.Admin("GET", trip, nil).OK().Text("status"), "scheduled")
		w.Admin("POST", trip+"/cancel", m{}, "If-Match", `"2"`, "Idempotency-Key", "k").OK()
		if r := w.Admin("DELETE", bus, nil, "If-Match", `"2"`); r.Status != 204 {
			t.Errorf("delete: %d %s", r.Status, r.Body)
		}
	})
}
