package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
)

// schoolDay is today, which is in the academic year of a test.
var schoolDay = string(clock.DateIn(clock.System(), "UTC"))

// timetableProbes are those of the timetable; see probes.
var timetableProbes = []probe{
	{route: "PUT /school-admin/timetable", body: weekOf("$class", "$division", "$subject", "$employee")},
	{route: "GET /school-admin/timetable", body: m{"classId": "$class", "divisionId": "$division"}},
	{route: "POST /school-admin/timetable/override", body: m{"date": schoolDay, "classId": "$class", "divisionId": "$division", "periodNo": 1,
		"teacherId": "$employee", "subjectId": "$subject"}},
	{route: "GET /school-admin/timetable/teacher", body: m{"teacherId": "$employee"}},
	{route: "GET /school-admin/timetable/overrides", body: m{"filters": m{"teacherId": "$employee"}}},
	{route: "GET /school-admin/timetable/overrides", body: m{"filters": m{"classId": "$class"}}},
	{route: "GET /school-admin/timetable/overrides", body: m{"filters": m{"divisionId": "$division"}}},
	{route: "GET /school-admin/timetable/free-teachers", body: m{"date": schoolDay, "periodNo": 1, "divisionId": "$division"}},
	{route: "GET /parent/timetable/get", body: m{"studentId": "$student"}},
	{route: "GET /parent/timetable/calendar", body: m{"studentId": "$student"}},
	{route: "POST /parent/timetable/calendar-link", body: m{"studentId": "$student"}},
	{route: "POST /parent/timetable/calendar-link/revoke", body: m{"studentId": "$student"}},
	{route: "DELETE /school-admin/timetable/override/{id}", path: []string{"$override"}},
}

// weekOf is a timetable with one lesson on each day.
func weekOf[T any](class, division, subject, teacher T) m {
	var periods list
	for day := 1; day <= 7; day++ {
		periods = append(periods, m{"dayOfWeek": day, "periodNo": 1, "startTime": "08:00", "endTime": "08:45", "subjectId": subject,
			"teacherId": teacher})
	}
	return m{"classId": class, "divisionId": division, "periods": periods}
}

// furnishTimetable gives the division a timetable, with a lesson cancelled today.
func furnishTimetable(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	s.Call(t, at.Admin, "PUT", "/school-admin/timetable", weekOf(f["class"], f["division"], f["subject"], f["employee"])).OK()
	made := s.Call(t, at.Admin, "POST", "/school-admin/timetable/override",
		m{"date": schoolDay, "classId": f["class"], "divisionId": f["division"], "periodNo": 1, "cancelled": true}).OK()
	f["override"] = id.ID(made.Text("id"))
}
