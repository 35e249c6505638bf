package notify

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// Faults of sending again.
var (
	ErrNoDelivery = fault.Missing("delivery")
	ErrNotFailed  = fault.New(fault.Conflict, "", "This message has not failed: only a FAILED one can be sent again.")
	ErrForgotten  = fault.New(fault.Conflict, "", "The text of this message is not kept, so it can't be sent again. Have a new one made.")
)

// Retry sends a failed delivery again, with all its attempts.
func (n *Notifier) Retry(ctx context.Context, school, delivery id.ID) (d Delivery, err error) {
	err = n.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
		changed, err := putQueued(ctx, tx, delivery)
		if err != nil {
			return fmt.Errorf("queue a delivery again: %w", err)
		}
		d, err = getShown(ctx, tx, delivery)
		switch {
		case errors.Is(err, db.ErrNotFound):
			return ErrNoDelivery.Because(err)
		case err != nil:
			return err
		case changed == 0 && d.Status != Failed:
			return ErrNotFailed
		case changed == 0:
			return ErrForgotten
		}
		return jobs.Enqueue(ctx, tx, n.Now(), deliver{Delivery: delivery})
	})
	return d, err
}
