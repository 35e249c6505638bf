// Package attendance records attendance: a mark per student and day and, optionally,
// per period.
//
// A mark has a status, for the whole or half of the day. Earlier versions are kept as
// revisions. Parents get one alert if their child is absent or late, and a correction
// if that was wrong. An approved leave adds marks; a cancelled one removes them.
//
// Start at mark.go for marking a division, at alert.go for alerts, at leave.go for
// leaves, and at Tally below for how days are counted.
package attendance

import (
	"math"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Service holds the rules.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Now    clock.Now
	NewID  id.Source
	Keep   time.Duration // of marks; 0: as long as the school
}

// The statuses.
const (
	present = "PRESENT"
	absent  = "ABSENT"
	late    = "LATE"
	leave   = "LEAVE"
	holiday = "HOLIDAY"
)

// wholeDay is the period number of a mark for the day.
const wholeDay = 0

var errLocked = fault.Denied("Teachers can't change the attendance of this day any more. Ask your school's administrator to change it.")

// said is the content of a mark.
type said struct {
	Status      string
	HalfDay     string // FIRST or SECOND; empty for the whole day
	MinutesLate int
	Remark      string
}

// state is the content of a mark and who made it.
type state struct {
	said
	LeaveID  id.ID // the leave that made it; empty if a user did
	MarkedBy id.ID
	MarkedAt *time.Time
}

// mark is a row of attendance.
type mark struct {
	ID         id.ID
	StudentID  id.ID
	Date       clock.Date
	PeriodNo   int
	ClassID    id.ID
	DivisionID id.ID
	state
}

// revision is an earlier version of a mark.
type revision struct {
	ID        id.ID
	StudentID id.ID
	Date      clock.Date
	PeriodNo  int
	state
	EndedBy   id.ID
	EndedAt   time.Time
	IsRemoved bool
	IsVoid    bool
}

// Totals are attendance totals in half days.
type Totals struct{ SchoolHalfDays, PresentHalfDays int }

// halves returns the half days that a mark counts for. Leave and holidays don't
// count. A mark for one half implies the opposite for the other half.
func (s said) halves() Totals {
	half := s.HalfDay != ""
	switch {
	case s.Status == holiday, s.Status == leave && !half:
		return Totals{0, 0}
	case s.Status == leave:
		return Totals{1, 1}
	case half:
		return Totals{2, 1}
	case s.Status == absent:
		return Totals{2, 0}
	}
	return Totals{2, 2}
}

// Tally counts the marks of days.
type Tally struct {
	Present     int      `json:"present"`
	Absent      int      `json:"absent"`
	Late        int      `json:"late"`
	Leave       int      `json:"leave"`
	Holiday     int      `json:"holiday"`
	HalfDays    int      `json:"halfDays" doc:"Number of these marks that are for half a day."`
	MinutesLate int      `json:"minutesLate"`
	SchoolDays  float64  `json:"schoolDays" doc:"Marked days without holidays and whole days of leave; half a day of leave makes it half a school day."`
	PresentDays float64  `json:"presentDays" doc:"The school days with the student present. Late counts as present, half a day as half."`
	Percentage  *float64 `json:"percentage" doc:"presentDays as a percentage of schoolDays, with two decimals. Leave counts neither for nor against the student. Null without school days."`
}

// add counts n equal marks.
func (t *Tally) add(s said, n int) {
	switch s.Status {
	case present:
		t.Present += n
	case absent:
		t.Absent += n
	case late:
		t.Late += n
	case leave:
		t.Leave += n
	case holiday:
		t.Holiday += n
	}
	if s.HalfDay != "" {
		t.HalfDays += n
	}
	h := s.halves()
	t.MinutesLate += s.MinutesLate * n
	t.SchoolDays += float64(h.SchoolHalfDays*n) / 2
	t.PresentDays += float64(h.PresentHalfDays*n) / 2
}

// merge adds another tally.
func (t *Tally) merge(o Tally) {
	t.Present, t.Absent, t.Late, t.Leave, t.Holiday = t.Present+o.Present, t.Absent+o.Absent, t.Late+o.Late, t.Leave+o.Leave,
		t.Holiday+o.Holiday
	t.HalfDays, t.MinutesLate = t.HalfDays+o.HalfDays, t.MinutesLate+o.MinutesLate
	t.SchoolDays, t.PresentDays = t.SchoolDays+o.SchoolDays, t.PresentDays+o.PresentDays
}

// done returns the tally with its percentage, rounded to two decimals.
func (t Tally) done() Tally {
	t.Percentage = nil
	if t.SchoolDays > 0 {
		t.Percentage = new(math.Round(t.PresentDays/t.SchoolDays*10_000) / 100)
	}
	return t
}

// Uses lists the columns that refer to a class or a division.
func Uses() []academics.Use {
	use := academics.Use{Table: "attendance", Count: "COUNT(DISTINCT date)", One: "day of attendance", Many: "days of attendance", Stays: true}
	class, division := use, use
	class.Column, division.Column = "class_id", "division_id"
	return []academics.Use{class, division}
}

func (s *Service) today(zone string) clock.Date { return clock.DateIn(s.Now(), zone) }
