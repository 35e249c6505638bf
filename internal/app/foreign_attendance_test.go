package app_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// attendanceProbes are those of the module; see probes.
var attendanceProbes = []probe{
	{route: "POST /school-admin/attendance/mark", body: sheetOf("$class", "$division", "$student", "LATE")},
	{route: "POST /teacher/attendance/mark", body: sheetOf("$class", "$division", "$student", "ABSENT")},
	{route: "GET /school-admin/attendance/list", body: m{"classId": "$class", "divisionId": "$division"}},
	{route: "GET /school-admin/attendance/list", body: m{"filters": m{"classId": "$class", "divisionId": "$division"}}},
	{route: "GET /teacher/attendance/list", body: m{"classId": "$class", "divisionId": "$division"}},
	{route: "GET /teacher/attendance/list", body: m{"filters": m{"classId": "$class", "divisionId": "$division"}}},
	{route: "GET /school-admin/attendance/report", body: m{"classId": "$class", "divisionId": "$division"}},
	{route: "GET /teacher/attendance/report", body: m{"classId": "$class", "divisionId": "$division"}},
	{route: "GET /school-admin/attendance/summary", body: m{"classId": "$class"}},
	{route: "GET /teacher/attendance/summary", body: m{"classId": "$class"}},
	{route: "GET /school-admin/attendance/absentees", body: m{"filters": m{"classId": "$class", "divisionId": "$division"}}},
	{route: "POST /school-admin/attendance/remind", body: m{"divisionIds": list{"$division"}}},
	{route: "GET /school-admin/attendance/history", body: m{"studentId": "$student", "date": schoolDay}},
	{route: "GET /school-admin/attendance/export", body: m{"classId": "$class", "divisionId": "$division"}},
	{route: "GET /parent/attendance/list", body: m{"studentId": "$student"}},
	{route: "GET /parent/attendance/list", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /parent/attendance/summary", body: m{"studentId": "$student"}},
}

// sheetOf marks a student today.
func sheetOf[T any](class, division, student T, status string) m {
	return m{"classId": class, "divisionId": division, "date": schoolDay, "records": list{m{"studentId": student, "status": status}}}
}

// furnishAttendance creates the records that the probes name.
func furnishAttendance(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	s.Call(t, at.Admin, "POST", "/school-admin/attendance/mark", sheetOf(f["class"], f["division"], f["student"], "PRESENT")).OK()
}
