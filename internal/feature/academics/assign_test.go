package academics_test

import (
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

func TestAssignments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		zoe, _, _ := w.teacher(w.North, "Zoe", "+15550000001")
		ben, _, _ := w.teacher(w.North, "Ben", "+15550000002")
		driver, _ := w.Employ(w.North, actor.Driver, people.NewEmployee{EmployeeCode: "D1", FirstName: "Bo"})
		foreign, _, _ := w.teacher(w.South, "Far", "+15550000001")
		assign := func(e id.ID, list ...m) peopletest.Answer {
			return w.Call(w.North.Admin, "POST", "/school-admin/employee/"+string(e)+"/assignments", m{"assignments": append([]m{}, list...)})
		}
		a := assign(zoe, m{"classId": w.one.ID, "divisionId": w.oneA.ID, "subjectId": w.maths.ID, "isClassTeacher": true}, m{"classId": w.two.ID})
		if got := a.All("assignments", "className"); !slices.Equal(got, []string{"Grade 1", "Grade 2"}) ||
			a.Data["academicYearId"] != string(w.North.Year) {
			t.Errorf("assigned: %s", a.Text)
		}
		a = assign(zoe, m{"classId": w.one.ID, "divisionId": w.oneA.ID, "isClassTeacher": true})
		if got := a.All("assignments", "className"); !slices.Equal(got, []string{"Grade 1"}) {
			t.Errorf("replaced: %s", a.Text)
		}
		says(t, assign(ben, m{"classId": w.one.ID, "divisionId": w.oneA.ID, "isClassTeacher": true}).Is(409, "DUPLICATE_ENTRY"),
			"Zoe is the class teacher of Grade 1 A.")
		says(t, assign(ben, m{"classId": w.two.ID, "subjectId": w.maths.ID}).Is(409, "Conflict"), "Mathematics is not taught in Grade 2.")
		says(t, assign(driver, m{"classId": w.one.ID}).Is(409, "Conflict"), "Only teachers")
		assign(ben, m{"classId": w.one.ID}, m{"classId": w.one.ID}).Is(422)
		assign(ben, m{"classId": w.one.ID, "divisionId": w.oneB.ID, "subjectId": w.art.ID, "isClassTeacher": true},
			m{"classId": w.one.ID, "divisionId": w.oneB.ID, "subjectId": w.maths.ID, "isClassTeacher": true}).Is(422)
		w.Call(w.North.Admin, "POST", "/school-admin/employee/"+string(ben)+"/assignments", m{}).Is(422)
		for name, part := range map[string]m{
			"class of another school": {"classId": w.far.ID}, "division of another class": {"classId": w.one.ID, "divisionId": w.twoA.ID},
			"division of another school": {"classId": w.one.ID, "divisionId": w.farA.ID},
			"subject of another school":  {"classId": w.one.ID, "subjectId": w.farMaths.ID},
		} {
			if got := assign(ben, part); got.Status != 404 {
				t.Errorf("%s: %s", name, got.Text)
			}
		}
		assign(foreign, m{"classId": w.one.ID}).Is(404, "Not Found")
		assign(peopletest.Nobody, m{"classId": w.one.ID}).Is(404, "Not Found")

		// A class teacher who has resigned can be replaced.
		w.Exec(w.North, `UPDATE employees SET status = 'RESIGNED' WHERE school_id = :school AND id = :id`, db.Args{"id": zoe})
		says(t, assign(zoe).Is(409, "Conflict"), "has resigned")
		if got := w.Call(w.North.Admin, "GET", "/school-admin/division/"+string(w.oneA.ID), nil).Is(200); got.Data["classTeacherId"] != nil {
			t.Errorf("the class teacher has resigned: %s", got.Text)
		}
		assign(ben, m{"classId": w.one.ID, "divisionId": w.oneA.ID, "isClassTeacher": true}).Is(200)
		assign(ben).Is(200)
		if got := w.Call(w.North.Admin, "GET", "/school-admin/employee/"+string(ben)+"/assignments", nil).All("assignments",
			"id"); len(got) != 0 {
			t.Errorf("an empty list takes all back: %v", got)
		}
		w.Audited("employee.assign", 4)
	})
}

func TestAssignmentsOfAnotherYear(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		next := w.nextYear()
		w.Call(w.North.Admin, "POST", "/school-admin/class/copy", m{"toAcademicYearId": next}).Is(200)
		twin := w.Call(w.North.Admin, "GET", "/school-admin/class/list?academicYearId="+string(next), nil).All("items", "id")[0]
		zoe, _, _ := w.teacher(w.North, "Zoe", "", academics.Assignment{ClassID: w.one.ID})
		path := "/school-admin/employee/" + string(zoe) + "/assignments"
		says(t, w.Call(w.North.Admin, "POST", path, m{"assignments": []m{{"classId": twin}}}).Is(422),
			"must be a class of the academic year 2026/27")
		w.Call(w.North.Admin, "POST", path, m{"academicYearId": next, "assignments": []m{{"classId": twin}}}).Is(200)
		if got := w.Call(w.North.Admin, "GET", path, nil).All("assignments", "classId"); !slices.Equal(got, []string{string(w.one.ID)}) {
			t.Errorf("those of the current year stay: %v", got)
		}
		if got := w.Call(w.North.Admin, "GET", path+"?academicYearId="+string(next), nil).All("assignments", "classId"); !slices.Equal(got,
			[]string{twin}) {
			t.Errorf("those of the next year: %v", got)
		}
		w.Call(w.North.Admin, "GET", path+"?academicYearId="+string(w.South.Year), nil).Is(404, "Not Found")
	})
}

func TestTeacherSeesItsSubjects(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, _, part := w.teacher(w.North, "part", "+15550000001",
			academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID, SubjectID: &w.maths.ID},
			academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneB.ID, SubjectID: &w.maths.ID})
		_, _, whole := w.teacher(w.North, "whole", "+15550000002", academics.Assignment{ClassID: w.one.ID},
			academics.Assignment{ClassID: w.two.ID})
		_, _, none := w.teacher(w.North, "none", "+15550000003")
		const path = "/teacher/subject/list"
		mine := w.Call(part, "GET", path, nil)
		if got := mine.All("items", "name"); !slices.Equal(got, []string{"Mathematics"}) || !strings.Contains(mine.Text, string(w.oneA.ID)) ||
			!strings.Contains(mine.Text, string(w.oneB.ID)) {
			t.Errorf("subjects of the part: %s", mine.Text)
		}
		for _, tt := range []struct {
			token, query string
			want         []string
		}{
			{whole, "", []string{"Art", "Mathematics"}},
			{whole, "?limit=1&page=2", []string{"Mathematics"}},
			{whole, "?classId=" + string(w.two.ID), []string{"Art"}},
			{none, "", []string{}},
		} {
			if got := w.Call(tt.token, "GET", path+tt.query, nil).All("items", "name"); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.query, got, tt.want)
			}
		}
		w.Call(part, "GET", path+"?classId="+string(w.two.ID), nil).Is(403, "PERMISSION_DENIED")
		w.Call(part, "GET", path+"?classId="+string(w.far.ID), nil).Is(404, "Not Found")
	})
}

func TestWhoLeftIsNotInClass(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Enrol(w.North, people.NewStudent{AdmissionNo: "1", FirstName: "Stays", ClassID: &w.one.ID},
			people.NewStudent{AdmissionNo: "2", FirstName: "Leaves", ClassID: &w.one.ID})
		w.Exec(w.North, `UPDATE students SET status = 'LEFT' WHERE school_id = :school AND admission_no = '2'`, nil)
		_, _, token := w.teacher(w.North, "T1", "+15550000001", academics.Assignment{ClassID: w.one.ID})
		if got := w.Call(token, "POST", "/teacher/class/students", m{"classId": w.one.ID}).All("items", "firstName"); !slices.Equal(got,
			[]string{"Stays"}) {
			t.Errorf("students in class: %v", got)
		}
	})
}

// TestClassTeachersAtOnce sets several class teachers of one division concurrently:
// one succeeds.
func TestClassTeachersAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		statuses := make(chan int, 4)
		for _, code := range []string{"A", "B", "C", "D"} {
			e, _, _ := w.teacher(w.North, code, "")
			go func() {
				a := w.Call(w.North.Admin, "POST", "/school-admin/employee/"+string(e)+"/assignments",
					m{"assignments": []m{{"classId": w.one.ID, "divisionId": w.oneA.ID, "isClassTeacher": true}}})
				statuses <- a.Status
			}()
		}
		count := map[int]int{}
		for range 4 {
			count[<-statuses]++
		}
		if count[200] != 1 || count[409] != 3 {
			t.Errorf("response statuses %v, want one 200 and three 409", count)
		}
	})
}
