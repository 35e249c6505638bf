package leave_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// TestEraseAtOnce: a child is erased while its parent and the office write about its leave. No reason or note is left.
func TestEraseAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 8 {
			no := fmt.Sprint("K-", i)
			child := w.Make("student/create", m{"firstName": "Kim", "admissionNo": no, "classId": w.class, "divisionId": w.a,
				"guardians": list{m{"name": "Una", "phone": "+15550100003"}}})
			first := w.As(w.uncle, "POST", "/parent/leave/apply", apptest.With(w.days(0, 0), "studentId", child)).OK().Text("id")
			got := apptest.AtOnce(4, func(n int) apptest.Reply {
				switch n {
				case 0:
					return w.Admin("POST", "/school-admin/student/"+child+"/erase", m{"confirm": no})
				case 1:
					return w.Admin("POST", "/school-admin/leave/"+first+"/reject", m{"decisionNote": "Kim was seen in town"})
				}
				return w.As(w.uncle, "POST", "/parent/leave/apply", apptest.With(w.days(n, n), "studentId", child))
			})
			if got[500] > 0 {
				t.Errorf("round %d: replies %v", i, got)
			}
			n := w.Count(`leaves WHERE school_id = :school AND student_id = :student AND (reason <> '' OR decision_note <> '')`,
				db.Args{"student": id.ID(child)})
			apptest.Eq(t, fmt.Sprint("texts left in round ", i), n, 0)
		}
	})
}
