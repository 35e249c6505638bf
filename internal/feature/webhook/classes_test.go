package webhook_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
)

// TestClasses: classes, divisions, subjects and assignments are told, too.
func TestClasses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.hook("class.created", "class.updated", "class.deleted", "division.created", "subject.created", "employee.assigned")
		class := w.Make("class/create", m{"name": "Grade 1"})
		division := w.Make("division/create", m{"name": "A", "classId": class})
		subject := w.Make("subject/create", m{"name": "Maths", "classIds": list{class}})
		teacher := w.Make("employee/create", m{"firstName": "Tia", "phone": w.North.Teacher.Phone})
		apptest.Eq(t, "created", types(w.sends()), "class.created division.created subject.created")
		w.Admin("POST", "/school-admin/employee/"+teacher+"/assignments",
			m{"assignments": list{m{"classId": class, "divisionId": division, "subjectId": subject}}}).OK()
		w.Admin("PUT", "/school-admin/class/"+class, m{"name": "Grade One"}).OK()
		apptest.Eq(t, "changed", types(w.sends()), "employee.assigned class.updated")
	})
}

// TestRollNumbers: new roll numbers of a division are told, with whose they are.
func TestRollNumbers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		class := w.Make("class/create", m{"name": "Grade 1"})
		division := w.Make("division/create", m{"name": "A", "classId": class})
		ada := w.Make("student/create", m{"firstName": "Ada", "classId": class, "divisionId": division})
		w.hook("student.updated")
		w.Admin("POST", "/school-admin/student/renumber", m{"divisionId": division}).OK()
		sent := w.sends()
		apptest.Eq(t, "told", types(sent), "student.updated")
		apptest.Eq(t, "of whom", fmt.Sprint(sent[0].m["data"]), fmt.Sprint(m{"divisionId": division, "students": list{ada}}))
	})
}
