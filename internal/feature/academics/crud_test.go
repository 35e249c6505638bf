package academics_test

import (
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

type m = map[string]any

// says checks that the response contains a text.
func says(t *testing.T, a peopletest.Answer, part string) {
	t.Helper()
	if !strings.Contains(a.Text, part) {
		t.Errorf("response %s, want it to contain %q", a.Text, part)
	}
}

// made is the id of the created record.
func made(t *testing.T, a peopletest.Answer) string {
	t.Helper()
	at, _ := a.Is(201).Data["id"].(string)
	if at == "" {
		t.Fatalf("no id: %s", a.Text)
	}
	return at
}

// nextYear creates the academic year after North's current one.
func (w *world) nextYear() id.ID {
	w.Helper()
	y, err := w.Schools.CreateYear(w.Context(), actor.Actor{School: w.North.ID},
		school.NewYear{Name: "2027/28", StartDate: "2027-06-01", EndDate: "2028-05-31"})
	if err != nil {
		w.Fatal(err)
	}
	return y.ID
}

func TestClassLife(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		call := func(method, path string, data any) peopletest.Answer {
			return w.Call(admin, method, "/school-admin/class/"+path, data)
		}
		a := call("POST", "create", m{"name": " Grade 3 "})
		three := made(t, a)
		if a.Data["name"] != "Grade 3" || a.Data["displayOrder"] != 3.0 || a.Data["academicYearId"] != string(w.North.Year) ||
			a.Data["version"] != 1.0 {
			t.Errorf("a class of a name alone: %s", a.Text)
		}
		call("POST", "create", m{"name": "Grade 3"}).Is(409, "DUPLICATE_ENTRY")
		next := w.nextYear()
		made(t, call("POST", "create", m{"name": "Grade 3", "academicYearId": next, "displayOrder": 7}))
		call("POST", "create", m{"name": "  "}).Is(422)
		call("POST", "create", m{"name": "Grade 9", "academicYearId": w.South.Year}).Is(404, "Not Found")

		if got := call("GET", three, nil).Is(200); got.Data["name"] != "Grade 3" {
			t.Errorf("read: %s", got.Text)
		}
		changed := call("PUT", three, m{"name": "Year 3", "version": 1}).Is(200)
		if changed.Data["name"] != "Year 3" || changed.Data["displayOrder"] != 3.0 || changed.Data["version"] != 2.0 {
			t.Errorf("only the keys sent change: %s", changed.Text)
		}
		call("PUT", three, m{"name": "Late", "version": 1}).Is(409, "Conflict")
		call("PUT", three, m{"name": "Grade 1"}).Is(409, "DUPLICATE_ENTRY")
		call("PUT", string(w.far.ID), m{"name": "Theirs"}).Is(404, "Not Found")
		if got := w.Call(admin, "GET", "/school-admin/class/list?search=year", nil).All("items", "id"); !slices.Equal(got, []string{three}) {
			t.Errorf("search follows the name: %v", got)
		}
		w.Call(admin, "DELETE", "/school-admin/class/"+three, nil).Is(204)
		call("GET", three, nil).Is(404, "Not Found")
		if n := w.Count(`audit_log WHERE school_id = :school AND action IN ('class.create', 'class.update', 'class.delete')`, nil); n != 4 {
			t.Errorf("%d entries in the log, want 4", n)
		}
	})
}

func TestWhatIsInUseStays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		w.Enrol(w.North, people.NewStudent{AdmissionNo: "1", FirstName: "A", ClassID: &w.one.ID, DivisionID: &w.oneA.ID},
			people.NewStudent{AdmissionNo: "2", FirstName: "B", ClassID: &w.one.ID, DivisionID: &w.oneA.ID},
			people.NewStudent{AdmissionNo: "3", FirstName: "C", ClassID: &w.two.ID, DivisionID: &w.twoA.ID})
		w.teacher(w.North, "T1", "", academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID, SubjectID: &w.maths.ID})
		w.Exec(w.North, `UPDATE students SET class_id = :class, division_id = NULL WHERE school_id = :school AND admission_no = '3'`,
			db.Args{"class": w.one.ID})
		for _, tt := range []struct{ path, want string }{
			{"class/" + string(w.one.ID), "Grade 1 is used by 2 divisions, 3 students and 1 teacher. Move them first."},
			{"division/" + string(w.oneA.ID), "Grade 1 A is used by 2 students and 1 teacher. Move them first."},
			{"division/" + string(w.twoA.ID), "Grade 2 A is used by 1 enrolment of another year and has to be kept for their records."},
			{"subject/" + string(w.maths.ID), "Mathematics is used by 1 teacher. Move them first."},
		} {
			says(t, w.Call(admin, "DELETE", "/school-admin/"+tt.path, nil).Is(409, "Conflict"), tt.want)
			w.Call(admin, "GET", "/school-admin/"+tt.path, nil).Is(200)
		}
		// Not counted, but protected by a foreign key.
		w.Exec(w.North, `UPDATE students SET division_id = :division, archived_at = :now WHERE school_id = :school AND admission_no = '3'`,
			db.Args{"division": w.oneB.ID, "now": w.service.Now()})
		w.Call(admin, "DELETE", "/school-admin/division/"+string(w.oneB.ID), nil).Is(409, "Conflict")
		w.Exec(w.North, `UPDATE students SET division_id = NULL WHERE school_id = :school AND admission_no = '3'`, nil)
		w.Call(admin, "DELETE", "/school-admin/division/"+string(w.oneB.ID), nil).Is(204)
		w.Call(admin, "DELETE", "/school-admin/subject/"+string(w.art.ID), nil).Is(204)
		w.Call(admin, "DELETE", "/school-admin/class/"+string(w.far.ID), nil).Is(404, "Not Found")
		w.Call(admin, "DELETE", "/school-admin/division/"+string(w.farA.ID), nil).Is(404, "Not Found")
		w.Call(admin, "DELETE", "/school-admin/subject/"+string(w.farMaths.ID), nil).Is(404, "Not Found")
	})
}

func TestUsesOfFeaturesAbove(t *testing.T) {
	exams := academics.Use{Column: "class_id", Table: "class_subjects", One: "exam", Many: "exams"}
	eachUsed(t, []academics.Use{exams}, func(t *testing.T, w *world) {
		w.Call(w.North.Admin, "DELETE", "/school-admin/division/"+string(w.twoA.ID), nil).Is(204)
		says(t, w.Call(w.North.Admin, "DELETE", "/school-admin/class/"+string(w.two.ID), nil).Is(409, "Conflict"), "Grade 2 is used by 1 exam.")
	})
}

func TestClassOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		three, _ := w.class(w.North, "Grade 3", 9)
		order := func(ids ...any) peopletest.Answer {
			return w.Call(w.North.Admin, "POST", "/school-admin/class/reorder", m{"classIds": ids})
		}
		a := order(three.ID, w.one.ID).Is(200)
		if got := a.All("classes", "name"); !slices.Equal(got, []string{"Grade 3", "Grade 1", "Grade 2"}) {
			t.Errorf("order of classes: %v", got)
		}
		list := w.Call(w.North.Admin, "GET", "/school-admin/class/list", nil)
		if got := list.All("items", "displayOrder"); !slices.Equal(got, []string{"1", "2", "3"}) ||
			!slices.Equal(list.All("items", "name"), a.All("classes", "name")) {
			t.Errorf("the list follows: %s", list.Text)
		}
		order(w.one.ID, w.one.ID).Is(422)
		order().Is(422)
		order(w.one.ID, w.far.ID).Is(404, "Not Found")
		other := made(t, w.Call(w.North.Admin, "POST", "/school-admin/class/create", m{"name": "Grade 1", "academicYearId": w.nextYear()}))
		says(t, order(w.one.ID, other).Is(422), "another academic year")
		w.Audited("class.reorder", 1)
	})
}

func TestCopyIntoANewYear(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		next := w.nextYear()
		w.Exec(w.North, `UPDATE divisions SET capacity = 30, room = '7' WHERE school_id = :school AND id = :id`, db.Args{"id": w.oneB.ID})
		made(t, w.Call(w.North.Admin, "POST", "/school-admin/class/create", m{"name": "Grade 2", "academicYearId": next, "displayOrder": 2}))
		cp := func(data m) peopletest.Answer { return w.Call(w.North.Admin, "POST", "/school-admin/class/copy", data) }
		first := cp(m{"fromAcademicYearId": w.North.Year, "toAcademicYearId": next}).Is(200)
		if first.Data["classes"] != 1.0 || first.Data["divisions"] != 3.0 || first.Data["subjects"] != 3.0 {
			t.Errorf("first copy: %s", first.Text)
		}
		again := cp(m{"toAcademicYearId": next}).Is(200) // from the current one
		if again.Data["classes"] != 0.0 || again.Data["divisions"] != 0.0 || again.Data["subjects"] != 0.0 {
			t.Errorf("the same again changes nothing: %s", again.Text)
		}
		w.Audited("class.copy", 1)
		list := w.Call(w.North.Admin, "GET", "/school-admin/class/list?academicYearId="+string(next), nil)
		if got := list.All("items", "name"); !slices.Equal(got, []string{"Grade 1", "Grade 2"}) {
			t.Errorf("classes of the new year: %v", got)
		}
		twin := list.All("items", "id")[0]
		divisions := w.Call(w.North.Admin, "GET", "/school-admin/division/list?classId="+twin, nil)
		if got := divisions.All("items", "room"); !slices.Equal(got, []string{"<nil>", "7"}) ||
			!slices.Equal(divisions.All("items", "capacity"), []string{"<nil>", "30"}) {
			t.Errorf("divisions of the copy: %s", divisions.Text)
		}
		subjects := w.Call(w.North.Admin, "GET", "/school-admin/subject/list?classId="+twin, nil)
		if got := subjects.All("items", "name"); !slices.Equal(got, []string{"Art", "Mathematics"}) {
			t.Errorf("subjects of the copy: %v", got)
		}
		cp(m{"toAcademicYearId": w.North.Year}).Is(422)
		cp(m{}).Is(422)
		cp(m{"toAcademicYearId": w.South.Year}).Is(404, "Not Found")
		cp(m{"fromAcademicYearId": w.South.Year, "toAcademicYearId": next}).Is(404, "Not Found")
	})
}

// TestCopyNeedsWrite: whoever may write classes copies classes alone. The rest needs write on its module: assignments give
// teachers their reach, fee structures are charged.
func TestCopyNeedsWrite(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Exec(w.North, `UPDATE role_permissions SET can_write = FALSE WHERE school_id = :school
			AND role_id IN (SELECT id FROM roles WHERE school_id = :school AND type = 'SCHOOL_ADMIN')
			AND module_id IN (SELECT id FROM modules WHERE name <> 'class')`, nil)
		w.teacher(w.North, "Zoe", "", academics.Assignment{ClassID: w.one.ID})
		next := w.nextYear()
		for _, part := range []string{"assignments", "timetable", "electives", "feeStructures"} {
			w.Call(w.North.Admin, "POST", "/school-admin/class/copy", m{"toAcademicYearId": next, part: true}).Is(403, "PERMISSION_DENIED")
		}
		if n := w.Count(`classes WHERE school_id = :school AND academic_year_id = :year`, db.Args{"year": next}); n != 0 {
			t.Errorf("%d classes were copied", n)
		}
		w.Call(w.North.Admin, "POST", "/school-admin/class/copy", m{"toAcademicYearId": next}).Is(200)
	})
}

func TestDivisionLife(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		call := func(method, path string, data any) peopletest.Answer {
			return w.Call(w.North.Admin, method, "/school-admin/division/"+path, data)
		}
		one, _, _ := w.teacher(w.North, "One", "+15550000001")
		two, _, _ := w.teacher(w.North, "Two", "+15550000002", academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID,
			SubjectID: &w.maths.ID})
		driver, _ := w.Employ(w.North, actor.Driver, people.NewEmployee{EmployeeCode: "D1", FirstName: "Bo"})
		a := call("POST", "create", m{"classId": w.one.ID, "name": "C", "capacity": 2, "classTeacherId": one, "room": "12"})
		c := made(t, a)
		if got := call("GET", c, nil).Is(200); got.Data["classTeacherId"] != string(one) || got.Data["capacity"] != 2.0 ||
			got.Data["room"] != "12" {
			t.Errorf("created: %s", got.Text)
		}
		call("POST", "create", m{"classId": w.one.ID, "name": "C"}).Is(409, "DUPLICATE_ENTRY")
		call("POST", "create", m{"classId": w.far.ID, "name": "D"}).Is(404, "Not Found")
		call("POST", "create", m{"classId": w.one.ID}).Is(422)
		call("POST", "create", m{"classId": w.one.ID, "name": "D", "capacity": 0}).Is(422)
		says(t, call("POST", "create", m{"classId": w.one.ID, "name": "D", "classTeacherId": driver}).Is(409, "Conflict"), "Bo is not a teacher")
		call("POST", "create", m{"classId": w.one.ID, "name": "D", "classTeacherId": peopletest.Nobody}).Is(404, "Not Found")

		division := id.ID(c)
		w.Enrol(w.North, people.NewStudent{AdmissionNo: "1", FirstName: "A", ClassID: &w.one.ID, DivisionID: &division},
			people.NewStudent{AdmissionNo: "2", FirstName: "B", ClassID: &w.one.ID, DivisionID: &division})
		w.Exec(w.North, `UPDATE divisions SET capacity = 1 WHERE school_id = :school AND id = :id`, db.Args{"id": w.oneB.ID})
		w.Enrol(w.North, people.NewStudent{AdmissionNo: "3", FirstName: "A", ClassID: &w.one.ID},
			people.NewStudent{AdmissionNo: "4", FirstName: "B", ClassID: &w.one.ID})
		w.Exec(w.North, `UPDATE students SET division_id = :id WHERE school_id = :school AND division_id IS NULL`, db.Args{"id": w.oneB.ID})
		call("PUT", string(w.oneB.ID), m{"room": "14"}).Is(200) // although it is over capacity
		says(t, call("PUT", c, m{"capacity": 1}).Is(409, "Conflict"), "Division C has 2 students. Choose a capacity of at least 2")
		if got := call("PUT", c, m{"name": "X", "version": 1}).Is(200); got.Data["name"] != "X" || got.Data["capacity"] != 2.0 ||
			got.Data["classTeacherId"] != string(one) {
			t.Errorf("only the keys sent change: %s", got.Text)
		}
		call("PUT", c, m{"version": 1, "room": "9"}).Is(409, "Conflict")
		call("PUT", c, m{"name": "A"}).Is(409, "DUPLICATE_ENTRY")
		if got := call("PUT", c, m{"capacity": nil, "classTeacherId": nil}).Is(200); got.Data["capacity"] != nil ||
			got.Data["classTeacherId"] != nil {
			t.Errorf("null takes back: %s", got.Text)
		}
		mine := w.Call(w.North.Admin, "GET", "/school-admin/employee/"+string(one)+"/assignments", nil)
		if got := mine.All("assignments", "id"); len(got) != 0 {
			t.Errorf("who was class teacher without a subject is still assigned: %s", mine.Text)
		}
		// A teacher of the division becomes its class teacher by that assignment.
		call("PUT", string(w.oneA.ID), m{"classTeacherId": two}).Is(200)
		theirs := w.Call(w.North.Admin, "GET", "/school-admin/employee/"+string(two)+"/assignments", nil)
		if got := theirs.All("assignments", "subjectName"); !slices.Equal(got, []string{"Mathematics"}) ||
			!strings.Contains(theirs.Text, `"isClassTeacher":true`) {
			t.Errorf("assignments of the class teacher: %s", theirs.Text)
		}
		call("PUT", string(w.oneA.ID), m{"classTeacherId": one}).Is(200)
		theirs = w.Call(w.North.Admin, "GET", "/school-admin/employee/"+string(two)+"/assignments", nil)
		if got := theirs.All("assignments", "isClassTeacher"); !slices.Equal(got, []string{"false"}) {
			t.Errorf("who gave way still teaches the subject: %s", theirs.Text)
		}
	})
}

func TestSubjectLife(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		call := func(method, path string, data any) peopletest.Answer {
			return w.Call(w.North.Admin, method, "/school-admin/subject/"+path, data)
		}
		music := made(t, call("POST", "create", m{"name": "Music"}))
		if got := call("GET", music, nil).Is(200); got.Data["type"] != "CORE" || got.Data["code"] != nil ||
			len(got.Data["classIds"].([]any)) != 0 {
			t.Errorf("a subject of a name alone: %s", got.Text)
		}
		made(t, call("POST", "create", m{"name": "Drama", "code": "DRA", "type": "ELECTIVE", "classIds": []id.ID{w.one.ID, w.one.ID}}))
		call("POST", "create", m{"name": "Drama 2", "code": "DRA"}).Is(409, "DUPLICATE_ENTRY")
		call("POST", "create", m{"name": "Odd", "type": "OTHER"}).Is(422)
		call("POST", "create", m{"name": "Far", "classIds": []id.ID{w.far.ID}}).Is(404, "Not Found")

		got := call("PUT", music, m{"classIds": []id.ID{w.two.ID, w.one.ID}, "code": "MUS", "version": 1}).Is(200)
		if got.Data["name"] != "Music" || len(got.Data["classIds"].([]any)) != 2 {
			t.Errorf("changed: %s", got.Text)
		}
		got = call("PUT", music, m{"classIds": []id.ID{w.two.ID}}).Is(200)
		if list := got.Data["classIds"].([]any); len(list) != 1 || list[0] != string(w.two.ID) {
			t.Errorf("classes replaced: %s", got.Text)
		}
		if again := call("GET", music, nil).Is(200); again.Data["code"] != "MUS" || len(again.Data["classIds"].([]any)) != 1 {
			t.Errorf("read again: %s", again.Text)
		}
		call("PUT", music, m{"version": 1}).Is(409, "Conflict")
		call("PUT", music, m{"code": "ART"}).Is(409, "DUPLICATE_ENTRY")
		w.teacher(w.North, "T1", "", academics.Assignment{ClassID: w.two.ID, SubjectID: new(id.ID(music))})
		says(t, call("PUT", music, m{"classIds": []id.ID{}}).Is(409, "Conflict"), "Music is taught by 1 teacher")
		call("PUT", music, m{"classIds": []id.ID{w.far.ID}}).Is(404, "Not Found")
	})
}
