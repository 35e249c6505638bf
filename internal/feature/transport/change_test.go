package transport_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// TestDriverIll gives a trip to another driver, and then another bus and time.
func TestDriverIll(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin, trip := w.North.Admin, w.plan("pickup", "07:00")
		path, roster := depot+"trip/"+trip, "/driver/student/list?tripId="+trip
		w.As(w.North.Driver, "GET", roster, nil).OK()
		w.As(w.eves, "GET", roster, nil).Want(403, "PERMISSION_DENIED")
		if after := w.As(admin, "PUT", path, m{"driverId": w.eve}).OK(); after.Text("driverName") != "Eve" || after["version"] != 2.0 {
			t.Errorf("changed: %v", after)
		}
		w.As(w.North.Driver, "GET", roster, nil).Want(403, "PERMISSION_DENIED")
		w.act(trip, "start", m{}).Want(403, "PERMISSION_DENIED")
		if got := w.As(w.eves, "GET", roster, nil).OK(); got["total"] != 3.0 {
			t.Errorf("students of the new driver: %v", got)
		}
		old, new := fmt.Sprint(w.told(w.North.Driver, trip)), fmt.Sprint(w.told(w.eves, trip))
		if !strings.Contains(old, "Somebody else drives Blue bus") || !strings.Contains(new, "You drive Blue bus") {
			t.Errorf("drivers read %s and %s", old, new)
		}
		if got := w.told(w.North.Parent, trip); len(got) != 0 {
			t.Errorf("parents read of another driver: %q", got)
		}
		w.As(admin, "PUT", path, m{"driverId": w.eve, "version": 2}).OK() // nothing new
		if got := w.told(w.eves, trip); len(got) != 1 {
			t.Errorf("told again: %q", got)
		}
		red := w.Make("transport/bus/create", m{"registrationNo": "B-2", "name": "Red bus"})
		w.As(admin, "PUT", path, m{"busId": red, "startTime": "07:20"}).OK()
		if got := fmt.Sprint(w.told(w.North.Parent, trip)); !strings.Contains(got, "Mia Roe rides with Red bus") ||
			!strings.Contains(got, "07:20") || strings.Contains(got, "Zoe") {
			t.Errorf("the parent reads %s", got)
		}
		if got := w.told(w.eves, trip); len(got) != 2 || !strings.Contains(got[1], "You now drive Red bus") {
			t.Errorf("the driver reads %q", got)
		}
		if got := w.told(w.aunt, trip); len(got) != 0 {
			t.Errorf("the aunt reads %q", got)
		}
		if got := w.Count(`audit_log WHERE school_id = :school AND action = 'trip.change'`, nil); got != 2 {
			t.Errorf("%d audit entries", got)
		}
	})
}

// TestTripChangesThatAreRefused tries what does not fit.
func TestTripChangesThatAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.plan("pickup", "07:00")
		w.plan("pickup", "08:00")
		teacher := w.Make("employee/create", m{"firstName": "Tom"})
		tiny := w.Make("transport/bus/create", m{"registrationNo": "B-2", "capacity": 2})
		old := w.Make("transport/bus/create", m{"registrationNo": "B-3", "status": "RETIRED"})
		foreign := w.As(w.South.Admin, "POST", depot+"bus/create", m{"registrationNo": "S-1"}).OK().Text("id")
		for name, tt := range map[string]struct {
			body   m
			status int
		}{
			"not a driver":            {m{"driverId": teacher}, 422},
			"no such driver":          {m{"driverId": w.mia}, 404},
			"a bus of another school": {m{"busId": foreign}, 404},
			"retired":                 {m{"busId": old}, 409},
			"too few seats":           {m{"busId": tiny}, 409},
			"another trip then":       {m{"startTime": "08:00"}, 409},
			"no time":                 {m{"startTime": "7"}, 422},
			"old version":             {m{"startTime": "09:00", "version": 0}, 409},
		} {
			if r := w.As(w.North.Admin, "PUT", depot+"trip/"+trip, tt.body); r.Status != tt.status {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
		w.As(w.South.Admin, "PUT", depot+"trip/"+trip, m{"startTime": "09:00"}).Want(404, "Not Found")
		w.As(w.North.Driver, "PUT", depot+"trip/"+trip, m{"startTime": "09:00"}).Want(403, "PERMISSION_DENIED")
		w.act(trip, "start", m{}).OK()
		w.As(w.North.Admin, "PUT", depot+"trip/"+trip, m{"driverId": w.eve}).Want(409, "Conflict")
	})
}

// TestTripsFollowTheDriver: a bus with a new driver takes its scheduled trips along.
func TestTripsFollowTheDriver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		running := w.begin("pickup", "07:00")
		first := w.As(admin, "POST", depot+"trip/schedule", m{"busId": w.bus, "type": "dropoff", "fromDate": w.day(0), "toDate": w.day(4),
			"startTime": "15:00"}).OK().Text("id")
		w.cancel(w.plan("dropoff", "16:00"), m{}).OK()
		past := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "dropoff", "date": w.day(-7), "startTime": "15:00"})
		bus := w.As(admin, "PUT", depot+"bus/"+w.bus, m{"driverId": w.eve}).OK()
		if bus["tripsChanged"] != 5.0 || bus.Text("driverName") != "Eve" || bus.Text("routeName") != "Hills" {
			t.Errorf("changed bus: %v", bus)
		}
		drivers := w.All(`SELECT DISTINCT status || ' ' || driver_id AS line FROM trips WHERE school_id = :school ORDER BY line`, nil)
		want := fmt.Sprintf("[cancelled %s in_progress %s scheduled %s scheduled %s]", w.dan, w.dan, w.dan, w.eve)
		if fmt.Sprint(drivers) != want {
			t.Errorf("drivers: %v, want %s", drivers, want)
		}
		apptest.Eq(t, "driver of a trip of last week", w.Admin("GET", depot+"trip/"+past, nil).OK().Text("driverId"), w.dan)
		if got := w.told(w.eves, first); len(got) != 1 || !strings.Contains(got[0], "You drive 5 trips of Blue bus") {
			t.Errorf("the new driver reads %q", got)
		}
		if got := w.told(w.North.Driver, first); len(got) != 1 || !strings.Contains(got[0], "Somebody else drives 5 trips") {
			t.Errorf("the old driver reads %q", got)
		}
		w.act(running, "end", m{}).OK()
		for _, tt := range []struct {
			driver any
			want   float64
		}{{w.eve, 0}, {nil, 0}, {w.dan, 5}} {
			if got := w.As(admin, "PUT", depot+"bus/"+w.bus, m{"driverId": tt.driver}).OK(); got["tripsChanged"] != tt.want {
				t.Errorf("driver %v: %v", tt.driver, got)
			}
		}
	})
}

// TestReplace schedules the same time again with another driver, and on another route.
func TestReplace(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		path := depot + "trip/schedule"
		body := m{"busId": w.bus, "type": "pickup", "date": w.monday, "startTime": "07:00"}
		trip := w.As(w.North.Admin, "POST", path, body).OK().Text("id")
		w.As(w.North.Admin, "POST", path, apptest.With(body, "driverId", w.eve)).Want(409, "Conflict")
		got := w.As(w.North.Admin, "POST", path, apptest.With(body, "driverId", w.eve, "replace", true)).OK()
		if got.Text("id") != trip || got.Text("driverId") != w.eve || got["replaced"] != 1.0 || got["created"] != 0.0 {
			t.Errorf("another driver: %v", got)
		}
		if len(w.told(w.eves, trip)) != 1 || len(w.told(w.North.Driver, trip)) != 1 || len(w.told(w.North.Parent, trip)) != 0 {
			t.Errorf("told: %q %q %q", w.told(w.eves, trip), w.told(w.North.Driver, trip), w.told(w.North.Parent, trip))
		}
		lake := w.Make("transport/route/create", m{"name": "Lake", "stops": list{m{"name": "Pier", "lat": 1, "lng": 1}}})
		got = w.As(w.North.Admin, "POST", path, apptest.With(body, "routeId", lake, "replace", true)).OK()
		if got.Text("id") == trip || got.Text("routeId") != lake || got["created"] != 1.0 {
			t.Errorf("another route: %v", got)
		}
		status := w.As(w.North.Admin, "GET", depot+"trip/"+trip, nil).OK().Text("status")
		if status != "cancelled" || len(w.told(w.North.Parent, trip)) != 2 {
			t.Errorf("the trip of the old route is %s; the parent reads %q", status, w.told(w.North.Parent, trip))
		}
		w.As(w.North.Driver, "POST", trips+got.Text("id")+"/start", m{}).OK()
		again := apptest.With(body, "driverId", w.eve, "replace", true)
		if got := w.As(w.North.Admin, "POST", path, again).OK(); got.Text("status") != "in_progress" ||
			got["replaced"] != 0.0 {
			t.Errorf("a running trip: %v", got)
		}
	})
}

// TestStartAgainstChange races the start of a trip with a change of its driver: whoever
// drives is the one who started it.
func TestStartAgainstChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 6 {
			trip := w.plan("pickup", fmt.Sprintf("07:%02d", i))
			var wg sync.WaitGroup
			var started, changed int
			wg.Go(func() { started = w.act(trip, "start", m{}).Status })
			wg.Go(func() {
				if i%2 == 0 {
					changed = w.As(w.North.Admin, "PUT", depot+"trip/"+trip, m{"driverId": w.eve}).Status
				} else {
					w.As(w.North.Admin, "PUT", depot+"bus/"+w.bus, m{"driverId": w.eve}).OK()
				}
			})
			wg.Wait()
			is := w.One(`SELECT status || ' ' || driver_id AS line FROM trips WHERE school_id = :school AND id = :id`, db.Args{"id": trip})
			if want := "in_progress " + w.dan; (started == 200) != (is == want) || changed == 200 && started == 200 {
				t.Errorf("start %d, change %d: %s", started, changed, is)
			}
			w.cancel(trip, m{}).OK()
			w.As(w.North.Admin, "PUT", depot+"bus/"+w.bus, m{"driverId": w.dan}).OK()
		}
	})
}

// TestBoardAgainstChange: a driver who has lost the trip while the call waited records nobody.
func TestBoardAgainstChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.plan("pickup", "07:00")
		answered := make(chan apptest.Reply, 1)
		w.In(func(ctx context.Context, tx *db.Tx) error {
			if err := tx.Lock(ctx, "trip "+trip); err != nil {
				return err
			}
			_, err := db.Exec(ctx, tx, `
				UPDATE trips SET driver_id = :eve, status = 'in_progress', started_at = :now WHERE school_id = :school AND id = :trip`,
				db.Args{"trip": trip, "eve": w.eve, "now": w.Now()})
			if err != nil {
				return err
			}
			_, err = db.Exec(ctx, tx, `
				INSERT INTO boardings (school_id, trip_id, student_id, stop_id, status, updated_at)
				VALUES (:school, :trip, :mia, :mill, 'waiting', :now)`,
				db.Args{"trip": trip, "mia": w.mia, "mill": w.mill, "now": w.Now()})
			go func() { answered <- w.set(trip, w.mia, "boarded") }()
			time.Sleep(200 * time.Millisecond) // the call finds the trip to be Dan's, and waits for the lock
			return err
		})
		r := <-answered
		r.Want(403, "PERMISSION_DENIED")
		apptest.Eq(t, "status", w.statuses(trip)[w.mia], "waiting")
	})
}
