package people

import (
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
)

// earliestBirth is the first date of birth that is not a typing error.
const earliestBirth clock.Date = "1900-01-01"

// birthProblem says what is wrong with a date of birth; "" if nothing is.
func birthProblem(born *clock.Date, today clock.Date) string {
	switch {
	case born == nil:
		return ""
	case *born >= today:
		return "must be in the past"
	case *born < earliestBirth:
		return "must be after " + string(earliestBirth)
	}
	return ""
}

// checkBirth refuses a date of birth that can't be right.
func checkBirth(born *clock.Date, today clock.Date) error {
	if problem := birthProblem(born, today); problem != "" {
		return fault.OnField("dateOfBirth", "%s", problem)
	}
	return nil
}
