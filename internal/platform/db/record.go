package db

import (
	"context"
	"errors"

	"homeroom/internal/platform/fault"
)

// Found returns missing in place of ErrNotFound, and wraps any other error with
// doing.
func Found(doing string, err error, missing *fault.Fault) error {
	if errors.Is(err, ErrNotFound) {
		return missing
	}
	return fault.Wrap(doing, err)
}

// Update runs an UPDATE of one record WHERE … version = :version. It returns
// fault.ErrChanged if no row has that version (optimistic locking).
func Update(ctx context.Context, q Q, sql string, a Args) error {
	n, err := Exec(ctx, q, sql, a)
	if err == nil && n == 0 {
		return fault.ErrChanged
	}
	return err
}
