package identity

import (
	"context"
	"slices"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

// rule says how often something may be tried before one has to wait. Its counts
// are in the database: they hold over all nodes, and a restart changes nothing.
type rule struct {
	name   string
	limit  int
	window time.Duration
	inARow bool // only a success ends the count, and the wait is counted from the last try
	fault  *fault.Fault
}

var (
	wrongOTPs = rule{name: "otp", limit: 20, window: time.Hour,
		fault: fault.New(fault.TooMany, "", "Too many wrong codes for this phone. Try again later.")}
	wrongPINs = rule{name: "pin", limit: 5, window: 15 * time.Minute, inARow: true,
		fault: fault.New(fault.TooMany, "", "Too many wrong PINs. Sign in with a code, or try again later.")}
	wrongPasswords = rule{name: "password", limit: 20, window: time.Hour,
		fault: fault.New(fault.TooMany, "", "Too many wrong passwords for this e-mail. Try again later.")}
	resetMails = rule{name: "reset", limit: 10, window: time.Hour, fault: fault.New(fault.TooMany, "", "")}
)

// sentOTPs is the rule of codes sent, by this service's setting.
func (s *Service) sentOTPs() rule {
	return rule{name: "sms", limit: s.OTPPerHour, window: time.Hour,
		fault: fault.New(fault.TooMany, "", "This phone was sent too many codes. Try again later.")}
}

// record is what was tried of one thing under a rule.
type record struct {
	rule
	key   string
	now   time.Time
	times []time.Time // that still count
}

// ofAll is of for several things at once, which must come in the same order
// everywhere. It refuses if any of them was tried too often.
func (r rule) ofAll(ctx context.Context, tx *db.Tx, what []string, now time.Time) (records []record, refused, err error) {
	for _, one := range what {
		rec, err := r.of(ctx, tx, one, now)
		if err != nil {
			return nil, nil, err
		}
		if refused == nil {
			refused = rec.closed()
		}
		records = append(records, rec)
	}
	return records, refused, nil
}

// of locks the record of one thing until tx ends, so that of any number of tries
// at once no more than the rule allows get through.
func (r rule) of(ctx context.Context, tx *db.Tx, what string, now time.Time) (record, error) {
	key := r.name + ":" + what
	times, err := lockTries(ctx, tx, key, now)
	return r.record(key, now, times), err
}

// peek reads without locking, to spare work that is refused in the end.
func (r rule) peek(ctx context.Context, q db.Q, what string, now time.Time) error {
	key := r.name + ":" + what
	times, err := getTries(ctx, q, key)
	if err != nil {
		return err
	}
	return r.record(key, now, times).closed()
}

func (r rule) record(key string, now time.Time, times []time.Time) record {
	over := func(t time.Time) bool { return !now.Before(t.Add(r.window)) }
	switch {
	case !r.inARow:
		times = slices.DeleteFunc(times, over)
	case len(times) >= r.limit && over(times[len(times)-1]):
		times = nil
	}
	return record{r, key, now, times}
}

// closed is the fault of having tried too often, or nil.
func (r record) closed() error {
	if r.limit <= 0 || len(r.times) < r.limit {
		return nil
	}
	since := r.times[len(r.times)-r.limit]
	if r.inARow {
		since = r.times[len(r.times)-1]
	}
	return r.fault.After(since.Add(r.window).Sub(r.now))
}

// add counts one more try.
func (r record) add(ctx context.Context, tx *db.Tx) error {
	if r.limit <= 0 {
		return nil
	}
	return putTries(ctx, tx, r.key, append(r.times, r.now))
}

// forget ends the counts.
func (r rule) forget(ctx context.Context, tx *db.Tx, what ...string) error {
	for _, one := range what {
		if err := deleteTries(ctx, tx, r.name+":"+one); err != nil {
			return err
		}
	}
	return nil
}
