package exam_test

import (
	"fmt"
	"slices"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/id"
)

func TestExam(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.Admin("POST", "/school-admin/exam/create", m{"name": " Term 1 "}).OK()
		if made.Text("name") != "Term 1" || made.Text("type") != "OTHER" || made.Text("status") != "DRAFT" || made["startDate"] != nil ||
			made["version"] != 1.0 {
			t.Errorf("created exam: %v", made)
		}
		if classes, _ := made["classIds"].([]any); !slices.Equal(classes, []any{string(w.one), string(w.two)}) {
			t.Errorf("without classes every class of the year sits it: %v", classes)
		}
		exam := "/school-admin/exam/" + made.Text("id")
		changed := w.Admin("PUT", exam, m{"type": "TERM", "classIds": list{w.one}, "startDate": w.Day(1), "endDate": w.Day(9), "version": 1}).OK()
		if changed.Text("name") != "Term 1" || changed.Text("type") != "TERM" || changed.Text("startDate") != w.Day(1) ||
			changed["version"] != 2.0 || len(changed["classIds"].([]any)) != 1 {
			t.Errorf("changed exam: %v", changed)
		}
		w.Admin("PUT", exam, m{"name": "Late", "version": 1}).Want(409, "Conflict")
		if now := w.Admin("PUT", exam, m{"startDate": nil}).OK(); now["startDate"] != nil || now.Text("endDate") != w.Day(9) {
			t.Errorf("exam without a start date: %v", now)
		}
		w.Admin("DELETE", exam, nil).OK()
		w.Admin("GET", exam, nil).Want(404, "Not Found")
		for action, want := range map[string]int{"exam.create": 1, "exam.update": 2, "exam.delete": 1} {
			w.Audited(action, want)
		}
	})
}

func TestExamRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, tt := range []struct {
			name  string
			body  m
			field string
		}{
			{"no name", m{}, "name"},
			{"a blank name", m{"name": " "}, "name"},
			{"no such type", m{"name": "T", "type": "term"}, "type"},
			{"an end before the start", m{"name": "T", "startDate": w.Day(2), "endDate": w.Day(1)}, "endDate"},
			{"outside the year", m{"name": "T", "startDate": "2001-01-01"}, "startDate"},
			{"a class twice", m{"name": "T", "classIds": list{w.one, w.one}}, "classIds[1]"},
		} {
			w.Admin("POST", "/school-admin/exam/create", tt.body).Fields(422, tt.field)
		}
		exam := w.newExam("Term 1")
		w.put(exam, w.paper(w.maths, 3)).OK()
		w.Admin("PUT", "/school-admin/exam/"+exam, m{"startDate": w.Day(4)}).Fields(422, "startDate")
		w.Admin("PUT", "/school-admin/exam/"+exam, m{"endDate": w.Day(2)}).Fields(422, "endDate")
		w.Admin("PUT", "/school-admin/exam/"+exam, m{"classIds": list{w.two}}).Want(409, "Conflict")
		w.teacher("POST", "/school-admin/exam/create", m{"name": "T"}).Want(403, "PERMISSION_DENIED")
	})
}

func TestScales(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/school-admin/grade-scale"
		bands := list{m{"grade": "B", "minPercent": 50}, m{"grade": "A", "minPercent": 79.5, "points": 4.25}}
		first := w.Admin("POST", path+"/create", m{"name": "Letters", "bands": bands}).OK()
		if got := apptest.Pick(first["bands"], "grade"); first["isDefault"] != true || !slices.Equal(got, []string{"A", "B"}) {
			t.Errorf("first grade scale: %v", first)
		}
		if b := first["bands"].([]any)[0].(m); b["minPercent"] != 79.5 || b["points"] != 4.25 {
			t.Errorf("highest band: %v", b)
		}
		second := w.Admin("POST", path+"/create", m{"name": "Words", "bands": list{m{"grade": "Good", "minPercent": 0}}}).OK()
		apptest.Eq(t, fmt.Sprint("second grade scale: ", second), second["isDefault"], false)
		w.Admin("POST", path+"/create", m{"name": "letters", "bands": bands}).Want(409, "DUPLICATE_ENTRY")
		w.Admin("PUT", path+"/"+second.Text("id"), m{"isDefault": true, "version": 1}).OK()
		apptest.Eq(t, "two default grade scales", w.Admin("GET", path+"/"+first.Text("id"), nil).OK()["isDefault"], false)
		w.Admin("PUT", path+"/"+second.Text("id"), m{"name": "Late", "version": 1}).Want(409, "Conflict")
		apptest.Eq(t, "search for grade scales", len(w.Admin("GET", path+"/list?search=WORD", nil).OK().Items()), 1)
		for field, bad := range map[string]list{
			"bands":               {},
			"bands[0].minPercent": {m{"grade": "A", "minPercent": 100.01}},
			"bands[1].minPercent": {m{"grade": "A", "minPercent": 5}, m{"grade": "B", "minPercent": 5}},
			"bands[1].grade":      {m{"grade": "A", "minPercent": 5}, m{"grade": "A", "minPercent": 6}},
		} {
			w.Admin("POST", path+"/create", m{"name": "Bad", "bands": bad}).Fields(422, field)
		}
		w.Admin("POST", path+"/create", m{"name": "Bad", "bands": list{m{"grade": "A", "minPercent": 5.125}}}).Fields(422,
			"bands[0].minPercent")
		exam := w.Admin("POST", "/school-admin/exam/create", m{"name": "T", "gradeScaleId": first.Text("id")}).OK()
		w.Admin("DELETE", path+"/"+first.Text("id"), nil).Want(409, "Conflict")
		w.Admin("PUT", "/school-admin/exam/"+exam.Text("id"), m{"gradeScaleId": nil}).OK()
		w.Admin("DELETE", path+"/"+first.Text("id"), nil).OK()
	})
}

// A student with results is archived instead of deleted. The profile has the published
// results. Erasure keeps the marks, because ranks of others depend on them.
func TestStudentsWithResults(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.sat("Term 1")
		w.upload(exam, w.maths, m{"studentId": w.pupils[0], "marks": 80, "remark": "Mia is quick"}, got(w.pupils[1], 70)).OK()
		profile := "/school-admin/student/" + string(w.pupils[0]) + "/profile"
		section := func() []any {
			return w.Admin("GET", profile, nil).OK()["sections"].(m)["results"].([]any)
		}
		apptest.Eq(t, "before publishing", len(section()), 0)
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		if got := section(); len(got) != 1 || got[0].(m)["total"].(m)["marks"] != 80.0 {
			t.Errorf("results in the profile: %v", got)
		}
		w.Admin("DELETE", "/school-admin/student/"+string(w.pupils[1]), nil).OK()
		apptest.Eq(t, "results after deleting the student", w.Count(`exam_results WHERE school_id = :school`, nil), 2)
		w.Admin("POST", "/school-admin/student/"+string(w.pupils[0])+"/erase", m{"confirm": "1"}).OK()
		apptest.Eq(t, "remarks about an erased student are still there",
			w.Count(`exam_results WHERE school_id = :school AND remark <> ''`, nil), 0)
		apptest.Eq(t, "remarks in the audit log",
			w.Count(`audit_log WHERE school_id = :school AND CAST(after AS TEXT) LIKE '%Mia is quick%'`, nil), 0)
		apptest.Eq(t, "the marks of an erased student are gone", w.Count(`exam_results WHERE school_id = :school AND marks = 8000`, nil), 1)
		for what, at := range map[string]id.ID{"class": w.one, "subject": w.maths, "division": w.oneA} {
			w.Admin("DELETE", "/school-admin/"+what+"/"+string(at), nil).Want(409, "Conflict")
		}
	})
}
