package transport

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "student", Table: "student_stops", Column: "student_id", One: "bus stop", Many: "bus stops"},
		{Of: "student", Table: "boardings", Column: "student_id", One: "bus ride", Many: "bus rides"},
		{Of: "student", Table: "trip_alerts", Column: "student_id", One: "alert about a bus", Many: "alerts about a bus"},
		{Of: "employee", Table: "buses", Column: "driver_id", One: "bus", Many: "buses"},
		{Of: "employee", Table: "trips", Column: "driver_id", One: "trip", Many: "trips"},
	}
}
