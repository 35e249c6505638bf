package leave_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
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

// TestMarksOfFormerHoliday: days that are no holiday any more are marked as leave, too.
func TestMarksOfFormerHoliday(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		holiday := w.Make("holiday/create", m{"date": w.day(1), "endDate": w.day(3), "name": "Storm"})
		w.act(w.North.Admin, w.ask(w.mia, w.days(0, 4)).OK().Text("id"), "approve").OK()
		apptest.Eq(t, "with the holiday", w.marks(w.mia), w.day(0)+" LEAVE, "+w.day(4)+" LEAVE")
		w.Admin("PUT", "/school-admin/holiday/"+holiday, m{"date": w.day(2)}).OK()
		apptest.Eq(t, "a shorter one", w.marks(w.mia), w.day(0)+" LEAVE, "+w.day(1)+" LEAVE, "+w.day(4)+" LEAVE")
		w.Admin("DELETE", "/school-admin/holiday/"+holiday, nil)
		apptest.Eq(t, "without it", w.marks(w.mia),
			w.day(0)+" LEAVE, "+w.day(1)+" LEAVE, "+w.day(2)+" LEAVE, "+w.day(3)+" LEAVE, "+w.day(4)+" LEAVE")
	})
}

// TestMarksOfUndonePromotion: an undone promotion takes back what leave has marked in the later year, and nothing
// else. What a person has marked there refuses it. Promoted again, the student is marked again.
func TestMarksOfUndonePromotion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		year := w.One(`SELECT id FROM academic_years WHERE school_id = :school AND is_current`, nil)
		w.Admin("PUT", "/school-admin/academic-year/"+year, m{"endDate": w.day(4)}).OK()
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": w.day(5), "endDate": w.day(300)})
		two := w.Make("class/create", m{"name": "Two", "academicYearId": next})
		promotion := func(path string, students ...any) apptest.Reply {
			to := any(two)
			if path != "" {
				to = nil
			}
			return w.Admin("POST", "/school-admin/student/promote"+path, m{"fromClassId": w.class, "toClassId": to, "studentIds": students})
		}
		is := func(what, student, want string) {
			t.Helper()
			apptest.Eq(t, what, strings.Join(w.All(`SELECT date || ' ' || status FROM attendance
				WHERE school_id = :school AND student_id = :student ORDER BY date`, db.Args{"student": student}), ", "), want)
		}
		mark := func(day int, student string, status any) {
			w.Admin("POST", "/school-admin/attendance/mark", m{"classId": two, "date": w.day(day),
				"records": list{m{"studentId": student, "status": status}}}).OK()
		}
		mias := w.Make("leave/create", apptest.With(w.days(3, 8), "studentId", w.mia))
		w.Make("leave/create", apptest.With(w.days(7, 8), "studentId", w.noa))
		promotion("", w.mia, w.noa, w.zoe).OK()
		w.Admin("POST", "/school-admin/academic-year/"+next+"/activate", nil).OK()
		w.Pass(7 * 24 * time.Hour)
		mark(7, w.noa, nil)
		mark(7, w.zoe, "LEAVE")
		old, new := w.day(3)+" LEAVE, "+w.day(4)+" LEAVE", w.day(7)+" LEAVE, "+w.day(8)+" LEAVE"
		is("Mia, promoted", w.mia, old+", "+new)

		promotion("/undo", w.mia, w.noa, w.zoe).Want(409, "Conflict")
		is("Mia, when it was refused", w.mia, old+", "+new)
		promotion("/undo", w.zoe).Want(409, "Conflict")
		is("Zoe, whom a person has marked", w.zoe, w.day(7)+" LEAVE")
		promotion("/undo", w.mia, w.noa).OK()
		is("Mia, undone", w.mia, old)
		is("Noa, undone", w.noa, "")
		promotion("", w.mia, w.noa).OK()
		is("Mia, promoted again", w.mia, old+", "+new)
		is("Noa, whose first day was taken back", w.noa, w.day(8)+" LEAVE")

		mark(7, w.mia, "PRESENT")
		w.act(w.North.Admin, mias, "cancel").OK()
		is("Mia came, and her leave is cancelled", w.mia, w.day(7)+" PRESENT")
	})
}

// TestMarksOfNextYear: leave that lasts into the next academic year, or was approved for it before, is marked there once
// the child has a class in it. What somebody says of a day stays.
func TestMarksOfNextYear(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		year := w.One(`SELECT id FROM academic_years WHERE school_id = :school AND is_current`, nil)
		w.Admin("PUT", "/school-admin/academic-year/"+year, m{"endDate": w.day(4)}).OK()
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": w.day(5), "endDate": w.day(300)})
		two := w.Make("class/create", m{"name": "Two", "academicYearId": next})
		away := func(student string, from, to int, half any) string {
			return w.Make("leave/create", apptest.With(w.days(from, to), "studentId", student, "half", half))
		}
		marks := func(student string) string {
			return strings.Join(w.All(`SELECT date || ' ' || status || CASE WHEN class_id = :two THEN ' in Two' ELSE '' END FROM attendance
				WHERE school_id = :school AND student_id = :student ORDER BY date`, db.Args{"student": student, "two": two}), ", ")
		}
		promote := func(student string) {
			w.Admin("POST", "/school-admin/student/promote", m{"fromClassId": w.class, "toClassId": two, "studentIds": list{student}}).OK()
		}
		old := w.day(3) + " LEAVE, " + w.day(4) + " LEAVE"
		away(w.mia, 3, 8, nil)
		zoes := away(w.zoe, 7, 7, nil)
		away(w.noa, 8, 8, "FIRST")
		away(w.noa, 8, 8, "SECOND")
		promote(w.mia)
		promote(w.zoe)
		apptest.Eq(t, "Mia, before the year", marks(w.mia), old)
		w.Admin("POST", "/school-admin/academic-year/"+next+"/activate", nil).OK()
		apptest.Eq(t, "Mia", marks(w.mia), old+", "+w.day(7)+" LEAVE in Two, "+w.day(8)+" LEAVE in Two")
		apptest.Eq(t, "Zoe", marks(w.zoe), w.day(7)+" LEAVE in Two")
		apptest.Eq(t, "Noa has no class yet", marks(w.noa), "")

		w.Pass(7 * 24 * time.Hour)
		w.Admin("POST", "/school-admin/attendance/mark", m{"classId": two, "date": w.day(7),
			"records": list{m{"studentId": w.mia, "status": "PRESENT"}, m{"studentId": w.zoe, "status": nil}}}).OK()
		promote(w.noa)
		apptest.Eq(t, "Noa", marks(w.noa), w.day(8)+" LEAVE in Two")
		apptest.Eq(t, "Mia came after all", marks(w.mia), old+", "+w.day(7)+" PRESENT in Two, "+w.day(8)+" LEAVE in Two")
		apptest.Eq(t, "Zoe's mark was taken back", marks(w.zoe), "")
		w.act(w.North.Admin, zoes, "cancel").OK()
	})
}

// TestMarksOfLastYear: leave is marked in the class of each day's academic year, also when it is approved in the next one;
// and a child who gets a class of the running year by hand or from a file is marked there.
func TestMarksOfLastYear(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		year := w.One(`SELECT id FROM academic_years WHERE school_id = :school AND is_current`, nil)
		w.Admin("PUT", "/school-admin/academic-year/"+year, m{"endDate": w.day(4)}).OK()
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": w.day(5), "endDate": w.day(300)})
		two := w.Make("class/create", m{"name": "Two", "academicYearId": next})
		marks := func(student string) string {
			return strings.Join(w.All(`SELECT a.date || ' ' || c.name || COALESCE(' ' || d.name, '') FROM attendance a
				JOIN classes c ON c.school_id = a.school_id AND c.id = a.class_id
				LEFT JOIN divisions d ON d.school_id = a.school_id AND d.id = a.division_id
				WHERE a.school_id = :school AND a.student_id = :student AND a.status = 'LEAVE' ORDER BY a.date`,
				db.Args{"student": student}), ", ")
		}
		mias := w.ask(w.mia, w.days(3, 8)).OK().Text("id")
		w.act(w.North.Admin, mias, "approve").OK()
		apptest.Eq(t, "Mia, before the year ends", marks(w.mia), w.day(3)+" One A, "+w.day(4)+" One A")
		w.Admin("POST", "/school-admin/student/promote", m{"fromClassId": w.class, "toClassId": two, "studentIds": list{w.mia}}).OK()
		w.Admin("POST", "/school-admin/academic-year/"+next+"/activate", nil).OK()
		w.Pass(7 * 24 * time.Hour)

		both := w.day(3) + " One A, " + w.day(4) + " One A, " + w.day(7) + " Two, " + w.day(8) + " Two"
		apptest.Eq(t, "Mia", marks(w.mia), both)
		w.act(w.North.Admin, mias, "reopen").OK()
		apptest.Eq(t, "Mia, while it waits", marks(w.mia), "")
		w.act(w.North.Admin, mias, "approve").OK()
		apptest.Eq(t, "Mia, approved again", marks(w.mia), both)
		later := w.ask(w.mia, w.days(1, 2)).OK().Text("id")
		w.act(w.North.Admin, later, "approve").OK()
		apptest.Eq(t, "Mia, whose parent was late", marks(w.mia), w.day(1)+" One A, "+w.day(2)+" One A, "+both)

		w.Make("leave/create", apptest.With(w.days(4, 8), "studentId", w.noa))
		w.Make("leave/create", apptest.With(w.days(7, 8), "studentId", w.zoe))
		apptest.Eq(t, "Noa, who has no class", marks(w.noa), w.day(4)+" One B")
		w.Admin("PUT", "/school-admin/student/"+w.noa, m{"classId": two}).OK()
		apptest.Eq(t, "Noa, given a class", marks(w.noa), w.day(4)+" One B, "+w.day(7)+" Two, "+w.day(8)+" Two")
		w.Admin("POST", "/school-admin/student/import?mode=upsert", "admissionNo,class\nZ1,Two\n", "Content-Type", "text/csv").OK()
		apptest.Eq(t, "Zoe, given a class by a file", marks(w.zoe), w.day(7)+" Two, "+w.day(8)+" Two")
	})
}
