package library

import (
	"homeroom/internal/platform/fault"
)

// Status is where a copy is.
type Status string

// The statuses of a copy.
const (
	Available Status = "AVAILABLE"
	Held      Status = "HELD"
	Issued    Status = "ISSUED"
	Lost      Status = "LOST"
	Withdrawn Status = "WITHDRAWN"
)

// action is what someone does to a copy, in a word that follows "can't be".
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

// moves has every action that is legal on a copy, and where it leads. What is
// not here is 409. A copy that comes back is HELD next if someone waits for it.
var moves = map[Status]map[action]Status{
	Available: {issue: Issued, mislay: Lost, withdraw: Withdrawn},
	Held:      {issue: Issued, mislay: Lost, withdraw: Withdrawn}, // issue: to whom it is held for
	Issued:    {giveBack: Available, renew: Issued, lose: Lost},
	Lost:      {restore: Available, withdraw: Withdrawn},
	Withdrawn: {restore: Available},
}

// setting is the action by which an administrator gives a copy a status.
var setting = map[Status]action{Available: restore, Lost: mislay, Withdrawn: withdraw}

// described has what each status means, and what to do about it.
var described = map[Status]struct{ is, then string }{
	Available: {"is on the shelf", "Check the accession number."},
	Held:      {"is held for a reservation", "Issue it to whom it is held for, or cancel the reservation."},
	Issued:    {"is lent out", "Return it first, or report it lost."},
	Lost:      {"is lost", "If it was found, set its status to AVAILABLE first."},
	Withdrawn: {"is withdrawn", "To lend it again, set its status to AVAILABLE first."},
}

var errState = fault.New(fault.Conflict, "", "This can't be done to the copy now.")

// after is the status that an action leads to, or the fault that says why it can't be done.
func (c Copy) after(a action) (Status, error) {
	next, ok := moves[c.Status][a]
	if !ok {
		d := described[c.Status]
		return "", errState.Saying("Copy %s %s and can't be %s. %s", c.AccessionNo, d.is, a, d.then)
	}
	return next, nil
}
