package leave_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// words is a date as in messages.
func words(day string) string { return clock.Date(day).Time().Format("2 January 2006") }

// TestReopen takes decisions on a student's leave back, and decides the other way.
func TestReopen(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("POST", "/school-admin/attendance/mark", m{"classId": w.class, "date": w.day(0),
			"records": list{m{"studentId": w.mia, "status": "PRESENT"}}}).OK()
		leave := w.ask(w.mia, w.days(0, 1)).OK().Text("id")
		w.act(w.North.Admin, leave, "reopen").Want(409, "Conflict")
		w.act(w.North.Teacher, leave, "approve").OK()
		apptest.Eq(t, "marks", w.marks(w.mia), w.day(0)+" LEAVE, "+w.day(1)+" LEAVE")
		parent, _ := w.told(w.North.Parent, "")
		ann, _ := w.told(w.North.Teacher, "")

		again := w.act(w.North.Admin, leave, "reopen").OK()
		if again.Text("status") != "PENDING" || again["decidedBy"] != nil || again["decidedAt"] != nil || again["decisionNote"] != nil {
			t.Errorf("waiting again: %v", again)
		}
		apptest.Eq(t, "marks taken back", w.marks(w.mia), w.day(0)+" PRESENT")
		after, _ := w.told(w.North.Parent, "")
		apptest.Eq(t, "messages to the applicant", after-parent, 1)
		uncle, _ := w.told(w.uncle, "")
		apptest.Eq(t, "messages to the other guardian", uncle, 0)
		after, _ = w.told(w.North.Teacher, "")
		apptest.Eq(t, "messages to the teacher who had approved", after-ann, 1)
		body := w.All(`SELECT body FROM notifications WHERE school_id = :school AND user_id = :user ORDER BY id`,
			db.Args{"user": w.North.Teacher.ID})
		apptest.Eq(t, "the text", body[len(body)-1], "The decision on the leave of Mia Roe from "+words(w.day(0))+" to "+words(w.day(1))+
			" was taken back. It will be decided again.")
		w.Audited("leave.reopen", 1)

		w.act(w.North.Admin, leave, "reject").OK()
		w.act(w.North.Admin, leave, "reopen").OK()
		w.act(w.North.Admin, leave, "approve").OK()
		apptest.Eq(t, "marks in the end", w.marks(w.mia), w.day(0)+" LEAVE, "+w.day(1)+" LEAVE")
		w.act(w.North.Admin, leave, "cancel").OK()
		w.act(w.North.Admin, leave, "reopen").Want(409, "Conflict")
	})
}

// TestReopenMisuse is about who may take a decision back, and when it makes no sense.
func TestReopenMisuse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		leave := w.ask(w.mia, w.days(1, 2)).OK().Text("id")
		w.act(w.North.Admin, leave, "reject").OK()
		w.act(w.North.Teacher, leave, "reopen").Want(403, "PERMISSION_DENIED") // the office decided
		w.act(w.cids, leave, "reopen").Want(403, "PERMISSION_DENIED")          // not the class teacher
		w.act(w.North.Parent, leave, "reopen").Want(404, "Not Found")          // no such route
		w.As(w.North.Parent, "POST", "/school-admin/leave/"+leave+"/reopen", m{}).Want(403, "PERMISSION_DENIED")
		w.act(w.South.Admin, leave, "reopen").Want(404, "Not Found")
		w.act(w.South.Teacher, leave, "reopen").Want(404, "Not Found")
		apptest.Eq(t, "status", w.status(leave), "REJECTED")

		other := w.ask(w.mia, w.days(2, 3)).OK().Text("id") // meanwhile
		w.act(w.North.Admin, leave, "reopen").Want(409, "Conflict")
		w.act(w.North.Parent, other, "cancel").OK()
		w.act(w.North.Admin, leave, "reopen").OK()

		entered := w.Admin("POST", "/school-admin/leave/create", apptest.With(w.days(0, 0), "studentId", w.zoe)).OK()
		apptest.Eq(t, "entered by the office", entered["isEntered"], any(true))
		w.act(w.North.Admin, entered.Text("id"), "reopen").Want(409, "Conflict")
		staff := w.Admin("POST", "/school-admin/leave/create", apptest.With(w.days(0, 0), "employeeId", w.bob)).OK()
		w.act(w.North.Admin, staff.Text("id"), "reopen").Want(409, "Conflict")

		old := w.ask(w.mia, w.days(-9, -9)).OK().Text("id")
		w.act(w.North.Admin, old, "approve").OK()
		w.act(w.North.Admin, old, "reopen").OK() // the office at any time
		own := w.askOwn(w.bobs, w.days(5, 5)).OK()
		apptest.Eq(t, "applied by the teacher", own["isEntered"], any(false))
		w.act(w.North.Admin, own.Text("id"), "approve").OK()
		w.act(w.bobs, own.Text("id"), "reopen").Want(403, "PERMISSION_DENIED")
		w.act(w.North.Admin, own.Text("id"), "reopen").OK()
		apptest.Eq(t, "the teacher's leave", w.status(own.Text("id")), "PENDING")
	})
}

// TestReopenChecksTheBalance refuses to let rejected leave wait again if the days are
// used up.
func TestReopenChecksTheBalance(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/leave/entitlements", m{"entitlements": list{m{"type": "SICK", "days": 2}}}).OK()
		first := w.askOwn(w.bobs, w.days(0, 1)).OK().Text("id")
		w.act(w.North.Admin, first, "reject").OK()
		second := w.askOwn(w.bobs, w.days(2, 2)).OK().Text("id")
		w.act(w.North.Admin, first, "reopen").Want(409, "Conflict")
		w.act(w.bobs, second, "cancel").OK()
		w.act(w.North.Admin, first, "reopen").OK()
	})
}

// TestReopenRace takes a decision back many times at once: once is enough.
func TestReopenRace(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		leave := w.ask(w.mia, w.days(0, 1)).OK().Text("id")
		w.act(w.North.Teacher, leave, "approve").OK()
		before, _ := w.told(w.North.Parent, "")
		var wg sync.WaitGroup
		var won atomic.Int32
		for range 8 {
			wg.Go(func() {
				switch r := w.act(w.North.Admin, leave, "reopen"); r.Status {
				case 200:
					won.Add(1)
				case 409:
				default:
					t.Errorf("reopen: %d %s", r.Status, r.Body)
				}
			})
		}
		wg.Wait()
		apptest.Eq(t, "winners", won.Load(), int32(1))
		after, _ := w.told(w.North.Parent, "")
		apptest.Eq(t, "messages", after-before, 1)
		apptest.Eq(t, "marks", w.marks(w.mia), "")
	})
}

// TestReopenReleasesSubstitutes gives lessons back to a teacher who is not on leave
// after all.
func TestReopenReleasesSubstitutes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		subject := w.Make("subject/create", m{"name": "Maths", "code": "MA", "classIds": list{w.class}})
		lesson := func(day, no int, start, end, teacher string) m {
			return m{"dayOfWeek": day, "periodNo": no, "startTime": start, "endTime": end, "subjectId": subject, "teacherId": teacher}
		}
		w.Admin("PUT", "/school-admin/timetable", m{"classId": w.class, "divisionId": w.a, "periods": list{
			lesson(1, 1, "09:00", "10:00", w.bob), lesson(2, 1, "09:00", "10:00", w.bob), lesson(2, 2, "10:00", "11:00", w.cid)}}).OK()
		w.Admin("PUT", "/school-admin/timetable", m{"classId": w.class, "divisionId": w.b, "periods": list{
			lesson(2, 1, "09:00", "10:00", w.ann)}}).OK()
		cover := func(day, no int, division, substitute string) string {
			return w.Make("timetable/override", m{"date": w.day(day), "classId": w.class, "divisionId": division,
				"periodNo": no, "teacherId": substitute})
		}
		cover(1, 1, w.a, w.cid) // before the leave: an exchange of lessons
		leave := w.askOwn(w.bobs, w.days(0, 1)).OK().Text("id")
		w.Clock.Add(time.Second)
		w.act(w.North.Admin, leave, "approve").OK()
		cover(0, 1, w.a, w.cid)
		overrides := func() int {
			return len(w.Admin("GET", "/school-admin/timetable/overrides", nil).OK().Items())
		}
		apptest.Eq(t, "overrides", overrides(), 2)
		w.act(w.North.Admin, leave, "reopen").OK()
		apptest.Eq(t, "the exchange stays", overrides(), 1)
		ended := w.Count(`notifications WHERE school_id = :school AND user_id = :user AND title = 'You no longer take over a lesson'`,
			db.Args{"user": w.cids.ID})
		apptest.Eq(t, "messages to the substitute", ended, 1)
	})
}

// TestCancelledAfterApproval: whoever approved leave hears that it was cancelled or shortened, unless they did it themselves.
func TestCancelledAfterApproval(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		news := func(what string, want int, change func(leave string)) {
			t.Helper()
			leave := w.ask(w.mia, w.days(1, 3)).OK().Text("id")
			w.act(w.North.Teacher, leave, "approve").OK()
			before, _ := w.told(w.North.Teacher, "")
			change(leave)
			after, _ := w.told(w.North.Teacher, "")
			apptest.Eq(t, "messages to the teacher after "+what, after-before, want)
			if w.status(leave) == "APPROVED" {
				w.act(w.North.Admin, leave, "cancel").OK()
			}
		}
		news("the parent cancelled", 1, func(leave string) { w.act(w.North.Parent, leave, "cancel").OK() })
		news("the office cancelled", 1, func(leave string) { w.act(w.North.Admin, leave, "cancel").OK() })
		news("the office shortened", 1, func(leave string) {
			w.Admin("POST", "/school-admin/leave/"+leave+"/shorten", m{"toDate": w.day(2)}).OK()
		})
		news("nothing", 0, func(string) {})
	})
}
