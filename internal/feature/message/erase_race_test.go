package message_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// TestEraseAtOnce: a child is erased while a teacher and the parent write about it. No text is left.
func TestEraseAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 8 {
			no, phone := fmt.Sprint("K-", i), fmt.Sprintf("+15550500%03d", i)
			child := w.Make("student/create", m{"firstName": "Kim", "admissionNo": no, "classId": w.one, "divisionId": w.a,
				"guardians": list{m{"name": "Jo", "phone": phone}}})
			parent := w.Account(actor.Parent, phone)
			if i%2 == 0 {
				w.send(w.anns, parent.ID, child, "before").OK()
			}
			got := apptest.AtOnce(5, func(n int) apptest.Reply {
				switch n {
				case 0:
					return w.Admin("POST", "/school-admin/student/"+child+"/erase", m{"confirm": no})
				case 1:
					return w.send(parent, w.anns.ID, child, "Kim is ill")
				case 2:
					return w.send(w.North.Admin, parent.ID, child, "Kim is ill")
				}
				return w.send(w.anns, parent.ID, child, "Kim is ill")
			})
			if got[204]+got[200] != 1 || got[500] > 0 {
				t.Errorf("round %d: replies %v, want the child erased", i, got)
			}
			left := w.All(`SELECT m.body FROM messages m JOIN message_threads t ON t.school_id = m.school_id AND t.id = m.thread_id
				WHERE m.school_id = :school AND t.student_id = :student AND m.body <> ''`, db.Args{"student": id.ID(child)})
			if len(left) > 0 {
				t.Errorf("round %d: the texts %q are left", i, left)
			}
			if n := w.Count(`notifications WHERE school_id = :school AND student_id = :student`, db.Args{"student": id.ID(child)}); n > 0 {
				t.Errorf("round %d: %d notifications are left", i, n)
			}
		}
	})
}
