package notify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// Quota is a school's daily limit of messages on a channel.
type Quota struct {
	Most int    // 0: unlimited
	Zone string // time zone of the day
}

const (
	maxBlock   = 50          // largest block that a node reserves at once
	quotaCache = time.Minute // how long a quota is cached
	morning    = 7           // hour at which messages held back the day before are sent
)

// allowances are the blocks that this node has reserved.
type allowances struct {
	mu sync.Mutex
	of map[allowanceKey]allowance
}

type allowanceKey struct {
	school  id.ID
	channel Channel
}

type allowance struct {
	left  int
	until time.Time
	again error // jobs.Later, if the quota is used up
}

// counts reports whether m counts in the quota.
func (n *Notifier) counts(m Message) bool {
	return n.Quota != nil && m.Channel != Push && !m.Secret && !m.Urgent
}

// takeQuota counts a message, or returns jobs.Later if the quota is used up.
func (n *Notifier) takeQuota(ctx context.Context, school id.ID, m Message) error {
	if !n.counts(m) {
		return nil
	}
	key, now := allowanceKey{school, m.Channel}, n.Now()
	l := &n.allowances
	l.mu.Lock() // held during the query too, so that one reservation serves all waiting messages
	defer l.mu.Unlock()
	a := l.of[key]
	if !now.Before(a.until) || a.left == 0 && a.again == nil {
		var err error
		if a, err = n.reserve(ctx, key, now); err != nil {
			return fmt.Errorf("check the daily limit: %w", err)
		}
	}
	if a.again == nil {
		a.left--
	}
	if l.of == nil {
		l.of = map[allowanceKey]allowance{}
	}
	l.of[key] = a
	return a.again
}

// returnQuota takes back the count of a message that was not sent.
func (n *Notifier) returnQuota(school id.ID, m Message) {
	if !n.counts(m) {
		return
	}
	l, key := &n.allowances, allowanceKey{school, m.Channel}
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.of[key]; a.again == nil && n.Now().Before(a.until) {
		a.left++
		l.of[key] = a
	}
}

// reserve reserves a block of the school's daily quota. Blocks get smaller towards
// the end, so that hardly anything is left unused on another node.
func (n *Notifier) reserve(ctx context.Context, key allowanceKey, now time.Time) (a allowance, err error) {
	q, err := n.Quota(ctx, key.school, key.channel)
	if err != nil {
		return a, err
	}
	if q.Most <= 0 {
		return allowance{left: math.MaxInt, until: now.Add(quotaCache)}, nil
	}
	today := clock.DateIn(now, q.Zone)
	err = n.DB.InSchool(ctx, key.school, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "delivery_days/"+string(key.channel)); err != nil {
			return err
		}
		taken, err := getTaken(ctx, tx, key.channel, today)
		if err != nil {
			return err
		}
		if taken >= q.Most {
			a = n.heldBack(key.channel, q, now)
			return n.alert(ctx, tx, key, today, now, q.Most)
		}
		a = allowance{left: min(max((q.Most-taken)/16, 1), maxBlock), until: at(today.AddDays(1), 0, q.Zone)}
		return putTaken(ctx, tx, n.NewID(), key.channel, today, a.left, now)
	})
	return a, err
}

// heldBack returns the allowance of a school whose quota is used up.
func (n *Notifier) heldBack(c Channel, q Quota, now time.Time) allowance {
	tomorrow := clock.DateIn(now, q.Zone).AddDays(1)
	again := at(tomorrow, morning, q.Zone)
	err := jobs.Later(fmt.Errorf("held back: the school has reached its daily limit of %d messages by %s; this one goes out on %s",
		q.Most, c, tomorrow), again.Sub(now))
	return allowance{until: now.Add(quotaCache), again: err}
}

// at returns an hour of a day in a time zone.
func at(day clock.Date, hour int, zone string) time.Time {
	y, m, d := day.Time().Date()
	return time.Date(y, m, d, hour, 0, 0, 0, clock.Zone(zone))
}

// alert calls OverQuota once per day.
func (n *Notifier) alert(ctx context.Context, tx *db.Tx, key allowanceKey, day clock.Date, now time.Time, most int) error {
	first, err := putAlerted(ctx, tx, key.channel, day, now)
	if err != nil || !first || n.OverQuota == nil {
		return err
	}
	return n.OverQuota(ctx, tx, key.school, key.channel, most)
}

func getTaken(ctx context.Context, tx *db.Tx, c Channel, day clock.Date) (int, error) {
	taken, err := db.One[int](ctx, tx, `
		SELECT taken FROM delivery_days WHERE school_id = :school AND channel = :channel AND day = :day`,
		db.Args{"channel": c, "day": day})
	if errors.Is(err, db.ErrNotFound) {
		return 0, nil
	}
	return taken, err
}

func putTaken(ctx context.Context, tx *db.Tx, row id.ID, c Channel, day clock.Date, more int, now time.Time) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO delivery_days (school_id, id, channel, day, taken, created_at)
		VALUES (:school, :id, :channel, :day, :more, :now)
		ON CONFLICT (school_id, channel, day) DO UPDATE SET taken = delivery_days.taken + :more`,
		db.Args{"id": row, "channel": c, "day": day, "more": more, "now": now})
	return err
}

func putAlerted(ctx context.Context, tx *db.Tx, c Channel, day clock.Date, now time.Time) (first bool, err error) {
	changed, err := db.Exec(ctx, tx, `
		UPDATE delivery_days SET alerted_at = :now
		WHERE school_id = :school AND channel = :channel AND day = :day AND alerted_at IS NULL`,
		db.Args{"channel": c, "day": day, "now": now})
	return changed == 1, err
}
