package library

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "student", Table: "library_loans", Column: "student_id", One: "loan", Many: "loans"},
		{Of: "employee", Table: "library_loans", Column: "employee_id", One: "loan", Many: "loans"},
		{Of: "student", Table: "library_reservations", Column: "student_id", One: "reservation", Many: "reservations"},
		{Of: "employee", Table: "library_reservations", Column: "employee_id", One: "reservation", Many: "reservations"},
	}
}
