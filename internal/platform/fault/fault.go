// Package fault has the error type for API errors.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies a fault; package web maps each Kind to one HTTP status.
type Kind uint8

// The kinds. The zero Kind is an unexpected error.
const (
	Internal        Kind = iota // 500
	Malformed                   // 400: not JSON, no data object, a wrong OTP
	Invalid                     // 422: validation failed
	Unauthenticated             // 401
	Forbidden                   // 403
	NotFound                    // 404
	NotAllowed                  // 405
	Conflict                    // 409
	TooLarge                    // 413
	Unsupported                 // 415
	TooMany                     // 429
	Unavailable                 // 503
)

// Codes of the specification, except those of a single feature. Other faults have no code
// and use the text of their status ("Not Found").
const (
	SchoolNotFound         = "SCHOOL_NOT_FOUND"
	DuplicateEntry         = "DUPLICATE_ENTRY"
	EvaluationModeReadonly = "EVALUATION_MODE_READONLY"
	OTPExpired             = "OTP_EXPIRED"
	OTPInvalid             = "OTP_INVALID"
	RefreshTokenExpired    = "REFRESH_TOKEN_EXPIRED"
	PermissionDenied       = "PERMISSION_DENIED"
)

// Field is a validation error of one field, named as in the request.
type Field struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Fault is an error with a public part (Code, Message, Fields) and a cause for the log,
// which never reaches a client.
type Fault struct {
	Kind       Kind
	Code       string // from the specification, or ""
	Message    string // for a person: what is wrong and what to do next
	Fields     []Field
	RetryAfter time.Duration
	cause      error
	origin     *Fault
}

// New declares a fault. Declare them as package variables, next to the rule.
func New(k Kind, code, message string) *Fault { return &Fault{Kind: k, Code: code, Message: message} }

// Missing declares a 404 for a kind of record: Missing("class").
func Missing(thing string) *Fault {
	return New(NotFound, "", "There is no such "+thing+" in this school.")
}

// Denied declares a 403 PERMISSION_DENIED.
func Denied(message string) *Fault { return New(Forbidden, PermissionDenied, message) }

// Duplicate declares a 409 DUPLICATE_ENTRY.
func Duplicate(message string) *Fault { return New(Conflict, DuplicateEntry, message) }

// Error returns message, fields and cause, for the log.
func (f *Fault) Error() string {
	s := f.Message
	for _, d := range f.Fields {
		s += fmt.Sprintf(" [%s %s]", d.Field, d.Message)
	}
	if f.cause != nil {
		s += ": " + f.cause.Error()
	}
	return s
}

// Unwrap exposes the cause to errors.Is and errors.As.
func (f *Fault) Unwrap() error { return f.cause }

// Is matches f's declaration and all copies of it.
func (f *Fault) Is(target error) bool {
	t, ok := target.(*Fault)
	return ok && f.root() == t.root()
}

func (f *Fault) root() *Fault {
	if f.origin != nil {
		return f.origin
	}
	return f
}

func (f *Fault) copy() *Fault {
	c := *f
	c.origin = f.root()
	return &c
}

// Because returns a copy of f with a cause for the log.
func (f *Fault) Because(cause error) *Fault { c := f.copy(); c.cause = cause; return c }

// Saying returns a copy of f with another message.
func (f *Fault) Saying(format string, a ...any) *Fault {
	c := f.copy()
	c.Message = fmt.Sprintf(format, a...)
	return c
}

// After returns a copy of f with a Retry-After.
func (f *Fault) After(d time.Duration) *Fault { c := f.copy(); c.RetryAfter = d; return c }

// ErrFields is a validation error.
var ErrFields = New(Invalid, "", "Some fields are not right. See details.")

// Fields returns ErrFields with one item per field.
func Fields(fields ...Field) *Fault { c := ErrFields.copy(); c.Fields = fields; return c }

// OnField returns ErrFields for one field.
func OnField(field, format string, a ...any) *Fault {
	return Fields(Field{field, fmt.Sprintf(format, a...)})
}

// ErrChanged is the error of a change that was made for an older version of the record.
var ErrChanged = New(Conflict, "", "Someone else has changed this record in the meantime. Read it again, then repeat your change.")

// SameVersion returns ErrChanged if the client sent a version other than the record's.
func SameVersion(sent *int, has int) error {
	if sent != nil && *sent != has {
		return ErrChanged
	}
	return nil
}

// Wrap adds context to a non-nil error.
func Wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// From returns the Fault inside err, or an Internal one around it.
func From(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return &Fault{Kind: Internal, cause: err,
		Message: "Something went wrong on our side. Try again; if it happens again, report the request id."}
}
