package transport_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

// TestDriverLeaves gives the bus and the scheduled trips of a driver to another one.
func TestDriverLeaves(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		running, next := w.begin("pickup", "07:00"), w.plan("dropoff", "15:00")
		red := w.Make("transport/bus/create", m{"registrationNo": "B-2", "name": "Red bus", "routeId": w.hills})
		tomorrow := func(bus, driver string) string {
			return w.Make("transport/trip/schedule", m{"busId": bus, "driverId": driver, "type": "pickup", "date": w.day(1), "startTime": "07:00"})
		}
		helps, others := tomorrow(red, w.dan), tomorrow(w.bus, w.eve)
		dan := "/school-admin/employee/" + w.dan
		var duties []string
		for _, d := range w.Admin("GET", dan+"/duties", nil).OK().Objects("duties") {
			duties = append(duties, fmt.Sprint(d["kind"], " ", d["name"], " ", d["count"], " ", d["date"]))
		}
		apptest.Eq(t, "duties", strings.Join(duties, "; "),
			"BUS B-1 Blue bus 1 <nil>; TRIP B-1 Blue bus 1 "+w.day(0)+"; TRIP B-2 Red bus 1 "+w.day(1))
		teacher := w.Make("employee/create", m{"firstName": "Tim"})
		w.Admin("POST", dan+"/hand-over", m{"toEmployeeId": teacher}).Want(409, "Conflict")

		w.As(w.eves, "GET", "/driver/student/list?tripId="+next, nil).Want(403, "PERMISSION_DENIED")
		moved := fmt.Sprint(w.Admin("POST", dan+"/hand-over", m{"toEmployeeId": w.eve}).OK().Objects("moved"))
		if !strings.Contains(moved, "map[count:1 kind:BUS] map[count:2 kind:TRIP]") {
			t.Errorf("moved: %s", moved)
		}
		for trip, driver := range map[string]string{running: w.dan, next: w.eve, helps: w.eve, others: w.eve} {
			if got := w.Admin("GET", depot+"trip/"+trip, nil).OK(); got.Text("driverId") != driver {
				t.Errorf("trip %s %s: driver %s", got["type"], got["date"], got["driverName"])
			}
		}
		if got := w.Admin("GET", depot+"bus/"+w.bus, nil).OK(); got.Text("driverId") != w.eve || got["version"] != 2.0 {
			t.Errorf("bus: %v", got)
		}
		w.As(w.eves, "GET", "/driver/student/list?tripId="+next, nil).OK()
		w.As(w.North.Driver, "GET", "/driver/student/list?tripId="+next, nil).Want(403, "PERMISSION_DENIED")
		old, new := fmt.Sprint(w.told(w.North.Driver, next)), fmt.Sprint(w.told(w.eves, next))
		if !strings.Contains(old, "Blue bus") || !strings.Contains(new, "Blue bus") {
			t.Errorf("drivers read %s and %s", old, new)
		}
		if len(w.told(w.eves, helps)) != 1 || len(w.told(w.eves, others)) != 0 {
			t.Errorf("Eve reads %s and %s", w.told(w.eves, helps), w.told(w.eves, others))
		}
	})
}
