package identity

import (
	"context"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

// rule limits how often something may be tried. Its counts are in the database:
// they hold over all nodes and survive a restart.
type rule struct {
	name   string
	limit  int           // 0 = no limit
	window time.Duration // tries older than this no longer count
	backs  bool          // past the limit each further try has to wait, twice as long each time
	fault  *fault.Fault
}

// How long the next try waits once a rule with backs is past its limit.
const (
	firstWait   = 30 * time.Second
	longestWait = 15 * time.Minute
)

const day = 24 * time.Hour

// Wrong tries at one name from one network or known device.
var (
	wrongOTPs = rule{name: "otp", limit: 10, window: day, backs: true,
		fault: fault.New(fault.TooMany, "", "Too many wrong codes. Wait a little, then try again.")}
	wrongPINs = rule{name: "pin", limit: 5, window: day, backs: true,
		fault: fault.New(fault.TooMany, "", "Too many wrong PINs. Sign in with a code, or try again later.")}
	wrongPasswords = rule{name: "password", limit: 5, window: day, backs: true,
		fault: fault.New(fault.TooMany, "", "Too many wrong passwords. Wait a little, then try again.")}
)

// Wrong tries at one name from everywhere.
var (
	// wrongFromAnywhere closes a name to networks and devices that never signed in with it.
	wrongFromAnywhere = rule{name: "anywhere", limit: 100, window: day,
		fault: fault.New(fault.TooMany, "", "Too many wrong tries at this account. Sign in from a device you have used before, or with a code.")}
	// wrongPINsInARow counts since the last right one. At its limit the PIN is gone.
	wrongPINsInARow = rule{name: "pins", limit: 10, window: keepTries}
)

var resetMails = rule{name: "reset", limit: 10, window: time.Hour, fault: fault.New(fault.TooMany, "", "")}

// How many codes are sent to one phone.
func (s *Service) sentOTPs() rule {
	return rule{name: "sms", limit: s.OTPPerHour, window: time.Hour,
		fault: fault.New(fault.TooMany, "", "This phone was sent too many codes. Try again later.")}
}

// strangersOTPs leaves half of the codes to those who have signed in with the phone before.
func (s *Service) strangersOTPs() rule {
	r := s.sentOTPs()
	r.name, r.limit = "sms-strangers", (r.limit+1)/2
	return r
}

// pausedOTPs keeps two codes to one phone apart.
func (s *Service) pausedOTPs() rule {
	r := rule{name: "sms-pause", limit: 1, window: s.OTPPause,
		fault: fault.New(fault.TooMany, "", "This phone was sent a code a moment ago. Wait for it, or try again in a minute.")}
	if s.OTPPerHour == 0 || s.OTPPause == 0 {
		r.limit = 0
	}
	return r
}

// record is the tries of one thing under a rule.
type record struct {
	rule
	key   string
	now   time.Time
	times []time.Time // that still count
}

// tries are the records of one attempt under several rules.
type tries []record

// limited names a rule and what it counts by.
type limited struct {
	rule
	by []string
}

func (r rule) by(parts ...string) limited { return limited{r, parts} }

// triesKey is a keyed hash: phones and e-mails are not kept in clear.
func (s *Service) triesKey(l limited) string {
	return l.name + ":" + s.Keys.MAC("tries", append([]string{l.name}, l.by...)...)
}

// lock reads the records of all rules and holds them until tx ends, so that of
// many tries at once no more than a rule allows get through. Records are locked in the
// order of their keys, lest two attempts wait for each other.
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

// peek reads without locking, to spare work that is refused in the end.
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

// closed is the fault of having tried too often, or nil.
func (r record) closed() error {
	n := len(r.times)
	if n < r.limit || r.fault == nil {
		return nil
	}
	until := r.times[n-r.limit].Add(r.window)
	if r.backs {
		until = r.times[n-1].Add(min(firstWait<<min(n-r.limit, 10), longestWait))
	}
	if !until.After(r.now) {
		return nil
	}
	return r.fault.After(until.Sub(r.now))
}

// closed is the first fault of any record.
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
		if n, most := len(r.times), r.limit+10; n > most { // more would change no answer
			r.times = r.times[n-most:]
		}
		if err := putTries(ctx, tx, r.key, r.times); err != nil {
			return err
		}
	}
	return nil
}

// forget ends the counts, in the order in which lock locks them.
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
