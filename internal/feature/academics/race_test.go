package academics_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// TestAssignedAtOnce: a teacher is assigned by two calls, or while the record is archived
// or takes over. The last list counts, and an archived teacher has no assignments.
func TestAssignedAtOnce(t *testing.T) {
	eachOffice(t, func(t *testing.T, o office) {
		one, two := o.Make("class/create", m{"name": "One"}), o.Make("class/create", m{"name": "Two"})
		for i := range 10 {
			want := func(teacher, what string, most int) {
				t.Helper()
				n := o.Count(`teacher_assignments WHERE school_id = :school AND employee_id = :id`, db.Args{"id": teacher})
				if n > most {
					t.Errorf("round %d: %s: %d assignments, want at most %d", i, what, n, most)
				}
			}
			ann, ben := o.Make("employee/create", m{"firstName": "Ann"}), o.Make("employee/create", m{"firstName": "Ben"})
			apptest.AtOnce(2, func(who int) apptest.Reply { return o.assign(ann, m{"classId": []string{one, two}[who]}) })
			want(ann, "assigned twice", 1)
			o.both(func() apptest.Reply { return o.office("DELETE", "employee/"+ben, nil) },
				func() apptest.Reply { return o.assign(ben, m{"classId": one}) })
			want(ben, "archived while assigned", 0)
			cem := o.Make("employee/create", m{"firstName": "Cem"})
			o.both(func() apptest.Reply { return o.office("DELETE", "employee/"+cem, nil) },
				func() apptest.Reply { return o.office("POST", "employee/"+ann+"/hand-over", m{"toEmployeeId": cem}) })
			want(cem, "archived while taking over", 0)
		}
	})
}

// TestDeletedAtOnce: a class is deleted, or loses a subject, while a teacher is assigned
// to it. One of the two calls is refused.
func TestDeletedAtOnce(t *testing.T) {
	eachOffice(t, func(t *testing.T, o office) {
		ann := o.Make("employee/create", m{"firstName": "Ann"})
		for i := range 10 {
			class := o.Make("class/create", m{"name": fmt.Sprint("Class ", i)})
			if o.both(func() apptest.Reply { return o.office("DELETE", "class/"+class, nil) },
				func() apptest.Reply { return o.assign(ann, m{"classId": class}) }) {
				t.Errorf("round %d: the class was deleted and assigned", i)
			}
			o.assign(ann).OK()
			class = o.Make("class/create", m{"name": fmt.Sprint("Other ", i)})
			art := o.Make("subject/create", m{"name": fmt.Sprint("Art ", i), "classIds": []string{class}})
			if o.both(func() apptest.Reply { return o.office("PUT", "subject/"+art, m{"classIds": []string{}}) },
				func() apptest.Reply { return o.assign(ann, m{"classId": class, "subjectId": art}) }) {
				t.Errorf("round %d: the subject was assigned in a class that has lost it", i)
			}
			o.assign(ann).OK()
		}
	})
}

// office is the whole service with shorthands for calls of the school's office.
type office struct{ *apptest.World }

func eachOffice(t *testing.T, test func(t *testing.T, o office)) {
	t.Helper()
	apptest.Worlds(t, func(w *apptest.World) office { return office{w} }, test)
}

func (o office) office(method, path string, body any) apptest.Reply {
	o.Helper()
	return o.Admin(method, "/school-admin/"+path, body)
}

func (o office) assign(teacher string, list ...m) apptest.Reply {
	o.Helper()
	return o.office("POST", "employee/"+teacher+"/assignments", m{"assignments": append([]m{}, list...)})
}

// both makes two calls at once and reports whether both succeeded.
func (o office) both(a, b func() apptest.Reply) bool {
	by := apptest.AtOnce(2, func(who int) apptest.Reply {
		if who == 0 {
			return a()
		}
		return b()
	})
	return by[200]+by[204] == 2
}
