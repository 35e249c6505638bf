package fee

import (
	"context"
	"fmt"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/text"
)

// Reverse takes a receipt back: the cheque bounced, or it was a mistake. The money
// and what it paid for both come back; the receipt stays, marked.
func (s *Service) Reverse(ctx context.Context, who actor.Actor, in Undo) (out Receipt, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		r, err := getReceipt(ctx, tx, in.ID)
		switch {
		case err != nil:
			return err
		case r.Status == receiptReversed:
			return errReversed
		}
		b.date = max(b.date, r.Date) // a zone that was changed since must not put it before
		if err := b.unpay(ctx, r); err != nil {
			return err
		}
		if err := b.write(ctx); err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `
			UPDATE fee_receipts SET status = 'REVERSED', reversed_on = :day, reversal_reason = :reason, updated_at = :now
			WHERE school_id = :school AND id = :id`, db.Args{"id": r.ID, "day": b.date, "reason": in.Reason, "now": b.now})
		if err != nil {
			return fault.Wrap("reverse receipt", err)
		}
		var students []id.ID
		for _, st := range r.Students {
			students = append(students, st.StudentID)
		}
		if err := s.tellReceipt(ctx, tx, who.School, r.ID, students, text.T("fee.reversed.title"), text.T("fee.reversed.body")); err != nil {
			return err
		}
		if out, err = getReceipt(ctx, tx, r.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-receipt.reverse", "fee-receipt", r.ID, map[string]any{"status": receiptIssued}, map[string]any{"status": receiptReversed})
	})
	return out, err
}

// unpay mirrors the transaction of a receipt, once everything that its money has
// since become is undone.
func (b *book) unpay(ctx context.Context, r Receipt) error {
	standing, err := ledger.Standing(ctx, b.tx, ledger.Payment, "receipt_id", []id.ID{r.ID})
	if err != nil {
		return err
	}
	if len(standing) != 1 {
		return fmt.Errorf("fee: receipt %s has %d transactions that stand", r.ID, len(standing))
	}
	var students []id.ID
	for _, st := range r.Students {
		students = append(students, st.StudentID)
	}
	if err := b.load(ctx, students...); err != nil {
		return err
	}
	paid, err := listShares(ctx, b.tx, ` AND receipt_id IN (:ids)`, []id.ID{r.ID})
	if err != nil {
		return err
	}
	drawn, err := listShares(ctx, b.tx, ` AND student_id IN (:ids) AND source = 'ADVANCE'`, students)
	if err != nil {
		return err
	}
	if err := b.holdAll(ctx, paid, drawn); err != nil {
		return err
	}
	for _, line := range r.Students {
		if err := b.release(line, paid, drawn); err != nil {
			return err
		}
	}
	p := b.mirror(standing[0])
	for _, sh := range paid {
		b.cover(p, fromPayment, r.ID, b.find(sh.StudentID, sh.ChargeID), -sh.Amount)
	}
	for _, student := range students {
		b.spend(student)
	}
	return nil
}

// holdAll takes in the charges that shares are of.
func (b *book) holdAll(ctx context.Context, lists ...[]share) error {
	var ids []id.ID
	for _, list := range lists {
		for _, sh := range list {
			ids = append(ids, sh.ChargeID)
		}
	}
	charges, err := listCharges(ctx, b.tx, ` AND c.id IN (:ids)`, ids)
	for _, c := range charges {
		b.hold(c)
	}
	return err
}

// release makes ready what the mirror of a receipt takes from one student: the
// part that was more than due, which the mirror takes from the advance, and the
// part that has left its charges since, which went to the advance and comes back
// from it. Where the advance no longer has that, what was paid from it is unpaid
// again, the latest first.
func (b *book) release(line PaidFor, paid, drawn []share) error {
	a, student := b.account(line.StudentID), line.StudentID
	left := line.Amount - line.Advance // the mirror debits the student with this much
	for _, sh := range paid {
		if sh.StudentID == student {
			left -= sh.Amount
		}
	}
	if short := line.Advance + left - a.Advance; short > 0 {
		if err := b.undraw(student, short, drawn); err != nil {
			return err
		}
	}
	if left > 0 {
		p := b.post(ledger.UseAdvance, "From the advance, to be reversed", ledger.About{})
		p.Debit(ledger.Advance(student), left)
		p.Credit(ledger.Student(student), left)
	}
	a.Advance -= left + line.Advance
	return nil
}

// undraw gives back to the advance what charges were paid from it.
func (b *book) undraw(student id.ID, short money.Money, drawn []share) error {
	p := b.post(ledger.UseAdvance, "Back to the advance", ledger.About{})
	a, sum := b.account(student), money.Money(0)
	for _, sh := range drawn {
		if part := min(sh.Amount, short-sum); sh.StudentID == student && part > 0 {
			b.cover(p, fromAdvance, "", b.find(student, sh.ChargeID), -part)
			sum += part
		}
	}
	if sum < short {
		return errRefunded
	}
	a.Advance += sum
	p.Debit(ledger.Student(student), sum)
	p.Credit(ledger.Advance(student), sum)
	return nil
}
