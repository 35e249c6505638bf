package leave

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "student", Table: "leaves", Column: "student_id", One: "leave", Many: "leaves"},
		{Of: "employee", Table: "leaves", Column: "employee_id", One: "leave", Many: "leaves"},
		{Of: "employee", Table: "leave_entitlements", Column: "employee_id", One: "leave entitlement", Many: "leave entitlements"},
	}
}
