package transport_test

import (
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// TestTripNeverStarted gives Eve one trip of Dan's bus, which nobody starts or cancels:
// her rights end after its day, and Dan keeps his.
func TestTripNeverStarted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		north := w.DB.School(w.North.ID)
		trip := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "pickup", "date": w.monday, "startTime": "07:00", "driverId": w.eve})
		own := w.plan("dropoff", "15:00")
		report := m{"busId": w.bus, "type": "other", "description": "A flat tyre"}
		eve := func(status int) {
			t.Helper()
			for _, path := range []string{"/driver/student/list?tripId=" + trip, "/bus-tracking/trip/" + trip + "/students",
				"/bus-tracking/incidents/" + w.bus, "/bus-tracking/bus/" + w.bus + "/live"} {
				r := w.As(w.eves, "GET", path, nil)
				apptest.Eq(t, path, r.Status, status)
				if status != 200 {
					r.HasNot("Mia", "Noa", "Zoe", "Mill", "Blue bus")
				}
			}
			_, err := transport.MayDriveBus(t.Context(), north, w.eves.ID, id.ID(w.bus), w.Now())
			apptest.Eq(t, "Eve drives the bus", err == nil, status == 200)
			err = transport.MaySeeRider(t.Context(), north, w.eves.ID, id.ID(w.mia), w.Now())
			apptest.Eq(t, "Eve sees Mia", err == nil, status == 200)
			sees, err := transport.Sight(t.Context(), north, actor.Driver, []id.ID{w.eves.ID}, w.Now())
			if err != nil {
				t.Fatal(err)
			}
			apptest.Eq(t, "Eve may stay in the bus's room", sees(w.eves.ID, id.ID(w.bus)), status == 200)
		}
		eve(200)
		w.Pass(24 * time.Hour)
		eve(200) // it may still be yesterday where she is
		w.As(w.eves, "POST", "/driver/incident/report", report).OK()

		w.Pass(24 * time.Hour)
		eve(403)
		w.As(w.eves, "POST", "/driver/incident/report", report).Want(403, "PERMISSION_DENIED")
		for _, action := range []string{"start", "students/" + w.mia + "/status"} {
			w.As(w.eves, "POST", trips+trip+"/"+action, m{"status": "boarded"}).Want(403, "PERMISSION_DENIED")
		}
		apptest.Eq(t, "started trips", w.Count(`trips WHERE school_id = :school AND started_at IS NOT NULL`, nil), 0)

		w.As(w.North.Driver, "GET", "/driver/student/list?tripId="+own, nil).OK()
		w.act(own, "start", m{}).OK()
		w.Exec(`UPDATE trips SET driver_id = :eve WHERE school_id = :school AND id = :id`, db.Args{"eve": w.eve, "id": own})
		eveRunning := w.As(w.eves, "GET", "/bus-tracking/bus/"+w.bus+"/live", nil)
		apptest.Eq(t, "the bus of a running trip of an earlier day", eveRunning.Status, 200)
	})
}

// TestTripNeverEnded: Eve starts her trip and never ends it. Her rights end like those of a trip
// that nobody started, and so does what the parents see of it; she may still end it.
func TestTripNeverEnded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		north := w.DB.School(w.North.ID)
		trip := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "pickup", "date": w.monday, "startTime": "07:00", "driverId": w.eve})
		next := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "pickup", "date": w.day(2), "startTime": "07:00", "driverId": w.eve})
		step := func(action string) apptest.Reply {
			return w.As(w.eves, "POST", trips+trip+"/"+action, m{"status": "boarded"})
		}
		step("start").OK()
		step("students/" + w.mia + "/status").OK()
		w.Admin("PUT", "/school-admin/transport/trip/"+next, m{"driverId": w.dan}).OK()
		w.Admin("PUT", depot+"bus/"+w.bus, m{"routeId": nil}).OK() // parents see the bus for its trip, only
		report := m{"type": "other", "description": "A flat tyre"}
		rights := func(status int) {
			t.Helper()
			for _, path := range []string{"/driver/student/list?tripId=" + trip, "/bus-tracking/trip/" + trip + "/students",
				"/bus-tracking/incidents/" + w.bus, "/bus-tracking/bus/" + w.bus + "/live"} {
				r := w.As(w.eves, "GET", path, nil)
				apptest.Eq(t, path, r.Status, status)
				if status != 200 {
					r.HasNot("Mia", "Noa", "Zoe", "Mill", "Blue bus")
				}
			}
			apptest.Eq(t, "Eve has a bus", w.As(w.eves, "GET", "/driver/bus/get", nil).Status == 200, status == 200)
			err := transport.MaySeeRider(t.Context(), north, w.eves.ID, id.ID(w.mia), w.Now())
			apptest.Eq(t, "Eve sees Mia", err == nil, status == 200)
			for role, who := range map[actor.Role]*apptest.Account{actor.Driver: w.eves, actor.Parent: w.uncle} {
				sees, err := transport.Sight(t.Context(), north, role, []id.ID{who.ID}, w.Now())
				if err != nil {
					t.Fatal(err)
				}
				apptest.Eq(t, string(role)+" may stay in the bus's room", sees(who.ID, id.ID(w.bus)), status == 200)
			}
		}
		rights(200)
		w.Pass(24 * time.Hour)
		rights(200) // it may still be yesterday where she is
		w.Pass(24 * time.Hour)
		rights(403)
		apptest.Eq(t, "students by default", len(w.As(w.eves, "GET", "/driver/student/list", nil).OK().Items()), 0)
		step("students/"+w.noa+"/status").Want(403, "PERMISSION_DENIED")
		apptest.Eq(t, "Eve's report", w.As(w.eves, "POST", "/driver/incident/report", report).Status, 404) // she has no bus
		step("end").OK()
		apptest.Eq(t, "Mia", w.statuses(trip)[w.mia], "alighted")
		w.act(next, "start", m{}).OK()
	})
}

// TestTripLeftRunning: an incident of a later day is not of the trip that the bus's own driver left
// running, and its parents hear nothing of it, nor of the trip's end.
func TestTripLeftRunning(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup", "07:00")
		w.set(trip, w.mia, "boarded").OK()
		before := w.told(w.uncle, trip)
		mistake := w.As(w.North.Driver, "POST", "/driver/incident/report", m{"tripId": trip, "type": "other"}).OK().Text("id")
		w.Pass(48 * time.Hour)
		w.withdraw(w.North.Driver, mistake, "").Want(409, "Conflict")
		for _, place := range []m{{}, {"tripId": trip}} {
			place["type"], place["description"] = "other", "A flat tyre"
			report := w.As(w.North.Driver, "POST", "/driver/incident/report", place).OK()
			apptest.Eq(t, "told", len(w.told(w.uncle, report.Text("id"))), 0)
		}
		apptest.Eq(t, "trip of the bus", w.As(w.uncle, "GET", "/bus-tracking/bus/list", nil).OK().Items()[0]["tripId"], nil)
		w.act(trip, "end", m{}).OK()
		apptest.Eq(t, "told of the trip", w.told(w.uncle, trip), before)
	})
}

// TestTripOver: the list of a trip has what is true of its students now. A driver who stood in
// reads it until the day after; then the bus's own driver reads of those who still ride.
func TestTripOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "pickup", "date": w.monday, "startTime": "07:00", "driverId": w.eve})
		own := w.plan("dropoff", "15:00")
		w.As(w.eves, "POST", trips+trip+"/start", m{}).OK()
		w.As(w.eves, "POST", trips+trip+"/end", m{}).OK()
		w.act(own, "start", m{}).OK()
		w.act(own, "end", m{}).OK()
		lists := func(trip string) []string {
			return []string{"/driver/student/list?tripId=" + trip, "/bus-tracking/trip/" + trip + "/students"}
		}
		names := func(who *apptest.Account, trip string, want ...string) {
			t.Helper()
			for _, path := range lists(trip) {
				apptest.Eq(t, path, w.As(who, "GET", path, nil).OK().Texts("firstName"), want)
			}
		}
		names(w.eves, trip, "Mia", "Noa", "Zoe")
		w.Pass(24 * time.Hour)
		names(w.eves, trip, "Mia", "Noa", "Zoe") // it may still be yesterday where she is
		w.Pass(24 * time.Hour)
		for _, path := range lists(trip) {
			w.As(w.eves, "GET", path, nil).Want(403, "PERMISSION_DENIED")
		}
		w.Admin("PUT", "/school-admin/student/"+w.noa, m{"status": "LEFT"}).OK()
		again := m{"status": "no_show"} // what they are
		for _, r := range []apptest.Reply{w.As(w.eves, "POST", trips+trip+"/students/"+w.mia+"/status", again),
			w.act(own, "students/"+w.noa+"/status", again)} {
			apptest.Eq(t, "status", r.Status, 409)
			r.HasNot("Mia", "Noa", "Mill", "Church")
		}
		w.Admin("PUT", depot+"route/"+w.hills+"/students", m{"students": list{m{"studentId": w.mia, "stopId": w.mill}}}).OK()
		names(w.North.Driver, own, "Mia")
		w.Admin("PUT", depot+"route/"+w.hills+"/students", m{"students": list{}}).OK()
		names(w.North.Driver, own)
		apptest.Eq(t, "students whom the office reads", len(w.statuses(trip)), 3)
	})
}
