package db

import "testing"

// TestNoSpans checks that a statement outside a trace allocates nothing for it.
func TestNoSpans(t *testing.T) {
	d, w := &DB{}, []*work{{st: verbatim("SELECT 1")}}
	if n := testing.AllocsPerRun(100, func() { d.startSpan(t.Context(), w).End(nil) }); n != 0 {
		t.Errorf("%g allocations a statement", n)
	}
}
