package timetable

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// NewPeriod is a weekly lesson.
type NewPeriod struct {
	DayOfWeek int             `json:"dayOfWeek" required:"true" minimum:"1" maximum:"7" doc:"1 is Monday, 7 is Sunday."`
	PeriodNo  int             `json:"periodNo" required:"true" minimum:"1" maximum:"50"`
	StartTime clock.TimeOfDay `json:"startTime" required:"true"`
	EndTime   clock.TimeOfDay `json:"endTime" required:"true" example:"08:50"`
	SubjectID id.ID           `json:"subjectId" required:"true" doc:"A subject of the class."`
	TeacherID *id.ID          `json:"teacherId" doc:"An employee with a teacher's role. Omit it if not assigned yet."`
	Room      string          `json:"room" maxLength:"100"`
}

// NewWeek is the week of a division.
type NewWeek struct {
	ClassID    id.ID       `json:"classId" required:"true"`
	DivisionID id.ID       `json:"divisionId" required:"true"`
	Periods    []NewPeriod `json:"periods" required:"true" maxItems:"350"`
	Version    *int        `json:"version" doc:"The version you read; 409 if the record has changed since."`
}

// Check refuses two lessons of the division at once.
func (in *NewWeek) Check() error {
	var bad []fault.Field
	for i, p := range in.Periods {
		at := fmt.Sprintf("periods[%d].", i)
		if p.EndTime <= p.StartTime {
			bad = append(bad, fault.Field{Field: at + "endTime", Message: "must be after startTime"})
			continue
		}
		for j, o := range in.Periods[:i] {
			switch {
			case o.DayOfWeek != p.DayOfWeek:
			case o.PeriodNo == p.PeriodNo:
				bad = append(bad, fault.Field{Field: at + "periodNo", Message: fmt.Sprintf("is also used by periods[%d] on this day", j)})
			case o.StartTime < p.EndTime && p.StartTime < o.EndTime:
				bad = append(bad, fault.Field{Field: at + "startTime",
					Message: fmt.Sprintf("overlaps periods[%d], %s to %s", j, o.StartTime, o.EndTime)})
			}
		}
	}
	if bad != nil {
		return fault.Fields(bad...)
	}
	return nil
}

// Replace replaces the week of a division. A lock serializes changes in a school, so
// that of two clashing weeks one is refused.
func (s *Service) Replace(ctx context.Context, who actor.Actor, in NewWeek) (after Week, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		before, err := getWeek(ctx, tx, in.ClassID, in.DivisionID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		if err := checkParts(ctx, tx, in.ClassID, parts(in)); err != nil {
			return err
		}
		if err := s.putWeek(ctx, tx, who, before, in); err != nil {
			return err
		}
		if err := s.checkWeek(ctx, tx, who, before.AcademicYearID, ofDivision(in.DivisionID), in.field); err != nil {
			return err
		}
		if after, err = getWeek(ctx, tx, in.ClassID, in.DivisionID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "timetable.update", "timetable", in.DivisionID, before, after)
	})
	return after, err
}

func lock(ctx context.Context, tx *db.Tx) error {
	if err := tx.Lock(ctx, "timetable"); err != nil {
		return fmt.Errorf("lock timetables: %w", err)
	}
	return nil
}

// putWeek writes the periods. A period with the same day and number keeps its id.
func (s *Service) putWeek(ctx context.Context, tx *db.Tx, who actor.Actor, before Week, in NewWeek) error {
	type place struct{ day, no int }
	ids := map[place]id.ID{}
	for _, p := range before.Periods {
		ids[place{p.DayOfWeek, p.PeriodNo}] = p.ID
	}
	rows := make([]periodRow, len(in.Periods))
	for i, p := range in.Periods {
		p.Room = strings.TrimSpace(p.Room)
		rows[i] = periodRow{NewPeriod: p, ID: ids[place{p.DayOfWeek, p.PeriodNo}],
			AcademicYearID: before.AcademicYearID, ClassID: in.ClassID, DivisionID: in.DivisionID}
		if rows[i].ID == "" {
			rows[i].ID = s.NewID()
		}
	}
	return s.write(ctx, tx, who, before, rows)
}

// write writes the periods of a division. A substitute whose lesson the week loses is told so, and
// one whose lesson is there again.
func (s *Service) write(ctx context.Context, tx *db.Tx, who actor.Actor, w Week, rows []periodRow) error {
	coming := overrideFilter{division: w.DivisionID, from: today(s.Now, who.Zone)}
	before, err := listOverrides(ctx, tx, coming)
	if err != nil {
		return err
	}
	if err := putPeriods(ctx, tx, w, rows, s.Now()); err != nil {
		return err
	}
	after, err := listOverrides(ctx, tx, coming)
	if err != nil {
		return err
	}
	hadLesson := map[id.ID]bool{}
	for _, o := range before {
		hadLesson[o.ID] = o.StartTime != nil
	}
	for _, o := range after {
		was, is := Override{}, Override{}
		switch has := o.StartTime != nil; {
		case has == hadLesson[o.ID]:
			continue
		case has:
			is = o
		default:
			was = o
		}
		if err := s.notifySubstitutes(ctx, tx, who, was, is); err != nil {
			return err
		}
	}
	return nil
}

// checkWeek refuses lessons of mine that clash with others of the week, or with overrides
// in the future. field is the input field of a period.
func (s *Service) checkWeek(ctx context.Context, tx *db.Tx, who actor.Actor, year id.ID, mine func(Period) bool,
	field func(Period) string) error {
	all, err := listPeriods(ctx, tx, periodFilter{year: year})
	if err != nil {
		return err
	}
	if err := refuse(clashes(all, mine), "", field); err != nil {
		return err
	}
	from := today(s.Now, who.Zone)
	changed, err := listOverrides(ctx, tx, overrideFilter{year: year, from: from})
	if err != nil || len(changed) == 0 {
		return err
	}
	free, err := holidays(ctx, tx, from, changed[len(changed)-1].Date)
	if err != nil {
		return err
	}
	days := byDate(changed)
	for _, date := range slices.Sorted(maps.Keys(days)) {
		if free[date] != "" {
			continue
		}
		if err := refuse(clashes(dayOf(onDay(all, date.Weekday()), days[date]), mine), date, field); err != nil {
			return err
		}
	}
	return nil
}

// field returns the input field of a period.
func (in NewWeek) field(p Period) string {
	for i, asked := range in.Periods {
		if asked.DayOfWeek == p.DayOfWeek && asked.PeriodNo == p.PeriodNo {
			return fmt.Sprintf("periods[%d].", i)
		}
	}
	return ""
}

// part is a subject and a teacher in an input, with its field.
type part struct {
	at      string
	subject *id.ID
	teacher *id.ID
}

func parts(in NewWeek) []part {
	out := make([]part, len(in.Periods))
	for i, p := range in.Periods {
		out[i] = part{fmt.Sprintf("periods[%d].", i), &in.Periods[i].SubjectID, p.TeacherID}
	}
	return out
}

// checkParts requires subjects of the class, and teachers. Unknown ids are 404; others
// that don't fit are field errors.
func checkParts(ctx context.Context, q db.Q, class id.ID, in []part) error {
	subjects, err := subjectsOf(ctx, q, class, in)
	if err != nil {
		return err
	}
	teachers, err := teachersOf(ctx, q, in)
	if err != nil {
		return err
	}
	var bad []fault.Field
	for _, p := range in {
		if p.subject != nil {
			fits, known := subjects[*p.subject]
			switch {
			case !known:
				return academics.ErrNoSubject
			case !fits:
				bad = append(bad, fault.Field{Field: p.at + "subjectId", Message: "must be a subject of this class; add it to the class first"})
			}
		}
		if p.teacher != nil {
			fits, known := teachers[*p.teacher]
			switch {
			case !known:
				return errNoTeacher
			case !fits:
				bad = append(bad, fault.Field{Field: p.at + "teacherId",
					Message: "must be an active employee with a teacher's role"})
			}
		}
	}
	if bad != nil {
		return fault.Fields(bad...)
	}
	return nil
}

// holidays maps holidays to their names.
func holidays(ctx context.Context, q db.Q, from, to clock.Date) (map[clock.Date]string, error) {
	list, err := school.Holidays(ctx, q, from, to)
	if err != nil {
		return nil, err
	}
	days := map[clock.Date]string{}
	for _, h := range list {
		for d := max(h.Date, from); d <= min(h.EndDate, to); d = d.AddDays(1) {
			days[d] = h.Name
		}
	}
	return days, nil
}

func byDate(overrides []Override) map[clock.Date][]Override {
	days := map[clock.Date][]Override{}
	for _, o := range overrides {
		days[o.Date] = append(days[o.Date], o)
	}
	return days
}

func onDay(week []Period, day int) []Period {
	var out []Period
	for _, p := range week {
		if p.DayOfWeek == day {
			out = append(out, p)
		}
	}
	return out
}
