package tracking_test

import (
	"fmt"
	"testing"

	"homeroom/internal/platform/await"
)

// TestReplacedDriver: a driver who is replaced leaves the room of the bus and moves it no
// more; the new driver joins, starts the trip and moves it.
func TestReplacedDriver(t *testing.T) {
	for name, replace := range map[string]func(w *world, trip string){
		"of the trip": func(w *world, trip string) { w.As(w.North.Admin, "PUT", depot+"trip/"+trip, m{"driverId": w.eve}).OK() },
		"of the bus":  func(w *world, _ string) { w.As(w.North.Admin, "PUT", depot+"bus/"+w.bus, m{"driverId": w.eve}).OK() },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				if name == "of the trip" { // Dan sees the bus by the trip alone
					w.As(w.North.Admin, "PUT", depot+"bus/"+w.bus, m{"driverId": nil}).OK()
				}
				trip := w.Make("transport/trip/schedule", m{"busId": w.bus, "routeId": w.hills, "driverId": w.dan,
					"type": "pickup", "date": w.monday, "startTime": "07:00"})
				w.Work(t)
				dan, eve := w.Dial(w.North.Driver), w.Dial(w.eves)
				w.join(dan)
				dan.OK("update-location", at(0, w.Now()))
				replace(w, trip)
				if _, err := dan.Await(fmt.Sprintf(`42["room-left",{"schoolId":"%s","busId":"%s"}]`, w.North.ID, w.bus), await.Limit); err != nil {
					t.Fatal(err)
				}
				if got := dan.Ask("update-location", at(0.1, w.Now())); got["ok"] != false {
					t.Errorf("the old driver moves the bus: %v", got)
				}
				dan.Refused(403, "PERMISSION_DENIED", "join-bus-room", m{"busId": w.bus})
				w.act(trip, "start", m{}).Want(403, "PERMISSION_DENIED")
				w.join(eve)
				w.As(w.eves, "POST", trips+trip+"/start", m{}).OK()
				eve.OK("update-location", at(0.2, w.Now()))
			})
		})
	}
}

// TestTakeOverIsHeard: a parent hears that the child is on another bus, and may watch it.
func TestTakeOverIsHeard(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		spare := w.Make("transport/bus/create", m{"registrationNo": "B-2", "driverId": w.eve})
		parent := w.Dial(w.North.Parent)
		w.join(parent)
		trip := w.begin("pickup")
		w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded"}).OK()
		parent.Hears("boarding-status")
		parent.Refused(403, "PERMISSION_DENIED", "join-bus-room", m{"busId": spare})
		w.As(w.North.Admin, "POST", depot+"trip/"+trip+"/cancel", m{"replacementBusId": spare}).OK()
		if got := parent.Hears("boarding-status"); got["busId"] != spare || got["studentId"] != w.mia || got["status"] != "boarded" ||
			got["stopId"] != w.mill || got["tripId"] == trip {
			t.Errorf("boarding-status %v", got)
		}
		parent.OK("join-bus-room", m{"busId": spare})
		if got := parent.Hears("trip-status"); got["tripId"] != trip { // its start
			t.Errorf("trip-status %v", got)
		}
	})
}
