// Package opt has helpers for optional values: pointers, and texts that may be missing.
package opt

// Value returns *p, or the zero value for nil.
func Value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Ptr returns a pointer to v, or nil for the zero value.
func Ptr[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// Set assigns *sent if it is not nil.
func Set[T any](at, sent *T) {
	if sent != nil {
		*at = *sent
	}
}
