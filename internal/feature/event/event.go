// Package event is the school calendar of events.
//
// The status UPCOMING, ONGOING or COMPLETED is derived from the date and times in the
// school's time zone; only CANCELLED is stored. Teachers see every event, parents those
// for parents and for the classes of their children.
//
// Start at change.go for the rules, and at store.go for the status.
package event

import (
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

var (
	errNone      = fault.Missing("event")
	errCancelled = fault.New(fault.Conflict, "", "This event was cancelled and can't be changed. Add a new one.")
	errOver      = fault.New(fault.Conflict, "", "This event is over and can't be cancelled.")
	errByTime    = fault.New(fault.Conflict, "",
		"An event is UPCOMING, ONGOING or COMPLETED by its date and time. Change those, or send the status CANCELLED.")
)

// Service holds the rules.
type Service struct {
	DB    *db.DB
	Audit *audit.Service
	Now   clock.Now
	NewID id.Source
}

// Status is the status of an event.
type Status string

// The statuses.
const (
	Upcoming  Status = "UPCOMING"
	Ongoing   Status = "ONGOING"
	Completed Status = "COMPLETED"
	Cancelled Status = "CANCELLED"
)

// Audience is the audience of an event.
type Audience string

// The audiences. Students have no app: their parents see STUDENTS events.
const (
	All      Audience = "ALL"
	Parents  Audience = "PARENTS"
	Teachers Audience = "TEACHERS"
	Students Audience = "STUDENTS"
	Classes  Audience = "CLASS"
)

// The default times: the whole day.
const (
	dayStart clock.TimeOfDay = "00:00"
	dayEnd   clock.TimeOfDay = "23:59"
)

// Event is one event.
type Event struct {
	ID             id.ID           `json:"id"`
	Title          string          `json:"title"`
	Description    opt.Text        `json:"description"`
	EventDate      clock.Date      `json:"eventDate"`
	StartTime      clock.TimeOfDay `json:"startTime"`
	EndTime        clock.TimeOfDay `json:"endTime"`
	Venue          opt.Text        `json:"venue"`
	Status         Status          `json:"status" enum:"UPCOMING,ONGOING,COMPLETED,CANCELLED"`
	TargetAudience Audience        `json:"targetAudience" enum:"ALL,PARENTS,TEACHERS,STUDENTS,CLASS"`
	ClassIDs       []id.ID         `json:"classIds" db:"-" doc:"For audience CLASS."`
	Version        int             `json:"version" doc:"Increases with each change. Send it with PUT to get 409 if someone else changed it first."`
	CreatedAt      time.Time       `json:"createdAt"`
	UpdatedAt      time.Time       `json:"updatedAt"`
}

// check validates the fields together.
func (e Event) check() error {
	switch {
	case e.EndTime <= e.StartTime:
		return fault.OnField("endTime", "must be after startTime")
	case e.TargetAudience == Classes && len(e.ClassIDs) == 0:
		return fault.OnField("classIds", "is required when targetAudience is CLASS")
	case e.TargetAudience != Classes && len(e.ClassIDs) > 0:
		return fault.OnField("classIds", "is only allowed with targetAudience CLASS")
	}
	return nil
}

// action is an action on an event.
type action string

const (
	change action = "change"
	cancel action = "cancel"
)

// refusals are the actions that a status does not allow. Delete is always allowed.
var refusals = map[Status]map[action]error{
	Upcoming:  {},
	Ongoing:   {},
	Completed: {cancel: errOver},
	Cancelled: {cancel: errCancelled, change: errCancelled},
}
