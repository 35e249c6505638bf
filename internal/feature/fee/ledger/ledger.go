// Package ledger is a school's double-entry ledger.
//
// A Transaction has two or more entries whose debits equal its credits. Only Post
// writes transactions, and it refuses one that does not balance. The ledger is
// append-only: a mistake is corrected once, by a reversing transaction. Triggers
// refuse updates and deletes.
//
// A student's account is debited with charges and credited with payments and
// concessions, so its balance is the amount due. An advance is a liability of the
// school.
package ledger

import (
	"context"
	"fmt"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// Side is debit or credit.
type Side string

// Debit and credit.
const (
	DR Side = "DR"
	CR Side = "CR"
)

// The kinds of accounts.
const (
	kindStudent    = "STUDENT"
	kindAdvance    = "ADVANCE"
	kindIncome     = "INCOME"
	kindFine       = "FINE"
	kindConcession = "CONCESSION"
	kindCash       = "CASH"
	kindBank       = "BANK"
	kindOpening    = "OPENING"
)

// Account names an account of a school.
type Account struct {
	Kind    string
	Student id.ID  // for student accounts and advances
	Head    id.ID  // for income and fines
	Method  string // for cash and bank
}

// Student is a student's own account.
func Student(student id.ID) Account { return Account{Kind: kindStudent, Student: student} }

// Advance is the account of a student's prepayments.
func Advance(student id.ID) Account { return Account{Kind: kindAdvance, Student: student} }

// Income is the revenue account of a fee head.
func Income(head id.ID) Account { return Account{Kind: kindIncome, Head: head} }

// Fine is the revenue account for the fines of a fee head.
func Fine(head id.ID) Account { return Account{Kind: kindFine, Head: head} }

// Concession is the account of revenue that the school waives.
func Concession() Account { return Account{Kind: kindConcession} }

// Cash is the account of a payment method: cash, or a bank account per method.
func Cash(method string) Account {
	if method == kindCash {
		return Account{Kind: kindCash, Method: method}
	}
	return Account{Kind: kindBank, Method: method}
}

// Opening is the other side of opening balances: neither income nor money received.
func Opening() Account { return Account{Kind: kindOpening} }

// Kind is the type of a transaction.
type Kind string

// The kinds of transactions.
const (
	Charge     Kind = "CHARGE"
	Payment    Kind = "PAYMENT"
	Concede    Kind = "CONCESSION"
	UseAdvance Kind = "ADVANCE" // between a student's account and its advance
	Refund     Kind = "REFUND"
	BringIn    Kind = "OPENING" // an advance paid before the books began
	Reversal   Kind = "REVERSAL"
)

// Transaction is one ledger transaction. Its narration names no person, because the
// ledger is kept when personal data is erased.
type Transaction struct {
	Seq       int64 // set by Post
	Kind      Kind
	Date      clock.Date
	Narration string
	Reverses  *int64 // Seq of the reversed transaction, for kind Reversal
	About     About
	Entries   []Entry
}

// About has the records that a transaction belongs to.
type About struct{ ChargeID, ConcessionID, ReceiptID, RefundID, OpeningID id.ID }

// Entry is one line of a transaction.
type Entry struct {
	Side    Side
	Account Account
	Amount  money.Money
}

// Debit adds a debit entry, unless the amount is 0.
func (t *Transaction) Debit(a Account, amount money.Money) { t.add(Entry{DR, a, amount}) }

// Credit adds a credit entry, unless the amount is 0.
func (t *Transaction) Credit(a Account, amount money.Money) { t.add(Entry{CR, a, amount}) }

func (t *Transaction) add(e Entry) {
	if e.Amount != 0 {
		t.Entries = append(t.Entries, e)
	}
}

// Mirror returns the transaction that reverses t, with debits and credits swapped.
func (t *Transaction) Mirror(day clock.Date, narration string) *Transaction {
	m := &Transaction{Kind: Reversal, Date: day, Narration: narration, Reverses: &t.Seq, About: t.About}
	for _, e := range t.Entries {
		e.Side = map[Side]Side{DR: CR, CR: DR}[e.Side]
		m.add(e)
	}
	return m
}

// check reports whether the transaction balances.
func (t *Transaction) check() error {
	var sum money.Money
	for _, e := range t.Entries {
		switch {
		case e.Amount <= 0:
			return fmt.Errorf("ledger: entry with amount %s in %q", e.Amount, t.Narration)
		case e.Side == DR:
			sum += e.Amount
		default:
			sum -= e.Amount
		}
	}
	if len(t.Entries) < 2 || sum != 0 || (t.Kind == Reversal) != (t.Reverses != nil) {
		return fmt.Errorf("ledger: %q does not balance: %d entries, debit - credit = %s", t.Narration, len(t.Entries), sum)
	}
	return nil
}

// Lock locks the school's ledger until the database transaction ends.
func Lock(ctx context.Context, tx *db.Tx) error {
	if err := tx.Lock(ctx, "ledger"); err != nil {
		return fmt.Errorf("lock the ledger: %w", err)
	}
	return nil
}
