package people_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// atOnce makes two calls at once and reports which succeeded.
func atOnce(a, b func() apptest.Reply) (first, second bool) {
	apptest.AtOnce(2, func(who int) apptest.Reply {
		if who == 0 {
			r := a()
			first = r.Status < 300
			return r
		}
		r := b()
		second = r.Status < 300
		return r
	})
	return first, second
}

// parentStatus is the status of the account with this phone; "" without one.
func (o families) parentStatus(phone string) string {
	o.Helper()
	return o.One(`SELECT COALESCE(MAX(status), '') FROM users WHERE school_id = :school AND role = 'PARENT' AND phone = :phone`,
		db.Args{"phone": phone})
}

// TestLinksAtOnce: calls that link and unlink guardians meet. A guardian's account is
// active while there is a child, and a student has one primary guardian.
func TestLinksAtOnce(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		for i := range 10 {
			jon := m{"name": "Jon", "phone": fmt.Sprintf("+155507%05d", i)}
			phone := jon["phone"].(string)
			call := func(method, path string, body any) func() apptest.Reply {
				return func() apptest.Reply { return o.admin(method, path, body) }
			}
			want := func(what, is, want string) {
				t.Helper()
				apptest.Eq(t, fmt.Sprint("round ", i, ": ", what), is, want)
			}

			a, ids := o.enrol("Ada", jon)
			b, _ := o.enrol("Ben", jon)
			atOnce(call("DELETE", "student/"+a+"/guardians/"+ids[0], nil), call("DELETE", "student/"+b+"/guardians/"+ids[0], nil))
			want("unlinked from both children", o.parentStatus(phone), "DISABLED")

			o.admin("POST", "student/"+a+"/guardians", jon).OK()
			atOnce(call("DELETE", "student/"+a, nil), call("POST", "student/"+b+"/guardians", jon))
			want("one child archived, another linked", o.parentStatus(phone), "ACTIVE")

			c, _ := o.enrol("Cem")
			o.admin("DELETE", "student/"+b+"/guardians/"+ids[0], nil).OK()
			atOnce(call("DELETE", "student/"+c, nil), call("POST", "student/"+c+"/guardians", jon))
			want("linked to a child that is archived", o.parentStatus(phone), "DISABLED")

			first := func(name string) func() apptest.Reply {
				return call("POST", "student/"+b+"/guardians", m{"name": name, "isPrimary": true})
			}
			atOnce(first("Eva"), first("Eve"))
			n := o.Count(`student_guardians WHERE school_id = :school AND student_id = :student AND is_primary`, db.Args{"student": b})
			want("primary guardians", fmt.Sprint(n), "1")

		}
	})
}

// TestErasureAtOnce: a student is erased while the parent proposes contact data, or a
// sibling gets the parent. Nothing of an erased parent is left.
func TestErasureAtOnce(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		for i := range 10 {
			jon := m{"name": "Jon", "phone": fmt.Sprintf("+155508%05d", i)}
			a, _ := o.enrol("Ada", jon)
			me := o.parent(jon["phone"].(string))
			number := o.admin("GET", "student/"+a, nil).OK().Text("admissionNo")
			erase := func() apptest.Reply { return o.admin("POST", "student/"+a+"/erase", m{"confirm": number}) }
			atOnce(erase, func() apptest.Reply { return o.As(me, "POST", "/parent/contact/change", m{"name": "Jonny"}) })
			n := o.Count(`contact_changes WHERE school_id = :school`, nil)
			apptest.Eq(t, fmt.Sprint("round ", i, ": proposals of an erased parent"), n, 0)

			jon["phone"] = fmt.Sprintf("+155509%05d", i)
			a, _ = o.enrol("Ada", jon)
			b, _ := o.enrol("Ben")
			number = o.admin("GET", "student/"+a, nil).OK().Text("admissionNo")
			atOnce(erase, func() apptest.Reply { return o.admin("POST", "student/"+b+"/guardians", jon) })
			g := o.admin("GET", "student/"+b, nil).OK()["guardians"].([]any)
			apptest.Eq(t, fmt.Sprint("round ", i, ": guardians of the sibling"), len(g), 1)
			apptest.Eq(t, fmt.Sprint("round ", i, ": the guardian's name"), fmt.Sprint(g[0].(m)["name"]), "Jon")
		}
	})
}

// TestEmployeeArchivedAtOnce: an employee is archived twice, or while a phone is added.
// One call is refused, and an archived employee has no account.
func TestEmployeeArchivedAtOnce(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		for i := range 10 {
			tea := o.admin("POST", "employee/create", m{"firstName": "Tea"}).OK().Text("id")
			archive := func() apptest.Reply { return o.admin("DELETE", "employee/"+tea, nil) }
			phone := fmt.Sprintf("+155506%05d", i)
			changed, archived := atOnce(func() apptest.Reply { return o.admin("PUT", "employee/"+tea, m{"phone": phone}) }, archive)
			if changed && archived {
				n := o.Count(`users WHERE school_id = :school AND phone = :phone`, db.Args{"phone": phone})
				apptest.Eq(t, fmt.Sprint("round ", i, ": accounts of an archived employee"), n, 0)
			}
			tea = o.admin("POST", "employee/create", m{"firstName": "Tea"}).OK().Text("id")
			if a, b := atOnce(archive, archive); a && b {
				t.Errorf("round %d: archived twice", i)
			}
		}
	})
}

// TestLoginGivenTwice: two employees are given the e-mail of one account that has no employee. One of them gets it.
func TestLoginGivenTwice(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		for i := range 10 {
			email := fmt.Sprintf("spare%d@example.org", i)
			o.As(o.Super, "POST", "/super-admin/admin/create", m{"schoolId": o.North.ID, "name": "Spare", "email": email}).OK()
			var employees [2]string
			for n := range employees {
				employees[n] = o.Make("employee/create", m{"firstName": "Tea", "roleId": o.Role(actor.SchoolAdmin)})
			}
			got := apptest.AtOnce(2, func(n int) apptest.Reply { return o.admin("PUT", "employee/"+employees[n], m{"email": email}) })
			apptest.Eq(t, fmt.Sprint("round ", i), fmt.Sprint(got), "map[200:1 409:1]")
		}
	})
}
