package exam

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Card is the report card of a student for one exam.
type Card struct {
	School     CardSchool  `json:"school"`
	Exam       *CardExam   `json:"exam" doc:"Null while the student has no results."`
	Student    CardStudent `json:"student"`
	Subjects   []Line      `json:"subjects"`
	Total      Total       `json:"total"`
	Attendance *Presence   `json:"attendance" doc:"From the first day of the academic year to the last day of the exam; null without attendance records, and without read on attendance."`

	logo  *id.ID
	lang  string // of the reader
	dates clock.DateFormat
	bands []Band
}

// CardSchool is the school on a report card.
type CardSchool struct {
	Name    string   `json:"name"`
	Address opt.Text `json:"address"`
	Phone   opt.Text `json:"phone"`
	Email   opt.Text `json:"email"`
}

// CardExam is the exam on a report card.
type CardExam struct {
	ID               id.ID       `json:"id"`
	Name             string      `json:"name"`
	Type             string      `json:"type" enum:"UNIT_TEST,TERM,FINAL,OTHER"`
	Status           Status      `json:"status" enum:"DRAFT,SCHEDULED,ONGOING,COMPLETED,PUBLISHED"`
	AcademicYearID   id.ID       `json:"academicYearId"`
	AcademicYearName string      `json:"academicYearName"`
	StartDate        *clock.Date `json:"startDate"`
	EndDate          *clock.Date `json:"endDate"`
}

// CardStudent is the student on a report card, with the class of the exam's year.
type CardStudent struct {
	ID           id.ID       `json:"id"`
	AdmissionNo  string      `json:"admissionNo"`
	FirstName    opt.Text    `json:"firstName"`
	LastName     opt.Text    `json:"lastName"`
	DateOfBirth  *clock.Date `json:"dateOfBirth"`
	ClassID      *id.ID      `json:"classId"`
	ClassName    string      `json:"className"`
	DivisionID   *id.ID      `json:"divisionId"`
	DivisionName opt.Text    `json:"divisionName"`
	RollNo       *int        `json:"rollNo"`
}

// Presence is a student's attendance.
type Presence struct {
	SchoolDays  Marks  `json:"schoolDays" doc:"Marked days without holidays and whole days of leave; half a day of leave makes it half a school day."`
	PresentDays Marks  `json:"presentDays"`
	Percent     *Marks `json:"percent" doc:"presentDays as a percentage of schoolDays. Leave counts neither for nor against the student. Null without school days."`
}

// makeCard reads the report card of an exam, or of the student's latest exam with
// results. Parents see published exams only.
func (s *Service) makeCard(ctx context.Context, who actor.Actor, student id.ID, exam *id.ID) (Card, error) {
	q := s.DB.School(who.School)
	out := Card{Subjects: []Line{}}
	sch, err := school.Get(ctx, q)
	if err != nil {
		return out, fmt.Errorf("read school: %w", err)
	}
	out.of(sch, who)
	e, err := s.cardExam(ctx, q, who, student, exam)
	if errors.Is(err, errNone) {
		out.Student, err = seatOf(ctx, q, student, "")
		return out, err
	} else if errors.Is(err, errNoExam) {
		_, missing := seatOf(ctx, q, student, "") // an unknown student has no exams either
		return out, cmp.Or(missing, err)
	} else if err != nil {
		return out, err
	}
	if out.Student, err = seatOf(ctx, q, student, e.AcademicYearID); err != nil {
		return out, err
	}
	year, err := school.GetYear(ctx, q, e.AcademicYearID)
	if err != nil {
		return out, err
	}
	out.bands = e.bands()
	out.Exam = &CardExam{e.ID, e.Name, e.Type, e.Status, year.ID, year.Name, e.StartDate, e.EndDate}
	if out.Subjects, out.Total, err = ofStudent(ctx, q, e, out.Student); err != nil {
		return out, err
	}
	days, err := s.presence(ctx, q, who, []id.ID{student}, e, year)
	out.Attendance = days[student]
	return out, err
}

// of sets the school, its dates and the reader's language: the account's, else the school's.
func (c *Card) of(sch school.School, who actor.Actor) {
	c.School, c.logo = CardSchool{sch.Name, sch.Address, sch.Phone, sch.Email}, sch.LogoFileID
	c.lang, c.dates = cmp.Or(who.Language, sch.Locale), sch.DateFormat
}

var errNone = errors.New("no results yet")

// cardExam returns the exam of a report card, or errNone. A parent opens its results.
func (s *Service) cardExam(ctx context.Context, q db.Q, who actor.Actor, student id.ID, exam *id.ID) (Exam, error) {
	e, err := s.findExam(ctx, q, who, student, exam)
	if err != nil || who.Role != actor.Parent || !unopened(e) {
		return e, err
	}
	if err := s.open(ctx, who, []Exam{e}); err != nil {
		return e, err
	}
	return s.findExam(ctx, q, who, student, exam)
}

func (s *Service) findExam(ctx context.Context, q db.Q, who actor.Actor, student id.ID, exam *id.ID) (Exam, error) {
	parent := who.Role == actor.Parent
	if exam != nil {
		list, err := listExams(ctx, q, examFilter{ids: []id.ID{*exam}, student: student, published: parent, today: s.today(who)})
		if err == nil && len(list) == 0 {
			err = errNoExam
		}
		if err != nil {
			return Exam{}, err
		}
		return list[0], nil
	}
	latest, err := db.One[id.ID](ctx, q, `
		SELECT e.id FROM exams e WHERE e.school_id = :school`+db.When(parent, ` AND e.state = 'PUBLISHED'`)+`
			AND EXISTS (SELECT 1 FROM exam_results r WHERE r.school_id = e.school_id AND r.exam_id = e.id AND r.student_id = :student)
		ORDER BY e.last_day DESC, e.id DESC LIMIT 1`, db.Args{"student": student})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return Exam{}, errNone
	case err != nil:
		return Exam{}, fmt.Errorf("read latest exam: %w", err)
	}
	e, err := getExam(ctx, q, latest, s.today(who))
	if err == nil && parent && e.Status != Published { // taken back since the first query
		err = errNone
	}
	return e, err
}

// seatOf returns a student with the class of a year, or the current class.
func seatOf(ctx context.Context, q db.Q, student, year id.ID) (CardStudent, error) {
	found, err := seatsOf(ctx, q, []id.ID{student}, year)
	if err != nil {
		return CardStudent{}, err
	}
	st, ok := found[student]
	if !ok {
		return st, people.ErrNoStudent
	}
	return st, nil
}

func seatsOf(ctx context.Context, q db.Q, students []id.ID, year id.ID) (map[id.ID]CardStudent, error) {
	out := map[id.ID]CardStudent{}
	err := db.Each(ctx, q, `
		SELECT s.id, s.admission_no, s.first_name, s.last_name, s.date_of_birth, c.id AS class_id, COALESCE(c.name, '') AS class_name,
			d.id AS division_id, COALESCE(d.name, '') AS division_name,
			CASE WHEN n.student_id IS NULL THEN s.roll_no ELSE n.roll_no END AS roll_no
		FROM students s
		LEFT JOIN enrolments n ON n.school_id = s.school_id AND n.student_id = s.id`+db.When(year != "", ` AND n.academic_year_id = :year`)+
		db.When(year == "", ` AND n.class_id = s.class_id`)+`
		LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = COALESCE(n.class_id, s.class_id)
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = CASE WHEN n.student_id IS NULL THEN s.division_id ELSE n.division_id END
		WHERE s.school_id = :school AND s.id IN (:students) AND s.archived_at IS NULL`, db.Args{"students": students, "year": year},
		func(st CardStudent) error {
			out[st.ID] = st
			return nil
		})
	return out, fault.Wrap("read students", err)
}

// ofStudent returns one student's lines and total; without results, the papers only.
func ofStudent(ctx context.Context, q db.Q, e Exam, st CardStudent) ([]Line, Total, error) {
	papers, err := listPapers(ctx, q, paperFilter{exam: e.ID})
	if err != nil {
		return nil, Total{}, err
	}
	marks, err := listMarks(ctx, q, []id.ID{e.ID}, "", st.ID)
	if err != nil {
		return nil, Total{}, err
	}
	notTaken, err := listNotTaken(ctx, q, []id.ID{e.ID}, st.ID)
	if err != nil {
		return nil, Total{}, err
	}
	for _, one := range computeStandings(e.bands(), papers, marks, notTaken) {
		if one.student == st.ID {
			return one.lines, one.total, nil
		}
	}
	lines := []Line{}
	for _, p := range papers {
		if p.ClassID == opt.Value(st.ClassID) && !notTaken[taking{st.ID, p.ID}] {
			lines = append(lines, lineOf(nil, p, mark{}))
		}
	}
	return lines, Total{}, nil
}

// presence returns the attendance of students who have any, up to the end of the exam,
// if the caller may read it.
func (s *Service) presence(ctx context.Context, q db.Q, who actor.Actor, students []id.ID, e Exam, year school.Year) (map[id.ID]*Presence,
	error) {
	if s.Attendance == nil || !who.Can("attendance", actor.Read) {
		return map[id.ID]*Presence{}, nil
	}
	to := min(year.EndDate, s.today(who))
	if e.LastDay != nil {
		to = min(to, *e.LastDay)
	}
	totals, err := s.Attendance.Totals(ctx, q, students, year.StartDate, to)
	if err != nil {
		return nil, fmt.Errorf("read attendance: %w", err)
	}
	out := map[id.ID]*Presence{}
	for student, t := range totals {
		if t.SchoolHalfDays > 0 {
			p := Presence{SchoolDays: Marks(t.SchoolHalfDays) * one / 2, PresentDays: Marks(t.PresentHalfDays) * one / 2}
			p.Percent = new(percent(p.PresentDays, p.SchoolDays))
			out[student] = &p
		}
	}
	return out, nil
}
