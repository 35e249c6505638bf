package transport_test

import (
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

// onLeave approves leave of a student for the Monday.
func (w *world) onLeave(student string, pairs ...any) {
	w.Helper()
	leave := w.As(w.North.Parent, "POST", "/parent/leave/apply", apptest.With(m{"studentId": student, "type": "SICK", "fromDate": w.day(0),
		"toDate": w.day(0), "reason": "Flu"}, pairs...)).OK().Text("id")
	w.As(w.North.Admin, "POST", "/school-admin/leave/"+leave+"/approve", m{}).OK()
}

// TestOnLeave: Mia has leave for the day, Noa for half of it. Nobody waits for Mia.
func TestOnLeave(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.plan("pickup", "07:00")
		w.onLeave(w.mia)
		w.onLeave(w.noa, "half", "SECOND")
		check := func(when string) {
			t.Helper()
			for _, b := range w.As(w.North.Driver, "GET", "/driver/student/list?tripId="+trip, nil).OK().Items() {
				if b["onLeave"] != (b.Text("studentId") == w.mia) {
					t.Errorf("%s: %v", when, b)
				}
			}
		}
		check("before the start")
		w.act(trip, "start", m{}).OK()
		check("after the start")
		if got := strings.Join(w.told(w.North.Parent, trip), " "); !strings.Contains(got, "Noa Roe") || strings.Contains(got, "Mia Roe") {
			t.Errorf("the parent reads %q", got)
		}
		crash := w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "accident"}).OK().Text("id")
		if got := strings.Join(w.told(w.North.Parent, crash), " "); !strings.Contains(got, "Noa Roe") || strings.Contains(got, "Mia Roe") {
			t.Errorf("the parent reads %q", got)
		}
		w.act(trip, "end", m{}).OK()
		if got := w.statuses(trip); got[w.mia] != "absent" || got[w.noa] != "no_show" || got[w.zoe] != "no_show" {
			t.Errorf("at the end: %v", got)
		}
		// Who comes to the bus nevertheless rides as always.
		trip = w.begin("dropoff", "15:00")
		w.set(trip, w.mia, "boarded").OK()
		w.set(trip, w.mia, "alighted").OK()
	})
}

// TestLeftTheSchool: a student who left is on no list, takes no seat and keeps no stop.
func TestLeftTheSchool(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin, students := w.North.Admin, depot+"route/"+w.hills+"/students"
		trip := w.plan("pickup", "07:00")
		w.As(admin, "PUT", "/school-admin/student/"+w.mia, m{"status": "LEFT"}).OK()
		if got := w.As(admin, "GET", students, nil).OK().Texts("firstName"); !slices.Equal(got, []string{"Noa", "Zoe"}) {
			t.Errorf("students of the route: %v", got)
		}
		if got := w.statuses(trip); len(got) != 2 {
			t.Errorf("students of the trip: %v", got)
		}
		on := func(student, stop string) m { return m{"studentId": student, "stopId": stop} }
		r := w.As(admin, "PUT", students, m{"students": list{on(w.mia, w.mill), on(w.noa, w.church)}})
		if e := r.Want(409, "Conflict"); !strings.Contains(e.Message, "Mia Roe") || strings.Contains(e.Message, "Noa") {
			t.Errorf("a student who left: %s", e.Message)
		}
		w.As(admin, "PUT", depot+"bus/"+w.bus, m{"capacity": 2}).OK()
		w.As(admin, "PUT", depot+"route/"+w.hills, m{"stops": list{m{"id": w.church, "name": "Church", "lat": 1, "lng": 1}}}).OK()
		w.As(admin, "PUT", "/school-admin/student/"+w.mia, m{"status": "ACTIVE"}).OK()
		if got := w.statuses(trip); len(got) != 2 {
			t.Errorf("Mia is back without a stop: %v", got)
		}
		w.As(admin, "PUT", "/school-admin/student/"+w.noa, m{"status": "GRADUATED"}).OK()
		w.As(admin, "PUT", students, m{"students": list{on(w.mia, w.church), on(w.zoe, w.church)}}).OK()
	})
}
