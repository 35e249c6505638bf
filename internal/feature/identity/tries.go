package identity

import (
	"context"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

// rule is a rate limit. Its counts are in the database, shared by all nodes.
type rule struct {
	name    string
	limit   int           // 0 = no limit
	window  time.Duration // tries older than this no longer count
	backoff bool          // exponential: past the limit each try waits twice as long
	fault   *fault.Fault
}

// The shortest and longest delay of backoff.
const (
	firstWait   = 30 * time.Second
	longestWait = 15 * time.Minute
)

const day = 24 * time.Hour

// Wrong tries at one name from one network or known device.
var (
	wrongOTPs = rule{name: "otp", limit: 10, window: day, backoff: true,
		fault: fault.New(fault.TooMany, "", "Too many wrong codes. Wait a little, then try again.")}
	wrongPINs = rule{name: "pin", limit: 5, window: day, backoff: true,
		fault: fault.New(fault.TooMany, "", "Too many wrong PINs. Sign in with a code, or try again later.")}
	wrongPasswords = rule{name: "password", limit: 5, window: day, backoff: true,
		fault: fault.New(fault.TooMany, "", "Too many wrong passwords. Wait a little, then try again.")}
)

// Wrong tries at one name over all networks.
var (
	// wrongFromAnywhere locks a name for unknown networks and devices.
	wrongFromAnywhere = rule{name: "anywhere", limit: 100, window: day,
		fault: fault.New(fault.TooMany, "", "Too many wrong tries at this account. Sign in from a device you have used before, or with a code.")}
	// wrongPINsInARow counts since the last right PIN. At its limit the PIN is removed.
	wrongPINsInARow = rule{name: "pins", limit: 10, window: keepTries}
)

var resetMails = rule{name: "reset", limit: 10, window: time.Hour, fault: fault.New(fault.TooMany, "", "")}

// Limit of codes sent to one phone.
func (s *Service) sentOTPs() rule {
	return rule{name: "sms", limit: s.OTPPerHour, window: time.Hour,
		fault: fault.New(fault.TooMany, "", "This phone was sent too many codes. Try again later.")}
}

// strangersOTPs reserves half of the codes for known networks and devices.
func (s *Service) strangersOTPs() rule {
	r := s.sentOTPs()
	r.name, r.limit = "sms-strangers", (r.limit+1)/2
	return r
}

// pausedOTPs is the minimum time between two codes to one phone.
func (s *Service) pausedOTPs() rule {
	r := rule{name: "sms-pause", limit: 1, window: s.OTPPause,
		fault: fault.New(fault.TooMany, "", "This phone was sent a code a moment ago. Wait for it, or try again in a minute.")}
	if s.OTPPerHour == 0 || s.OTPPause == 0 {
		r.limit = 0
	}
	return r
}

// record is the tries of one key under a rule.
type record struct {
	rule
	key   string
	now   time.Time
	times []time.Time // that still count
}

// tries are the records of one attempt under several rules.
type tries []record

// limited is a rule and its key.
type limited struct {
	rule
	by []string
}

func (r rule) by(parts ...string) limited { return limited{r, parts} }

// triesKey is a keyed hash, so that no phone or e-mail is stored in plain text.
func (s *Service) triesKey(l limited) string {
	return l.name + ":" + s.Keys.MAC("tries", append([]string{l.name}, l.by...)...)
}

// lock reads the records of all rules and locks them until tx ends, so that concurrent
// tries can't exceed a limit. It locks in the order of keys, to avoid deadlocks.
func (s *Service) lock(ctx context.Context, tx *db.Tx, what ...limited) (tries, error) {
	what = slices.DeleteFunc(slices.Clone(what), func(l limited) bool { return l.limit <= 0 })
	out := make(tries, len(what))
	order := make([]int, len(what))
	for i, l := range what {
		out[i], order[i] = record{rule: l.rule, key: s.triesKey(l), now: s.Now()}, i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(out[a].key, out[b].key) })
	for _, i := range order {
		times, err := lockTries(ctx, tx, out[i].key, out[i].now)
		if err != nil {
			return nil, err
		}
		out[i].times = out[i].counting(times)
	}
	return out, nil
}

// peek reads without locking, to refuse early.
func (s *Service) peek(ctx context.Context, q db.Q, what ...limited) error {
	for _, l := range what {
		r := record{rule: l.rule, key: s.triesKey(l), now: s.Now()}
		times, err := getTries(ctx, q, r.key)
		if err != nil {
			return err
		}
		r.times = r.counting(times)
		if err := r.closed(); err != nil {
			return err
		}
	}
	return nil
}

// counting returns the times that are within the window.
func (r record) counting(times []time.Time) []time.Time {
	return slices.DeleteFunc(times, func(t time.Time) bool { return !r.now.Before(t.Add(r.window)) })
}

// closed returns the fault if the limit is reached, else nil.
func (r record) closed() error {
	n := len(r.times)
	if n < r.limit || r.fault == nil {
		return nil
	}
	until := r.times[n-r.limit].Add(r.window)
	if r.backoff {
		until = r.times[n-1].Add(min(firstWait<<min(n-r.limit, 10), longestWait))
	}
	if !until.After(r.now) {
		return nil
	}
	return r.fault.After(until.Sub(r.now))
}

// closed returns the first fault of any record.
func (t tries) closed() error {
	for _, r := range t {
		if err := r.closed(); err != nil {
			return err
		}
	}
	return nil
}

// add counts one more try under every rule.
func (t tries) add(ctx context.Context, tx *db.Tx) error {
	for i := range t {
		r := &t[i]
		r.times = append(r.times, r.now)
		if n, most := len(r.times), r.limit+10; n > most { // more make no difference
			r.times = r.times[n-most:]
		}
		if err := putTries(ctx, tx, r.key, r.times); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes the counts, in the same order as lock.
func (s *Service) forget(ctx context.Context, tx *db.Tx, what ...limited) error {
	keys := make([]string, len(what))
	for i, l := range what {
		keys[i] = s.triesKey(l)
	}
	for _, key := range slices.Sorted(slices.Values(keys)) {
		if err := deleteTries(ctx, tx, key); err != nil {
			return err
		}
	}
	return nil
}
