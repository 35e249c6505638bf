// Package await waits for conditions in tests, with a limit that suits slow machines.
package await

import (
	"testing"
	"time"
)

// Limit is the timeout of a wait.
const Limit = 5 * time.Minute

const pause = 5 * time.Millisecond

// Until waits until ok, and fails the test on a timeout.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !Comes(ok) {
		t.Fatalf("timeout waiting for %s", what)
	}
}

// Comes waits until ok, and reports false on a timeout.
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
