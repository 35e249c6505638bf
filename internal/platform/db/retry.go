package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A statement or transaction is run again only if it certainly changed nothing:
//
//   - the server said so: deadlock, serialization failure, a standby that can't write;
//   - the connection was lost before COMMIT was sent, so that the server rolls back;
//   - a statement outside a transaction only reads, or was not sent.
//
// If COMMIT was sent and its answer is missing, only the database knows. The error is then
// ErrUnknown, and the caller has to look: web reads the Idempotency-Key.

const maxAttempts = 3

// ErrUnknown means that the connection was lost while a change was saved: it may have been
// saved or not. It is also an ErrUnavailable.
var ErrUnknown = fmt.Errorf("%w: it is not known whether the change was saved", ErrUnavailable)

// unknown wraps cause in ErrUnknown.
func unknown(cause error) error { return fmt.Errorf("%w: %w", ErrUnknown, cause) }

// unsent marks the failure of a connection that broke before the statements were sent.
// pgx can't tell: its SafeToRetry is also true if the answer was lost.
func unsent(err error) error {
	if f, ok := errors.AsType[*failure](err); ok && f.broken {
		f.retryable = true
	}
	return err
}

// changedNothing reports whether the transaction that failed with err can be run again.
func changedNothing(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && (f.retryable || f.broken) && !errors.Is(err, ErrUnknown)
}

// runAlone executes work outside a transaction.
func (d *DB) runAlone(ctx context.Context, sc scope, w []*work) error {
	reads := every(w, func(one *work) bool { return one.st.reads })
	for attempt := 1; ; attempt++ {
		err := d.note(d.engine.run(ctx, sc, w))
		if err == nil {
			return refusal(w)
		}
		retry := isRetryable(err) || isBroken(err) && reads && attempt == 1
		switch {
		case retry && attempt < maxAttempts && ctx.Err() == nil && every(w, func(one *work) bool { return one.got == 0 }):
			pause(ctx, attempt)
		case isBroken(err) && !isRetryable(err) && !reads:
			return unknown(err)
		default:
			return err
		}
	}
}

func every(w []*work, holds func(*work) bool) bool {
	return !slices.ContainsFunc(w, func(one *work) bool { return !holds(one) })
}

func pause(ctx context.Context, attempt int) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(attempt) * 5 * time.Millisecond):
	}
}
