package fee

import (
	"context"
	"fmt"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// imports are the imports of opening balances. Undoing one cancels the balances: the
// ledger keeps them and their reversals.
func (s *Service) imports() people.Imports {
	return people.Imports{DB: s.DB, Audit: s.Audit, Now: s.Now, NewID: s.NewID, Entity: "fee-opening",
		Tables: map[string]people.Table{"opening": {Name: "fee_openings", Key: "id", Version: "1"}},
		Holds:  openingHolds(), Lock: ledger.Lock, Remove: s.cancelImported}
}

// openingHolds lists what prevents undoing an import. What an amount paid ahead has paid
// when it was entered does not.
func openingHolds() []people.Hold {
	hold := func(one, many, where string) people.Hold {
		return people.Hold{Of: "opening", Table: "fee_openings", Column: "id", Where: where, One: one, Many: many}
	}
	lowered := func(source string) string {
		return `COALESCE((SELECT SUM(a.amount) FROM fee_allocations a WHERE a.school_id = fee_openings.school_id
			AND a.charge_id = fee_openings.charge_id AND a.source = '` + source + `'), 0) > 0`
	}
	return []people.Hold{
		hold("cancelled opening balance", "cancelled opening balances", `status = 'CANCELLED'`),
		hold("opening balance with a payment", "opening balances with a payment", lowered(fromPayment)),
		hold("opening balance with a concession", "opening balances with a concession", lowered(fromConcession)),
		hold("advance that has paid a later charge", "advances that have paid later charges", `advance > 0 AND EXISTS (
			SELECT 1 FROM fee_allocations a JOIN fee_charges c ON c.school_id = a.school_id AND c.id = a.charge_id
			WHERE a.school_id = fee_openings.school_id AND a.student_id = fee_openings.student_id AND a.source = 'ADVANCE'
				AND c.id > fee_openings.id
			GROUP BY a.charge_id HAVING SUM(a.amount) > 0)`),
		hold("advance with a refund", "advances with a refund", `advance > 0 AND EXISTS (
			SELECT 1 FROM fee_refunds r WHERE r.school_id = fee_openings.school_id AND r.student_id = fee_openings.student_id
				AND r.status = 'PAID' AND r.id > fee_openings.id)`),
	}
}

func (s *Service) cancelImported(ctx context.Context, tx *db.Tx, u *people.Undoing) error {
	return u.Each("opening", func(p people.Part) error {
		b, err := s.openBook(ctx, tx, u.Who, s.today(u.Who))
		if err != nil {
			return err
		}
		all, err := db.All[Opening](ctx, tx, `SELECT `+openingColumns+` FROM fee_openings o WHERE o.school_id = :school AND o.id IN (:ids)`,
			db.Args{"ids": p.Records.V})
		if err != nil {
			return fmt.Errorf("read opening balances: %w", err)
		}
		return b.cancel(ctx, say(u.Who, text.T("fee.opening.undone")), all...)
	})
}

// cancel reverses opening balances, each of another student, and writes the book.
func (b *book) cancel(ctx context.Context, reason string, all ...Opening) error {
	var ids, students, owed []id.ID
	var advances []Opening
	for _, o := range all {
		ids, students = append(ids, o.ID), append(students, o.StudentID)
		if o.ChargeID != nil {
			owed = append(owed, *o.ChargeID)
		} else {
			advances = append(advances, o)
		}
	}
	if err := b.load(ctx, students...); err != nil {
		return err
	}
	if len(owed) > 0 {
		charges, err := listCharges(ctx, b.tx, ` AND c.id IN (:ids)`, owed)
		if err != nil {
			return err
		}
		if err := b.void(ctx, reason, charges); err != nil {
			return err
		}
		for _, c := range charges {
			b.useAdvance(c.StudentID)
		}
	}
	if len(advances) > 0 {
		if err := b.takeBack(ctx, advances); err != nil {
			return err
		}
	}
	if err := b.write(ctx); err != nil {
		return err
	}
	return closeOpenings(ctx, b.tx, "id", reason, b.now, ids...)
}

// takeBack reverses amounts paid ahead.
func (b *book) takeBack(ctx context.Context, all []Opening) error {
	ids, students := make([]id.ID, len(all)), make([]id.ID, len(all))
	for i, o := range all {
		ids[i], students[i] = o.ID, o.StudentID
	}
	standing, err := ledger.Standing(ctx, b.tx, ledger.BringIn, "opening_id", ids)
	switch {
	case err != nil:
		return err
	case len(standing) != len(all):
		return fmt.Errorf("fee: %d opening balances have %d transactions that are not reversed", len(all), len(standing))
	}
	drawn, err := listAllocations(ctx, b.tx, ` AND student_id IN (:ids) AND source = 'ADVANCE'`, students)
	if err != nil {
		return err
	}
	if err := b.trackAll(ctx, drawn); err != nil {
		return err
	}
	for _, o := range all {
		a := b.account(o.StudentID)
		if short := o.Advance - a.Advance; short > 0 {
			if err := b.returnToAdvance(o.StudentID, short, drawn); err != nil {
				return errSpent.Because(err)
			}
		}
		a.Advance -= o.Advance
	}
	for _, t := range standing {
		b.reverse(t)
	}
	return nil
}
