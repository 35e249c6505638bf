package attendance

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "student", Table: "attendance", Column: "student_id", One: "mark of attendance", Many: "marks of attendance"},
		{Of: "student", Table: "attendance_revisions", Column: "student_id", One: "correction of attendance", Many: "corrections of attendance"},
		{Of: "student", Table: "attendance_alerts", Column: "student_id", One: "alert about attendance", Many: "alerts about attendance"},
	}
}
