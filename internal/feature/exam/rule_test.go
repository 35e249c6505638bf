package exam_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// TestClassTeacherMarks: a class teacher enters marks of the own subjects, unless the
// school lets class teachers enter all.
func TestClassTeacherMarks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("POST", "/school-admin/employee/"+string(w.employee)+"/assignments", m{"assignments": list{
			m{"classId": w.one, "divisionId": w.oneA, "isClassTeacher": true},
			m{"classId": w.one, "divisionId": w.oneA, "subjectId": w.maths}}}).OK()
		exam := w.sat("Term 1")
		upload := func(subject any) apptest.Reply {
			return w.As(w.North.Teacher, "POST", "/teacher/result/upload", m{"examId": exam, "classId": w.one, "subjectId": subject,
				"results": list{got(w.pupils[0], 50)}})
		}
		apptest.Eq(t, "status of an upload", upload(w.maths).Status, 201)
		upload(w.art).Want(403, "PERMISSION_DENIED")
		w.Admin("PUT", "/school-admin/setting", m{"classTeacherMarks": true}).OK()
		upload(w.art).OK()
	})
}

// TestPapersOnHolidays are scheduled with a warning.
func TestPapersOnHolidays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Make("holiday/create", m{"name": "Founders' Day", "date": w.Day(10)})
		exam := w.newExam("Term 1")
		r := w.put(exam, w.paper(w.maths, 10), w.paper(w.art, 11))
		apptest.Eq(t, "status of a schedule", r.Status, 201)
		warnings := r.OK()["warnings"].([]any)
		apptest.Eq(t, "warnings", len(warnings), 1)
		r.Has("Maths of Grade 1 is on " + w.Day(10) + ", which is a holiday: Founders' Day.")
	})
}
