// Package opt has the few words for values that may be missing: nil pointers.
package opt

// Value is what p points to; the zero value for nil.
func Value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Ptr is a pointer to v; nil for the zero value.
func Ptr[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// Set writes the value that was sent, if one was.
func Set[T any](at, sent *T) {
	if sent != nil {
		*at = *sent
	}
}
