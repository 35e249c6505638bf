package app

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/exam"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// demoApart is the number of days between today and an exam, if the academic year is long enough.
const demoApart = 14

// addExams adds two exams of the demo teacher's grade: one past with published
// results, one ahead.
func (m *demoMaker) addExams(ctx context.Context, tx *db.Tx, admin id.ID) error {
	who := m.who
	who.User, who.Role = admin, actor.SchoolAdmin
	holidays, err := school.Holidays(ctx, tx, m.first, yearEnd(m.first))
	if err != nil {
		return err
	}
	_, err = m.Exams.CreateScale(ctx, who, exam.NewScale{Name: "Letters", Bands: []exam.Band{
		{Grade: "A+", MinPercent: marks(90)}, {Grade: "A", MinPercent: marks(80)}, {Grade: "B", MinPercent: marks(65)},
		{Grade: "C", MinPercent: marks(50)}, {Grade: "D", MinPercent: marks(40)}, {Grade: "F", MinPercent: 0}}})
	if err != nil {
		return fmt.Errorf("add a grade scale: %w", err)
	}
	class, subjects := m.divisions[demoHome].ClassID, m.coreSubjects()
	past, coming := examDays(holidays, m.first, m.today, len(subjects))
	first, err := m.addExam(ctx, who, "First term exam", papersOn(past, class, subjects))
	if err != nil {
		return fmt.Errorf("add the first term's exam: %w", err)
	}
	if err := m.addResults(ctx, tx, who, first, subjects); err != nil {
		return fmt.Errorf("add results: %w", err)
	}
	if _, err := m.addExam(ctx, who, "Midterm exam", papersOn(coming, class, subjects)); err != nil {
		return fmt.Errorf("add the midterm exam: %w", err)
	}
	return nil
}

// marks converts whole marks to exam.Marks.
func marks(n int) exam.Marks { return exam.Marks(n) * 100 }

// coreSubjects returns the core subjects of the demo teacher's grade.
func (m *demoMaker) coreSubjects() []academics.Subject {
	return slices.DeleteFunc(slices.Clone(m.subjects), func(s academics.Subject) bool {
		return s.Type != "CORE" || !slices.Contains(s.ClassIDs, m.divisions[demoHome].ClassID)
	})
}

// examDays returns up to n school days for a past exam and for a coming one,
// demoApart days from today or, near the start or end of the year, as far away
// as possible. Without a school day on that side it returns today.
func examDays(holidays []school.Holiday, first, today clock.Date, n int) (past, coming []clock.Date) {
	past = schoolDays(holidays, first, today.AddDays(-1))
	if old := until(past, today.AddDays(-demoApart)); len(old) >= n {
		past = old[len(old)-n:]
	}
	coming = schoolDays(holidays, today.AddDays(1), yearEnd(first))
	if late := coming[len(until(coming, today.AddDays(demoApart-1))):]; len(late) >= n {
		coming = late
	} else {
		coming = coming[max(0, len(coming)-n):]
	}
	orToday := func(days []clock.Date) []clock.Date {
		if len(days) == 0 {
			return []clock.Date{today}
		}
		return days[:min(len(days), n)]
	}
	return orToday(past), orToday(coming)
}

// until returns the days, which are sorted, up to last inclusive.
func until(days []clock.Date, last clock.Date) []clock.Date {
	at, _ := slices.BinarySearch(days, last.AddDays(1))
	return days[:at]
}

// papersOn spreads a paper of each subject over the days. Papers last an hour,
// with a break between those of one day.
func papersOn(days []clock.Date, class id.ID, subjects []academics.Subject) []exam.NewPaper {
	papers := make([]exam.NewPaper, len(subjects))
	begin := 0
	for i, s := range subjects {
		papers[i] = exam.NewPaper{ClassID: class, SubjectID: s.ID, Date: days[i*len(days)/len(subjects)],
			MaxMarks: marks(100), PassMarks: new(marks(40)), Room: "Main hall"}
		if begin += 75; i == 0 || papers[i].Date != papers[i-1].Date {
			begin = 8*60 + 30
		}
		at := func(minutes int) *clock.TimeOfDay {
			return new(clock.TimeOfDay(fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)))
		}
		papers[i].StartTime, papers[i].EndTime = at(begin), at(begin+60)
	}
	return papers
}

func (m *demoMaker) addExam(ctx context.Context, who actor.Actor, name string, papers []exam.NewPaper) (exam.Exam, error) {
	e, err := m.Exams.Create(ctx, who, exam.New{Name: name, Type: "TERM", ClassIDs: &[]id.ID{papers[0].ClassID}})
	if err != nil {
		return e, err
	}
	out, err := m.Exams.Schedule(ctx, who, exam.NewSchedule{ExamID: e.ID, Entries: papers})
	return out.Exam, err
}

// addResults enters marks for every student and paper, one of them absent, and
// publishes the results.
func (m *demoMaker) addResults(ctx context.Context, tx *db.Tx, who actor.Actor, e exam.Exam, subjects []academics.Subject) error {
	class, err := m.readHome(ctx, tx)
	if err != nil {
		return err
	}
	ability := make([]int, len(class.all)) // average marks
	for i := range ability {
		ability[i] = 45 + m.rand.IntN(26) + m.rand.IntN(26)
		if class.all[i] == class.child {
			ability[i] = 84 // high enough for remarks on the report card
		}
	}
	for n, s := range subjects {
		in := exam.NewResults{ExamID: e.ID, ClassID: m.divisions[demoHome].ClassID, SubjectID: s.ID}
		for i, student := range class.all {
			r := m.result(student, ability[i])
			if n == 2 && student == class.friends[0] {
				r = exam.NewResult{StudentID: student, Outcome: new(exam.Absent), Remark: new("Was ill.")}
			}
			in.Results = append(in.Results, r)
		}
		if _, err := m.Exams.SaveResults(ctx, who, in); err != nil {
			return err
		}
	}
	if e.Status != exam.Completed { // the last paper is today
		if _, err := m.Exams.Complete(ctx, who, e.ID); err != nil {
			return err
		}
	}
	_, err = m.Exams.Publish(ctx, who, e.ID)
	return err
}

// result returns random marks around a student's ability, with a remark for very
// good and poor ones.
func (m *demoMaker) result(student id.ID, ability int) exam.NewResult {
	scored := min(100, max(20, ability+m.rand.IntN(25)-12))
	r := exam.NewResult{StudentID: student}
	r.Marks.Set, r.Marks.V = true, marks(scored)
	switch {
	case scored >= 88:
		r.Remark = new("Excellent work.")
	case scored < 45:
		r.Remark = new("Needs to practise; let us talk about how to help.")
	}
	return r
}

// homeGrade lists the students of the demo teacher's grade.
type homeGrade struct {
	all     []id.ID // of both divisions
	child   id.ID   // of the demo parent
	friends []id.ID // the child's classmates
}

func (m *demoMaker) readHome(ctx context.Context, tx *db.Tx) (g homeGrade, err error) {
	parent, err := m.Identity.FindByPhone(ctx, tx, actor.Parent, m.parent())
	if err != nil {
		return g, err
	}
	children, err := people.ChildrenOf(ctx, tx, parent)
	if err != nil {
		return g, err
	}
	type seat struct{ ID, DivisionID id.ID }
	home := m.divisions[demoHome]
	err = db.Each(ctx, tx, `SELECT id, division_id FROM students WHERE school_id = :school AND class_id = :class ORDER BY admission_no`,
		db.Args{"class": home.ClassID}, func(s seat) error {
			g.all = append(g.all, s.ID)
			switch {
			case s.DivisionID != home.ID:
			case slices.Contains(children, s.ID):
				g.child = s.ID
			default:
				g.friends = append(g.friends, s.ID)
			}
			return nil
		})
	if err != nil {
		return g, fmt.Errorf("list students: %w", err)
	}
	return g, nil
}
