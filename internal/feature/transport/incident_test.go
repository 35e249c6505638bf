package transport_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
)

// accountOf converts v to an account.
func accountOf(v any) *apptest.Account {
	a, _ := v.(*apptest.Account)
	return a
}

// teach gives teachers permission to see buses, and North's teacher the class.
func (w *world) teach() {
	w.Helper()
	w.LetRead(actor.Teacher, "transport", true)
	teacher := w.Make("employee/create", m{"firstName": "Tom", "phone": w.North.Teacher.Phone})
	w.Admin("POST", "/school-admin/employee/"+teacher+"/assignments", m{"assignments": list{m{"classId": w.class}}}).OK()
}

func TestIncidents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const report = "/driver/incident/report"
		driver, admin := w.North.Driver, w.North.Admin
		before := w.As(driver, "POST", report, m{"type": "other"}).OK()
		if before.Text("busId") != w.bus || before["tripId"] != nil || before.Text("severity") != "MEDIUM" || before["acknowledgedAt"] != nil {
			t.Errorf("incident without a trip: %v", before)
		}
		trip := w.begin("pickup", "07:00")
		w.set(trip, w.mia, "boarded").OK()
		w.set(trip, w.noa, "absent").OK()
		r := w.As(driver, "POST", report, m{"type": "accident", "description": "A scratch", "severity": "LOW", "lat": 40.7, "lng": -74})
		got := r.OK()
		if r.Status != 201 || got.Text("tripId") != trip || got.Text("busRegistrationNo") != "B-1" ||
			got.Text("reportedByName") == "" || got["lng"] != -74.0 {
			t.Errorf("incident on a trip: %d %v", r.Status, got)
		}
		incident := got.Text("id")
		if told := w.told(w.North.Parent, incident); len(told) != 1 || !strings.Contains(told[0], "was in an accident. Mia Roe is on the bus") {
			t.Errorf("Parent reads %q, although Noa is absent", told)
		}
		if told := fmt.Sprint(w.told(w.uncle, incident)); !strings.Contains(told, "Mia Roe is on the bus") ||
			!strings.Contains(told, "Zoe Roe is not on the bus yet") {
			t.Errorf("Uncle reads %q", told)
		}
		apptest.Eq(t, "Aunt reads", len(w.told(w.aunt, incident)), 0)
		for name, body := range map[string]m{
			"no type": {}, "odd type": {"type": "flat"},
			"half a place": {"type": "other", "lat": 1}, "odd severity": {"type": "other", "severity": "low"},
		} {
			if r := w.As(driver, "POST", report, body); r.Status != 422 {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
		spare := w.Make("transport/bus/create", m{"registrationNo": "B-2", "driverId": w.dan})
		w.As(driver, "POST", report, m{"type": "other", "busId": spare, "tripId": trip}).Want(422, "Unprocessable Entity")
		if other := w.As(driver, "POST", report, m{"type": "other", "busId": spare}).OK(); other.Text("busId") != spare ||
			other["tripId"] != nil {
			t.Errorf("incident of another bus: %v", other)
		}

		w.As(driver, "POST", depot+"incident/"+incident+"/acknowledge", m{}).Want(403, "PERMISSION_DENIED")
		done := w.As(admin, "POST", depot+"incident/"+incident+"/acknowledge", m{"note": "Insurer called"}).OK()
		if done.Text("acknowledgedBy") != w.North.Admin.ID.String() || done["acknowledgedAt"] == nil ||
			done.Text("acknowledgeNote") != "Insurer called" {
			t.Errorf("acknowledged: %v", done)
		}
		w.As(admin, "POST", depot+"incident/"+incident+"/acknowledge", m{"note": "Again"}).Want(409, "Conflict")
		w.As(w.South.Admin, "POST", depot+"incident/"+incident+"/acknowledge", m{}).Want(404, "Not Found")
		w.lists(t, incident, before.Text("id"))
	})
}

// lists reads incidents as everyone who may see them.
func (w *world) lists(t *testing.T, accident, other string) {
	t.Helper()
	bus := "/bus-tracking/incidents/" + w.bus
	w.teach()
	for name, tt := range map[string]struct {
		who  *apptest.Account
		path string
		want []string
	}{
		"admin, of a bus":  {w.North.Admin, bus, []string{accident, other}},
		"admin, the old":   {w.North.Admin, bus + "?sort=createdAt", []string{other, accident}},
		"admin, accidents": {w.North.Admin, depot + "incident/list?type=accident", []string{accident}},
		"admin, done":      {w.North.Admin, depot + "incident/list?acknowledged=true", []string{accident}},
		"admin, open":      {w.North.Admin, depot + "incident/list?acknowledged=false&busId=" + w.bus, []string{other}},
		"admin, grave":     {w.North.Admin, depot + "incident/list?severity=HIGH", []string{}},
		"driver":           {w.North.Driver, bus, []string{accident, other}},
		"teacher":          {w.North.Teacher, bus, []string{accident, other}},
		"parent":           {w.North.Parent, bus, []string{accident, other}},
		"driver, own":      {w.North.Driver, "/driver/incident/list?severity=LOW", []string{accident}},
		"another driver":   {w.eves, "/driver/incident/list", []string{}},
	} {
		apptest.Eq(t, fmt.Sprint("incidents, ", name), w.As(tt.who, "GET", tt.path, nil).OK().Texts("id"), tt.want)
	}
	if r := w.As(w.North.Parent, "GET", bus, nil); strings.Contains(string(r.Body), "Insurer") {
		t.Errorf("a parent reads the office's note: %s", r.Body)
	}
	w.As(w.aunt, "GET", bus, nil).Want(403, "PERMISSION_DENIED")
	w.As(w.eves, "GET", bus, nil).Want(403, "PERMISSION_DENIED")
	w.As(w.South.Admin, "GET", bus, nil).Want(404, "Not Found")
}

// TestIncidentOfAPastTrip: who stood in for a trip reports what happened on it until the next day,
// and then nothing more of its bus; the bus's own driver still may.
func TestIncidentOfAPastTrip(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "pickup", "date": w.monday, "startTime": "07:00", "driverId": w.eve})
		own := w.begin("dropoff", "15:00")
		w.act(own, "end", m{}).OK()
		w.As(w.eves, "POST", trips+trip+"/start", m{}).OK()
		w.As(w.eves, "POST", trips+trip+"/end", m{}).OK()
		report := func(who *apptest.Account, trip string) apptest.Reply {
			return w.As(who, "POST", "/driver/incident/report", m{"type": "accident", "severity": "HIGH", "tripId": trip})
		}
		w.Pass(24 * time.Hour)
		report(w.eves, trip).OK()
		w.Pass(24 * time.Hour)
		report(w.eves, trip).Want(403, "PERMISSION_DENIED")
		report(w.North.Driver, own).OK()
	})
}
