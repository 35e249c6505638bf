package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/id"
)

// messageProbes are those of messages; see probes.
var messageProbes = []probe{
	{route: "POST /parent/message/send", body: m{"recipientId": "$teacherAccount", "studentId": "$student", "body": "New",
		"attachments": list{"$parentFile"}}},
	{route: "POST /parent/message/send", body: m{"threadId": "$thread", "body": "New"}},
	{route: "GET /parent/message/threads", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /parent/message/thread/{id}", path: []string{"$thread"}, body: m{"filters": m{"before": "$message"}}},
	{route: "POST /parent/message/thread/{id}/read", path: []string{"$thread"}, body: m{"messageId": "$message"}},
	{route: "GET /parent/message/recipients", body: m{"filters": m{"studentId": "$student"}}},

	{route: "POST /teacher/message/send", body: m{"recipientId": "$parentAccount", "studentId": "$student", "body": "New",
		"attachments": list{"$teacherFile"}}},
	{route: "POST /teacher/message/send", body: m{"threadId": "$thread", "body": "New"}},
	{route: "GET /teacher/message/threads", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /teacher/message/thread/{id}", path: []string{"$thread"}, body: m{"filters": m{"before": "$message"}}},
	{route: "POST /teacher/message/thread/{id}/read", path: []string{"$thread"}, body: m{"messageId": "$message"}},
	{route: "GET /teacher/message/recipients", body: m{"filters": m{"studentId": "$student"}}},

	{route: "POST /school-admin/message/send", body: m{"recipientId": "$parentAccount", "studentId": "$student", "body": "New",
		"attachments": list{"$adminFile"}}},
	{route: "POST /school-admin/message/send", body: m{"threadId": "$officeThread", "body": "New"}},
	{route: "GET /school-admin/message/threads", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /school-admin/message/thread/{id}", path: []string{"$officeThread"}, body: m{"filters": m{"before": "$officeMessage"}}},
	{route: "POST /school-admin/message/thread/{id}/read", path: []string{"$officeThread"}, body: m{"messageId": "$officeMessage"}},
	{route: "GET /school-admin/message/recipients", body: m{"filters": m{"studentId": "$student"}}},

	{route: "POST /driver/message/send", body: m{"recipientId": "$office", "body": "New", "attachments": list{"$driverFile"}},
		loose: []string{"studentId"}},
	{route: "POST /driver/message/send", body: m{"threadId": "$driverThread", "body": "New"}},
	{route: "GET /driver/message/threads", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /driver/message/thread/{id}", path: []string{"$driverThread"}, body: m{"filters": m{"before": "$driverMessage"}}},
	{route: "POST /driver/message/thread/{id}/read", path: []string{"$driverThread"}, body: m{"messageId": "$driverMessage"}},
}

// furnishMessage has the parent write to the teacher, and the office to the parent
// and to the driver.
func furnishMessage(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	f["office"], f["parentAccount"], f["teacherAccount"] = at.ID, at.Parent.ID, at.Teacher.ID
	for _, c := range []struct {
		who             *apptest.Account
		to              id.ID
		thread, message string
	}{
		{at.Parent, at.Teacher.ID, "thread", "message"},
		{at.Admin, at.Parent.ID, "officeThread", "officeMessage"},
		{at.Admin, at.Driver.ID, "driverThread", "driverMessage"},
	} {
		sent := s.Call(t, c.who, "POST", "/"+c.who.Role.Prefix()+"/message/send", m{"recipientId": c.to, "body": "Hello"}).OK()
		f[c.thread] = id.ID(sent["thread"].(m)["id"].(string))
		f[c.message] = id.ID(sent["message"].(m)["id"].(string))
	}
}
