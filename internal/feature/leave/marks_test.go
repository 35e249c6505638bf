package leave_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
)

// marks lists a student's attendance from Monday on, as "date status half".
func (w *world) marks(student string) string {
	w.Helper()
	var out []string
	for _, month := range []string{w.day(0)[:7], w.day(31)[:7]} {
		report := w.Admin("GET", "/school-admin/attendance/report?classId="+w.class+"&month="+month, nil).OK()
		for _, s := range report["students"].([]any) {
			if s := s.(m); s["studentId"] == student {
				for _, d := range s["days"].([]any) {
					half, _ := d.(m)["halfDay"].(string)
					out = append(out, strings.TrimSpace(d.(m)["date"].(string)+" "+d.(m)["status"].(string)+" "+half))
				}
			}
		}
		if w.day(0)[:7] == w.day(31)[:7] {
			break
		}
	}
	return strings.Join(out, ", ")
}

// TestMarks approves and cancels leave over a weekend and a holiday, before and after
// attendance is marked.
func TestMarks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		is := func(what, want string) {
			t.Helper()
			apptest.Eq(t, what, w.marks(w.mia), want)
		}
		w.Admin("POST", "/school-admin/holiday/create", m{"date": w.day(8), "name": "Harvest"}).OK()
		leave := w.ask(w.mia, w.days(3, 9)).OK().Text("id")
		is("while it waits", "")
		w.act(w.North.Teacher, leave, "approve").OK()
		is("approved", w.day(3)+" LEAVE, "+w.day(4)+" LEAVE, "+w.day(7)+" LEAVE, "+w.day(9)+" LEAVE")
		apptest.Eq(t, "Zoe has", w.marks(w.zoe), "")
		w.act(w.North.Parent, leave, "cancel").OK()
		is("cancelled", "")
		w.act(w.North.Admin, w.ask(w.mia, w.days(3, 9)).OK().Text("id"), "reject").OK()
		is("rejected", "")

		// A late approval replaces a mark; a later mark by a user stays.
		mark := func(status string) {
			t.Helper()
			w.Admin("POST", "/school-admin/attendance/mark", m{"classId": w.class, "date": w.day(0),
				"records": list{m{"studentId": w.mia, "status": status}}}).OK()
		}
		mark("ABSENT")
		late := w.ask(w.mia, w.days(0, 1)).OK().Text("id")
		w.act(w.North.Admin, late, "approve").OK()
		is("approved late", w.day(0)+" LEAVE, "+w.day(1)+" LEAVE")
		mark("PRESENT")
		w.act(w.North.Parent, late, "cancel").Want(409, "Conflict")
		is("came after all", w.day(0)+" PRESENT, "+w.day(1)+" LEAVE")
		w.Pass(24 * time.Hour)
		is("a day later", w.day(0)+" PRESENT, "+w.day(1)+" LEAVE")
	})
}

// TestMarksOfHalves cancels one half of a day with both halves approved.
func TestMarksOfHalves(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i, tt := range []struct{ order, cancelled, left string }{
			{"FIRST SECOND", "FIRST", "SECOND"}, {"FIRST SECOND", "SECOND", "FIRST"},
			{"SECOND FIRST", "FIRST", "SECOND"}, {"SECOND FIRST", "SECOND", "FIRST"},
		} {
			leaves, day := map[string]string{}, i+1
			for _, half := range strings.Fields(tt.order) {
				leaves[half] = w.ask(w.mia, m{"type": "SICK", "fromDate": w.day(day), "half": half}).OK().Text("id")
				w.act(w.North.Admin, leaves[half], "approve").OK()
			}
			apptest.Eq(t, tt.order, w.marks(w.mia), w.day(day)+" LEAVE")
			w.act(w.North.Parent, leaves[tt.cancelled], "cancel").OK()
			apptest.Eq(t, fmt.Sprint(tt.order, ", then ", tt.cancelled, " cancelled"), w.marks(w.mia), w.day(day)+" LEAVE "+tt.left)
			w.act(w.North.Parent, leaves[tt.left], "cancel").OK()
			apptest.Eq(t, fmt.Sprint(tt.order, ", then both cancelled"), w.marks(w.mia), "")
		}
	})
}
