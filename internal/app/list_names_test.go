package app_test

import (
	"encoding/json"
	"testing"

	"homeroom/internal/apptest"
)

// TestListsHaveNames checks that lists show the names beside the ids, so that a screen
// needs no second call.
func TestListsHaveNames(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		f := furnish(t, s, s.North)
		furnish(t, s, s.South)
		n := namesWorld{T: t, s: s, f: f}
		n.first(s.North.Admin, "/school-admin/fee/charge/list", m{"studentName": "Student", "className": "One"})
		n.first(s.North.Admin, "/school-admin/fee/concession/list", m{"studentName": "Student", "className": "One"})
		n.first(s.North.Admin, "/school-admin/fee/refund/list", m{"studentName": "Spare", "className": "One"})
		n.first(s.North.Admin, "/school-admin/fee/report/dues", m{"guardianName": "Parent", "guardianPhone": s.North.Parent.Phone})
		n.first(s.North.Parent, "/parent/fee/list", m{"studentName": "Student"})
		teacher := m{"roleName": "Teacher", "subjects": list{m{"id": f["subject"], "name": "Maths"}},
			"classTeacherOf": list{m{"classId": f["class"], "className": "One", "divisionId": f["division"], "divisionName": "A"}}}
		n.first(s.North.Admin, "/school-admin/employee/list?type=TEACHER&search=teacher", teacher)
		n.has(s.Call(t, s.North.Admin, "GET", "/school-admin/employee/"+f["employee"].String(), nil).OK(), teacher)
		n.first(s.North.Admin, "/school-admin/employee/list?type=DRIVER", m{"roleName": "Driver", "subjects": list{}, "classTeacherOf": list{}})
		s.Call(t, s.North.Admin, "PUT", "/school-admin/setting", m{"evaluationMode": false, "phone": "+15550001111"}).OK()
		n.first(s.North.Admin, "/school-admin/audit/list", m{"userName": "Test SCHOOL_ADMIN", "schoolName": nil})
		n.first(s.Super, "/super-admin/audit/list", m{"userName": "Test SCHOOL_ADMIN", "schoolName": "NORTH School"})
	})
}

// TestExamListCountsMarks checks the papers and results that the list of exams counts.
func TestExamListCountsMarks(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		f := furnish(t, s, s.North)
		n := namesWorld{T: t, s: s, f: f}
		classes := list{m{"id": f["class"], "name": "One"}}
		published := m{"name": "publishedExam", "classes": classes, "papers": 1, "marksEntered": 1, "marksExpected": 2}
		for _, who := range []*apptest.Account{s.North.Admin, s.North.Teacher} {
			path := "/" + who.Role.Prefix() + "/exam/list"
			n.first(who, path+"?sort=name&order=desc", published)
			n.first(who, path+"?sort=name", m{"name": "exam", "papers": 1, "marksEntered": 0, "marksExpected": 2})
		}
		s.Call(t, s.North.Admin, "PUT", "/school-admin/student/"+f["spareStudent"].String(), m{"status": "LEFT"}).OK()
		n.first(s.North.Admin, "/school-admin/exam/list?sort=name&order=desc", m{"marksEntered": 1, "marksExpected": 1})
		n.first(s.North.Parent, "/parent/exam/list?studentId="+f["student"].String(), m{"marksEntered": nil, "classes": nil})
	})
}

// TestSchoolListCountsPeople checks the numbers in the platform's list of schools.
func TestSchoolListCountsPeople(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		furnish(t, s, s.North)
		n := namesWorld{T: t, s: s}
		n.first(s.Super, "/super-admin/school/list?search=north", m{"students": 4, "users": 4})
		n.first(s.Super, "/super-admin/school/list?search=south", m{"students": 0, "users": 4})
		at := s.Call(t, s.Super, "GET", "/super-admin/school/list?search=north", nil).OK().Items()[0].Text("lastActivityAt")
		newest := s.Call(t, s.North.Admin, "GET", "/school-admin/audit/list", nil).OK().Items()[0].Text("at")
		apptest.Eq(t, "last activity", at, newest)
	})
}

type namesWorld struct {
	*testing.T
	s *apptest.Service
	f fixtures
}

// first checks fields of a list's first record. A nil value is a missing field.
func (n namesWorld) first(who *apptest.Account, path string, want m) {
	n.Helper()
	items := n.s.Call(n.T, who, "GET", path, nil).OK().Items()
	if len(items) == 0 {
		n.Fatalf("%s is empty", path)
	}
	n.has(items[0], want)
}

func (n namesWorld) has(got apptest.Object, want m) {
	n.Helper()
	for field, v := range want {
		if w, g := encoded(n.T, v), encoded(n.T, got[field]); w != g {
			n.Errorf("%s is %s, want %s, in %v", field, g, w, got)
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
