package transport_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

// accountOf converts v to an account.
func accountOf(v any) *apptest.Account {
	a, _ := v.(*apptest.Account)
	return a
}

// teach gives teachers permission to see buses, and North's teacher the class.
func (w *world) teach() {
	w.Helper()
	role := w.one(`SELECT id FROM roles WHERE school_id = :school AND type = 'TEACHER'`, nil)
	for _, module := range w.do(w.North.Admin, "GET", "/school-admin/module/list?limit=100", nil).Items() {
		if module.Text("name") == "transport" {
			w.do(w.North.Admin, "PUT", "/school-admin/role/"+role+"/permissions",
				m{"permissions": list{m{"moduleId": module["id"], "canRead": true}}})
		}
	}
	teacher := w.make("employee/create", m{"firstName": "Tom", "phone": w.North.Teacher.Phone})
	w.do(w.North.Admin, "POST", "/school-admin/employee/"+teacher+"/assignments", m{"assignments": list{m{"classId": w.class}}})
}

func TestIncidents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const report = "/driver/incident/report"
		driver, admin := w.North.Driver, w.North.Admin
		before := w.do(driver, "POST", report, m{"type": "other"})
		if before.Text("busId") != w.bus || before["tripId"] != nil || before.Text("severity") != "MEDIUM" || before["acknowledgedAt"] != nil {
			t.Errorf("incident without a trip: %v", before)
		}
		trip := w.begin("pickup", "07:00")
		w.set(trip, w.mia, "boarded").OK()
		w.set(trip, w.noa, "absent").OK()
		r := w.call(driver, "POST", report, m{"type": "accident", "description": "A scratch", "severity": "LOW", "lat": 40.7, "lng": -74})
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
		if told := w.told(w.aunt, incident); len(told) != 0 {
			t.Errorf("Aunt reads %q", told)
		}
		for name, body := range map[string]m{
			"no type": {}, "odd type": {"type": "flat"},
			"half a place": {"type": "other", "lat": 1}, "odd severity": {"type": "other", "severity": "low"},
		} {
			if r := w.call(driver, "POST", report, body); r.Status != 422 {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
		spare := w.make("transport/bus/create", m{"registrationNo": "B-2", "driverId": w.dan})
		w.call(driver, "POST", report, m{"type": "other", "busId": spare, "tripId": trip}).Want(422, "Unprocessable Entity")
		if other := w.do(driver, "POST", report, m{"type": "other", "busId": spare}); other.Text("busId") != spare || other["tripId"] != nil {
			t.Errorf("incident of another bus: %v", other)
		}

		w.call(driver, "POST", depot+"incident/"+incident+"/acknowledge", m{}).Want(403, "PERMISSION_DENIED")
		done := w.do(admin, "POST", depot+"incident/"+incident+"/acknowledge", m{"note": "Insurer called"})
		if done.Text("acknowledgedBy") != w.North.Admin.ID.String() || done["acknowledgedAt"] == nil ||
			done.Text("acknowledgeNote") != "Insurer called" {
			t.Errorf("acknowledged: %v", done)
		}
		w.call(admin, "POST", depot+"incident/"+incident+"/acknowledge", m{"note": "Again"}).Want(409, "Conflict")
		w.call(w.South.Admin, "POST", depot+"incident/"+incident+"/acknowledge", m{}).Want(404, "Not Found")
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
		"admin, grave":     {w.North.Admin, depot + "incident/list?severity=HIGH", nil},
		"driver":           {w.North.Driver, bus, []string{accident, other}},
		"teacher":          {w.North.Teacher, bus, []string{accident, other}},
		"parent":           {w.North.Parent, bus, []string{accident, other}},
		"driver, own":      {w.North.Driver, "/driver/incident/list?severity=LOW", []string{accident}},
		"another driver":   {w.eves, "/driver/incident/list", nil},
	} {
		if got := texts(w.do(tt.who, "GET", tt.path, nil), "id"); !slices.Equal(got, tt.want) {
			t.Errorf("incidents, %s: %v, want %v", name, got, tt.want)
		}
	}
	if r := w.call(w.North.Parent, "GET", bus, nil); strings.Contains(string(r.Body), "Insurer") {
		t.Errorf("a parent reads the office's note: %s", r.Body)
	}
	w.call(w.aunt, "GET", bus, nil).Want(403, "PERMISSION_DENIED")
	w.call(w.eves, "GET", bus, nil).Want(403, "PERMISSION_DENIED")
	w.call(w.South.Admin, "GET", bus, nil).Want(404, "Not Found")
}
