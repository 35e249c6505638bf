package fee

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// book is a change of the books that is being made. Its methods keep three things
// in step: the entries of the ledger, what each charge has been paid, and what
// each student owes or has in advance. Nothing is in the database before write.
type book struct {
	s    *Service
	tx   *db.Tx
	who  actor.Actor
	now  time.Time
	date clock.Date // on which all of it is booked

	accounts map[id.ID]*account
	unpaid   map[id.ID][]*Charge // of each student, the oldest due first
	changed  []*Charge
	granted  []*Concession // whose amount given has changed
	posts    []*posting
	last     int64 // the last transaction's number, if it was read already
}

// account is what a student owes, or has paid in advance; never both.
type account struct {
	StudentID id.ID
	Due       money.Money
	Advance   money.Money
	Category  string
	touched   bool // it is to be written
}

// posting is a transaction and what of it went to which charge.
type posting struct {
	*ledger.Transaction
	shares []share
}

// share is what of a transaction went to a charge, or came back from it.
type share struct {
	Source    string
	StudentID id.ID
	ChargeID  id.ID
	ReceiptID id.ID
	Amount    money.Money
}

// Where the cover of a charge comes from.
const (
	fromPayment    = "PAYMENT"
	fromAdvance    = "ADVANCE"
	fromConcession = "CONCESSION"
)

// most is what an account holds: far from where numbers end, and from what any
// school is owed.
const most money.Money = 100_000 * money.Max

// openBook locks the school's books and reads the accounts of the students. It
// must come before anything else of them is read.
func (s *Service) openBook(ctx context.Context, tx *db.Tx, who actor.Actor, date clock.Date) (*book, error) {
	if err := ledger.Lock(ctx, tx); err != nil {
		return nil, err
	}
	return &book{s: s, tx: tx, who: who, now: s.Now(), date: date,
		accounts: map[id.ID]*account{}, unpaid: map[id.ID][]*Charge{}}, nil
}

// load reads the accounts of students, and what they have not paid.
func (b *book) load(ctx context.Context, students ...id.ID) error {
	if err := b.loadAccounts(ctx, students); err != nil {
		return err
	}
	charges, err := listUnpaid(ctx, b.tx, students)
	for _, c := range charges {
		b.unpaid[c.StudentID] = append(b.unpaid[c.StudentID], c)
	}
	return err
}

func (b *book) loadAccounts(ctx context.Context, students []id.ID) error {
	all, err := listAccounts(ctx, b.tx, students)
	for i := range all {
		b.accounts[all[i].StudentID] = &all[i]
	}
	return err
}

// account is that of a student, to be changed. There may be none yet.
func (b *book) account(student id.ID) *account {
	if b.accounts[student] == nil {
		b.accounts[student] = &account{StudentID: student}
	}
	b.accounts[student].touched = true
	return b.accounts[student]
}

// hold finds a charge as the book has it, or takes it in.
func (b *book) hold(c *Charge) *Charge {
	for _, known := range b.unpaid[c.StudentID] {
		if known.ID == c.ID {
			return known
		}
	}
	list := append(b.unpaid[c.StudentID], c)
	slices.SortStableFunc(list, byAge)
	b.unpaid[c.StudentID] = list
	return c
}

func byAge(a, b *Charge) int {
	if n := strings.Compare(string(a.DueDate), string(b.DueDate)); n != 0 {
		return n
	}
	return strings.Compare(string(a.ID), string(b.ID))
}

func (b *book) touch(c *Charge) {
	if !c.touched {
		c.touched = true
		b.changed = append(b.changed, c)
	}
	c.settle()
	c.UpdatedAt = b.now
}

func (b *book) post(kind ledger.Kind, narration string, about ledger.About) *posting {
	p := &posting{Transaction: &ledger.Transaction{ID: b.s.NewID(), Kind: kind, Date: b.date, Narration: narration, About: about}}
	b.posts = append(b.posts, p)
	return p
}

// mirror reverses a transaction that stands.
func (b *book) mirror(t *ledger.Transaction) *posting {
	p := &posting{Transaction: t.Mirror(b.s.NewID(), b.date)}
	b.posts = append(b.posts, p)
	return p
}

// cover notes that a part of a transaction pays for a charge (or, negative, no
// longer does). The entries of the transaction are the caller's.
func (b *book) cover(p *posting, source string, receipt id.ID, c *Charge, amount money.Money) {
	if source == fromConcession {
		c.Conceded += amount
	} else {
		c.Paid += amount
	}
	b.account(c.StudentID).Due -= amount
	p.shares = append(p.shares, share{source, c.StudentID, c.ID, receipt, amount})
	b.touch(c)
}

// owe charges an amount: the whole of a new charge, or what a fine has grown by.
func (b *book) owe(c *Charge, amount money.Money) {
	p := b.post(ledger.Charge, c.Title, ledger.About{ChargeID: c.ID})
	p.Debit(ledger.Student(c.StudentID), amount)
	if c.isFine() {
		p.Credit(ledger.Fine(c.HeadID), amount)
	} else {
		p.Credit(ledger.Income(c.HeadID), amount)
	}
	c.Amount += amount
	b.account(c.StudentID).Due += amount
	b.touch(c)
}

// concede lowers a charge.
func (b *book) concede(k *Concession, c *Charge, amount money.Money) {
	p := b.post(ledger.Concede, "Concession: "+c.Title, ledger.About{ChargeID: c.ID, ConcessionID: k.ID})
	p.Debit(ledger.Concession(), amount)
	p.Credit(ledger.Student(c.StudentID), amount)
	b.cover(p, fromConcession, "", c, amount)
	b.grant(k, amount)
}

func (b *book) grant(k *Concession, amount money.Money) {
	k.Given += amount
	if !slices.Contains(b.granted, k) {
		b.granted = append(b.granted, k)
	}
}

// spend pays what a student owes out of its advance.
func (b *book) spend(student id.ID) {
	a := b.account(student)
	if a.Advance == 0 || a.Due == 0 {
		return
	}
	p := b.post(ledger.UseAdvance, "Paid from the advance", ledger.About{})
	var used money.Money
	for _, c := range b.unpaid[student] {
		if part := min(c.open(), a.Advance-used); part > 0 {
			b.cover(p, fromAdvance, "", c, part)
			used += part
		}
	}
	a.Advance -= used
	p.Debit(ledger.Advance(student), used)
	p.Credit(ledger.Student(student), used)
}

// free moves what was paid for a charge to the advance.
func (b *book) free(c *Charge, paid []share) {
	var sum money.Money
	p := b.post(ledger.UseAdvance, "To the advance: "+c.Title, ledger.About{ChargeID: c.ID})
	for _, from := range paid {
		b.cover(p, from.Source, from.ReceiptID, c, -from.Amount)
		sum += from.Amount
	}
	b.account(c.StudentID).Advance += sum
	p.Debit(ledger.Student(c.StudentID), sum)
	p.Credit(ledger.Advance(c.StudentID), sum)
}

// write puts all of it into the database.
func (b *book) write(ctx context.Context) error {
	for student, a := range b.accounts {
		if a.Due < 0 || a.Advance < 0 || a.Due > 0 && a.Advance > 0 {
			return fmt.Errorf("fee: the account of %s would owe %s and have %s in advance", student, a.Due, a.Advance)
		}
		if a.Due > most || a.Advance > most {
			return errTooMuch
		}
	}
	if err := putCharges(ctx, b.tx, b.changed); err != nil {
		return err
	}
	all := make([]*ledger.Transaction, len(b.posts))
	for i, p := range b.posts {
		all[i] = p.Transaction
	}
	if err := b.number(ctx); err != nil {
		return err
	}
	if err := ledger.Post(ctx, b.tx, b.who.User, b.now, b.last, all); err != nil {
		return err
	}
	if err := putShares(ctx, b.tx, b.posts); err != nil {
		return err
	}
	if err := putAccounts(ctx, b.tx, b.accounts, b.now); err != nil {
		return err
	}
	return putGiven(ctx, b.tx, b.granted, b.now)
}

// number finds out how many transactions there are, unless that is known.
func (b *book) number(ctx context.Context) (err error) {
	if b.last == 0 {
		b.last, err = ledger.Last(ctx, b.tx)
	}
	return err
}
