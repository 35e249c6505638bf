package school

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// The most academic years and holidays that a view lists.
const (
	maxYears    = 20
	maxHolidays = 500
)

// View is a school as its parents, teachers and drivers see it. Settings of the office,
// such as limits and costs of SMS, are not part of it.
type View struct {
	ID      id.ID    `json:"id"`
	Name    string   `json:"name"`
	Phone   opt.Text `json:"phone" doc:"Phone of the office, as email and address."`
	Email   opt.Text `json:"email"`
	Address opt.Text `json:"address"`
	Place
	Timezone      string        `json:"timezone" example:"Europe/Berlin"`
	Currency      string        `json:"currency" example:"EUR"`
	Locale        string        `json:"locale" example:"en"`
	LogoURL       opt.Text      `json:"logoUrl" doc:"URL of the logo, which needs no token. Valid for about an hour."`
	BrandColor    opt.Text      `json:"brandColor" example:"#1f5f8b" doc:"Null for the default."`
	WeekendDays   []int         `json:"weekendDays" doc:"Days of the week without school, 1 (Monday) to 7 (Sunday)."`
	AcademicYears []viewYear    `json:"academicYears" doc:"The newest first, at most 20."`
	Holidays      []viewHoliday `json:"holidays" doc:"Of the academic year, by date, at most 500. Empty without a current year."`
}

type viewYear struct {
	ID        id.ID      `json:"id"`
	Name      string     `json:"name" example:"2026/27"`
	StartDate clock.Date `json:"startDate"`
	EndDate   clock.Date `json:"endDate"`
	IsCurrent bool       `json:"isCurrent"`
}

type viewHoliday struct {
	Date    clock.Date `json:"date" doc:"The first day."`
	EndDate clock.Date `json:"endDate" doc:"The last day."`
	Name    string     `json:"name"`
}

// TeacherView is View with the rules for teachers' work.
type TeacherView struct {
	View
	EvaluationMode     bool `json:"evaluationMode" doc:"While true, teachers can change only exams and results."`
	AttendanceLockDays int  `json:"attendanceLockDays" doc:"Days after which only administrators can change attendance."`
	ClassTeacherMarks  bool `json:"classTeacherMarks" doc:"While true, class teachers can enter marks of every subject of their class."`
}

// viewRoutes need the permission for notifications, because the roles of parents, teachers and drivers have it. A school makes
// the roles of administrators: any permission will do.
func (s *Service) viewRoutes() []web.Route {
	about := web.Doc("The caller's school: contact, calendar, language and currency.")
	return []web.Route{
		web.Handle("GET /parent/school", s.view, web.Read("notification"), about),
		web.Handle("GET /driver/school", s.view, web.Read("notification"), about),
		web.Handle("GET /teacher/school", s.teacherView, web.Read("notification"),
			web.Doc("The caller's school: contact, calendar, language, currency and the rules for teachers.")),
		web.Handle("GET /school-admin/school", s.teacherView, web.ReadAny("notification", "student", "employee", "class", "division", "subject",
			"timetable", "attendance", "exam", "result", "fee", "announcement", "leave", "transport", "library", "event", "message", "report",
			"role", "setting"),
			web.Doc("The caller's school, also for administrators without the permission for settings.")),
	}
}

type viewIn struct {
	AcademicYearID *id.ID `json:"academicYearId" doc:"The academic year of the holidays. Default: the current one."`
}

func (s *Service) view(ctx context.Context, who actor.Actor, in viewIn) (View, error) {
	v, err := s.teacherView(ctx, who, in)
	return v.View, err
}

func (s *Service) teacherView(ctx context.Context, who actor.Actor, in viewIn) (TeacherView, error) {
	q := s.DB.School(who.School)
	sch, err := find(ctx, q)
	if err != nil {
		return TeacherView{}, err
	}
	s.showLogo(&sch)
	v := View{ID: sch.ID, Name: sch.Name, Phone: sch.Phone, Email: sch.Email, Address: sch.Address, Place: sch.Place, Timezone: sch.Timezone,
		Currency: sch.Currency, Locale: sch.Locale, LogoURL: sch.LogoURL, BrandColor: sch.BrandColor, WeekendDays: sch.WeekendDays}
	v.AcademicYears, err = db.All[viewYear](ctx, q, `SELECT id, name, start_date, end_date, is_current FROM academic_years
		WHERE school_id = :school ORDER BY start_date DESC LIMIT :max`, db.Args{"max": maxYears})
	if err != nil {
		return TeacherView{}, fmt.Errorf("read academic years: %w", err)
	}
	v.Holidays, err = holidaysOf(ctx, q, in.AcademicYearID)
	return TeacherView{v, sch.EvaluationMode, sch.AttendanceLockDays, sch.ClassTeacherMarks}, err
}

// holidaysOf returns the holidays of an academic year; nil is the current one, if any.
func holidaysOf(ctx context.Context, q db.Q, year *id.ID) ([]viewHoliday, error) {
	var y Year
	var err error
	if year != nil {
		y, err = GetYear(ctx, q, *year)
	} else if y, err = CurrentYear(ctx, q); errors.Is(err, ErrNoCurrentYear) {
		return []viewHoliday{}, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := db.All[viewHoliday](ctx, q, `SELECT date, end_date, name FROM holidays
		WHERE school_id = :school AND date <= :to AND end_date >= :from ORDER BY date, id LIMIT :max`,
		db.Args{"from": y.StartDate, "to": y.EndDate, "max": maxHolidays})
	if err != nil {
		return nil, fmt.Errorf("read holidays: %w", err)
	}
	return list, nil
}
