package exam_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/access"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = apptest.M
	list = apptest.List
)

// world is the school North with Grade 1 (divisions A and B) and Grade 2 (A). Both
// have maths and art; only Grade 2 has Latin. North's teacher has maths in 1 A.
// Grade 1 has five students: three in A, one in B, one without a division. The
// first is the child of North's parent.
type world struct {
	*apptest.World
	one, two          id.ID
	oneA, oneB        id.ID
	maths, art, latin id.ID
	pupils            []id.ID
	other             id.ID // a student of Grade 2
	employee          id.ID
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, newWorld, test)
}

func newWorld(base *apptest.World) *world {
	base.Helper()
	w := &world{World: base}
	w.In(w.fill)
	return w
}

func (w *world) fill(ctx context.Context, tx *db.Tx) error {
	year, err := school.CurrentYear(ctx, tx)
	if err != nil {
		return err
	}
	classes, err := w.Academics().AddClasses(ctx, tx, []academics.Class{
		{Name: "Grade 1", DisplayOrder: 1, AcademicYearID: year.ID}, {Name: "Grade 2", DisplayOrder: 2, AcademicYearID: year.ID}})
	if err != nil {
		return err
	}
	w.one, w.two = classes[0].ID, classes[1].ID
	divisions, err := w.Academics().AddDivisions(ctx, tx, []academics.Division{{ClassID: w.one, Name: "A"}, {ClassID: w.one, Name: "B"},
		{ClassID: w.two, Name: "A"}})
	if err != nil {
		return err
	}
	w.oneA, w.oneB = divisions[0].ID, divisions[1].ID
	subjects, err := w.Academics().AddSubjects(ctx, tx, []academics.Subject{
		{Name: "Maths", Code: "M", Type: "CORE", ClassIDs: []id.ID{w.one, w.two}},
		{Name: "Art", Code: "A", Type: "CORE", ClassIDs: []id.ID{w.one, w.two}},
		{Name: "Latin", Code: "L", Type: "CORE", ClassIDs: []id.ID{w.two}}})
	if err != nil {
		return err
	}
	w.maths, w.art, w.latin = subjects[0].ID, subjects[1].ID, subjects[2].ID
	who := actor.Actor{School: w.North.ID}
	pupil := func(no, name string, class, division *id.ID) people.NewStudent {
		return people.NewStudent{AdmissionNo: no, FirstName: name, ClassID: class, DivisionID: division}
	}
	first := pupil("1", "Mia", &w.one, &w.oneA)
	first.Guardians = []people.NewGuardian{{Name: "Parent", Relation: "MOTHER", Phone: w.North.Parent.Phone, CanViewData: true}}
	ids, err := w.People().AddStudents(ctx, tx, who, []people.NewStudent{first, pupil("2", "Noa", &w.one, &w.oneA),
		pupil("3", "Ola", &w.one, &w.oneA),
		pupil("4", "Pia", &w.one, &w.oneB), pupil("5", "Quin", &w.one, nil), pupil("6", "Rosa", &w.two, &divisions[2].ID)})
	if err != nil {
		return err
	}
	w.pupils, w.other = ids[:5], ids[5]
	role, err := access.System(ctx, tx, actor.Teacher)
	if err != nil {
		return err
	}
	teachers, err := w.People().AddEmployees(ctx, tx, who, []people.NewEmployee{{FirstName: "Ann", RoleID: role.ID,
		Phone: w.North.Teacher.Phone, UserID: &w.North.Teacher.ID}})
	if err != nil {
		return err
	}
	w.employee = teachers[0]
	return w.Academics().Assign(ctx, tx, []academics.Assignment{{EmployeeID: w.employee, ClassID: w.one, DivisionID: &w.oneA,
		SubjectID: &w.maths}})
}

// attends records Mia's attendance on the last weekdays before today.
func (w *world) attends(statuses ...string) {
	w.Helper()
	for n := -1; len(statuses) > 0; n-- {
		day := clock.Date(w.Day(n))
		if d := day.Time().Weekday(); d == time.Saturday || d == time.Sunday {
			continue
		}
		w.Admin("POST", "/school-admin/attendance/mark", m{"classId": w.one, "date": day,
			"records": list{m{"studentId": w.pupils[0], "status": statuses[0]}}}).OK()
		statuses = statuses[1:]
	}
}

func (w *world) teacher(method, path string, body any) apptest.Reply {
	w.Helper()
	return w.As(w.North.Teacher, method, path, body)
}

func (w *world) parent(path string, headers ...string) apptest.Reply {
	w.Helper()
	return w.As(w.North.Parent, "GET", path, nil, headers...)
}

// newExam creates a draft exam for Grade 1.
func (w *world) newExam(name string) string {
	w.Helper()
	return w.Make("exam/create", m{"name": name, "classIds": list{w.one}})
}

// paper is a schedule entry for Grade 1.
func (w *world) paper(subject id.ID, day int) m {
	return m{"classId": w.one, "subjectId": subject, "date": w.Day(day), "maxMarks": 100, "passMarks": 40}
}

func (w *world) put(exam string, entries ...m) apptest.Reply {
	w.Helper()
	return w.Admin("POST", "/school-admin/exam/schedule", m{"examId": exam, "entries": entries})
}

// sat creates an exam in maths and art that ended yesterday.
func (w *world) sat(name string) string {
	w.Helper()
	exam := w.newExam(name)
	w.put(exam, w.paper(w.maths, -3), w.paper(w.art, -1)).OK()
	return exam
}

// marks is an upload body for Grade 1.
func (w *world) marks(exam string, subject id.ID, results ...m) m {
	return m{"examId": exam, "classId": w.one, "subjectId": subject, "results": results}
}

func (w *world) upload(exam string, subject id.ID, results ...m) apptest.Reply {
	w.Helper()
	return w.Admin("POST", "/school-admin/exam/result/upload", w.marks(exam, subject, results...))
}

func got(student id.ID, marks any) m { return m{"studentId": student, "marks": marks} }
func was(student id.ID, outcome string) m {
	return m{"studentId": student, "marks": nil, "outcome": outcome}
}

func (w *world) status(exam string) string {
	w.Helper()
	return w.Admin("GET", "/school-admin/exam/"+exam, nil).OK().Text("status")
}

func replace(path, exam string) string { return strings.ReplaceAll(path, "$", exam) }

// enrol adds n students to 1 A.
func (w *world) enrol(n int) (ids []id.ID) {
	w.Helper()
	w.In(func(ctx context.Context, tx *db.Tx) (err error) {
		in := make([]people.NewStudent, n)
		for i := range in {
			in[i] = people.NewStudent{AdmissionNo: fmt.Sprint("X", i), FirstName: fmt.Sprint("Pupil ", i), ClassID: &w.one, DivisionID: &w.oneA}
		}
		ids, err = w.People().AddStudents(ctx, tx, actor.Actor{School: w.North.ID}, in)
		return err
	})
	return ids
}
