package transport_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func service(w *peopletest.World) *transport.Service {
	return &transport.Service{DB: w.DB, Now: clock.System, NewID: id.New}
}

func each(t *testing.T, test func(t *testing.T, w *peopletest.World)) {
	t.Helper()
	peopletest.Each(t, func(w *peopletest.World) []web.Route { return service(w).Routes() }, test)
}

// route adds a route of two stops.
func route(w *peopletest.World, s peopletest.School, name string) (r transport.Route) {
	w.Helper()
	early := clock.TimeOfDay("07:10")
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		made, err := service(w).AddRoutes(ctx, tx, []transport.Route{{Name: name, Stops: []transport.Stop{
			{Name: "Mill", Lat: 40.712776, Lng: -74.005974, PickupTime: &early, GeofenceMeters: 100}, {Name: "Church", GeofenceMeters: 80}}}})
		r = made[0]
		return err
	})
	return r
}

func bus(w *peopletest.World, s peopletest.School, b transport.Bus) {
	w.Helper()
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		_, err := service(w).AddBuses(ctx, tx, []transport.Bus{b})
		return err
	})
}

func TestBusesAndRoutes(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		hills := route(w, w.North, "Hills")
		route(w, w.North, "Bay")
		driver, token := w.Employ(w.North, actor.Driver, people.NewEmployee{EmployeeCode: "D1", FirstName: "Bo", Phone: "+15550000001"})
		_, idle := w.Employ(w.North, actor.Driver, people.NewEmployee{EmployeeCode: "D2", FirstName: "Al", Phone: "+15550000002"})
		_, foreign := w.Employ(w.South, actor.Driver, people.NewEmployee{EmployeeCode: "D1", FirstName: "Cy", Phone: "+15550000001"})
		bus(w, w.North, transport.Bus{RegistrationNo: "B-2", Capacity: 40, DriverID: &driver, RouteID: &hills.ID})
		bus(w, w.North, transport.Bus{RegistrationNo: "A-1", Capacity: 20})
		bus(w, w.South, transport.Bus{RegistrationNo: "B-2", Capacity: 20})

		if got := w.Call(w.North.Admin, "GET", "/school-admin/transport/bus/list", nil).All("items", "registrationNo"); !slices.Equal(got, []string{"A-1", "B-2"}) {
			t.Errorf("buses %v", got)
		}
		routes := w.Call(w.North.Admin, "GET", "/school-admin/transport/route/list", nil)
		if got := routes.All("items", "name"); !slices.Equal(got, []string{"Bay", "Hills"}) {
			t.Errorf("routes %v", got)
		}
		mine := w.Call(token, "GET", "/driver/bus/get", nil).Is(200)
		way := mine.Data["route"].(map[string]any)["stops"].([]any)
		first := way[0].(map[string]any)
		if mine.Data["registrationNo"] != "B-2" || len(way) != 2 || first["order"] != 1.0 || first["lat"] != 40.712776 || first["pickupTime"] != "07:10" {
			t.Errorf("the driver's bus: %s", mine.Text)
		}
		w.Call(idle, "GET", "/driver/bus/get", nil).Is(404, "Not Found")
		w.Call(foreign, "GET", "/driver/bus/get", nil).Is(404, "Not Found")
	})
}

func TestWhatCannotBeAdded(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		hills, far := route(w, w.North, "Hills"), route(w, w.South, "Hills")
		st := w.Enrol(w.North, people.NewStudent{AdmissionNo: "1", FirstName: "Ana"})[0]
		bus(w, w.North, transport.Bus{RegistrationNo: "A-1", Capacity: 20})
		s := service(w)
		ride := func(stop id.ID, pickup, dropoff bool) func(context.Context, *db.Tx) error {
			return func(ctx context.Context, tx *db.Tx) error {
				return s.AddRiders(ctx, tx, []transport.Rider{{StudentID: st, StopID: stop, Pickup: pickup, Dropoff: dropoff}})
			}
		}
		for _, tt := range []struct {
			name string
			add  func(context.Context, *db.Tx) error
			want string
		}{
			{"registration taken", func(ctx context.Context, tx *db.Tx) error {
				_, err := s.AddBuses(ctx, tx, []transport.Bus{{RegistrationNo: "A-1"}})
				return err
			}, "registration number"},
			{"route of another school", func(ctx context.Context, tx *db.Tx) error {
				_, err := s.AddBuses(ctx, tx, []transport.Bus{{RegistrationNo: "A-2", RouteID: &far.ID}})
				return err
			}, "no such driver or route"},
			{"route name taken", func(ctx context.Context, tx *db.Tx) error {
				_, err := s.AddRoutes(ctx, tx, []transport.Route{{Name: "Hills"}})
				return err
			}, "Another route"},
			{"picked up at one stop", ride(hills.Stops[0].ID, true, false), ""},
			{"dropped off at another", ride(hills.Stops[1].ID, false, true), ""},
			{"stop of another school", ride(far.Stops[0].ID, false, false), "no such student or stop"},
		} {
			err := w.DB.InSchool(t.Context(), w.North.ID, tt.add)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
		}
		bay := route(w, w.North, "Bay")
		if err := w.DB.InSchool(t.Context(), w.North.ID, ride(bay.Stops[0].ID, true, false)); err == nil || !strings.Contains(err.Error(), "picked up at one stop") {
			t.Errorf("a second pickup stop: %v", err)
		}
	})
}
