package socketio

import "time"

// limiter is a rate limit with a burst of one second. It stores only the time at
// which the allowed events would end at that rate (GCRA).
type limiter struct {
	until   time.Time
	refused int // in a row
}

// allow counts one event at now; a limit of 0 allows all.
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

// floods reports whether ten seconds' worth of events were refused in a row.
func (l *limiter) floods(perSecond int) bool { return l.refused > 10*perSecond }
