package exam_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// TestTakenBackAtOnce: the office takes results back while a parent opens the latest
// report card. The parent sees published results or none.
func TestTakenBackAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		path := "/school-admin/exam/" + w.marked()
		for i := range 20 {
			w.Admin("POST", path+"/publish", nil).OK()
			const parents = 6
			apptest.AtOnce(parents+1, func(who int) apptest.Reply {
				if who == parents/2 {
					return w.Admin("POST", path+"/unpublish", m{"reason": "Too early"})
				}
				r := w.parent("/parent/exam/report-card?studentId=" + string(w.pupils[0]))
				if e, _ := r.OK()["exam"].(m); e != nil && e["status"] != "PUBLISHED" {
					t.Errorf("round %d: a parent sees an exam that is %v", i, e["status"])
				}
				return r
			})
		}
	})
}

// TestDeleteScaleAtOnce: a grade scale is deleted once, and not changed after that.
func TestDeleteScaleAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		bands := list{m{"grade": "A", "minPercent": 80}}
		first := "/school-admin/grade-scale/" + w.Make("grade-scale/create", m{"name": "First", "bands": bands})
		for i := range 20 {
			path := "/school-admin/grade-scale/" + w.Make("grade-scale/create", m{"name": fmt.Sprint("Scale ", i), "bands": bands})
			got := apptest.AtOnce(2, func(int) apptest.Reply { return w.Admin("DELETE", path, nil) })
			apptest.Eq(t, fmt.Sprint("round ", i, ": statuses"), got, map[int]int{204: 1, 404: 1})
		}
		w.Audited("gradeScale.delete", 20)
		apptest.Eq(t, "default", w.Admin("GET", first, nil).OK()["isDefault"], any(true))
	})
}

// TestUploadWhilePromotionIsUndone: nobody has marks of a year in which they are no longer enrolled.
func TestUploadWhilePromotionIsUndone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		today := clock.Date(w.Day(0))
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": today.AddDays(400), "endDate": today.AddDays(700)})
		to := w.Make("class/create", m{"name": "Later", "academicYearId": next})
		maths := w.Make("subject/create", m{"name": "Later maths", "classIds": list{to}})
		exam := w.Make("exam/create", m{"name": "Term", "classIds": list{to}})
		w.put(exam, m{"classId": to, "subjectId": maths, "date": today.AddDays(500), "maxMarks": 100}).OK()
		for i := range 20 {
			from := w.Make("class/create", m{"name": fmt.Sprint("From ", i)})
			student := w.Make("student/create", m{"firstName": "Eve", "classId": from})
			w.Admin("POST", "/school-admin/student/promote", m{"fromClassId": from, "toClassId": to}).OK()
			got := apptest.AtOnce(2, func(who int) apptest.Reply {
				if who == 0 {
					return w.Admin("POST", "/school-admin/student/promote/undo", m{"fromClassId": from})
				}
				return w.Admin("POST", "/school-admin/exam/result/upload", m{"examId": exam, "classId": to, "subjectId": maths,
					"results": list{m{"studentId": student, "marks": 50}}})
			})
			if got[200]+got[409] != 1 || got[201]+got[422] != 1 {
				t.Errorf("round %d: statuses %v", i, got)
			}
			a := db.Args{"student": student, "year": next}
			results := w.Count("exam_results WHERE school_id = :school AND student_id = :student", db.Args{"student": student})
			enrolled := w.Count("enrolments WHERE school_id = :school AND student_id = :student AND academic_year_id = :year", a)
			apptest.Eq(t, fmt.Sprint("round ", i, ": results, as enrolments"), results, enrolled)
		}
	})
}
