package elective_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// TestMoveAtOnce: a student changes class while the office chooses who takes an elective
// of the old one. The student does not keep it.
func TestMoveAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		two := w.Make("class/create", m{"name": "Two"})
		for i := range 20 {
			w.Admin("PUT", "/school-admin/student/"+w.mia, m{"classId": w.class}).OK()
			w.Admin("PUT", w.path(w.art), m{"studentIds": list{}}).OK()
			apptest.AtOnce(2, func(who int) apptest.Reply {
				if who == 0 {
					return w.Admin("PUT", "/school-admin/student/"+w.mia, m{"classId": two})
				}
				return w.Admin("PUT", w.path(w.art), m{"studentIds": list{w.mia, w.noa}})
			})
			for _, s := range w.Admin("GET", w.path(w.art), nil).OK().Objects("takenBy") {
				if s.Text("name") == "Mia" {
					t.Errorf("round %d: Mia takes Art of a class that she has left", i)
				}
			}
		}
	})
}
