package app

import (
	"context"

	"homeroom/internal/feature/fee"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/money"
)

const (
	demoTills       = 6      // days with a till, before today
	demoFloat       = 200_00 // cash in the drawer in the morning
	demoMissing     = 5_00   // from the first of them
	demoMissingNote = "Gave 5 too much change."
)

// openTill closes the till of the day before and opens one for the day. Today's stays open.
func (b *demoLedger) openTill(ctx context.Context, day clock.Date) error {
	if day < b.today.AddDays(-demoTills) || day == b.till.OpenedOn {
		return nil
	}
	if b.till.ID != "" {
		if err := b.closeTill(ctx); err != nil {
			return err
		}
	}
	var err error
	b.till, err = b.feesAt(day, 8).OpenTill(ctx, b.office, fee.NewTill{Float: demoFloat})
	return err
}

// closeTill counts the drawer: the first one lacks a little, the others are right.
func (b *demoLedger) closeTill(ctx context.Context) error {
	fees := b.feesAt(b.till.OpenedOn, 16)
	now, err := fees.OwnTill(ctx, b.office)
	if err != nil {
		return err
	}
	count := fee.TillCount{ID: now.ID, Counted: now.Expected}
	if !b.missed {
		b.missed, count.Counted, count.Note = true, now.Expected-money.Money(demoMissing), demoMissingNote
	}
	_, err = fees.CloseTill(ctx, b.office, count)
	return err
}
