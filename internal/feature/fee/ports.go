package fee

import (
	"context"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Uses lists the columns of fees that refer to a class.
func Uses() []academics.Use {
	return []academics.Use{{Column: "class_id", Table: "fee_structures", One: "fee structure", Many: "fee structures"}}
}

// Section is the fee section of a student's profile and data export.
func (s *Service) Section() people.Section {
	return people.Section{Name: "fees", Module: "fee", Read: func(ctx context.Context, q db.Q, student id.ID) (any, error) {
		at, err := school.Get(ctx, q)
		if err != nil {
			return nil, err
		}
		st, _, err := readStatement(ctx, q, student, clock.DateIn(s.Now(), at.Timezone))
		if err != nil {
			return nil, err
		}
		openings, err := db.All[Opening](ctx, q, `
			SELECT `+openingColumns+` FROM fee_openings o WHERE o.school_id = :school AND o.student_id = :student ORDER BY o.id`,
			db.Args{"student": student})
		if err != nil {
			return nil, fault.Wrap("read opening balances", err)
		}
		return struct {
			Openings []Opening   `json:"openings"`
			Charges  []*Charge   `json:"charges"`
			Receipts []Receipted `json:"receipts"`
			Entries  []Entry     `json:"entries"`
			Totals   Totals      `json:"totals"`
		}{openings, st.Charges, st.Receipts, st.Entries, st.Totals}, nil
	}}
}

// Erase blanks the free text about a student, for erasure of personal data. The
// ledger stays: it names nobody.
func (s *Service) Erase(ctx context.Context, tx *db.Tx, e people.Erased) error {
	a := db.Args{"student": e.Student}
	for _, sql := range []string{
		`UPDATE fee_charges SET note = '', void_reason = '' WHERE school_id = :school AND student_id = :student`,
		`UPDATE fee_concessions SET reason = '', revoke_reason = '' WHERE school_id = :school AND student_id = :student`,
		`UPDATE fee_openings SET note = '', cancel_reason = '' WHERE school_id = :school AND student_id = :student`,
		`UPDATE fee_refunds SET reference = '', reason = '', reversal_reason = '' WHERE school_id = :school AND student_id = :student`,
		`UPDATE fee_receipts SET reference = '', payer = '', note = '', reversal_reason = '' WHERE school_id = :school
			AND id IN (SELECT l.receipt_id FROM fee_receipt_lines l WHERE l.school_id = :school AND l.student_id = :student)`,
	} {
		if _, err := db.Exec(ctx, tx, sql, a); err != nil {
			return fault.Wrap("erase free text about a student", err)
		}
	}
	return nil
}

// YearRecords counts the charges of students in an academic year. Void ones count too:
// they stay in the books.
func YearRecords() people.YearRecords {
	return people.YearRecords{One: "charge", Many: "charges",
		Count: func(ctx context.Context, q db.Q, y school.Year, students []id.ID) (int, error) {
			return db.One[int](ctx, q, `
				SELECT count(*) FROM fee_charges WHERE school_id = :school AND student_id IN (:students) AND academic_year_id = :year`,
				db.Args{"students": students, "year": y.ID})
		},
		Lock: func(ctx context.Context, tx *db.Tx, _ school.Year, _ []id.ID) error { return ledger.Lock(ctx, tx) }}
}

// HasHistory reports whether the ledger has entries of a student.
func (s *Service) HasHistory(ctx context.Context, q db.Q, student id.ID) (bool, error) {
	known, err := db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM ledger_entries WHERE school_id = :school AND student_id = :student) AS known`, db.Args{"student": student})
	return known, fault.Wrap("find ledger entries of a student", err)
}
