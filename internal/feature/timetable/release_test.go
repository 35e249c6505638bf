package timetable_test

import (
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// TestReleaseAfterRoom: a lesson was moved to another room before its teacher fell ill. The substitute is released
// nevertheless when the leave is cancelled. A substitute from before the leave stays, with another room too.
func TestReleaseAfterRoom(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		w.substitute(7, "room", "Hall")
		leave := func(then func()) {
			w.Pass(time.Second)
			at := w.Make("leave/create", m{"employeeId": w.ann, "type": "SICK", "fromDate": w.Day(7)})
			w.Pass(time.Second)
			then()
			w.Admin("POST", "/school-admin/leave/"+at+"/cancel", m{}).OK()
		}
		overrides := func() float64 { return w.Admin("GET", path+"/overrides", nil).OK()["total"].(float64) }
		leave(func() { w.substitute(7, "teacherId", w.bob) })
		apptest.Eq(t, "overrides after the leave", overrides(), 0.0)
		w.substitute(7, "teacherId", w.bob)
		leave(func() {
			w.Admin("POST", path+"/override", m{"date": w.Day(7), "classId": w.class, "divisionId": w.a, "periodNo": 1, "teacherId": w.bob,
				"room": "Hall"}).OK()
		})
		apptest.Eq(t, "overrides from before the leave", overrides(), 1.0)
	})
}

// TestSubstituteOfLostLesson: a substitute hears when a new week has no such lesson, and when it is there again, also by
// undoing an import.
func TestSubstituteOfLostLesson(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		week := func(day, no int) {
			w.Admin("PUT", path, m{"classId": w.class, "divisionId": w.a, "periods": []any{m{"dayOfWeek": day, "periodNo": no,
				"startTime": "11:00", "endTime": "12:00", "subjectId": w.maths, "teacherId": w.ann}}}).OK()
		}
		take, end := "You take over a lesson", "You no longer take over a lesson"
		var told []string
		hears := func(when string, news ...string) {
			t.Helper()
			told = append(told, news...)
			apptest.Eq(t, when+": Bob was told", w.All(`SELECT title FROM notifications WHERE school_id = :school AND user_id = :user
				ORDER BY id`, db.Args{"user": w.bobs.ID}), told)
		}
		for _, days := range []int{-7, 0, 7} {
			w.substitute(days, "teacherId", w.bob)
		}
		w.substitute(14, "cancelled", true)
		hears("of days to come", take, take)
		week(1, 1)
		hears("at another time")
		week(1, 2)
		hears("lost", end, end)
		week(1, 3)
		hears("still lost")
		week(1, 1)
		hears("there again", take, take)
		w.Pass(time.Minute)
		made := w.Admin("POST", path+"/import", "class,division,day,period,start,end,subject\nOne,A,Friday,1,09:00,10:00,Mathematics\n",
			"Content-Type", "text/csv").OK().Text("id")
		hears("lost by an import", end, end)
		w.Admin("POST", path+"/import/"+made+"/undo", m{}).OK()
		hears("undone", take, take)
	})
}

// TestCopyClash: a week that is copied to another year books no teacher twice there.
func TestCopyClash(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": w.Day(400), "endDate": w.Day(700)})
		again := func() apptest.Reply {
			return w.Admin("POST", "/school-admin/class/copy", m{"toAcademicYearId": next, "timetable": true})
		}
		again().OK()
		class := w.Admin("GET", "/school-admin/class/list?academicYearId="+next, nil).OK().Items()[0].Text("id")
		division := w.Admin("GET", "/school-admin/division/list?classId="+class, nil).OK().Items()[0].Text("id")
		lesson := m{"dayOfWeek": 1, "periodNo": 3, "startTime": "11:00", "endTime": "12:00", "subjectId": w.maths, "teacherId": w.ann}
		w.Admin("PUT", path, m{"classId": class, "divisionId": division, "periods": []any{lesson}}).OK()
		c := w.Make("division/create", m{"classId": w.class, "name": "C"})
		w.Admin("PUT", path, m{"classId": w.class, "divisionId": c, "periods": []any{lesson}}).OK()
		again().Want(409, "Conflict")
		w.Admin("GET", "/school-admin/division/list?classId="+class, nil).HasNot(`"C"`)
	})
}
