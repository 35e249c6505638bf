// Package exam manages exams, marks and report cards.
//
// An exam is for classes of one academic year. Its schedule has a paper per class
// and subject, with the maximum marks. A result is one student's marks in one
// paper. Parents see results once the exam is published.
//
// Start at state.go for the actions that each status allows, at paper.go for the
// schedule, at upload.go for marks, and at standing.go for totals, grades and
// ranks. Marks and percents are fixed-point numbers: see marks.go.
package exam

import (
	"context"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/pdf"
)

var (
	errNoExam    = fault.Missing("exam")
	errNoScale   = fault.Missing("grade scale")
	errScaleName = fault.Duplicate("Another grade scale has this name. Choose another one.")
	errScaleUsed = fault.New(fault.Conflict, "", "Exams use this grade scale. Give them another one first.")
	errResults   = fault.New(fault.Conflict, "", "There are already results.")
	errClash     = fault.New(fault.Conflict, "", "Two papers need the same class or room at the same time.")
	errNoPaper   = fault.New(fault.Conflict, "", "This subject is not on the exam's schedule for this class. Schedule it first.")
	errNoResults = fault.New(fault.Conflict, "", "There are no results to publish. Upload them first.")
)

// Service holds the rules.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Now    clock.Now
	NewID  id.Source
	Fonts  *pdf.Fonts // of printed report cards

	// Set by other modules. Both may be nil.
	Attendance Attendance // for report cards
	Files      *file.Service
}

// Attendance reads the attendance of students in a date range.
type Attendance interface {
	Totals(ctx context.Context, q db.Q, students []id.ID, from, to clock.Date) (map[id.ID]Totals, error)
}

// Totals are attendance totals in half days.
type Totals struct{ SchoolHalfDays, PresentHalfDays int }

// Exam is one exam.
type Exam struct {
	ID              id.ID       `json:"id"`
	Name            string      `json:"name" example:"Term 1"`
	Type            string      `json:"type" enum:"UNIT_TEST,TERM,FINAL,OTHER"`
	AcademicYearID  id.ID       `json:"academicYearId"`
	ClassIDs        []id.ID     `json:"classIds" db:"-"`
	StartDate       *clock.Date `json:"startDate" doc:"The announced date, or the date of the first paper."`
	EndDate         *clock.Date `json:"endDate"`
	GradeScaleID    *id.ID      `json:"gradeScaleId" doc:"Null: the school's default."`
	Status          Status      `json:"status" enum:"DRAFT,SCHEDULED,ONGOING,COMPLETED,PUBLISHED" doc:"SCHEDULED becomes ONGOING on the day of the first paper, and COMPLETED after the day of the last."`
	PublishedAt     *time.Time  `json:"publishedAt"`
	OpenedAt        *time.Time  `json:"openedAt" doc:"When a parent first opened the published results. Parents get null."`
	UnpublishReason opt.Text    `json:"unpublishReason" doc:"Reason of the last unpublish."`
	Version         int         `json:"version"`
	CreatedAt       time.Time   `json:"createdAt"`
	UpdatedAt       time.Time   `json:"updatedAt"`

	FirstDay       *clock.Date      `json:"-"` // of a paper
	LastDay        *clock.Date      `json:"-"`
	AnnouncedStart *clock.Date      `json:"-"`
	AnnouncedEnd   *clock.Date      `json:"-"`
	ToldAt         *time.Time       `json:"-"` // when it was last published, also if it no longer is
	Bands          *db.JSON[[]Band] `json:"-"` // a copy of the scale from the time of publishing
	Scale          *db.JSON[[]Band] `json:"-"` // of the exam's scale, or the default scale
}

// bands returns the grade scale in effect.
func (e Exam) bands() []Band {
	switch {
	case e.Status == Published && e.Bands != nil:
		return e.Bands.V
	case e.Scale != nil:
		return e.Scale.V
	}
	return nil
}

// Component is a part of a paper, such as theory or practical.
type Component struct {
	Name     string `json:"name" required:"true" maxLength:"50" example:"Practical"`
	MaxMarks Marks  `json:"maxMarks" required:"true" minimum:"0" maximum:"100000"`
}

// Paper is one subject of one class on an exam's schedule.
type Paper struct {
	ID          id.ID                `json:"id"`
	ExamID      id.ID                `json:"examId"`
	ExamName    string               `json:"examName"`
	ClassID     id.ID                `json:"classId"`
	ClassName   string               `json:"className"`
	SubjectID   id.ID                `json:"subjectId"`
	SubjectName string               `json:"subjectName"`
	Date        clock.Date           `json:"date"`
	StartTime   *clock.TimeOfDay     `json:"startTime"`
	EndTime     *clock.TimeOfDay     `json:"endTime"`
	MaxMarks    Marks                `json:"maxMarks"`
	PassMarks   *Marks               `json:"passMarks" doc:"Null: the paper has no pass or fail."`
	Room        opt.Text             `json:"room"`
	Components  db.JSON[[]Component] `json:"components" doc:"Separately marked parts; empty for a single mark."`
	CreatedAt   time.Time            `json:"createdAt"`
	UpdatedAt   time.Time            `json:"updatedAt"`
}

// Outcome is whether a student scored, was absent or was exempt.
type Outcome string

// The outcomes. ABSENT and EXEMPT don't count as 0 in averages; EXEMPT doesn't count
// in the maximum either.
const (
	Scored Outcome = "SCORED"
	Absent Outcome = "ABSENT"
	Exempt Outcome = "EXEMPT"
)

// Part has the marks of one component.
type Part struct {
	Name  string `json:"name"`
	Marks Marks  `json:"marks"`
}

func (s *Service) today(who actor.Actor) clock.Date { return clock.DateIn(s.Now(), who.Zone) }

func (s *Service) record(ctx context.Context, tx *db.Tx, who actor.Actor, action string, exam id.ID, before, after any) error {
	return s.Audit.Record(ctx, tx, who, action, "exam", exam, before, after)
}
