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
	"homeroom/internal/platform/text"
)

// book is a unit of work on the ledger. Its methods keep three things consistent:
// the ledger entries, the paid amount of each charge, and the balance of each
// student's account. Nothing is in the database before write.
type book struct {
	s    *Service
	tx   *db.Tx
	who  actor.Actor
	now  time.Time
	date clock.Date // booking date of all entries

	accounts map[id.ID]*account
	unpaid   map[id.ID][]*Charge // by student, the oldest due date first
	changed  []*Charge
	granted  []*Concession // whose Given has changed
	openings []*Opening    // new ones
	posts    []*posting
	last     int64 // number of the last ledger transaction; 0 if not read yet
}

// account is a student's balance: due or advance, never both.
type account struct {
	StudentID id.ID
	Due       money.Money
	Advance   money.Money
	Category  string
	touched   bool // must be written
}

// posting is a ledger transaction with its allocations to charges.
type posting struct {
	*ledger.Transaction
	allocations []allocation
}

// allocation is the part of a transaction that pays a charge; negative takes it back.
type allocation struct {
	Source    string
	StudentID id.ID
	ChargeID  id.ID
	ReceiptID id.ID
	Amount    money.Money
}

// The sources of an allocation.
const (
	fromPayment    = "PAYMENT"
	fromAdvance    = "ADVANCE"
	fromConcession = "CONCESSION"
)

// maxBalance bounds an account, far below the overflow of int64.
const maxBalance money.Money = 100_000 * money.Max

// say writes a text of the school's books in its language.
func say(who actor.Actor, t text.Text) string { return text.Standard().Say(who.Locale, t) }

// openBook locks the school's ledger. Call it before reading any balance or charge.
func (s *Service) openBook(ctx context.Context, tx *db.Tx, who actor.Actor, date clock.Date) (*book, error) {
	if err := ledger.Lock(ctx, tx); err != nil {
		return nil, err
	}
	return &book{s: s, tx: tx, who: who, now: s.Now(), date: date,
		accounts: map[id.ID]*account{}, unpaid: map[id.ID][]*Charge{}}, nil
}

// load reads the accounts and the unpaid charges of students.
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

// account returns a student's account for changing, a new one if there is none.
func (b *book) account(student id.ID) *account {
	if b.accounts[student] == nil {
		b.accounts[student] = &account{StudentID: student}
	}
	b.accounts[student].touched = true
	return b.accounts[student]
}

// track returns the book's own copy of a charge, and adds it if there is none.
func (b *book) track(c *Charge) *Charge {
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
	c.setStatus()
	c.UpdatedAt = b.now
}

func (b *book) post(kind ledger.Kind, narration text.Text, about ledger.About) *posting {
	p := &posting{Transaction: &ledger.Transaction{Kind: kind, Date: b.date, Narration: say(b.who, narration), About: about}}
	b.posts = append(b.posts, p)
	return p
}

// reverse posts the reversal of a transaction.
func (b *book) reverse(t *ledger.Transaction) *posting {
	p := &posting{Transaction: t.Mirror(b.date, say(b.who, text.T("fee.entry.reversed", "entry", t.Narration)))}
	b.posts = append(b.posts, p)
	return p
}

// allocate allocates a part of a transaction to a charge; a negative amount takes
// it back. The caller adds the transaction's entries.
func (b *book) allocate(p *posting, source string, receipt id.ID, c *Charge, amount money.Money) {
	if source == fromConcession {
		c.Conceded += amount
	} else {
		c.Paid += amount
	}
	b.account(c.StudentID).Due -= amount
	p.allocations = append(p.allocations, allocation{source, c.StudentID, c.ID, receipt, amount})
	b.touch(c)
}

// charge posts the amount of a new charge, or the growth of a fine.
func (b *book) charge(c *Charge, amount money.Money) *posting {
	p := b.post(ledger.Charge, text.Plain(c.Title), ledger.About{ChargeID: c.ID})
	p.Debit(ledger.Student(c.StudentID), amount)
	switch {
	case c.isFine():
		p.Credit(ledger.Fine(c.HeadID), amount)
	case c.isOpening():
		p.Credit(ledger.Opening(), amount)
	default:
		p.Credit(ledger.Income(c.HeadID), amount)
	}
	c.Amount += amount
	b.account(c.StudentID).Due += amount
	b.touch(c)
	return p
}

// concede lowers a charge by a concession.
func (b *book) concede(k *Concession, c *Charge, amount money.Money) {
	p := b.post(ledger.Concede, text.T("fee.entry.concession", "title", c.Title), ledger.About{ChargeID: c.ID, ConcessionID: k.ID})
	p.Debit(ledger.Concession(), amount)
	p.Credit(ledger.Student(c.StudentID), amount)
	b.allocate(p, fromConcession, "", c, amount)
	b.addGiven(k, amount)
}

func (b *book) addGiven(k *Concession, amount money.Money) {
	k.Given += amount
	if !slices.Contains(b.granted, k) {
		b.granted = append(b.granted, k)
	}
}

// useAdvance pays a student's charges from the advance.
func (b *book) useAdvance(student id.ID) {
	a := b.account(student)
	if a.Advance == 0 || a.Due == 0 {
		return
	}
	p := b.post(ledger.UseAdvance, text.T("fee.entry.advance"), ledger.About{})
	var used money.Money
	for _, c := range b.unpaid[student] {
		if part := min(c.outstanding(), a.Advance-used); part > 0 {
			b.allocate(p, fromAdvance, "", c, part)
			used += part
		}
	}
	a.Advance -= used
	p.Debit(ledger.Advance(student), used)
	p.Credit(ledger.Student(student), used)
}

// moveToAdvance moves the payments of a charge to the advance.
func (b *book) moveToAdvance(c *Charge, paid []allocation) {
	var sum money.Money
	p := b.post(ledger.UseAdvance, text.T("fee.entry.kept", "title", c.Title), ledger.About{ChargeID: c.ID})
	for _, from := range paid {
		b.allocate(p, from.Source, from.ReceiptID, c, -from.Amount)
		sum += from.Amount
	}
	b.account(c.StudentID).Advance += sum
	p.Debit(ledger.Student(c.StudentID), sum)
	p.Credit(ledger.Advance(c.StudentID), sum)
}

// write checks the accounts and writes all changes.
func (b *book) write(ctx context.Context) error {
	for student, a := range b.accounts {
		if a.Due < 0 || a.Advance < 0 || a.Due > 0 && a.Advance > 0 {
			return fmt.Errorf("fee: account of student %s is inconsistent: due %s, advance %s", student, a.Due, a.Advance)
		}
		if a.Due > maxBalance || a.Advance > maxBalance {
			return errTooMuch
		}
	}
	if err := putCharges(ctx, b.tx, b.changed); err != nil {
		return err
	}
	if err := putOpenings(ctx, b.tx, b.openings); err != nil {
		return err
	}
	all := make([]*ledger.Transaction, len(b.posts))
	for i, p := range b.posts {
		all[i] = p.Transaction
	}
	if err := b.readLast(ctx); err != nil {
		return err
	}
	if err := ledger.Post(ctx, b.tx, b.who.User, b.now, b.last, all); err != nil {
		return err
	}
	if err := putAllocations(ctx, b.tx, b.posts); err != nil {
		return err
	}
	if err := putAccounts(ctx, b.tx, b.accounts, b.now); err != nil {
		return err
	}
	return putGiven(ctx, b.tx, b.granted, b.now)
}

// readLast reads the number of the last transaction, unless number already has.
func (b *book) readLast(ctx context.Context) (err error) {
	if b.last == 0 {
		b.last, err = ledger.Last(ctx, b.tx)
	}
	return err
}
