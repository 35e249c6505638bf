package ledger

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// row is a row of ledger_transactions.
type row struct {
	About
	Seq       int64
	Kind      Kind
	Date      clock.Date
	Narration string
	Reverses  *int64
	UserID    id.ID
	CreatedAt time.Time
}

// line is a row of ledger_entries.
type line struct {
	Seq       int64
	Line      int
	Date      clock.Date
	Type      Side
	Account   string
	StudentID id.ID
	HeadID    id.ID
	Method    *string
	Amount    money.Money
}

// LastSQL is a subquery for the number of the school's last transaction.
const LastSQL = `COALESCE((SELECT seq FROM ledger_transactions WHERE school_id = :school ORDER BY seq DESC LIMIT 1), 0)`

// Last is the number of the school's last transaction.
func Last(ctx context.Context, tx *db.Tx) (int64, error) {
	last, err := db.One[int64](ctx, tx, `SELECT `+LastSQL+` AS last`, nil)
	if err != nil {
		return 0, fmt.Errorf("number transactions: %w", err)
	}
	return last, nil
}

// Post writes transactions and numbers them from last + 1. The caller must hold the
// Lock since before it read last.
func Post(ctx context.Context, tx *db.Tx, user id.ID, now time.Time, last int64, all []*Transaction) error {
	rows, lines := make([]row, len(all)), make([]line, 0, 2*len(all))
	for i, t := range all {
		if err := t.check(); err != nil {
			return err
		}
		t.Seq = last + int64(i) + 1
		rows[i] = row{t.About, t.Seq, t.Kind, t.Date, t.Narration, t.Reverses, user, now}
		for j, e := range t.Entries {
			lines = append(lines, e.line(t, j))
		}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO ledger_transactions (school_id, seq, kind, date, narration, reverses, charge_id, concession_id, receipt_id, refund_id,
			opening_id, user_id, created_at)
		VALUES (:school, :seq, :kind, :date, :narration, :reverses, :charge_id, :concession_id, :receipt_id, :refund_id, :opening_id,
			:user_id, :created_at)`, rows)
	if err != nil {
		return fmt.Errorf("write transactions: %w", err)
	}
	_, err = db.Insert(ctx, tx, `
		INSERT INTO ledger_entries (school_id, seq, line, date, type, account, student_id, head_id, method, amount)
		VALUES (:school, :seq, :line, :date, :type, :account, :student_id, :head_id, :method, :amount)`, lines)
	if err != nil {
		return fmt.Errorf("write entries: %w", err)
	}
	return nil
}

func (e Entry) line(t *Transaction, no int) line {
	l := line{Seq: t.Seq, Line: no, Date: t.Date, Type: e.Side, Account: e.Account.Kind,
		StudentID: e.Account.Student, HeadID: e.Account.Head, Amount: e.Amount}
	if e.Account.Method != "" {
		l.Method = &e.Account.Method
	}
	return l
}

// Standing returns the transactions of a kind that were not reversed, in order.
// column is charge_id, concession_id, receipt_id, refund_id or opening_id. CROSS JOIN makes
// SQLite start with the few transactions instead of scanning all entries.
func Standing(ctx context.Context, q db.Q, kind Kind, column string, ids []id.ID) ([]*Transaction, error) {
	type found struct {
		About
		line
		Kind      Kind
		Narration string
	}
	rows, err := db.All[found](ctx, q, `
		SELECT t.kind, t.narration, t.charge_id, t.concession_id, t.receipt_id, t.refund_id, t.opening_id,
			e.seq, e.line, e.date, e.type, e.account, e.student_id, e.head_id, e.method, e.amount
		FROM ledger_transactions t CROSS JOIN ledger_entries e
		WHERE e.school_id = t.school_id AND e.seq = t.seq
			AND t.school_id = :school AND t.`+column+` IN (:ids) AND t.kind = :kind AND t.reverses IS NULL AND NOT EXISTS (
			SELECT 1 FROM ledger_transactions r WHERE r.school_id = :school AND r.reverses = t.seq)
		ORDER BY e.seq, e.line`, db.Args{"ids": ids, "kind": kind})
	if err != nil {
		return nil, fmt.Errorf("read transactions: %w", err)
	}
	var out []*Transaction
	for _, r := range rows {
		if len(out) == 0 || out[len(out)-1].Seq != r.Seq {
			out = append(out, &Transaction{Seq: r.Seq, Kind: r.Kind, Date: r.Date, Narration: r.Narration, About: r.About})
		}
		t := out[len(out)-1]
		a := Account{Kind: r.Account, Student: r.StudentID, Head: r.HeadID}
		if r.Method != nil {
			a.Method = *r.Method
		}
		t.Entries = append(t.Entries, Entry{r.Type, a, r.Amount})
	}
	return out, nil
}
