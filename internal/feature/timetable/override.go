package timetable

import (
	"context"
	"errors"
	"strings"

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
	"homeroom/internal/platform/web"
)

// NewOverride changes one period of one day.
type NewOverride struct {
	Date       clock.Date `json:"date" required:"true"`
	ClassID    id.ID      `json:"classId" required:"true"`
	DivisionID id.ID      `json:"divisionId" required:"true"`
	PeriodNo   int        `json:"periodNo" required:"true" minimum:"1" maximum:"50" doc:"A period of the division on that weekday."`
	TeacherID  *id.ID     `json:"teacherId" doc:"The substitute teacher (an employee)."`
	SubjectID  *id.ID     `json:"subjectId" doc:"The replacement subject, one of the class."`
	Room       *string    `json:"room" maxLength:"100" doc:"The replacement room."`
	Cancelled  bool       `json:"cancelled" example:"-" doc:"The lesson is cancelled."`
	Note       string     `json:"note" maxLength:"500" multiline:"true"`
}

// Check requires at least one change, and nothing else with cancelled.
func (in *NewOverride) Check() error {
	differs := in.TeacherID != nil || in.SubjectID != nil || in.Room != nil
	switch {
	case in.Cancelled && differs:
		return fault.OnField("cancelled", "can't be combined with teacherId, subjectId or room")
	case !in.Cancelled && !differs:
		return fault.OnField("teacherId", "is required without room, subjectId or cancelled")
	}
	return nil
}

// SetOverride changes one period of one day. It replaces an earlier override.
func (s *Service) SetOverride(ctx context.Context, who actor.Actor, in NewOverride) (after Override, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		w, err := getWeek(ctx, tx, in.ClassID, in.DivisionID)
		if err != nil {
			return err
		}
		if err := checkParts(ctx, tx, in.ClassID, []part{{subject: in.SubjectID, teacher: in.TeacherID}}); err != nil {
			return err
		}
		if err := in.checkDay(ctx, tx, w); err != nil {
			return err
		}
		before, err := overrideAt(ctx, tx, in)
		if err != nil && !errors.Is(err, errNoOverride) {
			return err
		}
		if after, err = s.putOverride(ctx, tx, w, in); err != nil {
			return err
		}
		if err := checkDate(ctx, tx, w.AcademicYearID, after); err != nil {
			return err
		}
		if err := s.notifySubstitutes(ctx, tx, who, before, after); err != nil {
			return err
		}
		if before.ID == "" {
			return s.Audit.Record(ctx, tx, who, "timetable-override.create", "timetable-override", after.ID, nil, after)
		}
		return s.Audit.Record(ctx, tx, who, "timetable-override.update", "timetable-override", after.ID, before, after)
	})
	return after, err
}

// checkDay requires a school day in the class's academic year with such a period.
func (in NewOverride) checkDay(ctx context.Context, q db.Q, w Week) error {
	year, err := school.GetYear(ctx, q, w.AcademicYearID)
	if err != nil {
		return err
	}
	if in.Date < year.StartDate || in.Date > year.EndDate {
		return fault.OnField("date", "must be in the academic year of the class, %s to %s", year.StartDate, year.EndDate)
	}
	free, err := holidays(ctx, q, in.Date, in.Date)
	if err != nil {
		return err
	}
	if name := free[in.Date]; name != "" {
		return errHoliday.Saying("There is no school on %s: %s. Choose another day.", in.Date, name)
	}
	for _, p := range w.Periods {
		if p.DayOfWeek == in.Date.Weekday() && p.PeriodNo == in.PeriodNo {
			return nil
		}
	}
	return fault.OnField("periodNo", "must be a period of the division on a %s", dayNames[in.Date.Weekday()])
}

func overrideAt(ctx context.Context, q db.Q, in NewOverride) (Override, error) {
	list, err := listOverrides(ctx, q, overrideFilter{division: in.DivisionID, date: in.Date})
	if err != nil {
		return Override{}, err
	}
	for _, o := range list {
		if o.PeriodNo == in.PeriodNo {
			return o, nil
		}
	}
	return Override{}, errNoOverride
}

func (s *Service) putOverride(ctx context.Context, tx *db.Tx, w Week, in NewOverride) (Override, error) {
	if in.Room != nil {
		in.Room = new(strings.TrimSpace(*in.Room))
	}
	err := putOverride(ctx, tx, overrideRow{
		ID: s.NewID(), AcademicYearID: w.AcademicYearID, ClassID: in.ClassID, DivisionID: in.DivisionID,
		Date: in.Date, DayOfWeek: in.Date.Weekday(), PeriodNo: in.PeriodNo,
		TeacherID: in.TeacherID, SubjectID: in.SubjectID, Room: in.Room, IsCancelled: in.Cancelled,
		Note: strings.TrimSpace(in.Note), Now: s.Now()})
	if err != nil {
		return Override{}, err
	}
	return overrideAt(ctx, tx, in)
}

// checkDate refuses an override that clashes with other lessons of its day.
func checkDate(ctx context.Context, q db.Q, year id.ID, o Override) error {
	week, err := listPeriods(ctx, q, periodFilter{year: year, day: o.DayOfWeek})
	if err != nil {
		return err
	}
	overrides, err := listOverrides(ctx, q, overrideFilter{year: year, date: o.Date})
	if err != nil {
		return err
	}
	mine := func(p Period) bool { return p.slot() == o.slot() }
	return refuse(clashes(dayOf(week, overrides), mine), o.Date, func(Period) string { return "" })
}

type idIn struct {
	ID id.ID `path:"id"`
}

// restore deletes an override.
func (s *Service) restore(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		before, err := getOverride(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		w, err := getWeek(ctx, tx, before.ClassID, before.DivisionID)
		if err != nil {
			return err
		}
		if err := deleteOverride(ctx, tx, in.ID); err != nil {
			return err
		}
		if err := checkDate(ctx, tx, w.AcademicYearID, before); err != nil {
			return err
		}
		if err := s.notifySubstitutes(ctx, tx, who, before, Override{}); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "timetable-override.delete", "timetable-override", in.ID, before, nil)
	})
}

type overrideFilters struct {
	Date       *clock.Date `json:"date,omitempty"`
	From       *clock.Date `json:"from,omitempty" doc:"First day."`
	To         *clock.Date `json:"to,omitempty" doc:"Last day."`
	TeacherID  *id.ID      `json:"teacherId,omitempty" doc:"The substitute or the replaced teacher."`
	ClassID    *id.ID      `json:"classId,omitempty"`
	DivisionID *id.ID      `json:"divisionId,omitempty"`
}

func (s *Service) overrides(ctx context.Context, who actor.Actor, in page.Ask[overrideFilters]) (page.Of[Override], error) {
	q, f := s.DB.School(who.School), in.Filters
	out, err := pageOverrides(ctx, q, overrideFilter{date: opt.Value(f.Date), from: opt.Value(f.From), to: opt.Value(f.To),
		teacher: opt.Value(f.TeacherID), class: opt.Value(f.ClassID), division: opt.Value(f.DivisionID)}, in.Request)
	if err != nil || out.Total > 0 { // a match proves that the ids in the filter exist
		return out, err
	}
	return out, people.MustExist(ctx, q,
		people.Ref{Table: "employees", ID: f.TeacherID, Missing: errNoTeacher},
		people.Ref{Table: "classes", ID: f.ClassID, Missing: academics.ErrNoClass},
		people.Ref{Table: "divisions", ID: f.DivisionID, Missing: academics.ErrNoDivision})
}
