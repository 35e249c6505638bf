package socketio

import "time"

// limiter lets a client do so many things a second, and as many at once. It
// keeps only the time at which everything allowed so far would have been done at
// that pace.
type limiter struct {
	until   time.Time
	refused int // one after another
}

// allow takes one more thing at now; a limit of 0 allows everything.
func (l *limiter) allow(now time.Time, perSecond int) bool {
	if perSecond <= 0 {
		return true
	}
	if l.until.Before(now) {
		l.until = now
	}
	next := l.until.Add(time.Second / time.Duration(perSecond))
	if next.Sub(now) > time.Second {
		l.refused++
		return false
	}
	l.until, l.refused = next, 0
	return true
}

// floods tells of a client that goes on regardless: ten seconds' worth refused in a row.
func (l *limiter) floods(perSecond int) bool { return l.refused > 10*perSecond }
