// Package timetable knows when a division is taught what, by whom and where.
//
// A division has a week of periods, which is replaced as a whole. An override
// makes one period of one day different: another teacher, room or subject, or
// none at all. Neither a teacher nor a room can be in two places at once, in the
// weeks of one academic year or on any one day of it.
//
// Start at clash.go for that rule and for what a day really looks like, at
// week.go and override.go for how it is changed, and at feed.go for the
// calendars that teachers and parents subscribe to.
package timetable

import (
	"io"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var (
	errNoTeacher  = fault.Missing("employee")
	errNoOverride = fault.Missing("override")
	errNoCalendar = fault.Missing("calendar")
	errClash      = fault.New(fault.Conflict, "", "A teacher or a room would be in two places at once.")
	errHoliday    = fault.New(fault.Conflict, "", "There is no school on this day.")
)

// Service holds the rules about timetables.
type Service struct {
	DB        *db.DB
	Audit     *audit.Service
	Now       clock.Now
	NewID     id.Source
	Rand      io.Reader
	PublicURL string // what the addresses of calendars begin with
}

// Period is one lesson: of a week or, with what is different, of a day.
type Period struct {
	ID           id.ID           `json:"id"`
	ClassID      id.ID           `json:"classId"`
	ClassName    string          `json:"className"`
	DivisionID   id.ID           `json:"divisionId"`
	DivisionName string          `json:"divisionName"`
	DayOfWeek    int             `json:"dayOfWeek" doc:"1 is Monday, 7 is Sunday."`
	PeriodNo     int             `json:"periodNo"`
	StartTime    clock.TimeOfDay `json:"startTime"`
	EndTime      clock.TimeOfDay `json:"endTime"`
	SubjectID    id.ID           `json:"subjectId"`
	SubjectName  string          `json:"subjectName"`
	TeacherID    *id.ID          `json:"teacherId" doc:"The employee who teaches it; null while there is none."`
	TeacherName  string          `json:"teacherName"`
	Room         string          `json:"room"`
	Override     *Difference     `json:"override,omitempty" db:"-" doc:"On a day: how this lesson differs from the week's."`

	HomeRoom string `json:"-"` // the division's
}

// Difference is what a day's lesson is instead of the week's.
type Difference struct {
	ID               id.ID  `json:"id" doc:"The override."`
	IsCancelled      bool   `json:"isCancelled"`
	RegularTeacherID *id.ID `json:"regularTeacherId"`
	RegularSubjectID id.ID  `json:"regularSubjectId"`
	RegularRoom      string `json:"regularRoom"`
	Note             string `json:"note"`
}

func (p Period) cancelled() bool { return p.Override != nil && p.Override.IsCancelled }

// place is the division's name as people say it.
func (p Period) place() string { return p.ClassName + " " + p.DivisionName }

// Week is a division's timetable, or one day of it.
type Week struct {
	ClassID        id.ID       `json:"classId"`
	DivisionID     id.ID       `json:"divisionId"`
	AcademicYearID id.ID       `json:"academicYearId"`
	Version        int         `json:"version" doc:"Grows with each change; 0 while there is no timetable. Send it with a PUT to be told when someone else was faster."`
	UpdatedAt      *time.Time  `json:"updatedAt"`
	Date           *clock.Date `json:"date,omitempty" doc:"The day that was asked for."`
	Holiday        string      `json:"holiday,omitempty" doc:"The holiday on that day."`
	Periods        []Period    `json:"periods" db:"-"`
}

// Override makes one period of one day different. What is null is as in the week.
type Override struct {
	ID                 id.ID            `json:"id"`
	Date               clock.Date       `json:"date"`
	ClassID            id.ID            `json:"classId"`
	ClassName          string           `json:"className"`
	DivisionID         id.ID            `json:"divisionId"`
	DivisionName       string           `json:"divisionName"`
	DayOfWeek          int              `json:"dayOfWeek"`
	PeriodNo           int              `json:"periodNo"`
	StartTime          *clock.TimeOfDay `json:"startTime" doc:"Null when the week has no such period any more; the override has no effect then."`
	EndTime            *clock.TimeOfDay `json:"endTime"`
	TeacherID          *id.ID           `json:"teacherId" doc:"Who teaches it instead."`
	TeacherName        string           `json:"teacherName"`
	RegularTeacherID   *id.ID           `json:"regularTeacherId"`
	RegularTeacherName string           `json:"regularTeacherName"`
	SubjectID          *id.ID           `json:"subjectId"`
	SubjectName        string           `json:"subjectName"`
	Room               *string          `json:"room"`
	IsCancelled        bool             `json:"cancelled"`
	Note               string           `json:"note"`
	CreatedAt          time.Time        `json:"createdAt"`
	UpdatedAt          time.Time        `json:"updatedAt"`
}

// slot tells the periods of one day apart.
type slot struct {
	division id.ID
	no       int
}

func (p Period) slot() slot   { return slot{p.DivisionID, p.PeriodNo} }
func (o Override) slot() slot { return slot{o.DivisionID, o.PeriodNo} }

// weekday is 1 for Monday to 7 for Sunday.
func weekday(d clock.Date) int { return (int(d.Time().Weekday())+6)%7 + 1 }

func today(now clock.Now, zone string) clock.Date { return clock.DateIn(now(), zone) }
