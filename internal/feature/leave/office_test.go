package leave_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
)

// TestOffice enters, shortens and cancels leave as an administrator, after it has begun.
func TestOffice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		enter := func(key, person string, body m) apptest.Reply {
			t.Helper()
			return w.Admin("POST", "/school-admin/leave/create", apptest.With(body, key, person))
		}
		leave := enter("studentId", w.mia, w.days(0, 3)).OK()
		apptest.Eq(t, "status", leave.Text("status"), "APPROVED")
		apptest.Eq(t, "marks", w.marks(w.mia), w.day(0)+" LEAVE, "+w.day(1)+" LEAVE, "+w.day(2)+" LEAVE, "+w.day(3)+" LEAVE")
		enter("studentId", w.mia, w.days(3, 4)).Want(409, "Conflict")

		w.Admin("POST", "/school-admin/attendance/mark", m{"classId": w.class, "date": w.day(0),
			"records": list{m{"studentId": w.mia, "status": "PRESENT"}}}).OK()
		path := "/school-admin/leave/" + leave.Text("id")
		w.Admin("POST", path+"/shorten", m{"toDate": w.day(3)}).Fields(422, "toDate")
		w.Admin("POST", path+"/shorten", m{"toDate": w.day(-1)}).Fields(422, "toDate")
		apptest.Eq(t, "new last day", w.Admin("POST", path+"/shorten", m{"toDate": w.day(1)}).OK().Text("toDate"), w.day(1))
		apptest.Eq(t, "marks of the shortened leave", w.marks(w.mia), w.day(0)+" PRESENT, "+w.day(1)+" LEAVE")
		w.act(w.North.Parent, leave.Text("id"), "cancel").Want(403, "PERMISSION_DENIED")
		w.Admin("POST", path+"/cancel", nil).OK()
		apptest.Eq(t, "marks after it is cancelled", w.marks(w.mia), w.day(0)+" PRESENT")
		w.Admin("POST", path+"/cancel", nil).Want(409, "Conflict")
		w.Admin("POST", path+"/shorten", m{"toDate": w.day(0)}).Want(409, "Conflict")
		w.Audited("leave.shorten", 1)
		if logged, _ := w.told(w.uncle, ""); logged != 3 {
			t.Errorf("the uncle was told %d times, want 3", logged)
		}

		staff := enter("employeeId", w.bob, w.days(0, 1)).OK().Text("id")
		w.Admin("POST", "/school-admin/leave/"+staff+"/cancel", nil).OK()
		w.Admin("POST", "/school-admin/leave/create", w.days(0, 1)).Fields(422, "studentId")
		w.As(w.South.Admin, "POST", path+"/cancel", nil).Want(404, "Not Found")
		w.As(w.North.Teacher, "POST", path+"/cancel", nil).Want(403, "PERMISSION_DENIED")
	})
}

// TestChangedByAnother: both parents hear of leave that one administrator entered and another shortens and cancels.
func TestChangedByAnother(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/employee/"+w.cid, m{"roleId": w.Role(actor.SchoolAdmin), "email": "cid@north.test"}).OK()
		cid := w.Account(actor.SchoolAdmin, "cid@north.test")
		hear := func(when string, want int) {
			t.Helper()
			for _, who := range []*apptest.Account{w.North.Parent, w.uncle} {
				logged, _ := w.told(who, "")
				apptest.Eq(t, when+": messages", logged, want)
			}
		}
		path := "/school-admin/leave/" + w.Make("leave/create", apptest.With(w.days(1, 3), "studentId", w.mia))
		hear("entered", 1)
		w.As(cid, "POST", path+"/shorten", m{"toDate": w.day(2)}).OK()
		hear("shortened by another", 2)
		w.As(cid, "POST", path+"/cancel", nil).OK()
		hear("cancelled by another", 3)
		asked := w.ask(w.mia, w.days(1, 1)).OK().Text("id")
		w.act(w.North.Admin, asked, "approve").OK()
		w.act(cid, asked, "cancel").OK()
		logged, _ := w.told(w.uncle, "")
		apptest.Eq(t, "messages to who did not apply", logged, 3)
	})
}
