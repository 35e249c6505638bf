package fee

import "homeroom/internal/feature/people"

// Holds lists what prevents undoing an import of people.
func Holds() []people.Hold {
	return []people.Hold{
		{Of: "student", Table: "fee_charges", Column: "student_id", One: "charge", Many: "charges"},
		{Of: "student", Table: "fee_receipt_lines", Column: "student_id", One: "payment", Many: "payments"},
		{Of: "student", Table: "fee_openings", Column: "student_id", One: "opening balance", Many: "opening balances"},
		{Of: "student", Table: "fee_concessions", Column: "student_id", One: "concession", Many: "concessions"},
		{Of: "student", Table: "fee_options", Column: "student_id", One: "optional fee", Many: "optional fees"},
		{Of: "student", Table: "fee_accounts", Column: "student_id", One: "fee category", Many: "fee categories", Where: `category <> ''`},
	}
}
