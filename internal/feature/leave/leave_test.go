package leave_test

import (
	"fmt"
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
		apptest.Eq(t, key, o[key], want)
	}
}

// seen checks that those with access see n leaves of Mia, and others none.
func (w *world) seen(n int) {
	w.Helper()
	for who, want := range map[*apptest.Account]int{w.North.Parent: n, w.uncle: n, w.South.Parent: 0} {
		apptest.Eq(w, "a parent sees leaves", len(w.As(who, "GET", "/parent/leave/list", nil).OK().Items()), want)
	}
	for who, want := range map[*apptest.Account]int{w.North.Teacher: n, w.bobs: n, w.cids: 0, w.South.Teacher: 0} {
		apptest.Eq(w, "a teacher sees requests", len(w.As(who, "GET", "/teacher/leave/student-requests", nil).OK().Items()), want)
	}
}

// TestJourney follows a student's leave from application to approval, as everyone sees
// it.
func TestJourney(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		file := w.Upload(w.North.Parent)
		made := w.ask(w.mia, apptest.With(w.days(3, 8), "attachments", list{file})).OK()
		has(t, made, m{"applicantType": "STUDENT", "studentId": w.mia, "employeeId": nil, "name": "Mia Roe", "className": "One",
			"divisionName": "A",
			"type":         "SICK", "fromDate": w.day(3), "toDate": w.day(8), "isHalfDay": false, "half": nil, "days": 4.0, "reason": "Fever",
			"status":    "PENDING",
			"appliedBy": string(w.North.Parent.ID), "decidedBy": nil, "decidedAt": nil, "decisionNote": nil, "cancelledAt": nil})
		if got := made["attachments"].([]any); len(got) != 1 || got[0] != file {
			t.Errorf("attachments %v", got)
		}
		leave := made.Text("id")
		if logged, pushed := w.told(w.North.Teacher, "teacher_"+string(w.North.Teacher.ID)); logged != 1 || pushed != 1 {
			t.Errorf("the class teacher was told %d times, and %d pushes", logged, pushed)
		}
		if logged, _ := w.told(w.cids, ""); logged != 0 {
			t.Error("a teacher who is not the class teacher was notified")
		}
		w.seen(1)
		decided := w.As(w.North.Teacher, "POST", "/teacher/leave/"+leave+"/approve", m{"decisionNote": " Get well. "}).OK()
		if decided["status"] != "APPROVED" || decided["decidedBy"] != string(w.North.Teacher.ID) || decided["decidedByName"] != "Ann Lee" ||
			decided["decisionNote"] != "Get well." || decided["decidedAt"] == nil {
			t.Errorf("POST /teacher/leave//approve: got %v", decided)
		}
		if got := w.Admin("GET", "/school-admin/leave/"+leave, nil).OK(); got["status"] != "APPROVED" ||
			got["decisionNote"] != "Get well." {
			t.Errorf("GET /school-admin/leave: got %v", got)
		}
		if logged, pushed := w.told(w.North.Parent, "student_"+w.mia); logged != 1 || pushed != 1 {
			t.Errorf("the applicant was told %d times, and %d pushes", logged, pushed)
		}
		if logged, _ := w.told(w.uncle, ""); logged != 0 {
			t.Error("a parent who did not apply was notified")
		}
		if got := w.act(w.North.Parent, leave, "cancel").OK(); got["status"] != "CANCELLED" || got["cancelledAt"] == nil ||
			got["decidedByName"] != "Ann Lee" {
			t.Errorf("leave: got %v", got)
		}
		for _, action := range []string{"leave.apply", "leave.approve", "leave.cancel"} {
			w.Audited(action, 1)
		}
		if log := w.Admin("GET", "/school-admin/audit/list?limit=100", nil); strings.Contains(string(log.Body), "Fever") {
			t.Error("the audit log has the reason")
		}
	})
}

// TestEmployeeJourney follows a teacher's own leave.
func TestEmployeeJourney(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.askOwn(w.cids, m{"type": "CASUAL", "fromDate": w.day(1), "isHalfDay": true}).OK()
		has(t, made, m{"applicantType": "EMPLOYEE", "studentId": nil, "employeeId": w.cid, "name": "Cid", "className": nil, "toDate": w.day(1),
			"isHalfDay": true, "half": "FIRST", "days": 0.5, "reason": nil, "status": "PENDING"})
		leave := made.Text("id")
		for who, want := range map[*apptest.Account]int{w.cids: 1, w.North.Teacher: 0, w.South.Teacher: 0} {
			apptest.Eq(t, "a teacher sees own leaves", len(w.As(who, "GET", "/teacher/leave/list", nil).OK().Items()), want)
		}
		apptest.Eq(t, "a colleague's leave is a student's",
			len(w.As(w.North.Teacher, "GET", "/teacher/leave/student-requests", nil).OK().Items()), 0)
		apptest.Eq(t, "leave", w.act(w.North.Admin, leave, "reject").OK()["status"], "REJECTED")
		if logged, pushed := w.told(w.cids, "teacher_"+string(w.cids.ID)); logged != 1 || pushed != 1 {
			t.Errorf("the employee was told %d times, and %d pushes", logged, pushed)
		}
		// South's teacher has an account but no employee record.
		w.askOwn(w.South.Teacher, w.days(1, 1)).Want(403, "PERMISSION_DENIED")
		w.As(w.South.Teacher, "GET", "/teacher/leave/balance", nil).Want(403, "PERMISSION_DENIED")
	})
}

func TestApplyRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		left := w.Make("student/create", m{"firstName": "Lou",
			"guardians": list{m{"name": "Pat", "phone": w.North.Parent.Phone}}})
		w.Admin("PUT", "/school-admin/student/"+left, m{"status": "LEFT"}).OK()
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
			{"no type", apptest.With(good, "type", nil), 422, "Unprocessable Entity", `"type"`},
			{"another type", apptest.With(good, "type", "HOLIDAY"), 422, "Unprocessable Entity", `"type"`},
			{"no first day", apptest.With(good, "fromDate", nil), 422, "Unprocessable Entity", `"fromDate"`},
			{"no such day", apptest.With(good, "fromDate", "2026-02-30"), 422, "Unprocessable Entity", `"fromDate"`},
			{"backwards", apptest.With(good, "toDate", w.day(0)), 422, "Unprocessable Entity", `"toDate"`},
			{"too long", apptest.With(good, "toDate", w.day(1+366)), 422, "Unprocessable Entity", `"toDate"`},
			{"half of two days", apptest.With(good, "isHalfDay", true), 422, "Unprocessable Entity", `"isHalfDay"`},
			{"a half, and no half day", apptest.With(good, "half", "FIRST", "isHalfDay", false), 422, "Unprocessable Entity", `"half"`},
			{"a third half", apptest.With(good, "toDate", nil, "half", "THIRD"), 422, "Unprocessable Entity", `"half"`},
			{"a long reason", apptest.With(good, "reason", strings.Repeat("x", 1001)), 422, "Unprocessable Entity", `"reason"`},
			{"many files", apptest.With(good, "attachments", six), 422, "Unprocessable Entity", `"attachments"`},
			{"no file's id", apptest.With(good, "attachments", list{"x"}), 422, "Unprocessable Entity", `"attachments[0]"`},
			{"no student", apptest.With(good, "studentId", nil), 422, "Unprocessable Entity", `"studentId"`},
			{"an unknown student", apptest.With(good, "studentId", id.New()), 404, "STUDENT_NOT_FOUND", ""},
			{"another's child", apptest.With(good, "studentId", w.zoe), 403, "PERMISSION_DENIED", ""},
			{"who has left", apptest.With(good, "studentId", left), 409, "Conflict", "no longer"},
		} {
			if _, ok := tt.body["studentId"]; !ok && tt.name != "no student" {
				tt.body = apptest.With(tt.body, "studentId", w.mia)
			}
			r := w.As(w.North.Parent, "POST", "/parent/leave/apply", tt.body)
			if r.Want(tt.status, tt.error); !strings.Contains(string(r.Body), tt.say) {
				t.Errorf("%s: %s", tt.name, r.Body)
			}
		}
		apptest.Eq(t, "GET /school-admin/leave/list", w.Admin("GET", "/school-admin/leave/list", nil).OK()["total"], 0.0)
		w.ask(w.mia, apptest.With(good, "toDate", w.day(1+365))).OK()
	})
}

func TestLists(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.ask(w.mia, apptest.With(w.days(4, 5), "reason", "1")).OK()
		rejected := w.ask(w.noa, apptest.With(w.days(1, 1), "reason", "2", "type", "CASUAL")).OK().Text("id")
		w.askOwn(w.cids, apptest.With(w.days(2, 9), "reason", "3", "type", "EMERGENCY")).OK()
		w.ask(w.mia, apptest.With(w.days(6, 6), "reason", "4")).OK()
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
			apptest.Eq(t, filter, strings.Join(w.Admin("GET", "/school-admin/leave/list"+filter, nil).OK().Texts("reason"), " "), want)
		}
		for path, want := range map[string]string{"?studentId=" + w.noa: "2", "?studentId=" + w.mia + "&from=" + w.day(6): "4", "": "4 2 1",
			"?type=CASUAL": "2"} {
			apptest.Eq(t, fmt.Sprint("parent ", path),
				strings.Join(w.As(w.North.Parent, "GET", "/parent/leave/list"+path, nil).OK().Texts("reason"), " "), want)
		}
		for who, want := range map[*apptest.Account]string{w.North.Teacher: "4 1", w.bobs: "4 2 1"} {
			apptest.Eq(t, "class teacher",
				strings.Join(w.As(who, "GET", "/teacher/leave/student-requests", nil).OK().Texts("reason"), " "), want)
		}
		apptest.Eq(t, "rejected",
			w.As(w.bobs, "GET", "/teacher/leave/student-requests?status=REJECTED", nil).OK().Texts("reason"), []string{"2"})
		w.As(w.North.Parent, "GET", "/parent/leave/list?studentId="+w.zoe, nil).Want(403, "PERMISSION_DENIED")
		apptest.Eq(t, "GET /school-admin/leave/list", w.As(w.South.Admin, "GET", "/school-admin/leave/list", nil).OK()["total"], 0.0)
		w.As(w.South.Admin, "GET", "/school-admin/leave/"+rejected, nil).Want(404, "Not Found")
	})
}

// TestProfileAndErasure checks the leave in a student's profile, and that erasure
// deletes its text. Leave of an archived student is hidden.
func TestProfileAndErasure(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		leave := w.As(w.uncle, "POST", "/parent/leave/apply", apptest.With(w.days(1, 1), "studentId", w.zoe, "attachments",
			list{w.Upload(w.uncle)})).OK().Text("id")
		w.Admin("POST", "/school-admin/leave/"+leave+"/reject", m{"decisionNote": "A test is due"}).OK()
		profile := w.Admin("GET", "/school-admin/student/"+w.zoe+"/profile", nil).OK()
		found := profile["sections"].(m)["leave"].([]any)
		if len(found) != 1 || found[0].(m)["reason"] != "Fever" || found[0].(m)["days"] != 1.0 {
			t.Errorf("GET /school-admin/student//profile, sections: got %v", profile["sections"])
		}
		waiting := w.As(w.uncle, "POST", "/parent/leave/apply", apptest.With(w.days(2, 2), "studentId", w.zoe)).OK().Text("id")
		w.Admin("DELETE", "/school-admin/student/"+w.zoe, nil).OK()
		if got := w.One(`SELECT CAST(after AS TEXT) FROM audit_log WHERE school_id = :school AND action = 'student.archive'`,
			nil); !strings.Contains(got, "true") {
			t.Errorf("archived as %s", got)
		}
		w.Admin("GET", "/school-admin/leave/"+leave, nil).Want(404, "Not Found")
		w.act(w.North.Admin, waiting, "approve").Want(404, "Not Found")
		w.Admin("GET", "/school-admin/leave/list?studentId="+w.zoe, nil).Want(404, "STUDENT_NOT_FOUND")
		w.Admin("POST", "/school-admin/student/"+w.zoe+"/erase", m{"confirm": "Z1"}).OK()
		apptest.Eq(t, "leaves are blank", w.Count(`leaves WHERE school_id = :school AND student_id = :id
			AND reason = '' AND decision_note = '' AND CAST(attachments AS TEXT) = '[]'`, db.Args{"id": id.ID(w.zoe)}), 2)
	})
}
