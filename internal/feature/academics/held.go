package academics

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "employee", Table: "teacher_assignments", Column: "employee_id", One: "class assignment", Many: "class assignments"},
	}
}
