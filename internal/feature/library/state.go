package library

import (
	"homeroom/internal/platform/fault"
)

// Status is the status of a copy.
type Status string

// The statuses of a copy.
const (
	Available Status = "AVAILABLE"
	Held      Status = "HELD"
	Issued    Status = "ISSUED"
	Lost      Status = "LOST"
	Withdrawn Status = "WITHDRAWN"
)

// action is an action on a copy. The value follows "can't be" in error messages.
type action string

const (
	issue    action = "issued"
	giveBack action = "returned"
	renew    action = "renewed"
	lose     action = "reported lost by its borrower"
	mislay   action = "marked as lost"
	withdraw action = "withdrawn"
	restore  action = "put back on the shelf"
)

// moves maps each status and action to the next status. Anything else is 409. A
// returned copy becomes HELD next if a reservation is waiting.
var moves = map[Status]map[action]Status{
	Available: {issue: Issued, mislay: Lost, withdraw: Withdrawn},
	Held:      {issue: Issued, mislay: Lost, withdraw: Withdrawn}, // issue: only to the borrower of the hold
	Issued:    {giveBack: Available, renew: Issued, lose: Lost},
	Lost:      {restore: Available, withdraw: Withdrawn},
	Withdrawn: {restore: Available},
}

// setting is the action for each status that an administrator can set.
var setting = map[Status]action{Available: restore, Lost: mislay, Withdrawn: withdraw}

// described has the text of each status for error messages, and what to do.
var described = map[Status]struct{ is, then string }{
	Available: {"is on the shelf", "Check the accession number."},
	Held:      {"is held for a reservation", "Issue it to that borrower, or cancel the reservation."},
	Issued:    {"is lent out", "Return it first, or report it lost."},
	Lost:      {"is lost", "If it was found, set its status to AVAILABLE first."},
	Withdrawn: {"is withdrawn", "To lend it again, set its status to AVAILABLE first."},
}

var errState = fault.New(fault.Conflict, "", "This can't be done to the copy now.")

// after returns the next status, or an error if the action is not allowed.
func (c Copy) after(a action) (Status, error) {
	next, ok := moves[c.Status][a]
	if !ok {
		d := described[c.Status]
		return "", errState.Saying("Copy %s %s and can't be %s. %s", c.AccessionNo, d.is, a, d.then)
	}
	return next, nil
}
