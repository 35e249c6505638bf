package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrUnavailable means that the database can't be reached now. A retry may work.
var ErrUnavailable = errors.New("database unavailable")

// failure is an error of an engine, classified alike for both.
type failure struct {
	cause     error
	duplicate []string // names of the unique indexes that may be violated
	reference bool     // foreign key violation
	missing   bool     // no such table
	broken    bool     // the connection was lost
	retryable bool     // nothing was changed, and a retry may work
}

func (f *failure) Error() string { return f.cause.Error() }

func (f *failure) Unwrap() error { return f.cause }

// unavailable wraps cause in ErrUnavailable.
func unavailable(cause error) error { return fmt.Errorf("%w: %w", ErrUnavailable, cause) }

// during adds the failed statement to the error. After a cancellation it returns ctx.Err().
func during(ctx context.Context, err error, sql string) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w in: %s", ctx.Err(), oneLine(sql))
	}
	return fmt.Errorf("%w in: %s", err, oneLine(sql))
}

// IsDuplicate reports whether err is the violation of the unique index of that name.
func IsDuplicate(err error, index string) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && slices.Contains(f.duplicate, index)
}

// IsReference reports whether err is a foreign key violation: the referenced row
// is not in the school, or a row that is still referenced was deleted.
func IsReference(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.reference
}

func isRetryable(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.retryable
}

func isBroken(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.broken
}

func isMissing(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.missing
}
