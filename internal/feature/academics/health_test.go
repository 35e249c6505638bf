package academics_test

import (
	"strings"
	"testing"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
)

// TestHealthNotesAreForTheClassTeacher shows them to the class teacher only, while that
// one is class teacher.
func TestHealthNotesAreForTheClassTeacher(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		mia := w.Enrol(w.North, people.NewStudent{AdmissionNo: "1", FirstName: "Mia", ClassID: &w.one.ID, DivisionID: &w.oneA.ID,
			MedicalNotes: "Epilepsy", RideNotes: "Sits in front"})[0]
		head, _, own := w.teacher(w.North, "own", "+15550000001",
			academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID, IsClassTeacher: true})
		_, _, whole := w.teacher(w.North, "whole", "+15550000002", academics.Assignment{ClassID: w.one.ID, IsClassTeacher: true})
		_, _, subject := w.teacher(w.North, "subject", "+15550000003",
			academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID, SubjectID: &w.maths.ID})
		_, _, other := w.teacher(w.North, "other", "+15550000004",
			academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneB.ID, IsClassTeacher: true}, academics.Assignment{ClassID: w.one.ID})
		path := "/teacher/student/" + string(mia)
		notes := func(token string) any {
			t.Helper()
			a := w.Call(token, "GET", path, nil).Is(200)
			if a.Data["medicalNotes"] == nil && strings.Contains(a.Text, "Epilepsy") {
				t.Errorf("the notes are elsewhere: %s", a.Text)
			}
			return a.Data["medicalNotes"]
		}
		for name, tt := range map[string]struct {
			token string
			want  any
		}{"the class teacher": {own, "Epilepsy"}, "the class teacher of the class": {whole, "Epilepsy"},
			"a subject teacher": {subject, nil}, "the class teacher of another division": {other, nil}} {
			if got := notes(tt.token); got != tt.want {
				t.Errorf("%s reads %v, want %v", name, got, tt.want)
			}
		}
		w.Call(w.North.Admin, "POST", "/school-admin/employee/"+string(head)+"/assignments",
			m{"assignments": []m{{"classId": w.one.ID, "divisionId": w.oneA.ID, "subjectId": w.art.ID}}}).Is(200)
		if got := notes(own); got != nil {
			t.Errorf("a former class teacher reads %v", got)
		}
	})
}
