package leave_test

import (
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// has checks fields of a record.
func has(t *testing.T, o apptest.Object, members m) {
	t.Helper()
	for key, want := range members {
		if o[key] != want {
			t.Errorf("%s: %v, want %v", key, o[key], want)
		}
	}
}

// seen checks that those with access see n leaves of Mia, and others none.
func (w *world) seen(n int) {
	w.Helper()
	for who, want := range map[*apptest.Account]int{w.North.Parent: n, w.uncle: n, w.South.Parent: 0} {
		if got := w.call(who, "GET", "/parent/leave/list", nil).OK().Items(); len(got) != want {
			w.Errorf("a parent sees %d leaves, want %d", len(got), want)
		}
	}
	for who, want := range map[*apptest.Account]int{w.North.Teacher: n, w.bobs: n, w.cids: 0, w.South.Teacher: 0} {
		if got := w.call(who, "GET", "/teacher/leave/student-requests", nil).OK().Items(); len(got) != want {
			w.Errorf("a teacher sees %d requests, want %d", len(got), want)
		}
	}
}

// TestJourney follows a student's leave from application to approval, as everyone sees
// it.
func TestJourney(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		file := w.upload(w.North.Parent)
		made := w.ask(w.mia, with(w.days(3, 8), "attachments", list{file})).OK()
		has(t, made, m{"applicantType": "STUDENT", "studentId": w.mia, "employeeId": nil, "name": "Mia Roe", "className": "One",
			"divisionName": "A",
			"type":         "SICK", "fromDate": w.day(3), "toDate": w.day(8), "isHalfDay": false, "half": nil, "days": 4.0, "reason": "Fever",
			"status":    "PENDING",
			"appliedBy": string(w.North.Parent.ID), "decidedBy": nil, "decidedAt": nil, "decisionNote": "", "cancelledAt": nil})
		if got := made["attachments"].([]any); len(got) != 1 || got[0] != file {
			t.Errorf("attachments %v", got)
		}
		leave := made.Text("id")
		if logged, pushed := w.told(w.North.Teacher, "teacher_"+string(w.North.Teacher.ID)); logged != "1" || pushed != "1" {
			t.Errorf("the class teacher was told %s times, and %s pushes", logged, pushed)
		}
		if logged, _ := w.told(w.cids, ""); logged != "0" {
			t.Error("a teacher who is not the class teacher was notified")
		}
		w.seen(1)
		decided := w.call(w.North.Teacher, "POST", "/teacher/leave/"+leave+"/approve", m{"decisionNote": " Get well. "}).OK()
		if decided["status"] != "APPROVED" || decided["decidedBy"] != string(w.North.Teacher.ID) || decided["decidedByName"] != "Ann Lee" ||
			decided["decisionNote"] != "Get well." || decided["decidedAt"] == nil {
			t.Errorf("POST /teacher/leave//approve: got %v", decided)
		}
		if got := w.call(w.North.Admin, "GET", "/school-admin/leave/"+leave, nil).OK(); got["status"] != "APPROVED" ||
			got["decisionNote"] != "Get well." {
			t.Errorf("GET /school-admin/leave: got %v", got)
		}
		if logged, pushed := w.told(w.North.Parent, "student_"+w.mia); logged != "1" || pushed != "1" {
			t.Errorf("the applicant was told %s times, and %s pushes", logged, pushed)
		}
		if logged, _ := w.told(w.uncle, ""); logged != "0" {
			t.Error("a parent who did not apply was notified")
		}
		if got := w.act(w.North.Parent, leave, "cancel").OK(); got["status"] != "CANCELLED" || got["cancelledAt"] == nil ||
			got["decidedByName"] != "Ann Lee" {
			t.Errorf("leave: got %v", got)
		}
		for _, action := range []string{"leave.apply", "leave.approve", "leave.cancel"} {
			if n := w.audited(action); n != "1" {
				t.Errorf("%s is in the log %s times", action, n)
			}
		}
		if log := w.call(w.North.Admin, "GET", "/school-admin/audit/list?limit=100", nil); strings.Contains(string(log.Body), "Fever") {
			t.Error("the audit log has the reason")
		}
	})
}

// TestEmployeeJourney follows a teacher's own leave.
func TestEmployeeJourney(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.askOwn(w.cids, m{"type": "CASUAL", "fromDate": w.day(1), "isHalfDay": true}).OK()
		has(t, made, m{"applicantType": "EMPLOYEE", "studentId": nil, "employeeId": w.cid, "name": "Cid", "className": "", "toDate": w.day(1),
			"isHalfDay": true, "half": "FIRST", "days": 0.5, "reason": "", "status": "PENDING"})
		leave := made.Text("id")
		for who, want := range map[*apptest.Account]int{w.cids: 1, w.North.Teacher: 0, w.South.Teacher: 0} {
			if got := w.call(who, "GET", "/teacher/leave/list", nil).OK().Items(); len(got) != want {
				t.Errorf("a teacher sees %d own leaves, want %d", len(got), want)
			}
		}
		if got := w.call(w.North.Teacher, "GET", "/teacher/leave/student-requests", nil).OK().Items(); len(got) != 0 {
			t.Errorf("a colleague's leave is a student's: %v", got)
		}
		if got := w.act(w.North.Admin, leave, "reject").OK(); got["status"] != "REJECTED" {
			t.Errorf("leave: got %v", got)
		}
		if logged, pushed := w.told(w.cids, "teacher_"+string(w.cids.ID)); logged != "1" || pushed != "1" {
			t.Errorf("the employee was told %s times, and %s pushes", logged, pushed)
		}
		// South's teacher has an account but no employee record.
		w.askOwn(w.South.Teacher, w.days(1, 1)).Want(403, "PERMISSION_DENIED")
		w.call(w.South.Teacher, "GET", "/teacher/leave/balance", nil).Want(403, "PERMISSION_DENIED")
	})
}

func TestApplyRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		left := w.call(w.North.Admin, "POST", "/school-admin/student/create", m{"firstName": "Lou",
			"guardians": list{m{"name": "Pat", "phone": w.North.Parent.Phone}}}).OK().Text("id")
		w.call(w.North.Admin, "PUT", "/school-admin/student/"+left, m{"status": "LEFT"}).OK()
		good := w.days(1, 2)
		six := list{}
		for range 6 {
			six = append(six, string(id.New()))
		}
		for _, tt := range []struct {
			name   string
			body   m
			status int
			error  string
			say    string
		}{
			{"no type", with(good, "type", nil), 422, "Unprocessable Entity", `"type"`},
			{"another type", with(good, "type", "HOLIDAY"), 422, "Unprocessable Entity", `"type"`},
			{"no first day", with(good, "fromDate", nil), 422, "Unprocessable Entity", `"fromDate"`},
			{"no such day", with(good, "fromDate", "2026-02-30"), 422, "Unprocessable Entity", `"fromDate"`},
			{"backwards", with(good, "toDate", w.day(0)), 422, "Unprocessable Entity", `"toDate"`},
			{"too long", with(good, "toDate", w.day(1+366)), 422, "Unprocessable Entity", `"toDate"`},
			{"half of two days", with(good, "isHalfDay", true), 422, "Unprocessable Entity", `"isHalfDay"`},
			{"a half, and no half day", with(good, "half", "FIRST", "isHalfDay", false), 422, "Unprocessable Entity", `"half"`},
			{"a third half", with(good, "toDate", nil, "half", "THIRD"), 422, "Unprocessable Entity", `"half"`},
			{"a long reason", with(good, "reason", strings.Repeat("x", 1001)), 422, "Unprocessable Entity", `"reason"`},
			{"many files", with(good, "attachments", six), 422, "Unprocessable Entity", `"attachments"`},
			{"no file's id", with(good, "attachments", list{"x"}), 422, "Unprocessable Entity", `"attachments[0]"`},
			{"no student", with(good, "studentId", nil), 422, "Unprocessable Entity", `"studentId"`},
			{"an unknown student", with(good, "studentId", id.New()), 404, "STUDENT_NOT_FOUND", ""},
			{"another's child", with(good, "studentId", w.zoe), 403, "PERMISSION_DENIED", ""},
			{"who has left", with(good, "studentId", left), 409, "Conflict", "no longer"},
		} {
			if _, ok := tt.body["studentId"]; !ok && tt.name != "no student" {
				tt.body = with(tt.body, "studentId", w.mia)
			}
			r := w.call(w.North.Parent, "POST", "/parent/leave/apply", tt.body)
			if r.Want(tt.status, tt.error); !strings.Contains(string(r.Body), tt.say) {
				t.Errorf("%s: %s", tt.name, r.Body)
			}
		}
		if got := w.call(w.North.Admin, "GET", "/school-admin/leave/list", nil).OK(); got["total"] != 0.0 {
			t.Errorf("GET /school-admin/leave/list: got %v", got)
		}
		w.ask(w.mia, with(good, "toDate", w.day(1+365))).OK()
	})
}

func TestLists(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.ask(w.mia, with(w.days(4, 5), "reason", "1")).OK()
		rejected := w.ask(w.noa, with(w.days(1, 1), "reason", "2", "type", "CASUAL")).OK().Text("id")
		w.askOwn(w.cids, with(w.days(2, 9), "reason", "3", "type", "EMERGENCY")).OK()
		w.ask(w.mia, with(w.days(6, 6), "reason", "4")).OK()
		w.act(w.North.Admin, rejected, "reject").OK()
		for filter, want := range map[string]string{
			"":                                "4 3 2 1",
			"?sort=createdAt":                 "1 2 3 4",
			"?sort=fromDate":                  "2 3 1 4",
			"?sort=fromDate&order=desc":       "4 1 3 2",
			"?status=PENDING":                 "4 3 1",
			"?status=REJECTED":                "2",
			"?type=EMERGENCY":                 "3",
			"?applicantType=STUDENT":          "4 2 1",
			"?applicantType=EMPLOYEE":         "3",
			"?studentId=" + w.mia:             "4 1",
			"?employeeId=" + w.cid:            "3",
			"?employeeId=" + w.ann:            "",
			"?classId=" + w.class:             "4 2 1",
			"?divisionId=" + w.b:              "2",
			"?from=" + w.day(6):               "4 3",
			"?to=" + w.day(2):                 "3 2",
			"?from=2000-01-01&to=" + w.day(0): "",
			"?limit=1&page=2":                 "3",
		} {
			if got := strings.Join(texts(w.call(w.North.Admin, "GET", "/school-admin/leave/list"+filter, nil).OK(), "reason"), " "); got != want {
				t.Errorf("%q: %q, want %q", filter, got, want)
			}
		}
		for path, want := range map[string]string{"?studentId=" + w.noa: "2", "?studentId=" + w.mia + "&from=" + w.day(6): "4", "": "4 2 1",
			"?type=CASUAL": "2"} {
			if got := strings.Join(texts(w.call(w.North.Parent, "GET", "/parent/leave/list"+path, nil).OK(), "reason"), " "); got != want {
				t.Errorf("parent %q: %q, want %q", path, got, want)
			}
		}
		for who, want := range map[*apptest.Account]string{w.North.Teacher: "4 1", w.bobs: "4 2 1"} {
			if got := strings.Join(texts(w.call(who, "GET", "/teacher/leave/student-requests", nil).OK(), "reason"), " "); got != want {
				t.Errorf("class teacher: %q, want %q", got, want)
			}
		}
		if got := texts(w.call(w.bobs, "GET", "/teacher/leave/student-requests?status=REJECTED", nil).OK(), "reason"); !slices.Equal(got,
			[]string{"2"}) {
			t.Errorf("rejected: %v", got)
		}
		w.call(w.North.Parent, "GET", "/parent/leave/list?studentId="+w.zoe, nil).Want(403, "PERMISSION_DENIED")
		if got := w.call(w.South.Admin, "GET", "/school-admin/leave/list", nil).OK(); got["total"] != 0.0 {
			t.Errorf("GET /school-admin/leave/list: got %v", got)
		}
		w.call(w.South.Admin, "GET", "/school-admin/leave/"+rejected, nil).Want(404, "Not Found")
	})
}

// TestProfileAndErasure checks the leave in a student's profile, and that erasure
// deletes its text. Leave of an archived student is hidden.
func TestProfileAndErasure(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		leave := w.call(w.uncle, "POST", "/parent/leave/apply", with(w.days(1, 1), "studentId", w.zoe, "attachments",
			list{w.upload(w.uncle)})).OK().Text("id")
		w.call(w.North.Admin, "POST", "/school-admin/leave/"+leave+"/reject", m{"decisionNote": "A test is due"}).OK()
		profile := w.call(w.North.Admin, "GET", "/school-admin/student/"+w.zoe+"/profile", nil).OK()
		found := profile["sections"].(m)["leave"].([]any)
		if len(found) != 1 || found[0].(m)["reason"] != "Fever" || found[0].(m)["days"] != 1.0 {
			t.Errorf("GET /school-admin/student//profile, sections: got %v", profile["sections"])
		}
		waiting := w.call(w.uncle, "POST", "/parent/leave/apply", with(w.days(2, 2), "studentId", w.zoe)).OK().Text("id")
		w.call(w.North.Admin, "DELETE", "/school-admin/student/"+w.zoe, nil).OK()
		if got := w.one(`SELECT CAST(after AS TEXT) FROM audit_log WHERE school_id = :school AND action = 'student.archive'`,
			nil); !strings.Contains(got, "true") {
			t.Errorf("archived as %s", got)
		}
		w.call(w.North.Admin, "GET", "/school-admin/leave/"+leave, nil).Want(404, "Not Found")
		w.act(w.North.Admin, waiting, "approve").Want(404, "Not Found")
		w.call(w.North.Admin, "GET", "/school-admin/leave/list?studentId="+w.zoe, nil).Want(404, "STUDENT_NOT_FOUND")
		w.call(w.North.Admin, "POST", "/school-admin/student/"+w.zoe+"/erase", m{"confirm": "Z1"}).OK()
		if left := w.one(`SELECT CAST(COUNT(*) AS TEXT) FROM leaves WHERE school_id = :school AND student_id = :id
			AND reason = '' AND decision_note = '' AND CAST(attachments AS TEXT) = '[]'`, db.Args{"id": id.ID(w.zoe)}); left != "2" {
			t.Errorf("%s leaves are blank, want 2", left)
		}
	})
}
