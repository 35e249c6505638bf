// Package exam keeps exams, marks and report cards.
//
// An exam is sat by classes of one academic year. Its schedule has a paper for
// each subject of each of them, with what can be scored. A result is what one
// student did in one paper. Parents see results once the exam is published.
//
// Start at state.go for what may be done to an exam when, at paper.go for the
// schedule, at upload.go for how marks get in, and at standing.go for totals,
// grades and ranks. Marks and percents are exact: see marks.go.
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
	"homeroom/internal/platform/pdf"
)

var (
	errNoExam    = fault.Missing("exam")
	errNoScale   = fault.Missing("grade scale")
	errScaleName = fault.Duplicate("Another grade scale has this name. Choose another one.")
	errScaleUsed = fault.New(fault.Conflict, "", "Exams use this grade scale. Give them another one first.")
	errResults   = fault.New(fault.Conflict, "", "There are results already.")
	errClash     = fault.New(fault.Conflict, "", "Two papers need the same class or room at once.")
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
	Fonts  *pdf.Fonts // that report cards are printed with

	// What later modules add. Both may be nil.
	Attendance Attendance // for report cards
	Files      *file.Service
}

// Attendance tells how often a student was there, from one day to another.
type Attendance interface {
	Totals(ctx context.Context, q db.Q, students []id.ID, from, to clock.Date) (map[id.ID]Totals, error)
}

// Totals are days, in halves: a half day counts one.
type Totals struct{ SchoolHalfDays, PresentHalfDays int }

// Exam is one exam.
type Exam struct {
	ID              id.ID       `json:"id"`
	Name            string      `json:"name" example:"Term 1"`
	Type            string      `json:"type" enum:"UNIT_TEST,TERM,FINAL,OTHER"`
	AcademicYearID  id.ID       `json:"academicYearId"`
	ClassIDs        []id.ID     `json:"classIds" db:"-"`
	StartDate       *clock.Date `json:"startDate" doc:"As announced, or that of the first paper."`
	EndDate         *clock.Date `json:"endDate"`
	GradeScaleID    *id.ID      `json:"gradeScaleId" doc:"Null: the school's default."`
	Status          Status      `json:"status" enum:"DRAFT,SCHEDULED,ONGOING,COMPLETED,PUBLISHED" doc:"SCHEDULED becomes ONGOING on the day of the first paper and COMPLETED after that of the last."`
	PublishedAt     *time.Time  `json:"publishedAt"`
	UnpublishReason string      `json:"unpublishReason" doc:"Why the results were taken back the last time."`
	Version         int         `json:"version"`
	CreatedAt       time.Time   `json:"createdAt"`
	UpdatedAt       time.Time   `json:"updatedAt"`

	FirstDay       *clock.Date      `json:"-"` // of a paper
	LastDay        *clock.Date      `json:"-"`
	AnnouncedStart *clock.Date      `json:"-"`
	AnnouncedEnd   *clock.Date      `json:"-"`
	Publications   int              `json:"-"` // how often it was published
	Bands          *db.JSON[[]Band] `json:"-"` // as they were when it was published
	Scale          *db.JSON[[]Band] `json:"-"` // of its own scale, or the default's
}

// bands are what its percents are graded by.
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
	MaxMarks Marks  `json:"maxMarks" required:"true"`
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
	PassMarks   *Marks               `json:"passMarks" doc:"Null: nobody passes or fails."`
	Room        string               `json:"room"`
	Components  db.JSON[[]Component] `json:"components" doc:"Parts that are marked by themselves; empty for one mark."`
	CreatedAt   time.Time            `json:"createdAt"`
	UpdatedAt   time.Time            `json:"updatedAt"`
}

// Outcome is what became of a student in a paper.
type Outcome string

// The outcomes. ABSENT and EXEMPT are never 0: neither counts in an average, and
// EXEMPT does not count in the maximum either.
const (
	Scored Outcome = "SCORED"
	Absent Outcome = "ABSENT"
	Exempt Outcome = "EXEMPT"
)

// Part is what was scored in one component.
type Part struct {
	Name  string `json:"name"`
	Marks Marks  `json:"marks"`
}

func (s *Service) today(who actor.Actor) clock.Date { return clock.DateIn(s.Now(), who.Zone) }

func (s *Service) record(ctx context.Context, tx *db.Tx, who actor.Actor, action string, exam id.ID, before, after any) error {
	return s.Audit.Record(ctx, tx, who, action, "exam", exam, before, after)
}
