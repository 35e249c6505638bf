package attendance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/attendance"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type m = apptest.M

const (
	admin   = "/school-admin/attendance/"
	teacher = "/teacher/attendance/"
	parent  = "/parent/attendance/"
)

// world is a service at 9:00 on a Wednesday in the middle of a month. North has
// Grade 1 with division A (Mia, Noa, Oli; the school's teacher is class teacher) and
// B (Pia), and Grade 2 without divisions (Quin). Mia is the child of the parent.
type world struct {
	*apptest.World
	who                      *apptest.Account // the caller; at first the administrator
	marks                    *attendance.Service
	today                    clock.Date
	one, two                 academics.Class
	a, b                     academics.Division
	ann                      id.ID // the employee of the teacher
	mia, noa, oli, pia, quin id.ID
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, newWorld, test)
}

func newWorld(base *apptest.World) *world {
	base.Helper()
	w := &world{World: base, who: base.North.Admin}
	w.Pass(wednesday(w.Now()).Sub(w.Now()))
	w.today = clock.DateIn(w.Now(), "UTC")
	log := &audit.Service{DB: w.DB, Now: w.Now, NewID: w.NewID}
	w.marks = &attendance.Service{DB: w.DB, Audit: log, Now: w.Now, NewID: w.NewID,
		Notify: &notification.Service{DB: w.DB, Out: w.Notify, Now: w.Now, NewID: w.NewID}}
	w.In(w.furnish)
	return w
}

func (w *world) furnish(ctx context.Context, tx *db.Tx) error {
	year, err := school.CurrentYear(ctx, tx)
	if err != nil {
		return err
	}
	classes, err := w.Academics().AddClasses(ctx, tx, []academics.Class{
		{Name: "Grade 1", DisplayOrder: 1, AcademicYearID: year.ID}, {Name: "Grade 2", DisplayOrder: 2, AcademicYearID: year.ID}})
	if err != nil {
		return err
	}
	w.one, w.two = classes[0], classes[1]
	divisions, err := w.Academics().AddDivisions(ctx, tx, []academics.Division{{ClassID: w.one.ID, Name: "A"}, {ClassID: w.one.ID, Name: "B"}})
	if err != nil {
		return err
	}
	w.a, w.b = divisions[0], divisions[1]
	employees, err := w.People().AddEmployees(ctx, tx, actor.Actor{}, []people.NewEmployee{
		{FirstName: "Ann", LastName: "Lee", Phone: w.North.Teacher.Phone, UserID: &w.North.Teacher.ID}})
	if err != nil {
		return err
	}
	w.ann = employees[0]
	if err := w.Academics().Assign(ctx, tx, []academics.Assignment{{EmployeeID: w.ann, ClassID: w.one.ID, DivisionID: &w.a.ID,
		IsClassTeacher: true}}); err != nil {
		return err
	}
	child := func(name string, no int, class id.ID, division *id.ID, phone string) people.NewStudent {
		return people.NewStudent{AdmissionNo: "S" + fmt.Sprint(no), FirstName: name, LastName: "Ray", RollNo: &no, ClassID: &class,
			DivisionID: division,
			Guardians:  []people.NewGuardian{{Name: "Parent of " + name, Relation: "MOTHER", Phone: phone, IsPrimary: true, CanViewData: true}}}
	}
	ids, err := w.People().AddStudents(ctx, tx, actor.Actor{}, []people.NewStudent{
		child("Mia", 1, w.one.ID, &w.a.ID, w.North.Parent.Phone), child("Noa", 2, w.one.ID, &w.a.ID, "+15550100002"),
		child("Oli", 3, w.one.ID, &w.a.ID, "+15550100003"), child("Pia", 4, w.one.ID, &w.b.ID, "+15550100004"),
		child("Quin", 5, w.two.ID, nil, "+15550100005")})
	if err != nil {
		return err
	}
	w.mia, w.noa, w.oli, w.pia, w.quin = ids[0], ids[1], ids[2], ids[3], ids[4]
	return nil
}

// enrol adds another student to 1 A, with the parent of Mia.
func (w *world) enrol(name string) (student id.ID) {
	w.Helper()
	w.In(func(ctx context.Context, tx *db.Tx) error {
		ids, err := w.People().AddStudents(ctx, tx, actor.Actor{}, []people.NewStudent{{FirstName: name, LastName: "Ray", ClassID: &w.one.ID,
			DivisionID: &w.a.ID,
			Guardians:  []people.NewGuardian{{Name: "Parent", Relation: "MOTHER", Phone: w.North.Parent.Phone, CanViewData: true}}}})
		if err == nil {
			student = ids[0]
		}
		return err
	})
	return student
}

// day is today plus n days.
func (w *world) day(n int) clock.Date { return w.today.AddDays(n) }

// rec is a record to send: "ABSENT", "LATE 10", "LEAVE FIRST".
func rec(student id.ID, say string) m {
	status, more, _ := strings.Cut(say, " ")
	out := m{"studentId": student, "status": status}
	var minutes int
	if _, err := fmt.Sscan(more, &minutes); err == nil {
		out["minutesLate"] = minutes
	} else if more != "" {
		out["halfDay"] = more
	}
	return out
}

// sheet marks a division on a day.
func sheet(d academics.Division, date clock.Date, records ...m) m {
	return m{"classId": d.ClassID, "divisionId": d.ID, "date": date, "records": records}
}

// call calls as the world's who.
func (w *world) call(method, path string, body any) apptest.Reply {
	w.Helper()
	return w.As(w.who, method, path, body)
}

// mark marks as the administrator and returns the counts as
// "created/updated/unchanged".
func (w *world) mark(body m) string {
	w.Helper()
	o := w.Admin("POST", admin+"mark", body).OK()
	return fmt.Sprintf("%v/%v/%v", o["created"], o["updated"], o["unchanged"])
}

// markMia marks Mia on a day.
func (w *world) markMia(date clock.Date, say string) string {
	w.Helper()
	return w.mark(sheet(w.a, date, rec(w.mia, say)))
}

// said is a student's mark: "ABSENT", "LATE 10", "LEAVE FIRST by leave"; "" for none.
func (w *world) said(student id.ID, date clock.Date) string {
	w.Helper()
	type mark struct {
		Status, HalfDay string
		MinutesLate     int
		LeaveID         id.ID
	}
	found, err := db.All[mark](w.Context(), w.DB.School(w.North.ID), `SELECT status, half_day, minutes_late, leave_id FROM attendance
		WHERE school_id = :school AND student_id = :student AND date = :date AND period_no = 0`, db.Args{"student": student, "date": date})
	if err != nil {
		w.Fatal(err)
	}
	if len(found) == 0 {
		return ""
	}
	f := found[0]
	out := f.Status
	if f.MinutesLate > 0 {
		out += fmt.Sprint(" ", f.MinutesLate)
	}
	if f.HalfDay != "" {
		out += " " + f.HalfDay
	}
	if f.LeaveID != "" {
		out += " by leave"
	}
	return out
}

// holiday creates a holiday.
func (w *world) holiday(date clock.Date, name string) {
	w.Helper()
	w.Admin("POST", "/school-admin/holiday/create", m{"date": date, "name": name}).OK()
}

// wednesday is the start time of the tests.
func wednesday(now time.Time) time.Time {
	d := time.Date(now.Year(), now.Month()+1, 15, 9, 0, 0, 0, time.UTC)
	for d.Weekday() != time.Wednesday {
		d = d.AddDate(0, 0, 1)
	}
	return d
}
