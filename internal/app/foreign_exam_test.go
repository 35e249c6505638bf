package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/id"
)

// examProbes are those of exams, results and grade scales; see probes.
var examProbes = []probe{
	{route: "POST /school-admin/grade-scale/create", body: m{"name": "New", "bands": list{m{"grade": "A", "minPercent": 50}}}},
	{route: "GET /school-admin/grade-scale/{id}", path: []string{"$scale"}},
	{route: "PUT /school-admin/grade-scale/{id}", path: []string{"$scale"}, body: m{"name": "Changed"}},
	{route: "POST /school-admin/exam/create", body: m{"name": "New", "academicYearId": "$year", "classIds": list{"$class"},
		"gradeScaleId": "$scale"}},
	{route: "GET /school-admin/exam/list", body: m{"filters": m{"classId": "$class"}}},
	{route: "GET /school-admin/exam/list", body: m{"filters": m{"academicYearId": "$year"}}},
	{route: "GET /school-admin/exam/{id}", path: []string{"$exam"}},
	{route: "PUT /school-admin/exam/{id}", path: []string{"$exam"},
		body: m{"name": "Changed", "classIds": list{"$class"}, "gradeScaleId": "$scale"}},
	{route: "POST /school-admin/exam/schedule", body: m{"examId": "$exam", "entries": list{
		m{"classId": "$class", "subjectId": "$subject", "date": schoolDay, "maxMarks": 100}}}},
	{route: "GET /school-admin/exam/schedule/list", body: m{"filters": m{"examId": "$exam"}}},
	{route: "GET /school-admin/exam/schedule/list", body: m{"filters": m{"classId": "$class"}}},
	{route: "GET /school-admin/exam/{id}/analysis", path: []string{"$exam"}, body: m{"classId": "$class", "divisionId": "$division"}},
	{route: "POST /school-admin/exam/{id}/publish", path: []string{"$exam"}, body: m{"preview": true, "classId": "$class"}},
	{route: "POST /school-admin/exam/{id}/complete", path: []string{"$exam"}},

	{route: "POST /school-admin/exam/result/upload", body: marksOf()},
	{route: "POST /teacher/result/upload", body: marksOf()},
	{route: "POST /school-admin/exam/result/upload", body: m{"examId": "$exam", "classId": "$class", "subjectId": "$subject"},
		file: "admissionNo,marks\n1,50\n"},
	{route: "POST /teacher/result/upload", body: m{"examId": "$exam", "classId": "$class", "subjectId": "$subject"},
		file: "admissionNo,marks\n1,50\n"},
	{route: "GET /school-admin/exam/result/list", body: m{"filters": m{"examId": "$exam"}}},
	{route: "GET /school-admin/exam/result/list", body: m{"filters": m{"classId": "$class"}}},
	{route: "GET /school-admin/exam/result/list", body: m{"filters": m{"divisionId": "$division"}}},
	{route: "GET /school-admin/exam/result/list", body: m{"filters": m{"subjectId": "$subject"}}},
	{route: "GET /school-admin/exam/result/list", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /school-admin/exam/report-card/{studentId}", path: []string{"$student"}, body: m{"examId": "$exam"}},
	{route: "GET /school-admin/exam/report-card/{studentId}", path: []string{"$student"}, body: m{"examId": "$exam", "format": "pdf"}},
	{route: "GET /school-admin/exam/report-cards", body: m{"examId": "$exam", "classId": "$class", "divisionId": "$division"}},

	{route: "GET /teacher/exam/list", body: m{"filters": m{"classId": "$class"}}},
	{route: "GET /teacher/exam/list", body: m{"filters": m{"academicYearId": "$year"}}},
	{route: "GET /teacher/exam/schedule", body: m{"filters": m{"examId": "$exam"}}},
	{route: "GET /teacher/exam/schedule", body: m{"filters": m{"classId": "$class"}}},
	{route: "GET /teacher/result/list", body: m{"filters": m{"examId": "$exam"}}},
	{route: "GET /teacher/result/list", body: m{"filters": m{"classId": "$class"}}},
	{route: "GET /teacher/result/list", body: m{"filters": m{"divisionId": "$division"}}},
	{route: "GET /teacher/result/list", body: m{"filters": m{"subjectId": "$subject"}}},
	{route: "GET /teacher/result/list", body: m{"filters": m{"studentId": "$student"}}},

	{route: "GET /parent/exam/list", body: m{"studentId": "$student"}},
	{route: "GET /parent/exam/list", body: m{"filters": m{"studentId": "$student", "academicYearId": "$year"}}},
	{route: "GET /parent/exam/schedule", body: m{"studentId": "$student"}},
	{route: "GET /parent/exam/schedule", body: m{"filters": m{"studentId": "$student", "examId": "$exam"}}},
	{route: "GET /parent/exam/result", body: m{"studentId": "$student"}},
	{route: "GET /parent/exam/result", body: m{"filters": m{"studentId": "$student", "examId": "$exam", "academicYearId": "$year"}}},
	{route: "GET /parent/exam/report-card", body: m{"studentId": "$student", "examId": "$publishedExam"}},
	{route: "GET /parent/exam/report-card", body: m{"studentId": "$student", "examId": "$publishedExam", "format": "pdf"}},

	{route: "POST /school-admin/exam/{id}/unpublish", path: []string{"$publishedExam"}, body: m{"reason": "Swapped"}},
	{route: "DELETE /school-admin/exam/{id}", path: []string{"$exam"}},
	{route: "DELETE /school-admin/grade-scale/{id}", path: []string{"$scale"}},
}

// marksOf is an upload of the student's marks.
func marksOf() m {
	return m{"examId": "$exam", "classId": "$class", "subjectId": "$subject", "results": list{m{"studentId": "$student", "marks": 40}}}
}

// furnishExam creates a grade scale and two exams of the class: one scheduled
// today, one with published results of the student.
func furnishExam(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	f["scale"] = id.ID(s.Call(t, at.Admin, "POST", "/school-admin/grade-scale/create",
		m{"name": "Letters", "bands": list{m{"grade": "A", "minPercent": 50}}}).OK().Text("id"))
	for _, kind := range []string{"exam", "publishedExam"} {
		f[kind] = id.ID(s.Call(t, at.Admin, "POST", "/school-admin/exam/create", m{"name": kind, "classIds": list{f["class"]}}).OK().Text("id"))
		s.Call(t, at.Admin, "POST", "/school-admin/exam/schedule", m{"examId": f[kind], "entries": list{
			m{"classId": f["class"], "subjectId": f["subject"], "date": schoolDay, "maxMarks": 100}}}).OK()
	}
	s.Call(t, at.Admin, "POST", "/school-admin/exam/result/upload",
		m{"examId": f["publishedExam"], "classId": f["class"], "subjectId": f["subject"],
			"results": list{m{"studentId": f["student"], "marks": 90}}}).OK()
	s.Call(t, at.Admin, "POST", "/school-admin/exam/"+f["publishedExam"].String()+"/complete", nil).OK()
	s.Call(t, at.Admin, "POST", "/school-admin/exam/"+f["publishedExam"].String()+"/publish", nil).OK()
}
