package db

import (
	"context"
	"errors"

	"homeroom/internal/platform/fault"
)

// Found turns ErrNotFound into the fault of a record that is not there. Of any other
// error it says what failed.
func Found(doing string, err error, missing *fault.Fault) error {
	if errors.Is(err, ErrNotFound) {
		return missing
	}
	return fault.Wrap(doing, err)
}

// Update runs an UPDATE of one record WHERE … version = :version. It returns
// fault.ErrChanged if the record is no longer in that version.
func Update(ctx context.Context, q Q, sql string, a Args) error {
	n, err := Exec(ctx, q, sql, a)
	if err == nil && n == 0 {
		return fault.ErrChanged
	}
	return err
}
