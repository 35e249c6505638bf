package exam

import (
	"homeroom/internal/platform/fault"
)

// Status is the status of an exam.
type Status string

// The statuses, in their order.
const (
	Draft     Status = "DRAFT"
	Scheduled Status = "SCHEDULED"
	Ongoing   Status = "ONGOING"
	Completed Status = "COMPLETED"
	Published Status = "PUBLISHED"
)

// withStatus selects exams with their status on :today. Only SCHEDULED changes with
// the date.
const withStatus = `(SELECT x.*, CASE WHEN x.state <> 'SCHEDULED' THEN x.state WHEN :today < x.first_day THEN 'SCHEDULED'
	WHEN :today > x.last_day THEN 'COMPLETED' ELSE 'ONGOING' END AS status FROM exams x WHERE x.school_id = :school)`

// action is an action on an exam. The value is part of the error message.
type action string

const (
	toUpdate    action = "change"
	toDelete    action = "delete"
	toSchedule  action = "schedule"
	toComplete  action = "complete"
	toUpload    action = "upload marks of"
	toPublish   action = "publish"
	toUnpublish action = "unpublish"
)

// may lists the statuses that allow each action. All others are refused.
var may = map[action][]Status{
	toUpdate:    {Draft, Scheduled, Ongoing, Completed},
	toDelete:    {Draft, Scheduled, Ongoing, Completed},
	toSchedule:  {Draft, Scheduled, Ongoing, Completed},
	toComplete:  {Scheduled, Ongoing},
	toUpload:    {Scheduled, Ongoing, Completed},
	toPublish:   {Completed},
	toUnpublish: {Published},
}

var errState = fault.New(fault.Conflict, "", "The exam's status does not allow this.")

// allows returns an error if the exam's status does not allow the action.
func (e Exam) allows(a action) error {
	for _, s := range may[a] {
		if s == e.Status {
			return nil
		}
	}
	next := "It is not published."
	switch {
	case e.Status == Published:
		next = "Unpublish it first."
	case e.Status == Draft:
		next = "Schedule its papers first."
	case a == toPublish:
		next = "It ends after its last paper; complete it if it ended early."
	case a == toComplete:
		next = "It is already over."
	}
	return errState.Saying("You can't %s an exam that is %s. %s", a, e.Status, next)
}
