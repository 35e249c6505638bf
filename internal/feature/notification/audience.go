package notification

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// reader is a recipient's preferences.
type reader struct {
	ID        id.ID
	Locale    string // empty: the school's
	QuietFrom *clock.TimeOfDay
	QuietTo   *clock.TimeOfDay
	Channels  db.JSON[switches]
}

// switches are the channels that someone switched off, by type.
type switches map[Type]off

type off struct {
	Push  bool `json:"push,omitempty"`
	SMS   bool `json:"sms,omitempty"`
	Email bool `json:"email,omitempty"`
}

// quietUntil returns the end of the quiet hours at t, or the zero time outside them.
func (r reader) quietUntil(t time.Time, zone *time.Location) time.Time {
	if r.QuietFrom == nil || r.QuietTo == nil {
		return time.Time{}
	}
	local := t.In(zone)
	now, from, to := clock.TimeOfDay(local.Format("15:04")), *r.QuietFrom, *r.QuietTo
	quiet := from <= now && now < to
	if from > to { // over midnight
		quiet = from <= now || now < to
	}
	if !quiet {
		return time.Time{}
	}
	at, _ := time.Parse("15:04", string(to)) // checked when it was set
	for day := local.Day(); ; day++ {
		end := time.Date(local.Year(), local.Month(), day, at.Hour(), at.Minute(), 0, 0, zone)
		if end.After(t) {
			return end.UTC()
		}
	}
}

// audience is the recipients of a call and their school.
type audience struct {
	school  school.School
	zone    *time.Location
	now     time.Time
	readers map[id.ID]reader // only users who have preferences
}

// audienceOf reads the users' preferences with one query.
func audienceOf(ctx context.Context, q db.Q, users []id.ID, now time.Time) (audience, error) {
	at, err := school.Get(ctx, q)
	if err != nil {
		return audience{}, err
	}
	a := audience{school: at, zone: clock.Zone(at.Timezone), now: now, readers: map[id.ID]reader{}}
	if len(users) == 0 {
		return a, nil
	}
	err = db.Each(ctx, q, `
		SELECT u.id, COALESCE(u.locale, '') AS locale, p.quiet_from, p.quiet_to, COALESCE(p.channels, '{}') AS channels
		FROM users u LEFT JOIN notification_preferences p ON p.school_id = u.school_id AND p.user_id = u.id
		WHERE u.school_id = :school AND u.id IN (:users) AND (u.locale IS NOT NULL OR p.user_id IS NOT NULL)`,
		db.Args{"users": users}, func(r reader) error {
			a.readers[r.ID] = r
			return nil
		})
	if err != nil {
		return a, fmt.Errorf("read preferences: %w", err)
	}
	return a, nil
}

// lang is the user's language, by default the school's.
func (a audience) lang(user id.ID) string {
	if l := a.readers[user].Locale; l != "" {
		return l
	}
	return a.school.Locale
}

// allSwitchedOff reports whether all users have switched off pushes of the type.
func (a audience) allSwitchedOff(users []id.ID, of Type) bool {
	for _, u := range users {
		if !a.readers[u].Channels.V[of].Push {
			return false
		}
	}
	return len(users) > 0
}

// quietEnd returns when the first user's quiet hours end if all users are in theirs,
// else the zero time.
func (a audience) quietEnd(users []id.ID) (first time.Time) {
	for _, u := range users {
		end := a.readers[u].quietUntil(a.now, a.zone)
		if end.IsZero() {
			return end
		}
		if first.IsZero() || end.Before(first) {
			first = end
		}
	}
	return first
}
