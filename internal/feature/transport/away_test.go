package transport_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestNotToday: a parent applies for leave of today. The bus does not wait, before anybody
// has decided, and the driver is told; as well when the leave is cancelled.
func TestNotToday(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.plan("pickup", "07:00")
		away := func() (names []string) {
			t.Helper()
			for _, b := range w.As(w.North.Driver, "GET", "/driver/student/list?tripId="+trip, nil).OK().Items() {
				if b["onLeave"] == true {
					names = append(names, b.Text("studentId"))
				}
			}
			return names
		}
		apply := func(pairs m) string {
			t.Helper()
			body := m{"studentId": w.mia, "type": "SICK", "fromDate": w.day(0)}
			for k, v := range pairs {
				body[k] = v
			}
			return w.As(w.North.Parent, "POST", "/parent/leave/apply", body).OK().Text("id")
		}
		told := func() string { return strings.Join(w.told(w.North.Driver, trip), " ") }
		half := apply(m{"half": "FIRST"})
		if got := told(); len(away()) != 0 || strings.Contains(got, "Mia") {
			t.Errorf("half a day: the bus does not wait for %v, the driver reads %q", away(), got)
		}
		w.As(w.North.Parent, "POST", "/parent/leave/"+half+"/cancel", nil).OK()
		leave := apply(nil)
		if got := fmt.Sprint(away()); got != fmt.Sprint([]string{w.mia}) {
			t.Errorf("the bus does not wait for %s", got)
		}
		if got := told(); strings.Count(got, "Mia Roe does not ride today") != 1 {
			t.Errorf("the driver reads %q", got)
		}
		w.As(w.North.Parent, "POST", "/parent/leave/"+leave+"/cancel", nil).OK()
		if got := told(); len(away()) != 0 || strings.Count(got, "Mia Roe rides today after all") != 1 {
			t.Errorf("after cancelling: the bus does not wait for %v, the driver reads %q", away(), got)
		}
		other := m{"studentId": w.zoe, "type": "SICK", "fromDate": w.day(0)}
		w.As(w.North.Parent, "POST", "/parent/leave/apply", other).Want(403, "PERMISSION_DENIED")
	})
}

// TestBackEarly: the office ends a leave before today, because the child is back. The driver, who was told that the child
// does not ride, hears of it.
func TestBackEarly(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.plan("pickup", "07:00")
		leave := w.As(w.North.Parent, "POST", "/parent/leave/apply",
			m{"studentId": w.mia, "type": "SICK", "fromDate": w.day(-2), "toDate": w.day(2)}).OK().Text("id")
		w.Admin("POST", "/school-admin/leave/"+leave+"/approve", nil).OK()
		w.Admin("POST", "/school-admin/leave/"+leave+"/shorten", m{"toDate": w.day(1)}).OK()
		if got := strings.Join(w.told(w.North.Driver, trip), " "); strings.Contains(got, "rides today") {
			t.Errorf("while the leave has today, the driver reads %q", got)
		}
		w.Admin("POST", "/school-admin/leave/"+leave+"/shorten", m{"toDate": w.day(-1)}).OK()
		if got := strings.Join(w.told(w.North.Driver, trip), " "); strings.Count(got, "Mia Roe rides today after all") != 1 {
			t.Errorf("the driver reads %q", got)
		}
	})
}

// TestWalk: a parent sets the minutes on foot to a child's stop, changes and removes them.
func TestWalk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		minutes := func() any {
			t.Helper()
			return w.As(w.North.Parent, "GET", "/parent/transport/list?studentId="+w.mia, nil).OK().Items()[0]["walkMinutes"]
		}
		set := func(stop string, minutes any) int {
			t.Helper()
			return w.As(w.North.Parent, "POST", "/parent/transport/walk", m{"stopId": stop, "minutes": minutes}).Status
		}
		for _, want := range []any{4.0, 0.0, 120.0, nil} {
			if status := set(w.mill, want); status != 200 || minutes() != want {
				t.Errorf("minutes %v: status %d, %v", want, status, minutes())
			}
		}
		for _, bad := range []any{-1, 121, 1.5, "four"} {
			if status := set(w.mill, bad); status != 400 && status != 422 {
				t.Errorf("minutes %v: status %d", bad, status)
			}
		}
		other := w.As(w.North.Admin, "POST", depot+"route/create", m{"name": "Lake", "stops": list{m{"name": "Pier", "lat": 1, "lng": 1}}}).OK()
		if status := set(other.Objects("stops")[0].Text("id"), 4); status != 403 {
			t.Errorf("a stop that no child uses: status %d", status)
		}
		if status := w.As(w.South.Parent, "POST", "/parent/transport/walk", m{"stopId": w.mill, "minutes": 4}).Status; status != 404 {
			t.Errorf("a stop of another school: status %d", status)
		}
	})
}
