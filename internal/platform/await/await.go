// Package await has tests wait for what must happen. How soon it does is for
// benchmarks to tell: a test gives the slowest machine time enough.
package await

import (
	"testing"
	"time"
)

// Limit is how long anything that must happen may take.
const Limit = 5 * time.Minute

const pause = 5 * time.Millisecond

// Until waits until ok, and fails the test where that never comes.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !Comes(ok) {
		t.Fatalf("waited in vain for %s", what)
	}
}

// Comes waits until ok and tells whether that came.
func Comes(ok func() bool) bool {
	for end := time.Now().Add(Limit); ; time.Sleep(pause) {
		if ok() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}
