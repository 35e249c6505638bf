package academics_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// TestStudentsAreCounted: classes and divisions have the number of their ACTIVE students,
// in this year, in the next one, and after it has begun.
func TestStudentsAreCounted(t *testing.T) {
	eachOffice(t, func(t *testing.T, o office) {
		counts := func(want map[string]int) {
			t.Helper()
			for path, n := range want {
				apptest.Eq(t, path, o.office("GET", path, nil).OK()["students"], any(float64(n)))
			}
		}
		one, two := o.Make("class/create", m{"name": "One"}), o.Make("class/create", m{"name": "Two"})
		a, b := o.Make("division/create", m{"classId": one, "name": "A"}), o.Make("division/create", m{"classId": one, "name": "B"})
		sits := func(name string, in m) string { return o.Make("student/create", apptest.With(in, "firstName", name)) }
		sits("Ana", m{"classId": one, "divisionId": a})
		ben := sits("Ben", m{"classId": one, "divisionId": b})
		sits("Cem", m{"classId": one})
		dot, eve := sits("Dot", m{"classId": one, "divisionId": a}), sits("Eve", m{"classId": one, "divisionId": a})
		o.office("PUT", "student/"+dot, m{"status": "LEFT"}).OK()
		o.office("DELETE", "student/"+eve, nil).OK()
		counts(map[string]int{"class/" + one: 3, "class/" + two: 0, "division/" + a: 1, "division/" + b: 1})

		today := clock.DateIn(o.Now(), "UTC")
		next := o.Make("academic-year/create", m{"name": "Next", "startDate": today.AddDays(200), "endDate": today.AddDays(500)})
		three := o.Make("class/create", m{"name": "Three", "academicYearId": next})
		threeA := o.Make("division/create", m{"classId": three, "name": "A"})
		o.office("POST", "student/promote", m{"fromClassId": one, "toClassId": three}).OK()
		later := map[string]int{"class/" + one: 3, "division/" + a: 1, "class/" + three: 3, "division/" + threeA: 1}
		counts(later)
		o.office("POST", "academic-year/"+next+"/activate", nil).OK()
		counts(later)
		o.office("PUT", "student/"+ben, m{"status": "LEFT"}).OK()
		counts(map[string]int{"class/" + one: 2, "division/" + b: 0, "class/" + three: 2})

		apptest.Eq(t, "listed class", o.office("GET", "class/list", nil).OK().Items()[0]["students"], any(2.0))
		apptest.Eq(t, "listed division", o.office("GET", "division/list?classId="+three, nil).OK().Items()[0]["students"], any(1.0))
	})
}

// TestNamesToChoose: whoever writes announcements or events chooses among classes and divisions, and reads only their
// names.
func TestNamesToChoose(t *testing.T) {
	eachOffice(t, func(t *testing.T, o office) {
		ann := o.Make("employee/create", m{"firstName": "Ann", "phone": "+15550200001"})
		one := o.Make("class/create", m{"name": "One"})
		a := o.Make("division/create", m{"classId": one, "name": "A", "capacity": 30, "classTeacherId": ann, "room": "12"})
		o.Make("student/create", m{"firstName": "Ana", "classId": one, "divisionId": a})
		for module, divisions := range map[string]bool{"announcement": true, "event": false} {
			role := o.Make("role/create", m{"name": module, "type": "SCHOOL_ADMIN"})
			id := o.One(`SELECT id FROM modules WHERE name = :name AND :school <> ''`, db.Args{"name": module})
			o.office("PUT", "role/"+role+"/permissions", m{"permissions": []m{{"moduleId": id, "canRead": true, "canWrite": true}}}).OK()
			o.Make("employee/create", m{"firstName": module, "roleId": role, "email": module + "@example.org"})
			clerk := o.Account(actor.SchoolAdmin, module+"@example.org")
			c := o.As(clerk, "GET", "/school-admin/class/list", nil).OK().Items()[0]
			apptest.Eq(t, module+": class", fmt.Sprint(c["id"], c["name"], c["students"]), fmt.Sprint(one, "One", 0))
			o.As(clerk, "GET", "/school-admin/class/"+one, nil).Want(403, "PERMISSION_DENIED")
			list := o.As(clerk, "GET", "/school-admin/division/list", nil)
			if !divisions { // events are for classes
				list.Want(403, "PERMISSION_DENIED")
				continue
			}
			d := list.OK().Items()[0]
			apptest.Eq(t, "division", fmt.Sprint(d["id"], d["className"], d["name"], d["students"]), fmt.Sprint(a, "One", "A", 0))
			for _, hidden := range []string{"capacity", "classTeacherId", "classTeacherName", "room"} {
				apptest.Eq(t, hidden, d[hidden], nil)
			}
			o.As(clerk, "POST", "/school-admin/announcement/create",
				m{"title": "T", "audience": "DIVISION", "divisionIds": []string{a}}).OK()
		}
	})
}
