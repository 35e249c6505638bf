package exam

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "student", Table: "exam_results", Column: "student_id", One: "exam result", Many: "exam results"},
	}
}
