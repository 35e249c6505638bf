package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrUnavailable says that the database can't be reached now. Trying again later may work.
var ErrUnavailable = errors.New("database unavailable")

// failure is what an engine said, with what both engines mean by it.
type failure struct {
	cause     error
	duplicate []string // the unique indexes that it may have been
	reference bool     // a foreign key
	missing   bool     // no such table
	broken    bool     // a connection that had worked is gone
	retryable bool     // nothing was changed, and the same may work now
}

func (f *failure) Error() string { return f.cause.Error() }

func (f *failure) Unwrap() error { return f.cause }

// unavailable wraps what kept us from the database.
func unavailable(cause error) error { return fmt.Errorf("%w: %w", ErrUnavailable, cause) }

// during names the statement that failed. A caller who gave up gets ctx's own error.
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

// IsReference reports whether err is the violation of a foreign key: a row
// that refers to nothing in its school, or one that others still refer to.
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
