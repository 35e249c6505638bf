package attendance

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	Holiday     opt.Text   `json:"holiday"`
}

// pupil is a student in a report.
type pupil struct {
	StudentID   id.ID    `json:"studentId"`
	AdmissionNo string   `json:"admissionNo"`
	FirstName   string   `json:"firstName"`
	LastName    opt.Text `json:"lastName"`
	RollNo      *int     `json:"rollNo"`
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
	var cal school.Calendar
	var cells []cell
	var pupils []pupil
	err = db.Read(ctx, q, append(cal.Ask(from, to), may.askCells(&cells, days(from, to)), may.askPupils(&pupils))...)
	if err != nil {
		return out, fmt.Errorf("read students and marks: %w", err)
	}
	if pupils, err = addMoved(ctx, q, pupils, cells); err != nil {
		return out, err
	}
	for _, d := range days(from, to) {
		out.Days = append(out.Days, reportDay{d, cal.IsSchoolDay(d), opt.Text(cal.Holiday(d))})
	}
	slices.SortFunc(cells, func(a, b cell) int { return cmp.Compare(a.Date, b.Date) })
	out.Students, out.Totals = grid(pupils, cells)
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

// askCells asks for the marks on some days. It lists the days with IN instead of a range,
// so that the index can search by day and class.
func (r reach) askCells(out *[]cell, dates []clock.Date) db.Ask {
	return db.Into(out, `SELECT a.student_id, a.date, a.status, a.half_day, a.minutes_late FROM attendance a
		WHERE a.school_id = :school AND a.date IN (:dates)`+r.where("a")+` AND a.period_no = 0`, r.args(db.Args{"dates": dates}))
}

const pupilsSQL = `SELECT s.id AS student_id, s.admission_no, s.first_name, s.last_name, s.roll_no FROM students s
	WHERE s.school_id = :school AND s.archived_at IS NULL`

// askPupils asks for the current students.
func (r reach) askPupils(out *[]pupil) db.Ask {
	return db.Into(out, pupilsSQL+` AND s.status = 'ACTIVE'`+r.where("s"), r.args(db.Args{}))
}

// addMoved adds the students with marks who have moved since, and sorts all by roll number.
func addMoved(ctx context.Context, q db.Q, pupils []pupil, cells []cell) ([]pupil, error) {
	moved := map[id.ID]bool{}
	for _, c := range cells {
		moved[c.StudentID] = true
	}
	for _, p := range pupils {
		delete(moved, p.StudentID)
	}
	if len(moved) > 0 {
		more, err := db.All[pupil](ctx, q, pupilsSQL+` AND s.id IN (:ids)`, db.Args{"ids": slices.Collect(maps.Keys(moved))})
		if err != nil {
			return nil, fmt.Errorf("read students who have moved: %w", err)
		}
		pupils = append(pupils, more...)
	}
	slices.SortFunc(pupils, comparePupils)
	return pupils, nil
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
