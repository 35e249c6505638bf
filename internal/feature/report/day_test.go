package report_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
)

// office creates an administrator who may read only these modules.
func office(w *apptest.World, modules ...string) *apptest.Account {
	w.Helper()
	name := strings.Join(modules, "-")
	role := w.Make("role/create", m{"name": name, "type": "SCHOOL_ADMIN"})
	grants := list{}
	for _, o := range w.Admin("GET", "/school-admin/module/list?limit=100", nil).OK().Items() {
		if slices.Contains(modules, o.Text("name")) {
			grants = append(grants, m{"moduleId": o.Text("id"), "canRead": true})
		}
	}
	w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": grants}).OK()
	w.Make("employee/create", m{"firstName": "Lea", "roleId": role, "email": name + "@example.org"})
	return w.Account(actor.SchoolAdmin, name+"@example.org")
}

// fillDay makes a school day with something for every part.
func fillDay(w *apptest.World) {
	w.Helper()
	day := w.Monday(8)
	class := w.Make("class/create", m{"name": "One"})
	a, b := w.Make("division/create", m{"classId": class, "name": "A"}), w.Make("division/create", m{"classId": class, "name": "B"})
	pupil := func(name, division string, more ...any) string {
		return w.Make("student/create", apptest.With(m{"firstName": name, "classId": class, "divisionId": division}, more...))
	}
	parents := list{m{"name": "Zed", "phone": "+15550177001"}, m{"name": "Pat", "phone": w.North.Parent.Phone, "isPrimary": true}}
	mia := pupil("Mia", a, "guardians", parents, "dateOfBirth", "2016"+string(day)[4:])
	noa, lea, tom := pupil("Noa", a), pupil("Lea", a), pupil("Tom", b)
	w.Make("leave/create", m{"studentId": tom, "type": "SICK", "fromDate": day}) // marks, but not by hand
	w.Admin("POST", "/school-admin/attendance/mark", m{"classId": class, "divisionId": a, "date": day, "records": list{
		m{"studentId": mia, "status": "ABSENT"}, m{"studentId": noa, "status": "LATE"},
		m{"studentId": lea, "status": "ABSENT", "halfDay": "FIRST"}}}).OK()
	head := w.Make("fee/head/create", m{"name": "Books"})
	w.Make("fee/charge/create", m{"studentId": mia, "feeHeadId": head, "amount": 30, "dueDate": day.AddDays(-1)})
	w.Admin("POST", "/school-admin/fee/collection/record", m{"studentId": mia, "amount": 12.5, "method": "CASH"}).OK()
	dan := w.Make("employee/create", m{"firstName": "Dan", "roleId": w.Role(actor.Driver), "phone": w.North.Driver.Phone,
		"dateOfBirth": "1980" + string(day)[4:]})
	route := w.Make("transport/route/create", m{"name": "Hills", "stops": list{m{"name": "Mill", "lat": 40.71, "lng": -74.0}}})
	bus := w.Make("transport/bus/create", m{"registrationNo": "B-1", "capacity": 3, "driverId": dan, "routeId": route})
	trip := w.Make("transport/trip/schedule", m{"busId": bus, "type": "pickup", "date": day, "startTime": "08:00"})
	w.As(w.North.Driver, "POST", "/driver/bus-tracking/trips/"+trip+"/start", m{}).OK()
}

// part formats the parts of a day that tests compare.
func part(day apptest.Object, name string) string {
	v, _ := day[name].(map[string]any)
	switch items, _ := v["items"].([]any); {
	case v == nil:
		return "null"
	case items != nil:
		out := fmt.Sprint(v["total"])
		for _, i := range items {
			i := i.(map[string]any)
			for _, key := range []string{"firstName", "name", "busName", "registrationNo", "age", "guardianName", "guardianPhone",
				"routeName", "lat"} {
				if x, has := i[key]; has {
					out += fmt.Sprint(" ", x)
				}
			}
		}
		return out
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(v)) {
		out = append(out, fmt.Sprint(key, " ", v[key]))
	}
	return strings.Join(out, ", ")
}

// TestDay reads each part with its permission, and no other.
func TestDay(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		empty := w.Admin("GET", "/school-admin/dashboard/today", nil).OK()
		for name, want := range map[string]string{"absentees": "0", "birthdays": "0", "trips": "0",
			"attendance": "absent 0, divisions 0, divisionsMarked 0, holiday 0, late 0, leave 0, marked 0, present 0, students 0",
			"fees":       "collectedThisMonth 0, collectedToday 0, due 0, overdue 0, receiptsToday 0"} {
			apptest.Eq(t, name+" of an empty school", part(empty, name), want)
		}
		fillDay(w)
		phone := w.North.Parent.Phone
		parts := map[string]string{
			"attendance": "absent 2, divisions 2, divisionsMarked 1, holiday 0, late 1, leave 1, marked 4, present 0, students 4",
			"absentees":  "1 Mia Pat " + phone,
			"fees":       "collectedThisMonth 12.5, collectedToday 12.5, due 17.5, overdue 17.5, receiptsToday 1",
			"birthdays":  "2 Mia 10 Dan 46",
			"trips":      "1 <nil> B-1 Hills <nil>",
		}
		day := w.Admin("GET", "/school-admin/dashboard/today", nil).OK()
		for name, want := range parts {
			apptest.Eq(t, name, part(day, name), want)
		}
		if day["isSchoolDay"] != true || day["holiday"] != nil {
			t.Errorf("a Monday: %v %v", day["isSchoolDay"], day["holiday"])
		}
		for _, c := range []struct {
			modules string
			sees    map[string]string // other parts are null
			needs   string
		}{
			{"report", nil, ""},
			{"report attendance", map[string]string{"attendance": parts["attendance"], "absentees": "1 Mia <nil> <nil>"}, "CLASS_NOT_MARKED"},
			{"report fee", map[string]string{"fees": parts["fees"]}, "FEE_OVERDUE"},
			{"report student", map[string]string{"birthdays": "1 Mia 10"}, ""},
			{"report employee", map[string]string{"birthdays": "1 Dan 46"}, ""},
			{"report transport", map[string]string{"trips": parts["trips"]}, ""},
		} {
			got := w.As(office(w, strings.Fields(c.modules)...), "GET", "/school-admin/dashboard/today", nil).OK()
			for name := range parts {
				want, sees := c.sees[name]
				if !sees {
					want = "null"
				}
				apptest.Eq(t, name+" with read on "+c.modules, part(got, name), want)
			}
			kinds := []string{}
			for _, n := range got.Objects("needs") {
				kinds = append(kinds, n.Text("kind"))
			}
			apptest.Eq(t, "needs with read on "+c.modules, strings.Join(kinds, " "), c.needs)
		}
		w.As(office(w, "fee", "student"), "GET", "/school-admin/dashboard/today", nil).Want(403, "PERMISSION_DENIED")
		foreign := w.As(w.South.Admin, "GET", "/school-admin/dashboard/today", nil).OK()
		for name := range parts {
			if got := part(foreign, name); strings.Contains(got, "Mia") || strings.Contains(got, "Dan") || strings.Contains(got, "B-1") ||
				strings.Contains(got, "12.5") || strings.Contains(got, "students 4") {
				t.Errorf("the other school sees %s: %s", name, got)
			}
		}
		w.Make("holiday/create", m{"name": "Spring", "date": w.Day(0)})
		closed := w.Admin("GET", "/school-admin/dashboard/today", nil).OK()
		if closed["isSchoolDay"] != false || closed["holiday"] != "Spring" || strings.Contains(fmt.Sprint(closed["needs"]), "CLASS_NOT_MARKED") {
			t.Errorf("on a holiday: %v %v %v", closed["isSchoolDay"], closed["holiday"], closed["needs"])
		}
	})
}
