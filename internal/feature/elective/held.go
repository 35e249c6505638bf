package elective

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "student", Table: "elective_students", Column: "student_id", One: "chosen subject", Many: "chosen subjects"},
	}
}
