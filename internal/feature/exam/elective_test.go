package exam_test

import (
	"slices"
	"testing"

	"homeroom/internal/apptest"
)

// TestElectives: in art, an elective, only Mia and Noa are taught. Ola's subjects are maths alone, and parents of
// each see the ranks that the office sees.
func TestElectives(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, p := w.sat("Term 1"), w.pupils
		w.Admin("PUT", "/school-admin/elective/"+string(w.one)+"/"+string(w.art), m{"studentIds": list{p[1], p[2]}}).OK()
		w.upload(exam, w.maths, got(p[0], 80), got(p[1], 90), got(p[2], 40)).OK()
		w.upload(exam, w.art, got(p[1], 20), got(p[2], 100)).OK()
		path := "/school-admin/exam/" + exam
		for _, seen := range w.Admin("POST", path+"/publish?preview=true", nil).OK()["results"].([]any) {
			apptest.Eq(t, "pending subjects of "+seen.(m)["firstName"].(string), seen.(m)["pending"], 0.0)
		}
		w.Admin("POST", path+"/publish", nil).OK()
		query := "?studentId=" + string(p[0])
		card := w.parent("/parent/exam/report-card" + query).OK()
		result := w.parent("/parent/exam/result" + query).OK().Items()[0]
		for what, got := range map[string]map[string]any{"report card": card, "results": result} {
			if names := apptest.Pick(got["subjects"].([]any), "subjectName"); !slices.Equal(names, []string{"Maths"}) {
				t.Errorf("%s: subjects %v", what, names)
			}
			apptest.Eq(t, what+": rank", got["total"].(m)["rankInClass"], 1.0)
			apptest.Eq(t, what+": students", got["total"].(m)["classSize"], 3.0)
		}
	})
}

// TestResultsStay: results stay with the parents of a child who has since moved to another class, or left an elective.
func TestResultsStay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, mia := w.marked(), w.pupils[0]
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		same := func(when string) {
			t.Helper()
			query := "?studentId=" + string(mia)
			card := w.parent("/parent/exam/report-card" + query).OK()
			result := w.parent("/parent/exam/result" + query).OK().Items()[0]
			want := []string{"Maths", "Art"}
			if names := apptest.Pick(result["subjects"].([]any), "subjectName"); !slices.Equal(names, want) {
				t.Errorf("%s: results in %v", when, names)
			}
			if names := apptest.Pick(card["subjects"].([]any), "subjectName"); !slices.Equal(names, want) {
				t.Errorf("%s: report card with %v", when, names)
			}
			apptest.Eq(t, when+": rank", result["total"].(m)["rankInClass"], card["total"].(m)["rankInClass"])
		}
		same("at first")
		w.Admin("PUT", "/school-admin/elective/"+string(w.one)+"/"+string(w.art), m{"studentIds": list{w.pupils[1]}}).OK()
		same("after art was left")
		w.Admin("PUT", "/school-admin/student/"+string(mia), m{"classId": w.two, "divisionId": nil}).OK()
		same("after the move")
	})
}
