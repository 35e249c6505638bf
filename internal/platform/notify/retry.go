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

// Faults of Retry.
var (
	ErrNoDelivery = fault.Missing("delivery")
	ErrNotFailed  = fault.New(fault.Conflict, "", "This message has not failed: only a FAILED one can be sent again.")
	ErrForgotten  = fault.New(fault.Conflict, "", "The text of this message was deleted, so it can't be sent again. Request a new one.")
)

// Retry queues a failed delivery again, with a new set of attempts.
func (n *Notifier) Retry(ctx context.Context, tx *db.Tx, delivery id.ID) (Delivery, error) {
	changed, err := putQueued(ctx, tx, delivery)
	if err != nil {
		return Delivery{}, fmt.Errorf("queue a delivery again: %w", err)
	}
	d, err := getShown(ctx, tx, delivery)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return d, ErrNoDelivery.Because(err)
	case err != nil:
		return d, err
	case changed == 0 && d.Status != Failed:
		return d, ErrNotFailed
	case changed == 0:
		return d, ErrForgotten
	}
	return d, jobs.Enqueue(ctx, tx, n.Now(), deliver{Delivery: delivery})
}
