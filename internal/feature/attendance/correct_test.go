package attendance_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

const markPath = "/school-admin/attendance/mark"

// none takes the mark of a student back.
func none(student id.ID) m { return m{"studentId": student, "status": json.RawMessage("null")} }

func TestTakeMarkBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.mark(sheet(w.a, w.today, rec(w.mia, "ABSENT"), rec(w.noa, "PRESENT")))
		reply := w.call("POST", markPath, sheet(w.a, w.today, none(w.mia), none(w.oli))).OK()
		if reply["removed"] != 1.0 || reply["unchanged"] != 1.0 {
			t.Errorf("one mark and nothing taken back: %v", reply)
		}
		apptest.Eq(t, "Mia's mark", w.Count(`attendance WHERE school_id = :school AND student_id = :id`, db.Args{"id": w.mia}), 0)
		apptest.Eq(t, "Noa is", w.said(w.noa, w.today), "PRESENT")
		history := w.call("GET", "/school-admin/attendance/history", m{"studentId": w.mia, "date": w.today}).OK().Objects("changes")
		if len(history) != 2 || history[1]["to"] != nil || history[1].Object("from").Text("status") != "ABSENT" {
			t.Errorf("history: %v", history)
		}
		said := w.All(`SELECT body FROM notifications WHERE school_id = :school AND student_id = :id ORDER BY id`, db.Args{"id": w.mia})
		if len(said) == 0 || said[len(said)-1] != "Mia Ray is not marked on "+w.today.Time().Format("2 January 2006")+
			" any more. The earlier message said absent." {
			t.Errorf("parents were told %q", said)
		}
		before := len(said)
		w.mark(sheet(w.a, w.today, none(w.mia))) // nothing left
		w.mark(sheet(w.a, w.today, none(w.noa))) // present: parents were told nothing
		w.mark(sheet(w.a, w.today, rec(w.mia, "ABSENT")))
		apptest.Eq(t, "messages after another mark", w.Count(`notifications WHERE school_id = :school AND student_id = :id`,
			db.Args{"id": w.mia}) > before, true)
		apptest.Eq(t, "messages about Noa", w.Count(`notifications WHERE school_id = :school AND student_id = :id`, db.Args{"id": w.noa}), 0)

		for _, with := range []m{{"remark": "x"}, {"halfDay": "FIRST"}, {"minutesLate": 3}} {
			record := none(w.mia)
			for field, value := range with {
				record[field] = value
				w.call("POST", markPath, sheet(w.a, w.today, record)).Fields(422, "records[0]."+field)
			}
		}
		w.call("POST", markPath, sheet(w.a, w.today, m{"studentId": w.mia})).Fields(422, "records[0].status")
	})
}

// TestLateUploadAfterTakeBack: a phone that was offline brings back no mark that the office took back since, and tells
// the parents nothing. Its later marks count, and so does what one person marks, takes back and marks offline.
func TestLateUploadAfterTakeBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := func(markedAt time.Time, d m) m { return apptest.With(d, "markedAt", markedAt) }
		upload := func(d m) string {
			o := w.As(w.North.Teacher, "POST", teacher+"mark", d).OK()
			return fmt.Sprint(o["created"], o["updated"], o["removed"], o["unchanged"])
		}
		told := func() int {
			return w.Count(`notifications WHERE school_id = :school AND student_id = :id`, db.Args{"id": w.mia})
		}
		day := func(r ...m) m { return sheet(w.a, w.today, r...) }
		start := w.Now()
		upload(day(rec(w.mia, "ABSENT"), rec(w.noa, "ABSENT")))
		w.Pass(20 * time.Minute)
		w.mark(day(none(w.mia)))
		before := told()
		apptest.Eq(t, "a late upload", upload(at(start.Add(10*time.Minute), day(rec(w.mia, "ABSENT"), rec(w.noa, "PRESENT")))), "0 1 0 1")
		apptest.Eq(t, "Mia is", w.said(w.mia, w.today), "")
		apptest.Eq(t, "messages to the parents", told(), before)
		byDefault := apptest.With(rec(w.mia, "PRESENT"), "readAt", start)
		apptest.Eq(t, "present by default", upload(day(byDefault)), "0 0 0 1")
		w.Pass(10 * time.Minute)
		apptest.Eq(t, "a later mark", upload(at(start.Add(25*time.Minute), day(rec(w.mia, "LATE")))), "1 0 0 0")

		// The teacher's own: absent, a mistake, absent after all.
		apptest.Eq(t, "offline", upload(at(start.Add(5*time.Minute), day(rec(w.oli, "ABSENT")))), "1 0 0 0")
		apptest.Eq(t, "offline", upload(at(start.Add(6*time.Minute), day(none(w.oli)))), "0 0 1 0")
		apptest.Eq(t, "offline", upload(at(start.Add(7*time.Minute), day(rec(w.oli, "ABSENT")))), "1 0 0 0")

		// Leave that is taken back is no correction of the mark.
		eve := w.enrol("Eve")
		leave := w.Make("leave/create", m{"studentId": eve, "type": "SICK", "fromDate": w.today})
		w.Admin("POST", "/school-admin/leave/"+leave+"/cancel", m{}).OK()
		apptest.Eq(t, "after leave", upload(at(start, day(rec(eve, "PRESENT")))), "1 0 0 0")
	})
}

// TestCorrectionAfterMove: the mark of a past day is corrected where it was made, although the child has moved, left
// or gone on to the next year since, and the parents hear of it. It stays where it was made.
func TestCorrectionAfterMove(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		day := w.day(-1)
		year := apptest.Value[string](w.World, `SELECT id FROM academic_years WHERE school_id = :school AND is_current`, nil)
		eve := w.enrol("Eve")
		w.mark(sheet(w.a, day, rec(w.mia, "ABSENT"), rec(w.noa, "ABSENT"), rec(w.oli, "ABSENT"), rec(eve, "ABSENT")))
		last := func(student id.ID, want string) {
			t.Helper()
			said := w.All(`SELECT body FROM notifications WHERE school_id = :school AND student_id = :id ORDER BY id DESC`, db.Args{"id": student})
			if len(said) == 0 || !strings.Contains(said[0], want) {
				t.Errorf("parents were told %q, want %q", said, want)
			}
		}
		const removed, corrected = "is not marked", "The earlier message said absent."
		place := func(student id.ID) string {
			return w.One(`SELECT COALESCE(division_id, class_id) FROM attendance WHERE school_id = :school AND student_id = :id`,
				db.Args{"id": student})
		}

		w.Admin("PUT", "/school-admin/student/"+string(w.mia), m{"divisionId": w.b.ID}).OK()
		apptest.Eq(t, "moved, by her new division", w.mark(sheet(w.b, day, rec(w.mia, "LATE"))), "0/1/0")
		apptest.Eq(t, "the mark is of", place(w.mia), string(w.a.ID))
		apptest.Eq(t, "moved, by the old one", w.mark(sheet(w.a, day, rec(w.mia, "PRESENT"))), "0/1/0")
		last(w.mia, "The earlier message said late.")
		w.Admin("POST", admin+"mark", sheet(w.a, w.day(-2), rec(w.mia, "PRESENT"))).Fields(422, "records[0].studentId") // she has none
		w.As(w.North.Teacher, "POST", teacher+"mark", sheet(w.b, day, rec(w.mia, "ABSENT"))).Want(403, "PERMISSION_DENIED")

		w.Admin("PUT", "/school-admin/student/"+string(w.oli), m{"status": "LEFT"}).OK()
		names := w.Admin("GET", admin+"list?classId="+string(w.one.ID)+"&divisionId="+string(w.a.ID)+"&date="+string(day), nil).OK()
		apptest.Eq(t, "the register of that day", names.Texts("firstName"), []string{"Mia", "Noa", "Oli", "Eve"})
		w.As(w.North.Teacher, "POST", teacher+"mark", sheet(w.a, day, rec(w.oli, "PRESENT"))).OK()
		last(w.oli, corrected)
		w.mark(sheet(w.a, day, none(w.oli)))
		apptest.Eq(t, "Oli is", w.said(w.oli, day), "")

		w.Admin("PUT", "/school-admin/academic-year/"+year, m{"endDate": day}).OK()
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": w.today, "endDate": w.day(300)})
		to := w.Make("class/create", m{"name": "Later", "academicYearId": next})
		w.Admin("POST", "/school-admin/student/promote", m{"fromClassId": w.one.ID, "toClassId": to, "studentIds": []id.ID{w.noa}}).OK()
		w.Admin("POST", "/school-admin/academic-year/"+next+"/activate", nil).OK()
		apptest.Eq(t, "promoted", w.mark(sheet(w.a, day, rec(w.noa, "PRESENT"))), "0/1/0")
		last(w.noa, corrected)
		apptest.Eq(t, "without a class", w.mark(m{"classId": w.one.ID, "date": day, "records": []m{none(eve)}}), "0/0/0")
		last(eve, removed)
	})
}

// TestCorrectedAtOnce: a mark that is corrected in the class where it was made and in the present one, at the same
// time, is corrected once.
func TestCorrectedAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		day := w.day(-1)
		w.markMia(day, "ABSENT")
		w.Admin("PUT", "/school-admin/student/"+string(w.mia), m{"classId": w.two.ID}).OK()
		got := apptest.AtOnce(8, func(who int) apptest.Reply {
			class := []id.ID{w.one.ID, w.two.ID}[who%2]
			return w.Admin("POST", admin+"mark", m{"classId": class, "date": day, "records": []m{rec(w.mia, "PRESENT")}})
		})
		apptest.Eq(t, "calls that succeed", got[200], 8)
		apptest.Eq(t, "revisions", w.Count(`attendance_revisions WHERE school_id = :school`, nil), 1)
		apptest.Eq(t, "messages to the parents", len(w.heard(w.North.ID, w.mia)), 2)
	})
}

func TestMarkOnlyWhileEnrolled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Exec(`UPDATE students SET admission_date = :date WHERE school_id = :school AND id = :id`, db.Args{"date": w.today, "id": w.mia})
		year := w.One(`SELECT start_date FROM academic_years WHERE school_id = :school AND is_current`, nil)
		refused := w.call("POST", markPath, sheet(w.a, w.day(-1), rec(w.noa, "PRESENT"), rec(w.mia, "PRESENT")))
		refused.Fields(422, "records[1].studentId")
		refused.Has("Mia Ray is at the school from " + string(w.today))
		w.mark(sheet(w.a, w.today, rec(w.mia, "PRESENT")))
		w.mark(sheet(w.a, w.day(-1), rec(w.noa, "PRESENT")))

		w.Exec(`UPDATE academic_years SET start_date = :date WHERE school_id = :school AND is_current`, db.Args{"date": w.today})
		w.call("POST", markPath, sheet(w.a, w.day(-1), rec(w.noa, "ABSENT"))).Fields(422, "records[0].studentId")
		apptest.Eq(t, "a mark outside the year, from "+year, w.said(w.noa, w.day(-1)), "PRESENT")
		w.mark(sheet(w.a, w.day(-1), none(w.noa))) // can still be taken back
		apptest.Eq(t, "marks of that day", w.Count(`attendance WHERE school_id = :school AND date = :date`, db.Args{"date": w.day(-1)}), 0)
	})
}

// TestMarkWhilePromotionIsUndone: nobody has marks of a year in which they are no longer enrolled.
func TestMarkWhilePromotionIsUndone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		year := apptest.Value[string](w.World, `SELECT id FROM academic_years WHERE school_id = :school AND is_current`, nil)
		w.Admin("PUT", "/school-admin/academic-year/"+year, m{"endDate": w.day(-1)}).OK()
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": w.day(0), "endDate": w.day(300)})
		w.Admin("POST", "/school-admin/academic-year/"+next+"/activate", nil).OK()
		to := w.Make("class/create", m{"name": "Later", "academicYearId": next})
		for i := range 20 {
			from := w.Make("class/create", m{"name": fmt.Sprint("From ", i), "academicYearId": year})
			student := w.Make("student/create", m{"firstName": "Eve", "classId": from})
			w.Admin("POST", "/school-admin/student/promote", m{"fromClassId": from, "toClassId": to}).OK()
			got := apptest.AtOnce(2, func(who int) apptest.Reply {
				if who == 0 {
					return w.Admin("POST", "/school-admin/student/promote/undo", m{"fromClassId": from})
				}
				return w.Admin("POST", admin+"mark", m{"classId": to, "date": w.today, "records": []m{{"studentId": student, "status": "PRESENT"}}})
			})
			if got[200] == 0 || got[200]+got[409]+got[422] != 2 {
				t.Errorf("round %d: statuses %v", i, got)
			}
			marks := w.Count("attendance WHERE school_id = :school AND student_id = :student", db.Args{"student": student})
			enrolled := w.Count("enrolments WHERE school_id = :school AND student_id = :student AND academic_year_id = :year",
				db.Args{"student": student, "year": next})
			apptest.Eq(t, fmt.Sprint("round ", i, ": marks, as enrolments"), marks, enrolled)
		}
	})
}
