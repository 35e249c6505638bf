// Package clock has the time. Services hold a Now, so that tests control it; dates and
// times of day are strings in the school's time zone.
package clock

import (
	"fmt"
	"sync"
	"time"
)

// Now returns the current time.
type Now func() time.Time

// System is the Now of a running service: UTC in whole milliseconds, the precision of
// both databases.
func System() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// Date is a calendar day, YYYY-MM-DD. It compares and sorts as a string.
type Date string

// ParseDate parses a valid YYYY-MM-DD.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1900 || t.Year() > 2199 {
		return "", fmt.Errorf("not a date: %q", s)
	}
	return Date(s), nil
}

// DateIn returns the day of t in the named time zone; UTC if the zone is unknown.
func DateIn(t time.Time, zone string) Date {
	return Date(t.In(Zone(zone)).Format(time.DateOnly))
}

// Time returns midnight UTC of the day.
func (d Date) Time() time.Time {
	t, _ := time.Parse(time.DateOnly, string(d))
	return t
}

// AddDays returns the day n days later.
func (d Date) AddDays(n int) Date { return Date(d.Time().AddDate(0, 0, n).Format(time.DateOnly)) }

// Weekday returns the day of the week as ISO 8601 numbers it: 1 is Monday, 7 is Sunday.
func (d Date) Weekday() int { return (int(d.Time().Weekday())+6)%7 + 1 }

// TimeOfDay is HH:MM on a 24-hour clock.
type TimeOfDay string

// ParseTimeOfDay parses HH:MM.
func ParseTimeOfDay(s string) (TimeOfDay, error) {
	if _, err := time.Parse("15:04", s); err != nil || len(s) != 5 {
		return "", fmt.Errorf("not a time: %q", s)
	}
	return TimeOfDay(s), nil
}

var zones sync.Map // string → *time.Location, cached because loading reads a file

// Zone returns the named time zone, or UTC if it is unknown.
func Zone(name string) *time.Location {
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location)
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	zones.Store(name, z)
	return z
}
