package notification

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "user", Table: "notifications", Column: "user_id", One: "notification", Many: "notifications"},
		{Of: "student", Table: "notifications", Column: "student_id", One: "notification", Many: "notifications"},
		{Of: "student", Table: "push_digests", Column: "student_id", One: "notification", Many: "notifications"},
	}
}
