package attendance

import (
	"cmp"
	"context"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// maxStreakDays is how many days back a streak of absences is searched for.
const maxStreakDays = 120

type absenteeFilters struct {
	Date            *clock.Date `json:"date,omitempty" doc:"The last day. Default: today. If it is not a school day, the school day before it."`
	ConsecutiveDays int         `json:"consecutiveDays,omitempty" minimum:"1" maximum:"60" default:"1" doc:"Minimum number of consecutive school days up to that day."`
	ClassID         *id.ID      `json:"classId,omitempty"`
	DivisionID      *id.ID      `json:"divisionId,omitempty"`
}

// Absentee is an absent student with a guardian to call.
type Absentee struct {
	pupil
	ClassID         *id.ID     `json:"classId"`
	ClassName       string     `json:"className"`
	DivisionID      *id.ID     `json:"divisionId"`
	DivisionName    opt.Text   `json:"divisionName"`
	ConsecutiveDays int        `json:"consecutiveDays" db:"-" doc:"Consecutive school days. Unmarked days and holidays neither count nor end the streak."`
	Since           clock.Date `json:"since" db:"-"`
	GuardianName    opt.Text   `json:"guardianName" doc:"Null, like the phone, for callers without read on student."`
	GuardianPhone   opt.Text   `json:"guardianPhone"`
}

// absentees lists the students who were absent for whole days up to a day.
func (s *Service) absentees(ctx context.Context, who actor.Actor, in page.Ask[absenteeFilters]) (page.Of[Absentee], error) {
	q, f, r := s.DB.School(who.School), in.Filters, in.Request.Clamp()
	none := page.New(r, []Absentee{}, 0)
	err := people.MustExist(ctx, q, people.Ref{Table: "classes", ID: f.ClassID, Missing: academics.ErrNoClass},
		people.Ref{Table: "divisions", ID: f.DivisionID, Missing: academics.ErrNoDivision})
	if err != nil {
		return none, err
	}
	date := s.today(who.Zone)
	if f.Date != nil {
		date = *f.Date
	}
	streaks, err := listStreaks(ctx, q, date, f)
	if err != nil || len(streaks) == 0 {
		return none, err
	}
	list, err := listAbsentees(ctx, q, streaks)
	if err != nil {
		return none, err
	}
	if !who.Can("student", actor.Read) {
		for i := range list {
			list[i].GuardianName, list[i].GuardianPhone = "", ""
		}
	}
	slices.SortFunc(list, order(in.Sort))
	from := min(r.Offset(), len(list))
	return page.New(r, list[from:min(from+r.Limit, len(list))], len(list)), nil
}

// order sorts by the request's key, or by the longest streak.
func order(by *page.Sort) func(a, b Absentee) int {
	key, sign := "", 1
	if by != nil {
		key = by.Field
		if by.Order == "desc" {
			sign = -1
		}
	}
	return func(a, b Absentee) int {
		c := cmp.Compare(b.ConsecutiveDays, a.ConsecutiveDays)
		switch key {
		case "consecutiveDays":
			c = -c
		case "firstName":
			c = cmp.Compare(a.FirstName, b.FirstName)
		case "lastName":
			c = cmp.Compare(a.LastName, b.LastName)
		case "admissionNo":
			c = cmp.Compare(a.AdmissionNo, b.AdmissionNo)
		}
		return sign * cmp.Or(c, cmp.Compare(a.StudentID, b.StudentID))
	}
}

// streak is a student's consecutive days of absence.
type streak struct {
	days  int
	since clock.Date
}

// listStreaks lists the streaks of students who are absent on the day, or on the last
// school day before it.
func listStreaks(ctx context.Context, q db.Q, date clock.Date, f absenteeFilters) (map[id.ID]streak, error) {
	since := date.AddDays(-maxStreakDays)
	cal, err := school.CalendarOf(ctx, q, since, date)
	if err != nil {
		return nil, err
	}
	last := date
	for last > since && !cal.IsSchoolDay(last) {
		last = last.AddDays(-1)
	}
	ids, err := db.All[id.ID](ctx, q, `
		SELECT DISTINCT student_id FROM attendance
		WHERE school_id = :school AND date >= :last AND date <= :date AND period_no = 0 AND status = 'ABSENT' AND half_day = ''`+
		db.When(f.ClassID != nil, ` AND class_id = :class`)+db.When(f.DivisionID != nil, ` AND division_id = :division`),
		db.Args{"last": last, "date": date, "class": f.ClassID, "division": f.DivisionID})
	out, ended := map[id.ID]streak{}, map[id.ID]bool{}
	if err != nil || len(ids) == 0 {
		return out, fault.Wrap("list absentees", err)
	}
	err = db.Each(ctx, q, `
		SELECT student_id, date, status, half_day FROM attendance
		WHERE school_id = :school AND student_id IN (:ids) AND date >= :since AND date <= :date AND period_no = 0 AND status <> 'HOLIDAY'
		ORDER BY student_id, date DESC`, db.Args{"ids": ids, "since": since, "date": date}, func(c cell) error {
		if ended[c.StudentID] = ended[c.StudentID] || c.Status != absent || c.HalfDay != ""; !ended[c.StudentID] {
			out[c.StudentID] = streak{out[c.StudentID].days + 1, c.Date}
		}
		return nil
	})
	for student, was := range out {
		if was.days < f.ConsecutiveDays {
			delete(out, student)
		}
	}
	return out, fault.Wrap("read days of absentees", err)
}

func listAbsentees(ctx context.Context, q db.Q, streaks map[id.ID]streak) ([]Absentee, error) {
	ids := make([]id.ID, 0, len(streaks))
	for student := range streaks {
		ids = append(ids, student)
	}
	guardian := func(column string) string {
		return `COALESCE((SELECT g.` + column + ` FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
			WHERE l.school_id = s.school_id AND l.student_id = s.id ORDER BY l.is_primary DESC, g.id LIMIT 1), '')`
	}
	list, err := db.All[Absentee](ctx, q, `
		SELECT s.id AS student_id, s.admission_no, s.first_name, s.last_name, s.roll_no, s.class_id, COALESCE(c.name, '') AS class_name,
			s.division_id, COALESCE(d.name, '') AS division_name, `+guardian("name")+` AS guardian_name, `+guardian("phone")+` AS guardian_phone
		FROM students s
		LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id
		WHERE s.school_id = :school AND s.id IN (:ids) AND s.archived_at IS NULL AND s.status = 'ACTIVE'`, db.Args{"ids": ids})
	for i := range list {
		was := streaks[list[i].StudentID]
		list[i].ConsecutiveDays, list[i].Since = was.days, was.since
	}
	return list, fault.Wrap("read absentees", err)
}
