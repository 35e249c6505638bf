package notification

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// reader is a recipient with preferences and addresses.
type reader struct {
	ID           id.ID // the account; empty for someone without one
	Role         actor.Role
	Locale       string // empty: the school's
	QuietFrom    *clock.TimeOfDay
	QuietTo      *clock.TimeOfDay
	Channels     db.JSON[switches]
	Phone, Email string // empty if there is none, or the account is closed
	HasApp       bool   // a registered device was seen within seenFor
	SignedIn     bool   // a registered device is signed in
	Browser      bool   // one of these is a browser
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
	school    school.School
	zone      *time.Location
	now       time.Time
	readers   map[id.ID]reader // by account
	guardians map[id.ID]reader // guardians without an account
	closed    map[id.ID]bool   // students whose topics are closed
	everyone  []id.ID          // users with a browser, if a push is to the school's topic
}

// audienceOf reads the recipients of notices, with a fixed number of queries.
func audienceOf(ctx context.Context, q db.Q, notices []Notice, now time.Time) (audience, error) {
	at, err := school.Get(ctx, q)
	if err != nil {
		return audience{}, err
	}
	a := audience{school: at, zone: clock.Zone(at.Timezone), now: now, readers: map[id.ID]reader{}, guardians: map[id.ID]reader{}}
	var users, guardians, students []id.ID
	for _, n := range notices {
		users = append(append(users, n.Users...), n.Readers...)
		guardians, students = append(guardians, n.Guardians...), append(students, n.Student)
	}
	if err := a.readAccounts(ctx, q, id.Unique(users)); err != nil {
		return a, err
	}
	if err := a.readGuardians(ctx, q, id.Unique(guardians)); err != nil {
		return a, err
	}
	a.closed, err = closedTopics(ctx, q, id.Unique(students))
	return a, err
}

func (a audience) readAccounts(ctx context.Context, q db.Q, users []id.ID) error {
	if len(users) == 0 {
		return nil
	}
	err := db.Each(ctx, q, `
		SELECT u.id, u.role, COALESCE(u.locale, '') AS locale, p.quiet_from, p.quiet_to, COALESCE(p.channels, '{}') AS channels,
			CASE WHEN u.status = 'ACTIVE' THEN COALESCE(NULLIF(g.phone, ''), u.phone, '') ELSE '' END AS phone,
			CASE WHEN u.status = 'ACTIVE' THEN COALESCE(NULLIF(g.email, ''), u.email, '') ELSE '' END AS email,
			EXISTS (`+devicesOfUser+` AND n.last_used_at > :seen AND (n.expires_at > :now OR NOT `+onlyBrowsers+`)) AS has_app,
			EXISTS (`+devicesOfUser+` AND n.expires_at > :now) AS signed_in,
			EXISTS (`+devicesOfUser+` AND n.expires_at > :now AND `+onlyBrowsers+`) AS browser
		FROM users u LEFT JOIN notification_preferences p ON p.school_id = u.school_id AND p.user_id = u.id
		LEFT JOIN guardians g ON g.school_id = u.school_id AND g.user_id = u.id
		WHERE u.school_id = :school AND u.id IN (:users)`,
		db.Args{"users": users, "now": a.now, "seen": a.now.Add(-seenFor)}, func(r reader) error {
			a.readers[r.ID] = r
			return nil
		})
	if err != nil {
		return fmt.Errorf("read recipients: %w", err)
	}
	return nil
}

func (a audience) readGuardians(ctx context.Context, q db.Q, guardians []id.ID) error {
	if len(guardians) == 0 {
		return nil
	}
	type guardian struct {
		ID           id.ID
		Phone, Email string
	}
	err := db.Each(ctx, q, `SELECT id, phone, email FROM guardians WHERE school_id = :school AND user_id IS NULL AND id IN (:guardians)`,
		db.Args{"guardians": guardians}, func(g guardian) error {
			a.guardians[g.ID] = reader{Role: actor.Parent, Phone: g.Phone, Email: g.Email}
			return nil
		})
	if err != nil {
		return fmt.Errorf("read guardians without an account: %w", err)
	}
	return nil
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
		if a.readers[u].wants(of).Push {
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
