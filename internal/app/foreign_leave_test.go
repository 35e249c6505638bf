package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
)

// leaveProbes are those of leave; see probes.
var leaveProbes = []probe{
	{route: "POST /parent/leave/apply", body: m{"studentId": "$student", "type": "SICK", "fromDate": leaveDay(9),
		"attachments": list{"$leaveFile"}}},
	{route: "GET /parent/leave/list", body: m{"filters": m{"studentId": "$student"}}},
	{route: "POST /parent/leave/{id}/cancel", path: []string{"$ownLeave"}},
	{route: "POST /teacher/leave/{id}/approve", path: []string{"$pupilLeave"}},
	{route: "POST /teacher/leave/{id}/reject", path: []string{"$pupilLeave"}},
	{route: "POST /teacher/leave/{id}/reopen", path: []string{"$pupilLeave"}},
	{route: "POST /teacher/leave/apply", body: m{"type": "SICK", "fromDate": leaveDay(9), "attachments": list{"$staffLeaveFile"}}},
	{route: "GET /teacher/leave/balance", body: m{"academicYearId": "$year"}},
	{route: "POST /teacher/leave/{id}/cancel", path: []string{"$staffLeave"}},
	{route: "POST /driver/leave/apply", body: m{"type": "SICK", "fromDate": leaveDay(9), "attachments": list{"$driverLeaveFile"}}},
	{route: "GET /driver/leave/balance", body: m{"academicYearId": "$year"}},
	{route: "POST /driver/leave/{id}/cancel", path: []string{"$driverLeave"}},
	{route: "POST /school-admin/leave/create", body: m{"studentId": "$student", "type": "SICK", "fromDate": leaveDay(20),
		"attachments": list{"$officeLeaveFile"}}},
	{route: "POST /school-admin/leave/create", body: m{"employeeId": "$employee", "type": "SICK", "fromDate": leaveDay(20)}},
	{route: "POST /school-admin/leave/{id}/cancel", path: []string{"$staffLeave"}},
	{route: "POST /school-admin/leave/{id}/shorten", path: []string{"$staffLeave"}, body: m{"toDate": leaveDay(1)}},
	{route: "GET /school-admin/leave/list", body: m{"filters": m{"studentId": "$student", "classId": "$class", "divisionId": "$division"}}},
	{route: "GET /school-admin/leave/list", body: m{"filters": m{"employeeId": "$employee"}}},
	{route: "GET /school-admin/leave/balance", body: m{"filters": m{"employeeId": "$employee", "academicYearId": "$year"}}},
	{route: "GET /school-admin/leave/entitlements", body: m{"employeeId": "$employee"}},
	{route: "PUT /school-admin/leave/entitlements", body: m{"employeeId": "$employee", "entitlements": list{m{"type": "SICK", "days": 3}}}},
	{route: "GET /school-admin/leave/{id}", path: []string{"$ownLeave"}},
	{route: "POST /school-admin/leave/{id}/approve", path: []string{"$staffLeave"}},
	{route: "POST /school-admin/leave/{id}/reject", path: []string{"$staffLeave"}},
	{route: "POST /school-admin/leave/{id}/reopen", path: []string{"$staffLeave"}},
}

// leaveDay is the date that many days from today.
func leaveDay(n int) string { return string(clock.Date(schoolDay).AddDays(n)) }

// furnishLeave applies for two leaves of the student, one of the teacher and one of the driver.
func furnishLeave(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	for i, kind := range []string{"ownLeave", "pupilLeave"} {
		made := s.Call(t, at.Parent, "POST", "/parent/leave/apply",
			m{"studentId": f["student"], "type": "SICK", "fromDate": leaveDay(i + 1)}).OK()
		f[kind] = id.ID(made.Text("id"))
	}
	made := s.Call(t, at.Teacher, "POST", "/teacher/leave/apply", m{"type": "CASUAL", "fromDate": leaveDay(1)}).OK()
	f["staffLeave"] = id.ID(made.Text("id"))
	made = s.Call(t, at.Driver, "POST", "/driver/leave/apply", m{"type": "CASUAL", "fromDate": leaveDay(1)}).OK()
	f["driverLeave"] = id.ID(made.Text("id"))
}
