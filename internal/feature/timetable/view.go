package timetable

import (
	"context"
	"errors"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// upcoming is how many days of overrides are returned with a week.
const upcoming = 14

type weekAsk struct {
	ClassID    id.ID       `json:"classId" required:"true"`
	DivisionID id.ID       `json:"divisionId" required:"true"`
	Date       *clock.Date `json:"date" doc:"Returns the lessons of this day, with overrides. Default: the regular week."`
}

func (s *Service) week(ctx context.Context, who actor.Actor, in weekAsk) (Week, error) {
	q := s.DB.School(who.School)
	w, err := getWeek(ctx, q, in.ClassID, in.DivisionID)
	if err != nil || in.Date == nil {
		return w, err
	}
	return w.on(ctx, q, *in.Date)
}

// on returns one day of the week, with overrides.
func (w Week) on(ctx context.Context, q db.Q, date clock.Date) (Week, error) {
	year, err := school.GetYear(ctx, q, w.AcademicYearID)
	if err != nil {
		return w, err
	}
	free, err := holidays(ctx, q, date, date)
	if err != nil {
		return w, err
	}
	w.Date, w.Holiday = &date, opt.Text(free[date])
	if w.Holiday != "" || date < year.StartDate || date > year.EndDate {
		w.Periods = []Period{}
		return w, nil
	}
	overrides, err := listOverrides(ctx, q, overrideFilter{division: w.DivisionID, date: date})
	w.Periods = dayOf(onDay(w.Periods, date.Weekday()), overrides)
	return w, err
}

// Plan is the lessons of a teacher or student, in a week or on one day.
type Plan struct {
	Date      *clock.Date `json:"date" doc:"The requested day; null for the week."`
	Holiday   opt.Text    `json:"holiday" doc:"The holiday on that day."`
	Periods   []Period    `json:"periods"`
	Overrides []Override  `json:"overrides" doc:"With a week: the overrides of the next 14 days."`
}

// withRooms fills in the division's room where a lesson has none.
func withRooms(periods []Period) []Period {
	out := append([]Period{}, periods...)
	for i := range out {
		if out[i].Room == "" {
			out[i].Room = opt.Text(out[i].HomeRoom)
		}
	}
	return out
}

type childAsk struct {
	StudentID id.ID       `json:"studentId" required:"true"`
	Date      *clock.Date `json:"date" doc:"Returns the lessons of this day, with overrides. Default: the regular week."`
}

func (s *Service) child(ctx context.Context, who actor.Actor, in childAsk) (Plan, error) {
	q := s.DB.School(who.School)
	if err := people.MustBeLinked(ctx, q, who.User, in.StudentID); err != nil {
		return Plan{}, err
	}
	out := Plan{Date: in.Date, Periods: []Period{}, Overrides: []Override{}}
	at, err := seatOf(ctx, q, in.StudentID)
	if err != nil || at.DivisionID == nil {
		return out, err
	}
	w, err := getWeek(ctx, q, *at.ClassID, *at.DivisionID)
	if err != nil {
		return out, err
	}
	others, err := elective.NotTaken(ctx, q, w.ClassID, in.StudentID)
	if err != nil {
		return out, err
	}
	if in.Date != nil {
		w, err = w.on(ctx, q, *in.Date)
		out.Holiday, out.Periods = w.Holiday, without(others, withRooms(w.Periods))
		return out, err
	}
	out.Periods = without(others, withRooms(w.Periods))
	from := today(s.Now, who.Zone)
	changed, err := listOverrides(ctx, q, overrideFilter{division: w.DivisionID, from: from, to: from.AddDays(upcoming - 1)})
	out.Overrides = slices.DeleteFunc(changed, func(o Override) bool {
		return slices.ContainsFunc(onDay(w.Periods, o.DayOfWeek), func(p Period) bool {
			return p.slot() == o.slot() && slices.Contains(others, o.on(p).SubjectID)
		})
	})
	return out, err
}

// without removes the lessons in the subjects.
func without(subjects []id.ID, lessons []Period) []Period {
	return slices.DeleteFunc(lessons, func(p Period) bool { return slices.Contains(subjects, p.SubjectID) })
}

type ownAsk struct {
	Date *clock.Date `json:"date" doc:"Returns the lessons of this day, with overrides. Default: the regular week."`
}

func (s *Service) own(ctx context.Context, who actor.Actor, in ownAsk) (Plan, error) {
	q := s.DB.School(who.School)
	out := Plan{Date: in.Date, Periods: []Period{}, Overrides: []Override{}}
	teacher, err := employeeOf(ctx, q, who.User)
	if err != nil || teacher == "" {
		return out, err
	}
	return s.planOf(ctx, q, who, teacher, in.Date)
}

type teacherAsk struct {
	TeacherID id.ID       `json:"teacherId" required:"true" doc:"The employee."`
	Date      *clock.Date `json:"date" doc:"Returns the lessons of this day, with overrides. Default: the regular week."`
}

// ofTeacher returns a teacher's lessons to the office.
func (s *Service) ofTeacher(ctx context.Context, who actor.Actor, in teacherAsk) (Plan, error) {
	q := s.DB.School(who.School)
	if _, err := people.GetEmployee(ctx, q, in.TeacherID); err != nil {
		return Plan{}, err
	}
	return s.planOf(ctx, q, who, in.TeacherID, in.Date)
}

// planOf returns a teacher's lessons: the regular week, or one day.
func (s *Service) planOf(ctx context.Context, q db.Q, who actor.Actor, teacher id.ID, date *clock.Date) (Plan, error) {
	out := Plan{Date: date, Periods: []Period{}, Overrides: []Override{}}
	if date != nil {
		return out.onDay(ctx, q, teacher, *date)
	}
	year, err := school.CurrentYear(ctx, q)
	switch {
	case errors.Is(err, school.ErrNoCurrentYear):
		return out, nil
	case err != nil:
		return out, err
	}
	week, err := listPeriods(ctx, q, periodFilter{year: year.ID, teacher: teacher})
	if err != nil {
		return out, err
	}
	out.Periods = withRooms(week)
	from := today(s.Now, who.Zone)
	out.Overrides, err = listOverrides(ctx, q, overrideFilter{year: year.ID, teacher: teacher, from: from, to: from.AddDays(upcoming - 1)})
	return out, err
}

// onDay fills in the teacher's lessons on a day. Cancelled lessons are marked;
// lessons of a substitute are left out.
func (out Plan) onDay(ctx context.Context, q db.Q, teacher id.ID, date clock.Date) (Plan, error) {
	free, err := holidays(ctx, q, date, date)
	if err != nil {
		return out, err
	}
	if out.Holiday = opt.Text(free[date]); out.Holiday != "" {
		return out, nil
	}
	year, err := yearOf(ctx, q, date)
	if err != nil || year == "" {
		return out, err
	}
	day, err := schoolDay(ctx, q, periodFilter{year: year, day: date.Weekday(), teacher: teacher, instead: true, date: date},
		overrideFilter{teacher: teacher, date: date})
	if err != nil {
		return out, err
	}
	out.Periods = withRooms(slices.DeleteFunc(day, func(p Period) bool { return opt.Value(p.TeacherID) != teacher }))
	return out, nil
}

// schoolDay returns the lessons of one day that match the filters.
func schoolDay(ctx context.Context, q db.Q, f periodFilter, o overrideFilter) ([]Period, error) {
	week, err := listPeriods(ctx, q, f)
	if err != nil {
		return nil, err
	}
	overrides, err := listOverrides(ctx, q, o)
	if err != nil {
		return nil, err
	}
	return dayOf(week, overrides), nil
}

type freeAsk struct {
	Date       clock.Date       `json:"date" required:"true"`
	PeriodNo   *int             `json:"periodNo" minimum:"1" maximum:"50" doc:"Uses the time of this period: in the division or, without one, in any division that has it that day."`
	DivisionID *id.ID           `json:"divisionId"`
	StartTime  *clock.TimeOfDay `json:"startTime" doc:"Alternative to periodNo, with endTime."`
	EndTime    *clock.TimeOfDay `json:"endTime"`
}

// Check validates the times.
func (in *freeAsk) Check() error {
	switch {
	case in.PeriodNo != nil:
		return nil
	case in.StartTime == nil || in.EndTime == nil:
		return fault.OnField("periodNo", "is required without startTime and endTime")
	case *in.EndTime <= *in.StartTime:
		return fault.OnField("endTime", "must be after startTime")
	}
	return nil
}

type freeOut struct {
	Date      clock.Date      `json:"date"`
	StartTime clock.TimeOfDay `json:"startTime"`
	EndTime   clock.TimeOfDay `json:"endTime"`
	Teachers  []Teacher       `json:"teachers" doc:"Sorted by number of lessons, fewest first."`
}

// free lists the teachers without a lesson at a time of a day, who are not on leave.
func (s *Service) free(ctx context.Context, who actor.Actor, in freeAsk) (freeOut, error) {
	q := s.DB.School(who.School)
	out := freeOut{Date: in.Date, StartTime: opt.Value(in.StartTime), EndTime: opt.Value(in.EndTime)}
	if err := people.MustExist(ctx, q, people.Ref{Table: "divisions", ID: in.DivisionID, Missing: academics.ErrNoDivision}); err != nil {
		return out, err
	}
	year, err := yearOf(ctx, q, in.Date)
	if err != nil {
		return out, err
	}
	day, err := schoolDay(ctx, q, periodFilter{year: year, day: in.Date.Weekday()}, overrideFilter{date: in.Date})
	if err != nil {
		return out, err
	}
	if in.PeriodNo != nil {
		if out.StartTime, out.EndTime, err = in.times(day); err != nil {
			return out, err
		}
	}
	held, err := holidays(ctx, q, in.Date, in.Date)
	if err != nil {
		return out, err
	}
	if held[in.Date] != "" {
		day = nil
	}
	teachers, err := listTeachers(ctx, q, in.Date)
	out.Teachers = freeOf(teachers, day, out.StartTime, out.EndTime)
	return out, err
}

// times returns when the period is held on that day.
func (in freeAsk) times(day []Period) (start, end clock.TimeOfDay, err error) {
	for _, p := range day {
		if p.PeriodNo != *in.PeriodNo || in.DivisionID != nil && p.DivisionID != *in.DivisionID {
			continue
		}
		if start == "" || p.StartTime < start {
			start = p.StartTime
		}
		end = max(end, p.EndTime)
	}
	if start == "" {
		return start, end, fault.OnField("periodNo", "must be a period that is held on a %s", dayNames[in.Date.Weekday()])
	}
	return start, end, nil
}

// freeOf returns the teachers without a lesson between start and end.
func freeOf(teachers []Teacher, day []Period, start, end clock.TimeOfDay) []Teacher {
	busy, lessons := map[id.ID]bool{}, map[id.ID]int{}
	for _, p := range day {
		if p.TeacherID == nil || p.cancelled() {
			continue
		}
		lessons[*p.TeacherID]++
		busy[*p.TeacherID] = busy[*p.TeacherID] || p.StartTime < end && start < p.EndTime
	}
	out := []Teacher{}
	for _, t := range teachers {
		if t.Lessons = lessons[t.ID]; !busy[t.ID] {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b Teacher) int { return a.Lessons - b.Lessons })
	return out
}
