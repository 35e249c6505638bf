package fee

import (
	"context"
	"fmt"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// Statement is a student's statement of account.
type Statement struct {
	Student  student     `json:"student"`
	Charges  []*Charge   `json:"charges" doc:"The oldest due date first."`
	Receipts []Receipted `json:"receipts" doc:"The latest first, including reversed ones."`
	Entries  []Entry     `json:"entries" doc:"Ledger entries of the student's account and advance, by date."`
	Totals   Totals      `json:"totals"`
}

// Entry is a line of a student's account.
type Entry struct {
	Date      clock.Date  `json:"date"`
	Type      string      `json:"type" enum:"DR,CR"`
	Account   string      `json:"account" enum:"STUDENT,ADVANCE"`
	Amount    money.Money `json:"amount"`
	Narration string      `json:"narration"`
	Balance   money.Money `json:"balance" db:"-" doc:"The amount due after this entry; negative is an advance."`
	Version   int64       `json:"-"`
	Opening   bool        `json:"-"` // of an opening balance
}

// Receipted is one student's part of a receipt.
type Receipted struct {
	ID      id.ID       `json:"id"`
	Number  string      `json:"number"`
	Date    clock.Date  `json:"date"`
	Method  string      `json:"method" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Amount  money.Money `json:"amount" doc:"This student's part."`
	Advance money.Money `json:"advance" doc:"The part that was not due yet."`
	Status  string      `json:"status" enum:"ISSUED,REVERSED"`
}

// Totals are the totals of a student's account.
type Totals struct {
	Opening    money.Money `json:"opening" doc:"The opening balance: what was owed before; negative if it was paid ahead."`
	Charged    money.Money `json:"charged" doc:"Without the opening balance, fines and void charges."`
	Paid       money.Money `json:"paid" doc:"Total of receipts that were not reversed, less refunds."`
	Concession money.Money `json:"concession"`
	Fine       money.Money `json:"fine"`
	Due        money.Money `json:"due"`
	Overdue    money.Money `json:"overdue" doc:"The part past its due date."`
	Advance    money.Money `json:"advance"`
}

// The queries of a statement. The first and the last read the account's version: if
// both are equal, the reads are consistent.
const (
	entriesSQL = `
		SELECT e.date, e.type, e.account, e.amount, t.narration,
			(SELECT a.version FROM fee_accounts a WHERE a.school_id = :school AND a.student_id = :student) AS version,
			t.opening_id IS NOT NULL AS opening
		FROM ledger_entries e JOIN ledger_transactions t ON t.school_id = e.school_id AND t.seq = e.seq
		WHERE e.school_id = :school AND e.student_id = :student
		ORDER BY e.date, e.seq, e.line`
	receiptsSQL = `
		SELECT r.id, r.number, r.date, r.method, l.amount, l.advance, r.status
		FROM fee_receipt_lines l CROSS JOIN fee_receipts r
		WHERE r.school_id = l.school_id AND r.id = l.receipt_id AND l.school_id = :school AND l.student_id = :student
		ORDER BY r.date DESC, r.id DESC`
	chargesSQL = `SELECT ` + chargeColumns + ` FROM ` + chargeFrom +
		` WHERE c.school_id = :school AND c.student_id = :student ORDER BY c.due_date, c.id`
	holderSQL = `SELECT ` + studentColumns + `, COALESCE(a.version, 0) AS version FROM ` + studentFrom + `
		LEFT JOIN fee_accounts a ON a.school_id = s.school_id AND a.student_id = s.id WHERE s.school_id = :school AND s.id = :student
		AND s.archived_at IS NULL`
)

type statementIn struct {
	StudentID id.ID `path:"studentId"`
}

func (s *Service) statement(ctx context.Context, who actor.Actor, in statementIn) (Statement, error) {
	st, consistent, err := readStatement(ctx, s.DB.School(who.School), in.StudentID, s.today(who))
	if consistent || err != nil {
		return st, err
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error { // again, with writers locked out
		if err := ledger.Lock(ctx, tx); err != nil {
			return err
		}
		st, _, err = readStatement(ctx, tx, in.StudentID, s.today(who))
		return err
	})
	return st, err
}

// readStatement reads a statement with several queries, and reports whether they
// are consistent.
func readStatement(ctx context.Context, q db.Q, of id.ID, today clock.Date) (out Statement, consistent bool, err error) {
	a := db.Args{"student": of}
	var holders []struct {
		student
		Version int64
	}
	var charges []Charge
	err = db.Read(ctx, q, db.Into(&holders, holderSQL, a), db.Into(&charges, chargesSQL, a), db.Into(&out.Receipts, receiptsSQL, a),
		db.Into(&out.Entries, entriesSQL, a))
	switch {
	case err != nil:
		return out, false, fmt.Errorf("read statement: %w", err)
	case len(holders) == 0:
		return out, false, people.ErrNoStudent
	}
	out.Student, out.Charges = holders[0].student, make([]*Charge, len(charges))
	for i := range charges {
		charges[i].setStatus()
		out.Charges[i] = &charges[i]
	}
	addBalances(out.Entries)
	out.Totals = total(out, today)
	if len(out.Entries) == 0 {
		return out, len(charges) == 0, nil
	}
	return out, out.Entries[0].Version == holders[0].Version, nil
}

// addBalances sets the running balance.
func addBalances(entries []Entry) {
	var balance money.Money
	for i := range entries {
		e := &entries[i]
		if e.Type == "DR" {
			balance += e.Amount
		} else {
			balance -= e.Amount
		}
		e.Balance = balance
	}
}

// total sums a statement. The advance is the negative balance: a student never has
// both an advance and a debt.
func total(s Statement, today clock.Date) (t Totals) {
	for _, c := range s.Charges {
		switch {
		case c.Status == statusVoid:
			continue
		case c.isFine():
			t.Fine += c.Amount
		case c.isOpening(): // below, with the advances
		default:
			t.Charged += c.Amount
		}
		t.Concession += c.Conceded
		t.Due += c.outstanding()
		if c.DueDate < today {
			t.Overdue += c.outstanding()
		}
	}
	for _, e := range s.Entries {
		switch {
		case e.Opening && e.Type == string(ledger.DR):
			t.Opening += e.Amount
		case e.Opening:
			t.Opening -= e.Amount
		}
	}
	if n := len(s.Entries); n > 0 {
		t.Advance = max(0, -s.Entries[n-1].Balance)
	}
	t.Paid = t.Opening + t.Charged + t.Fine - t.Concession - t.Due + t.Advance
	return t
}
