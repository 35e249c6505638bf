package fee

import (
	"context"
	"fmt"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// NewReceipt is a payment for one or more students.
type NewReceipt struct {
	StudentID   *id.ID          `json:"studentId" example:"0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47" doc:"The student; or use payments for several children of a family."`
	Amount      *money.Positive `json:"amount" minimum:"0.01" maximum:"9999999999.99" example:"1500.50"`
	Payments    []NewPayment    `json:"payments" maxItems:"20" example:"-" doc:"Instead of studentId and amount: one amount per child, on one receipt."`
	Method      string          `json:"method" required:"true" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Reference   string          `json:"reference" maxLength:"100" doc:"The number of the cheque or the transfer."`
	Date        *clock.Date     `json:"date" doc:"The date of the payment. Default: today."`
	Allocations []NewAllocation `json:"allocations" maxItems:"500" doc:"The charges to pay. The rest pays the oldest charges first; what is left becomes an advance."`
	Payer       string          `json:"payer" maxLength:"200" doc:"The payer's name on the receipt."`
	Note        string          `json:"note" maxLength:"500" multiline:"true"`
}

// NewPayment is the amount for one student.
type NewPayment struct {
	StudentID id.ID          `json:"studentId" required:"true"`
	Amount    money.Positive `json:"amount" required:"true" minimum:"0.01" maximum:"9999999999.99"`
}

// NewAllocation is the amount to pay of one charge.
type NewAllocation struct {
	ChargeID id.ID          `json:"chargeId" required:"true"`
	Amount   money.Positive `json:"amount" required:"true" minimum:"0.01" maximum:"9999999999.99"`
}

// Check validates the fields together. It also converts studentId and amount to
// payments.
func (in *NewReceipt) Check() error {
	var bad []fault.Field
	say := func(field, what string) { bad = append(bad, fault.Field{Field: field, Message: what}) }
	switch {
	case len(in.Payments) > 0 && (in.StudentID != nil || in.Amount != nil):
		say("payments", "can't be combined with studentId and amount")
	case len(in.Payments) > 0:
	case in.StudentID == nil:
		say("studentId", "is required")
	case in.Amount == nil:
		say("amount", "is required")
	default:
		in.Payments = []NewPayment{{*in.StudentID, *in.Amount}}
	}
	students, charges := map[id.ID]bool{}, map[id.ID]bool{}
	for i, p := range in.Payments {
		if students[p.StudentID] {
			say(fmt.Sprintf("payments[%d].studentId", i), "is a duplicate")
		}
		students[p.StudentID] = true
	}
	for i, a := range in.Allocations {
		if charges[a.ChargeID] {
			say(fmt.Sprintf("allocations[%d].chargeId", i), "is a duplicate")
		}
		charges[a.ChargeID] = true
	}
	if len(bad) > 0 {
		return fault.Fields(bad...)
	}
	return nil
}

func (in *NewReceipt) students() []id.ID {
	ids := make([]id.ID, len(in.Payments))
	for i, p := range in.Payments {
		ids[i] = p.StudentID
	}
	return ids
}

// parts are what parents are told of the receipt.
func (in *NewReceipt) parts(receipt id.ID) []part {
	out := make([]part, len(in.Payments))
	for i, p := range in.Payments {
		out[i] = part{student: p.StudentID, record: receipt, amount: money.Money(p.Amount)}
	}
	return out
}

func (in *NewReceipt) total() (sum money.Money) {
	for _, p := range in.Payments {
		sum += money.Money(p.Amount)
	}
	return sum
}

// Collect records a payment: one receipt, one ledger transaction. Work that does
// not need the ledger lock comes first, to keep the lock short.
func (s *Service) Collect(ctx context.Context, who actor.Actor, in NewReceipt) (out Receipt, err error) {
	date := s.today(who)
	if in.Date != nil {
		if *in.Date > date {
			return out, fault.OnField("date", "must not be in the future")
		}
		date = *in.Date
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		students, err := getStudents(ctx, tx, in.students())
		if err != nil {
			return err
		}
		receipt := s.NewID()
		if err := s.notifyParents(ctx, tx, who.School, received, in.parts(receipt)); err != nil {
			return err
		}
		err = s.record(ctx, tx, who, "fee-receipt.issue", "fee-receipt", receipt, nil,
			map[string]any{"amount": in.total(), "method": in.Method, "date": date, "students": in.students()})
		if err != nil {
			return err
		}
		b, err := s.openBook(ctx, tx, who, date)
		if err != nil {
			return err
		}
		r, err := b.receive(ctx, in, receipt)
		out = r.show(students, b)
		return err
	})
	return out, err
}

// receive writes a receipt and posts it to the ledger.
func (b *book) receive(ctx context.Context, in NewReceipt, receipt id.ID) (Receipt, error) {
	if err := b.load(ctx, in.students()...); err != nil {
		return Receipt{}, err
	}
	if err := b.updateFines(ctx, b.date); err != nil {
		return Receipt{}, err
	}
	requested, err := b.requested(ctx, in)
	if err != nil {
		return Receipt{}, err
	}
	r, err := b.issue(ctx, in, receipt)
	if err != nil {
		return Receipt{}, err
	}
	b.pay(&r, in, requested)
	if err := putLines(ctx, b.tx, r); err != nil {
		return Receipt{}, err
	}
	return r, b.write(ctx)
}

// requested returns the charges that the payment names, with the amount of each.
func (b *book) requested(ctx context.Context, in NewReceipt) (map[*Charge]money.Money, error) {
	out := map[*Charge]money.Money{}
	if len(in.Allocations) == 0 {
		return out, nil
	}
	ids := make([]id.ID, len(in.Allocations))
	for i, a := range in.Allocations {
		ids[i] = a.ChargeID
	}
	found, err := listCharges(ctx, b.tx, ` AND c.id IN (:ids)`, ids)
	if err != nil {
		return nil, err
	}
	at := map[id.ID]*Charge{}
	for _, c := range found {
		at[c.ID] = c
	}
	left := map[id.ID]money.Money{}
	for _, p := range in.Payments {
		left[p.StudentID] = money.Money(p.Amount)
	}
	for i, a := range in.Allocations {
		field := fmt.Sprintf("allocations[%d].", i)
		c := at[a.ChargeID]
		if c == nil {
			return nil, errNoCharge
		}
		if _, paying := left[c.StudentID]; !paying {
			return nil, fault.OnField(field+"chargeId", "belongs to another student")
		}
		c = b.track(c)
		if c.outstanding() < money.Money(a.Amount) {
			return nil, fault.OnField(field+"amount", "is more than the %s still to pay for %s", c.outstanding(), c.Title)
		}
		if left[c.StudentID] -= money.Money(a.Amount); left[c.StudentID] < 0 {
			return nil, fault.OnField(field+"amount", "exceeds the payment for this student")
		}
		out[c] = money.Money(a.Amount)
	}
	return out, nil
}

// issue writes the receipt with the next number of its academic year.
func (b *book) issue(ctx context.Context, in NewReceipt, receipt id.ID) (Receipt, error) {
	year, err := b.number(ctx, "fee_receipts", "-")
	if err != nil {
		return Receipt{}, err
	}
	r := Receipt{ID: receipt, AcademicYearID: year.ID, No: year.Next, Number: year.Number, Date: b.date,
		Method: in.Method, Reference: opt.Text(in.Reference), Payer: opt.Text(in.Payer), Note: opt.Text(in.Note), Amount: in.total(),
		Status: receiptIssued, CreatedAt: b.now, UpdatedAt: b.now}
	if b.who.User != "" {
		r.ReceivedBy = &b.who.User
	}
	return r, putReceipt(ctx, b.tx, r)
}

// pay posts the payment and allocates it: to the charges it names, then to the
// oldest due; the rest is an advance.
func (b *book) pay(r *Receipt, in NewReceipt, requested map[*Charge]money.Money) {
	p := b.post(ledger.Payment, text.T("fee.entry.receipt", "number", r.Number), ledger.About{ReceiptID: r.ID})
	p.Debit(ledger.Cash(r.Method), r.Amount)
	for _, part := range in.Payments {
		rest := money.Money(part.Amount)
		for _, c := range b.unpaid[part.StudentID] {
			rest -= requested[c]
		}
		for _, c := range b.unpaid[part.StudentID] {
			more := min(c.outstanding()-requested[c], rest)
			rest -= more
			if amount := requested[c] + more; amount > 0 {
				b.allocate(p, fromPayment, r.ID, c, amount)
			}
		}
		b.account(part.StudentID).Advance += rest
		p.Credit(ledger.Student(part.StudentID), money.Money(part.Amount)-rest)
		p.Credit(ledger.Advance(part.StudentID), rest)
		r.lines = append(r.lines, receiptLine{ReceiptID: r.ID, StudentID: part.StudentID, Amount: money.Money(part.Amount), Advance: rest})
	}
	r.allocations = p.allocations
}
