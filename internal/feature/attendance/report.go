package attendance

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

type reportIn struct {
	ClassID    id.ID  `json:"classId" required:"true"`
	DivisionID *id.ID `json:"divisionId" doc:"Default: every division of the class that the caller may see."`
	Month      string `json:"month" pattern:"^\\d{4}-(0[1-9]|1[0-2])$" patternHint:"must be a month, YYYY-MM" example:"2026-10" doc:"Default: this month."`
}

// Report is a month of a class as a grid: a row per student, a column per day.
type Report struct {
	ClassID    id.ID        `json:"classId"`
	DivisionID *id.ID       `json:"divisionId"`
	Month      string       `json:"month"`
	Days       []reportDay  `json:"days" doc:"Every day of the month."`
	Students   []reportLine `json:"students" doc:"Current students, and former ones with marks in this month."`
	Totals     Tally        `json:"totals"`
}

type reportDay struct {
	Date        clock.Date `json:"date"`
	IsSchoolDay bool       `json:"isSchoolDay" doc:"Neither a weekend nor a holiday."`
	Holiday     string     `json:"holiday"`
}

// pupil is a student in a report.
type pupil struct {
	StudentID   id.ID  `json:"studentId"`
	AdmissionNo string `json:"admissionNo"`
	FirstName   string `json:"firstName"`
	LastName    string `json:"lastName"`
	RollNo      *int   `json:"rollNo"`
}

type reportLine struct {
	pupil
	Days   []dayMark `json:"days" doc:"Only days with a mark."`
	Totals Tally     `json:"totals"`
}

type dayMark struct {
	Date        clock.Date `json:"date"`
	Status      string     `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE,HOLIDAY"`
	HalfDay     *string    `json:"halfDay" enum:"FIRST,SECOND"`
	MinutesLate *int       `json:"minutesLate"`
}

// report is the month of a class. Its queries read only the marks of that class and
// month, by index.
func (s *Service) report(ctx context.Context, who actor.Actor, in reportIn) (Report, error) {
	q := s.DB.School(who.School)
	out := Report{ClassID: in.ClassID, DivisionID: in.DivisionID, Month: cmp.Or(in.Month, string(s.today(who.Zone)[:7]))}
	may, err := reachOf(ctx, q, who, "", in.ClassID, in.DivisionID)
	if err != nil {
		return out, err
	}
	from, to := monthOf(out.Month)
	cal, err := school.CalendarOf(ctx, q, from, to)
	if err != nil {
		return out, err
	}
	for _, d := range days(from, to) {
		out.Days = append(out.Days, reportDay{d, cal.IsSchoolDay(d), cal.Holiday(d)})
	}
	marks, err := listCells(ctx, q, may, days(from, to))
	if err != nil {
		return out, err
	}
	pupils, err := listPupils(ctx, q, may, marks)
	if err != nil {
		return out, err
	}
	out.Students, out.Totals = grid(pupils, marks)
	return out, nil
}

// grid groups marks by student; cells are sorted by date.
func grid(pupils []pupil, cells []cell) ([]reportLine, Tally) {
	lines, at := make([]reportLine, len(pupils)), make(map[id.ID]int, len(pupils))
	for i, p := range pupils {
		lines[i], at[p.StudentID] = reportLine{pupil: p, Days: []dayMark{}}, i
	}
	for _, c := range cells {
		i, ok := at[c.StudentID]
		if !ok { // erased meanwhile
			continue
		}
		lines[i].Days = append(lines[i].Days, dayMark{c.Date, c.Status, opt.Ptr(c.HalfDay), opt.Ptr(c.MinutesLate)})
		lines[i].Totals.add(c.said, 1)
	}
	var all Tally
	for i := range lines {
		all.merge(lines[i].Totals)
		lines[i].Totals = lines[i].Totals.done()
	}
	return lines, all.done()
}

// cell is one mark of a report.
type cell struct {
	StudentID id.ID
	Date      clock.Date
	said
}

// cellsSQL lists the days with IN instead of a range, so that the index can search by
// day and class.
func cellsSQL(r reach) string {
	return `SELECT a.student_id, a.date, a.status, a.half_day, a.minutes_late FROM attendance a
		WHERE a.school_id = :school AND a.date IN (:dates)` + r.where("a") + ` AND a.period_no = 0`
}

// listCells reads the marks of a class on some days, by date.
func listCells(ctx context.Context, q db.Q, r reach, dates []clock.Date) ([]cell, error) {
	cells, err := db.All[cell](ctx, q, cellsSQL(r), r.args(db.Args{"dates": dates}))
	if err != nil {
		return nil, fmt.Errorf("read marks: %w", err)
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(a.Date, b.Date) })
	return cells, nil
}

// listPupils lists the current students and those of the cells, by roll number.
func listPupils(ctx context.Context, q db.Q, r reach, cells []cell) ([]pupil, error) {
	named := map[id.ID]bool{}
	for _, c := range cells {
		named[c.StudentID] = true
	}
	const columns = `SELECT s.id AS student_id, s.admission_no, s.first_name, s.last_name, s.roll_no FROM students s
		WHERE s.school_id = :school`
	out, err := db.All[pupil](ctx, q, columns+` AND s.archived_at IS NULL AND s.status = 'ACTIVE'`+r.where("s"),
		r.args(db.Args{}))
	if err != nil {
		return nil, fmt.Errorf("read students: %w", err)
	}
	for _, p := range out {
		delete(named, p.StudentID)
	}
	if len(named) > 0 {
		ids := make([]id.ID, 0, len(named))
		for student := range named {
			ids = append(ids, student)
		}
		moved, err := db.All[pupil](ctx, q, columns+` AND s.archived_at IS NULL AND s.id IN (:ids)`, db.Args{"ids": ids})
		if err != nil {
			return nil, fmt.Errorf("read students who have moved: %w", err)
		}
		out = append(out, moved...)
	}
	slices.SortFunc(out, comparePupils)
	return out, nil
}

// comparePupils sorts by roll number, those without one last, then by name.
func comparePupils(a, b pupil) int {
	no := func(p pupil) int {
		if p.RollNo == nil {
			return 1 << 31
		}
		return *p.RollNo
	}
	return cmp.Or(cmp.Compare(no(a), no(b)), cmp.Compare(a.FirstName, b.FirstName), cmp.Compare(a.LastName, b.LastName),
		cmp.Compare(a.StudentID, b.StudentID))
}
