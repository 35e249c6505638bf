package timetable

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "employee", Table: "timetable_periods", Column: "employee_id", One: "timetable period", Many: "timetable periods"},
		{Of: "employee", Table: "timetable_overrides", Column: "employee_id", One: "timetable override", Many: "timetable overrides"},
		{Of: "student", Table: "calendar_links", Column: "student_id", One: "calendar link", Many: "calendar links"},
	}
}
