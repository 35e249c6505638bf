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

// Reverse reverses a receipt, for a bounced cheque or a mistake. Its charges are due
// again; the receipt stays, with status REVERSED.
func (s *Service) Reverse(ctx context.Context, who actor.Actor, in Undo) (Receipt, error) {
	return s.reverseIf(ctx, who, in, func(context.Context, *db.Tx, Receipt) error { return nil })
}

// reverseIf reverses a receipt unless allowed returns an error.
func (s *Service) reverseIf(ctx context.Context, who actor.Actor, in Undo,
	allowed func(context.Context, *db.Tx, Receipt) error) (out Receipt, err error) {
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
		if err := allowed(ctx, tx, r); err != nil {
			return err
		}
		b.date = max(b.date, r.Date) // the school's time zone may have changed since
		if err := b.reversePayment(ctx, r); err != nil {
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
		var parts []part
		for _, p := range r.Students {
			parts = append(parts, part{student: p.StudentID, record: r.ID, amount: p.Amount})
		}
		if err := s.notifyParents(ctx, tx, who.School, reversed, parts); err != nil {
			return err
		}
		if out, err = getReceipt(ctx, tx, r.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-receipt.reverse", "fee-receipt", r.ID, map[string]any{"status": receiptIssued},
			map[string]any{"status": receiptReversed})
	})
	return out, err
}

// reversePayment posts the reversal of a receipt's transaction, after undoing what
// its money has been used for since.
func (b *book) reversePayment(ctx context.Context, r Receipt) error {
	standing, err := ledger.Standing(ctx, b.tx, ledger.Payment, "receipt_id", []id.ID{r.ID})
	if err != nil {
		return err
	}
	if len(standing) != 1 {
		return fmt.Errorf("fee: receipt %s has %d transactions that are not reversed, want 1", r.ID, len(standing))
	}
	var students []id.ID
	for _, st := range r.Students {
		students = append(students, st.StudentID)
	}
	if err := b.load(ctx, students...); err != nil {
		return err
	}
	paid, err := listAllocations(ctx, b.tx, ` AND receipt_id IN (:ids)`, []id.ID{r.ID})
	if err != nil {
		return err
	}
	drawn, err := listAllocations(ctx, b.tx, ` AND student_id IN (:ids) AND source = 'ADVANCE'`, students)
	if err != nil {
		return err
	}
	if err := b.trackAll(ctx, paid, drawn); err != nil {
		return err
	}
	for _, line := range r.Students {
		if err := b.prepareReversal(line, paid, drawn); err != nil {
			return err
		}
	}
	p := b.reverse(standing[0])
	for _, sh := range paid {
		b.allocate(p, fromPayment, r.ID, b.find(sh.StudentID, sh.ChargeID), -sh.Amount)
	}
	for _, student := range students {
		b.useAdvance(student)
	}
	return nil
}

// trackAll tracks the charges of allocations.
func (b *book) trackAll(ctx context.Context, lists ...[]allocation) error {
	var ids []id.ID
	for _, list := range lists {
		for _, sh := range list {
			ids = append(ids, sh.ChargeID)
		}
	}
	charges, err := listCharges(ctx, b.tx, ` AND c.id IN (:ids)`, ids)
	for _, c := range charges {
		b.track(c)
	}
	return err
}

// prepareReversal makes one student's account ready for the reversal of a receipt.
// The reversal debits the advance with the part that was an advance at first, and
// with the part that moved there later. If the advance is too small for both,
// charges that were paid from it become unpaid, the latest first.
func (b *book) prepareReversal(line PaidFor, paid, drawn []allocation) error {
	a, student := b.account(line.StudentID), line.StudentID
	left := line.Amount - line.Advance // allocated to charges at first; below, what moved to the advance since
	for _, sh := range paid {
		if sh.StudentID == student {
			left -= sh.Amount
		}
	}
	if short := line.Advance + left - a.Advance; short > 0 {
		if err := b.returnToAdvance(student, short, drawn); err != nil {
			return err
		}
	}
	if left > 0 {
		p := b.post(ledger.UseAdvance, text.T("fee.entry.drawn"), ledger.About{})
		p.Debit(ledger.Advance(student), left)
		p.Credit(ledger.Student(student), left)
	}
	a.Advance -= left + line.Advance
	return nil
}

// returnToAdvance takes payments from charges back to the advance.
func (b *book) returnToAdvance(student id.ID, short money.Money, drawn []allocation) error {
	p := b.post(ledger.UseAdvance, text.T("fee.entry.back"), ledger.About{})
	a, sum := b.account(student), money.Money(0)
	for _, sh := range drawn {
		if part := min(sh.Amount, short-sum); sh.StudentID == student && part > 0 {
			b.allocate(p, fromAdvance, "", b.find(student, sh.ChargeID), -part)
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
