package attendance

import (
	"context"
	"errors"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// shown is a mark in a list.
type shown struct {
	Status      *string    `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE,HOLIDAY" doc:"Null if not marked."`
	HalfDay     *string    `json:"halfDay" enum:"FIRST,SECOND"`
	MinutesLate *int       `json:"minutesLate"`
	Remark      opt.Text   `json:"remark"`
	LeaveID     *id.ID     `json:"leaveId" doc:"The leave that made the mark."`
	MarkedAt    *time.Time `json:"markedAt"`
}

// shownColumns select a shown from attendance a.
const shownColumns = `a.status, NULLIF(a.half_day, '') AS half_day, NULLIF(a.minutes_late, 0) AS minutes_late,
	COALESCE(a.remark, '') AS remark, a.leave_id, a.marked_at`

type registerFilters struct {
	ClassID    id.ID       `json:"classId" required:"true"`
	DivisionID *id.ID      `json:"divisionId,omitempty" doc:"Default: every division of the class that the caller may see."`
	Date       *clock.Date `json:"date,omitempty" doc:"Default: today."`
	PeriodNo   *int        `json:"periodNo,omitempty" minimum:"1" maximum:"50" doc:"The marks of a period; students who don't take its lesson, an elective, are left out. Default: the marks of the day."`
}

// entry is a line of the register.
type entry struct {
	ID *id.ID `json:"id" doc:"Id of the mark; null if not marked."`
	pupil
	ClassID    id.ID  `json:"classId"`
	DivisionID *id.ID `json:"divisionId"`
	shown
	MarkedByName opt.Text `json:"markedByName" doc:"Who made the mark."`
}

type registerOut struct {
	page.Of[entry]
	Date        clock.Date `json:"date"`
	PeriodNo    *int       `json:"periodNo"`
	IsSchoolDay bool       `json:"isSchoolDay"`
	Holiday     opt.Text   `json:"holiday"`
	ReadAt      time.Time  `json:"readAt" doc:"When this was read, by the service's clock."`
}

// register lists the students of a class with their marks of one day. On a past day, those who have left
// the class are listed with the mark that was made there.
func (s *Service) register(ctx context.Context, who actor.Actor, in page.Ask[registerFilters]) (registerOut, error) {
	q, f := s.DB.School(who.School), in.Filters
	out := registerOut{Date: s.today(who.Zone), PeriodNo: f.PeriodNo, ReadAt: s.Now()}
	if f.Date != nil {
		out.Date = *f.Date
	}
	may, err := reachOf(ctx, q, who, s.substitutions(who.Zone, out.Date, out.Date), f.ClassID, f.DivisionID)
	if err != nil {
		return out, err
	}
	cal, err := school.CalendarOf(ctx, q, out.Date, out.Date)
	if err != nil {
		return out, err
	}
	lesson, day := "", 0
	if f.PeriodNo != nil { // a mark from before the elective stays visible
		lesson, day = ` AND (a.id IS NOT NULL OR `+takes+`)`, out.Date.Weekday()
	}
	out.IsSchoolDay, out.Holiday = cal.IsSchoolDay(out.Date), opt.Text(cal.Holiday(out.Date))
	whose := ` AND s.status = 'ACTIVE'` + may.where("s")
	if out.Date < s.today(who.Zone) {
		whose = ` AND s.id IN (SELECT c.id FROM students c WHERE c.school_id = :school AND c.status = 'ACTIVE'` + may.where("c") + `
			UNION SELECT m.student_id FROM attendance m
			WHERE m.school_id = :school AND m.date = :date AND m.period_no = :period` + may.where("m") + `)`
	}
	out.Of, err = db.Page[entry](ctx, q, db.List{
		Columns: `a.id, s.id AS student_id, s.admission_no, s.first_name, s.last_name, s.roll_no, s.class_id, s.division_id, ` + shownColumns +
			`, COALESCE(u.name, '') AS marked_by_name`,
		From: `students s LEFT JOIN attendance a ON a.school_id = s.school_id AND a.student_id = s.id AND a.date = :date AND a.period_no = :period
			LEFT JOIN users u ON u.school_id = a.school_id AND u.id = a.marked_by
			WHERE s.school_id = :school AND s.archived_at IS NULL` + whose + lesson,
		Sorts: map[string]string{"rollNo": "COALESCE(s.roll_no, 2147483647), s.first_name", "firstName": "s.first_name",
			"lastName": "s.last_name", "admissionNo": "s.admission_no", "id": "s.id"},
		Default: "rollNo",
	}, in.Request, may.args(db.Args{"date": out.Date, "period": opt.Value(f.PeriodNo), "weekday": day}))
	return out, err
}

type childFilters struct {
	StudentID id.ID  `json:"studentId" required:"true"`
	Month     string `json:"month,omitempty" pattern:"^\\d{4}-(0[1-9]|1[0-2])$" patternHint:"must be a month, YYYY-MM" example:"2026-10" doc:"Default: this month."`
	PeriodNo  *int   `json:"periodNo,omitempty" minimum:"1" maximum:"50" doc:"The marks of a period. Default: the marks of the days."`
}

// childMark is a mark for parents.
type childMark struct {
	ID        id.ID      `json:"id"`
	StudentID id.ID      `json:"studentId"`
	Date      clock.Date `json:"date"`
	PeriodNo  *int       `json:"periodNo" doc:"Null for the day."`
	shown
}

// child lists a month of the caller's child.
func (s *Service) child(ctx context.Context, who actor.Actor, in page.Ask[childFilters]) (page.Of[childMark], error) {
	q, f := s.DB.School(who.School), in.Filters
	if err := people.MustBeLinked(ctx, q, who.User, f.StudentID); err != nil {
		return page.Of[childMark]{}, err
	}
	if f.Month == "" {
		f.Month = string(s.today(who.Zone)[:7])
	}
	from, to := monthOf(f.Month)
	return db.Page[childMark](ctx, q, db.List{
		Columns: `a.id, a.student_id, a.date, NULLIF(a.period_no, 0) AS period_no, ` + shownColumns,
		From: `attendance a WHERE a.school_id = :school AND a.student_id = :student AND a.date >= :from AND a.date <= :to
			AND a.period_no = :period`,
		Sorts:   map[string]string{"date": "a.date", "id": "a.id"},
		Default: "date",
	}, in.Request, db.Args{"student": f.StudentID, "from": from, "to": to, "period": opt.Value(f.PeriodNo)})
}

type childSummaryIn struct {
	span
	StudentID id.ID  `json:"studentId" required:"true"`
	Month     string `json:"month" pattern:"^\\d{4}-(0[1-9]|1[0-2])$" patternHint:"must be a month, YYYY-MM" example:"2026-10" doc:"Instead of days."`
}

// ChildSummary has a child's attendance totals.
type ChildSummary struct {
	StudentID id.ID      `json:"studentId"`
	From      clock.Date `json:"from"`
	To        clock.Date `json:"to"`
	Totals    Tally      `json:"totals"`
}

// childSummary counts the days of the caller's child, by default in the current
// academic year until today.
func (s *Service) childSummary(ctx context.Context, who actor.Actor, in childSummaryIn) (out ChildSummary, err error) {
	q, today := s.DB.School(who.School), s.today(who.Zone)
	out.StudentID = in.StudentID
	if err := people.MustBeLinked(ctx, q, who.User, in.StudentID); err != nil {
		return out, err
	}
	switch {
	case in.Month != "":
		out.From, out.To = monthOf(in.Month)
	case in.Date != nil || in.From != nil:
		out.From, out.To = in.days(today)
	default:
		out.From, out.To = monthOf(string(today[:7]))
		year, err := school.CurrentYear(ctx, q)
		switch {
		case err == nil:
			out.From, out.To = year.StartDate, min(today, year.EndDate)
		case !errors.Is(err, school.ErrNoCurrentYear):
			return out, err
		}
	}
	marks, err := marksOf(ctx, q, in.StudentID, out.From, out.To)
	for _, m := range marks {
		out.Totals.add(m.said, 1)
	}
	out.Totals = out.Totals.done()
	return out, err
}
