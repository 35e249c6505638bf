package transport_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/platform/db"
)

// TestStopIsNamedWhereKnown reads the alerts of both directions: the student's stop on
// the side of home, the recorded one elsewhere, and none at the school.
func TestStopIsNamedWhereKnown(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		said := func(trip string) string {
			list := w.told(w.uncle, trip)
			slices.Sort(list)
			return strings.Join(list[:2], " ") // of Mia; the alert of the start sorts last
		}
		trip := w.begin("pickup", "07:00")
		w.set(trip, w.mia, "boarded").OK()
		w.set(trip, w.mia, "alighted").OK()
		if got := said(trip); got != "At school: Mia Roe got off Blue bus at school. On the bus: Mia Roe got on Blue bus at Mill." {
			t.Errorf("pickup: %s", got)
		}
		w.act(trip, "end", m{}).OK()
		trip = w.begin("dropoff", "15:00")
		w.set(trip, w.mia, "boarded").OK()
		b := w.act(trip, "students/"+w.mia+"/status", m{"status": "alighted", "stopId": w.gate}).OK()
		if b.Text("alightedStopName") != "Gate" || b.Text("boardedStopName") != "" || b.Text("stopName") != "Mill" {
			t.Errorf("got off at another stop: %v", b)
		}
		if got := said(trip); got != "Off the bus: Mia Roe got off Blue bus at Gate. On the bus: Mia Roe got on Blue bus." {
			t.Errorf("dropoff: %s", got)
		}
	})
}

// TestSameStatusAgain repeats a status while the trip runs and after it.
func TestSameStatusAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup", "07:00")
		first := w.set(trip, w.mia, "boarded").OK()
		log := func() string {
			return fmt.Sprint(w.Count(`audit_log WHERE school_id = :school AND action = 'trip.board'`, nil), " ",
				w.Count(`deliveries WHERE school_id = :school`, nil), " ",
				w.Count(`notifications WHERE school_id = :school AND record_id = :trip`, db.Args{"trip": trip}))
		}
		before := log()
		again := w.act(trip, "students/"+w.mia+"/status", m{"status": "boaded", "stopId": w.gate, "lat": 1, "lng": 1}).OK()
		if again["unchanged"] != true || again["boardedStopId"] != first["boardedStopId"] || again["lat"] != nil ||
			fmt.Sprint(again["boardedAt"]) != fmt.Sprint(first["boardedAt"]) || log() != before {
			t.Errorf("boarded again: %v, log %s, was %s", again, log(), before)
		}
		w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded", "stopId": w.mia}).Want(404, "Not Found")
		w.As(w.eves, "POST", trips+trip+"/students/"+w.mia+"/status", m{"status": "boarded"}).Want(403, "PERMISSION_DENIED")
		w.act(trip, "end", m{}).OK()
		if late := w.set(trip, w.mia, "alighted").OK(); late["unchanged"] != true {
			t.Errorf("alighted after the end: %v", late)
		}
		w.set(trip, w.mia, "boarded").Want(409, "Conflict")
	})
}
