// Package ledger keeps a school's books by double entry.
//
// A Transaction has two or more entries whose debits equal its credits; Post is
// the one function that writes them, and refuses any other. Nothing in the books
// is ever changed: what was wrong is reversed, once, by a transaction that
// mirrors it. The tables themselves refuse an update or a delete.
//
// An account is a kind and whose it is. Debits and credits read as ever: a
// student's account is debited with what is charged and credited with what is
// paid or conceded, so that its balance is what is due; advance is what the
// school owes.
package ledger

import (
	"context"
	"fmt"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// Side is which side of an account an entry is on.
type Side string

// The sides.
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
)

// Account names an account of a school.
type Account struct {
	Kind    string
	Student id.ID  // of a student's account and of its advance
	Head    id.ID  // of income and fines
	Method  string // of cash and bank
}

// Student is a student's own account.
func Student(student id.ID) Account { return Account{Kind: kindStudent, Student: student} }

// Advance is what a student has paid before it was due.
func Advance(student id.ID) Account { return Account{Kind: kindAdvance, Student: student} }

// Income is what the school earns under a head.
func Income(head id.ID) Account { return Account{Kind: kindIncome, Head: head} }

// Fine is what the school earns by the fines of a head.
func Fine(head id.ID) Account { return Account{Kind: kindFine, Head: head} }

// Concession is what the school forgoes.
func Concession() Account { return Account{Kind: kindConcession} }

// Cash is the account that money of this way of paying comes to: the till, or
// one of the bank.
func Cash(method string) Account {
	if method == kindCash {
		return Account{Kind: kindCash, Method: method}
	}
	return Account{Kind: kindBank, Method: method}
}

// Kind is why a transaction was made.
type Kind string

// The kinds of transactions.
const (
	Charge     Kind = "CHARGE"
	Payment    Kind = "PAYMENT"
	Concede    Kind = "CONCESSION"
	UseAdvance Kind = "ADVANCE" // between a student's account and its advance
	Refund     Kind = "REFUND"
	Reversal   Kind = "REVERSAL"
)

// Transaction is one movement of money. Its narration names no person: the books
// outlast them.
type Transaction struct {
	ID        id.ID
	Seq       int64 // Post gives it
	Kind      Kind
	Date      clock.Date
	Narration string
	Reverses  id.ID // the transaction that this one mirrors
	About     About
	Entries   []Entry
}

// About is what a transaction was made for.
type About struct{ ChargeID, ConcessionID, ReceiptID, RefundID id.ID }

// Entry is one line of a transaction.
type Entry struct {
	Side    Side
	Account Account
	Amount  money.Money
}

// Debit adds an entry; of nothing it adds none.
func (t *Transaction) Debit(a Account, amount money.Money) { t.add(Entry{DR, a, amount}) }

// Credit adds an entry; of nothing it adds none.
func (t *Transaction) Credit(a Account, amount money.Money) { t.add(Entry{CR, a, amount}) }

func (t *Transaction) add(e Entry) {
	if e.Amount != 0 {
		t.Entries = append(t.Entries, e)
	}
}

// Mirror is the transaction that reverses t on a day.
func (t *Transaction) Mirror(at id.ID, day clock.Date) *Transaction {
	m := &Transaction{ID: at, Kind: Reversal, Date: day, Narration: "Reversed: " + t.Narration, Reverses: t.ID, About: t.About}
	for _, e := range t.Entries {
		e.Side = map[Side]Side{DR: CR, CR: DR}[e.Side]
		m.add(e)
	}
	return m
}

// check refuses what does not balance.
func (t *Transaction) check() error {
	var sum money.Money
	for _, e := range t.Entries {
		switch {
		case e.Amount <= 0:
			return fmt.Errorf("ledger: an entry of %s in %q", e.Amount, t.Narration)
		case e.Side == DR:
			sum += e.Amount
		default:
			sum -= e.Amount
		}
	}
	if len(t.Entries) < 2 || sum != 0 || (t.Kind == Reversal) != (t.Reverses != "") {
		return fmt.Errorf("ledger: %q does not balance: %d entries, %s more debit than credit", t.Narration, len(t.Entries), sum)
	}
	return nil
}

// Lock makes the transaction the only one that writes in the school's books until
// it ends. What it reads of them from then on is true until then.
func Lock(ctx context.Context, tx *db.Tx) error {
	if err := tx.Lock(ctx, "ledger"); err != nil {
		return fmt.Errorf("lock the ledger: %w", err)
	}
	return nil
}
