// Package attendance keeps who was at school: a mark per student and day and, if
// a school wants it, per period.
//
// A mark says a status, perhaps for half of the day only. What it said before is
// kept when it changes. Parents are told once when their child is absent or late,
// and once more when that was wrong. An approved leave makes marks of its own,
// and takes them back.
//
// Start at mark.go for how a division is marked, at alert.go for what parents
// hear, at leave.go for leaves, and at Tally below for how days are counted.
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
}

// The statuses.
const (
	present = "PRESENT"
	absent  = "ABSENT"
	late    = "LATE"
	leave   = "LEAVE"
	holiday = "HOLIDAY"
)

// wholeDay is the period of a day's own mark.
const wholeDay = 0

var errLocked = fault.Denied("Attendance of this day is closed for teachers. Ask your school's administrator to change it.")

// said is what a mark says.
type said struct {
	Status      string
	HalfDay     string // FIRST or SECOND; empty for the whole day
	MinutesLate int
	Remark      string
}

// state is what a mark says, and who said so.
type state struct {
	said
	LeaveID  id.ID // the leave that made it; empty if a person did
	MarkedBy id.ID
	MarkedAt *time.Time
}

// mark is a row.
type mark struct {
	ID         id.ID
	StudentID  id.ID
	Date       clock.Date
	PeriodNo   int
	ClassID    id.ID
	DivisionID id.ID
	state
}

// revision is a mark as it was until it changed.
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

// Totals are days, in halves: a half day counts one.
type Totals struct{ SchoolHalfDays, PresentHalfDays int }

// halves is how a day's mark counts. Leave and holidays count for nothing; who is
// marked for half of the day was there, or was missing, for the other half.
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
	HalfDays    int      `json:"halfDays" doc:"How many of these marks are for half a day."`
	MinutesLate int      `json:"minutesLate"`
	SchoolDays  float64  `json:"schoolDays" doc:"Days that count: marked, and neither leave nor holiday."`
	PresentDays float64  `json:"presentDays" doc:"Of these, days at school; late counts as there, half a day as half."`
	Percentage  *float64 `json:"percentage" doc:"presentDays of schoolDays; null while no day counts."`
}

// add counts n marks that say the same.
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
	t.Present, t.Absent, t.Late, t.Leave, t.Holiday = t.Present+o.Present, t.Absent+o.Absent, t.Late+o.Late, t.Leave+o.Leave, t.Holiday+o.Holiday
	t.HalfDays, t.MinutesLate = t.HalfDays+o.HalfDays, t.MinutesLate+o.MinutesLate
	t.SchoolDays, t.PresentDays = t.SchoolDays+o.SchoolDays, t.PresentDays+o.PresentDays
}

// done is the tally with its percentage, of two decimals.
func (t Tally) done() Tally {
	t.Percentage = nil
	if t.SchoolDays > 0 {
		t.Percentage = new(math.Round(t.PresentDays/t.SchoolDays*10_000) / 100)
	}
	return t
}

// Uses tells academics what keeps a class or a division from being deleted.
func Uses() []academics.Use {
	use := academics.Use{Table: "attendance", Count: "COUNT(DISTINCT date)", One: "day of attendance", Many: "days of attendance", Stays: true}
	class, division := use, use
	class.Column, division.Column = "class_id", "division_id"
	return []academics.Use{class, division}
}

func (s *Service) today(zone string) clock.Date { return clock.DateIn(s.Now(), zone) }
