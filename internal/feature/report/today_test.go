package report_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
)

type (
	m    = map[string]any
	list = []any
)

// TestToday fills a school day and reads it as an administrator.
func TestToday(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		make := func(path string, body m) string {
			t.Helper()
			return s.Call(t, s.North.Admin, "POST", "/school-admin/"+path, body).OK().Text("id")
		}
		class := make("class/create", m{"name": "One"})
		other := make("class/create", m{"name": "Two"})
		ann := make("student/create", m{"firstName": "Ann", "classId": class, "guardians": list{m{"name": "Pat", "phone": s.North.Parent.Phone}}})
		ben := make("student/create", m{"firstName": "Ben", "classId": class})
		make("student/create", m{"firstName": "Cyd", "classId": other})
		day := clock.DateIn(s.Now(), "UTC")
		s.Call(t, s.North.Admin, "PUT", "/school-admin/setting", m{"weekendDays": list{}}).OK()
		s.Call(t, s.North.Admin, "POST", "/school-admin/attendance/mark", m{"classId": class, "date": day, "records": list{
			m{"studentId": ann, "status": "LATE"}, m{"studentId": ben, "status": "ABSENT"}}}).OK()
		head := make("fee/head/create", m{"name": "Books"})
		make("fee/charge/create", m{"studentId": ann, "feeHeadId": head, "amount": 30, "dueDate": day})
		s.Call(t, s.North.Admin, "POST", "/school-admin/fee/collection/record", m{"studentId": ann, "amount": 12.5, "method": "CASH"}).OK()
		s.Call(t, s.North.Parent, "POST", "/parent/leave/apply",
			m{"studentId": ann, "type": "SICK", "fromDate": day.AddDays(3), "toDate": day.AddDays(3), "reason": "Flu"}).OK()
		s.Call(t, s.North.Parent, "POST", "/parent/message/send", m{"recipientId": s.North.ID, "body": "When does the bus come?"}).OK()

		today := s.Call(t, s.North.Admin, "GET", "/school-admin/dashboard/stats", nil).OK()["today"].(m)
		var classes []string
		for _, c := range today["attendance"].([]any) {
			c := c.(m)
			classes = append(classes, fmt.Sprint(c["name"], " ", c["students"], c["marked"], c["present"], c["late"], c["absent"], c["leave"],
				c["holiday"]))
		}
		if got, want := fmt.Sprint(classes), "[One 2 2 0 1 1 0 0 Two 1 0 0 0 0 0 0]"; got != want {
			t.Errorf("attendance %s, want %s", got, want)
		}
		if got, want := fmt.Sprint(today["fees"]), "map[collectedThisMonth:12.5 collectedToday:12.5 due:17.5]"; got != want {
			t.Errorf("fees %s, want %s", got, want)
		}
		if today["openLeaves"] != 1.0 || today["runningTrips"] != 0.0 || today["unreadMessages"] != 1.0 || today["date"] != string(day) {
			t.Errorf("today: %v", today)
		}
		// A payment that bounces and money given back are taken off.
		paid := func(amount float64) string {
			return make("fee/collection/record", m{"studentId": ann, "amount": amount, "method": "CASH"})
		}
		s.Call(t, s.North.Admin, "POST", "/school-admin/fee/collection/"+paid(5)+"/reverse", m{"reason": "Bounced"}).OK()
		paid(20) // 2.5 more than is due
		make("fee/refund/create", m{"studentId": ann, "amount": 2.5, "method": "CASH", "reason": "Paid too much"})
		today = s.Call(t, s.North.Admin, "GET", "/school-admin/dashboard/stats", nil).OK()["today"].(m)
		if got, want := fmt.Sprint(today["fees"]), "map[collectedThisMonth:30 collectedToday:30 due:0]"; got != want {
			t.Errorf("fees after a reversal and a refund: %s, want %s", got, want)
		}
		foreign := s.Call(t, s.South.Admin, "GET", "/school-admin/dashboard/stats", nil).OK()["today"].(m)
		got := fmt.Sprint(foreign["attendance"], foreign["fees"], foreign["openLeaves"])
		if got != "[] map[collectedThisMonth:0 collectedToday:0 due:0] 0" {
			t.Errorf("today of the other school: %s", got)
		}
	})
}

// TestArchived: what a removed student owes and a removed person's leave can't be dealt with, so the office's day has neither,
// as the lists of dues and leaves.
func TestArchived(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		ann := w.Make("student/create", m{"firstName": "Ann", "classId": w.Make("class/create", m{"name": "One"}),
			"guardians": list{m{"name": "Pat", "phone": w.North.Parent.Phone}}})
		bob := w.Make("employee/create", m{"firstName": "Bob", "phone": w.North.Teacher.Phone})
		w.Make("fee/charge/create", m{"studentId": ann, "name": "Books", "amount": 30, "dueDate": w.Day(-3)})
		w.As(w.North.Parent, "POST", "/parent/leave/apply", m{"studentId": ann, "type": "SICK", "fromDate": w.Day(3)}).OK()
		w.As(w.North.Teacher, "POST", "/teacher/leave/apply", m{"type": "SICK", "fromDate": w.Day(3)}).OK()
		numbers := func() string {
			day := w.Admin("GET", "/school-admin/dashboard/today", nil).OK()
			out := fmt.Sprint(day["fees"].(m)["due"], " due, ", day["fees"].(m)["overdue"], " overdue")
			for _, n := range day.Objects("needs") {
				if kind := n.Text("kind"); kind == "LEAVE" || kind == "FEE_OVERDUE" {
					out += fmt.Sprint(", ", kind, " ", n["count"])
				}
			}
			today := w.Admin("GET", "/school-admin/dashboard/stats", nil).OK()["today"].(m)
			return out + fmt.Sprint("; ", today["fees"].(m)["due"], " due, leaves ", today["openLeaves"])
		}
		apptest.Eq(t, "before", numbers(), "30 due, 30 overdue, LEAVE 2, FEE_OVERDUE 1; 30 due, leaves 2")
		w.Admin("DELETE", "/school-admin/student/"+ann, nil).OK()
		w.Admin("DELETE", "/school-admin/employee/"+bob, nil).OK()
		apptest.Eq(t, "dues", w.Admin("GET", "/school-admin/fee/report/dues", nil).OK()["total"], any(0.0))
		apptest.Eq(t, "leaves", w.Admin("GET", "/school-admin/leave/list", nil).OK()["total"], any(0.0))
		apptest.Eq(t, "after", numbers(), "0 due, 0 overdue; 0 due, leaves 0")
	})
}

// TestMoved: marks count where their students do, and a division is not marked by a student who moved into it.
func TestMoved(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		day := w.Monday(12)
		one, two := w.Make("class/create", m{"name": "One"}), w.Make("class/create", m{"name": "Two"})
		a := w.Make("division/create", m{"classId": one, "name": "A"})
		var ids []string
		for _, name := range []string{"Ann", "Ben", "Cyd"} {
			ids = append(ids, w.Make("student/create", m{"firstName": name, "classId": one, "divisionId": a}))
		}
		w.Make("student/create", m{"firstName": "Dee", "classId": two})
		marks := list{}
		for _, student := range ids {
			marks = append(marks, m{"studentId": student, "status": "PRESENT"})
		}
		w.Admin("POST", "/school-admin/attendance/mark", m{"classId": one, "date": day, "records": marks}).OK()
		w.Admin("PUT", "/school-admin/student/"+ids[0], m{"classId": two, "divisionId": nil}).OK()
		w.Admin("DELETE", "/school-admin/student/"+ids[1], nil).OK()
		var classes []string
		for _, c := range w.Admin("GET", "/school-admin/dashboard/stats", nil).OK().Object("today").Objects("attendance") {
			classes = append(classes, fmt.Sprint(c["name"], " ", c["students"], " ", c["marked"], " ", c["present"]))
		}
		apptest.Eq(t, "students, marked, present", fmt.Sprint(classes), "[One 1 1 1 Two 2 1 1]")
		today := w.Admin("GET", "/school-admin/dashboard/today", nil).OK()
		sum, needs := today.Object("attendance"), ""
		apptest.Eq(t, "divisions, marked; students, marked", fmt.Sprint(sum["divisions"], sum["divisionsMarked"], sum["students"], sum["marked"]),
			"2 1 3 2")
		for _, n := range today.Objects("needs") {
			needs += fmt.Sprint(n["kind"], n["count"])
		}
		apptest.Eq(t, "needs", needs, "CLASS_NOT_MARKED1")
	})
}
