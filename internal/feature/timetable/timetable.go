// Package timetable manages the weekly lessons of divisions: subject, teacher and room.
//
// A division has a week of periods, which is replaced as a whole. An override
// changes one period of one day: teacher, room or subject, or cancels it. No teacher
// or room can be booked twice at once, in the weeks of one academic year or on one
// day of it.
//
// clash.go has that rule and applies overrides to a day, week.go and override.go
// change timetables, cover.go lists the lessons of teachers on leave, and feed.go
// makes the iCalendar feeds.
package timetable

import (
	"io"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

var (
	errNoTeacher  = fault.Missing("employee")
	errNoOverride = fault.Missing("override")
	errNoCalendar = fault.Missing("calendar")
	errClash      = fault.New(fault.Conflict, "", "A teacher or a room would be booked twice at the same time.")
	errHoliday    = fault.New(fault.Conflict, "", "There is no school on this day.")
)

// Service holds the rules for timetables.
type Service struct {
	DB        *db.DB
	Audit     *audit.Service
	Notify    *notification.Service
	Now       clock.Now
	NewID     id.Source
	Rand      io.Reader
	PublicURL string // base URL of calendar links

	Occasions []Occasions // of other modules; may be empty
}

// Period is one lesson of a week or, with overrides, of a day.
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
	TeacherID    *id.ID          `json:"teacherId" doc:"The teacher (an employee); null if not assigned."`
	TeacherName  opt.Text        `json:"teacherName"`
	Room         opt.Text        `json:"room"`
	Override     *Difference     `json:"override,omitempty" db:"-" doc:"On a day: the override of this lesson."`

	HomeRoom string `json:"-"` // the division's
}

// Difference is the override of a lesson, with the regular values.
type Difference struct {
	ID               id.ID    `json:"id" doc:"The id of the override."`
	IsCancelled      bool     `json:"isCancelled"`
	RegularTeacherID *id.ID   `json:"regularTeacherId"`
	RegularSubjectID id.ID    `json:"regularSubjectId"`
	RegularRoom      opt.Text `json:"regularRoom"`
	Note             opt.Text `json:"note"`
}

func (p Period) cancelled() bool { return p.Override != nil && p.Override.IsCancelled }

// place is the name of the class and division.
func (p Period) place() string { return p.ClassName + " " + p.DivisionName }

// Week is a division's timetable, or one day of it.
type Week struct {
	ClassID        id.ID       `json:"classId"`
	DivisionID     id.ID       `json:"divisionId"`
	AcademicYearID id.ID       `json:"academicYearId"`
	Version        int         `json:"version" doc:"Grows with each change; 0 without a timetable. Send it with PUT to detect concurrent changes (409)."`
	UpdatedAt      *time.Time  `json:"updatedAt"`
	Date           *clock.Date `json:"date" doc:"The requested day; null for the week."`
	Holiday        opt.Text    `json:"holiday" doc:"The holiday on that day."`
	Periods        []Period    `json:"periods" db:"-"`
}

// Override changes one period of one day. Null fields are as in the week.
type Override struct {
	ID                 id.ID            `json:"id"`
	Date               clock.Date       `json:"date"`
	ClassID            id.ID            `json:"classId"`
	ClassName          string           `json:"className"`
	DivisionID         id.ID            `json:"divisionId"`
	DivisionName       string           `json:"divisionName"`
	DayOfWeek          int              `json:"dayOfWeek"`
	PeriodNo           int              `json:"periodNo"`
	StartTime          *clock.TimeOfDay `json:"startTime" doc:"Null if the week no longer has this period; the override then has no effect."`
	EndTime            *clock.TimeOfDay `json:"endTime"`
	TeacherID          *id.ID           `json:"teacherId" doc:"The substitute teacher."`
	TeacherName        opt.Text         `json:"teacherName"`
	RegularTeacherID   *id.ID           `json:"regularTeacherId"`
	RegularTeacherName opt.Text         `json:"regularTeacherName"`
	SubjectID          *id.ID           `json:"subjectId"`
	SubjectName        opt.Text         `json:"subjectName"`
	Room               *string          `json:"room"`
	IsCancelled        bool             `json:"cancelled"`
	Note               opt.Text         `json:"note"`
	CreatedAt          time.Time        `json:"createdAt"`
	UpdatedAt          time.Time        `json:"updatedAt"`
}

// slot identifies a period within a day.
type slot struct {
	division id.ID
	no       int
}

func (p Period) slot() slot   { return slot{p.DivisionID, p.PeriodNo} }
func (o Override) slot() slot { return slot{o.DivisionID, o.PeriodNo} }

func today(now clock.Now, zone string) clock.Date { return clock.DateIn(now(), zone) }
