package transport_test

import (
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
)

// TestBusNames: buses carry the names of driver and route.
func TestBusNames(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Make("transport/bus/create", m{"registrationNo": "B-2"})
		buses := w.As(w.North.Admin, "GET", depot+"bus/list", nil).OK().Items()
		if buses[0].Text("driverName") != "Dan Roe" || buses[0].Text("routeName") != "Hills" || buses[1]["driverName"] != nil ||
			buses[1]["routeName"] != nil {
			t.Errorf("buses: %v", buses)
		}
		if b := w.As(w.North.Driver, "GET", "/driver/bus/get", nil).OK(); b.Text("driverName") != "Dan Roe" {
			t.Errorf("own bus: %v", b)
		}
	})
}

// TestRosterContacts: the driver reads whom to call and what to know of a child, for the
// trip of the day only.
func TestRosterContacts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.As(w.North.Admin, "PUT", "/school-admin/student/"+w.mia, m{"medicalNotes": "Epilepsy", "rideNotes": "Nuts"}).OK()
		trip := w.begin("pickup", "07:00")
		mia := func() apptest.Object {
			return w.As(w.North.Driver, "GET", "/driver/student/list?tripId="+trip, nil).OK().Items()[0]
		}
		if got := mia(); got.Text("guardianPhone") != w.North.Parent.Phone || got.Text("guardianName") != "Pat" ||
			got.Text("rideNotes") != "Nuts" || got.Text("stopName") != "Mill" {
			t.Errorf("Mia: %v", got)
		}
		w.As(w.North.Driver, "GET", "/driver/student/list?tripId="+trip, nil).HasNot("Epilepsy", "medicalNotes")
		for _, who := range []*apptest.Account{w.North.Parent, w.North.Driver, w.North.Admin} {
			if r := w.As(who, "GET", "/bus-tracking/trip/"+trip+"/students", nil); strings.Contains(string(r.Body), "Nuts") ||
				strings.Contains(string(r.Body), "guardianPhone") {
				t.Errorf("%s reads %s", who.Role, r.Body)
			}
		}
		w.As(w.eves, "GET", "/driver/student/list?tripId="+trip, nil).Want(403, "PERMISSION_DENIED")
		w.As(w.North.Admin, "POST", "/school-admin/student/"+w.mia+"/guardians",
			m{"name": "Pat", "phone": w.North.Parent.Phone, "canViewData": false}).OK()
		if got := mia(); got.Text("guardianName") != "Una" {
			t.Errorf("a guardian who may not see Mia's data: %v", got)
		}
		w.act(trip, "end", m{}).OK()
		if got := mia(); got.Text("guardianName") != "Una" {
			t.Errorf("after the end, on the day: %v", got)
		}
		w.Pass(24 * time.Hour)
		if got := mia(); got["guardianPhone"] != nil || got["rideNotes"] != nil || got.Text("firstName") != "Mia" {
			t.Errorf("a day later: %v", got)
		}
	})
}

// TestChildRides: parents read stop, bus and driver of their own children.
func TestChildRides(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/parent/transport/list"
		rides := w.As(w.North.Parent, "GET", path, nil).OK().Items()
		if len(rides) != 2 || rides[0].Text("firstName") != "Mia" || rides[0].Text("stopName") != "Mill" ||
			rides[0].Text("busName") != "Blue bus" || rides[0].Text("busId") != w.bus || rides[0].Text("driverName") != "Dan Roe" ||
			rides[0].Text("pickupTime") != "07:10" ||
			rides[0].Text("routeName") != "Hills" || rides[1].Text("firstName") != "Noa" {
			t.Errorf("rides: %v", rides)
		}
		if got := w.As(w.North.Parent, "GET", path+"?studentId="+w.noa, nil).OK().Items(); len(got) != 1 || got[0].Text("studentId") != w.noa {
			t.Errorf("rides of Noa: %v", got)
		}
		w.As(w.North.Parent, "GET", path+"?studentId="+w.zoe, nil).Want(403, "PERMISSION_DENIED")
		if got := w.As(w.aunt, "GET", path, nil).OK(); got["total"] != 0.0 {
			t.Errorf("rides of Max: %v", got)
		}
		trip := w.Make("transport/trip/schedule", m{"busId": w.bus, "driverId": w.eve, "type": "pickup", "date": w.monday, "startTime": "07:00"})
		w.As(w.eves, "POST", trips+trip+"/start", m{}).OK()
		if got := w.As(w.uncle, "GET", path, nil).OK().Items()[0]; got.Text("driverName") != "Eve" {
			t.Errorf("driver of the running trip: %v", got)
		}
		if got := w.As(w.uncle, "GET", "/bus-tracking/bus/list", nil).OK().Items()[0]; got.Text("driverName") != "Eve" {
			t.Errorf("driver in the list of buses: %v", got)
		}
		w.As(w.North.Admin, "PUT", "/school-admin/student/"+w.mia, m{"status": "LEFT"}).OK()
		w.As(w.North.Admin, "PUT", depot+"bus/"+w.bus, m{"routeId": nil}).OK()
		if got := w.As(w.North.Parent, "GET", path, nil).OK().Items(); len(got) != 1 || got[0]["busId"] != nil ||
			got[0].Text("stopName") != "Church" {
			t.Errorf("a route without a bus: %v", got)
		}
	})
}
