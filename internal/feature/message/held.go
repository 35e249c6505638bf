package message

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "student", Table: "message_threads", Column: "student_id", One: "conversation", Many: "conversations"},
		{Of: "user", Table: "message_threads", Column: "user_id", One: "conversation", Many: "conversations"},
		{Of: "user", Table: "message_sides", Column: "user_id", One: "conversation", Many: "conversations"},
	}
}
