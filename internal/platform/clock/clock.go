// Package clock tells the time. Services hold a Now, so that tests own time;
// dates and times of day are plain text in the school's own time zone.
package clock

import (
	"fmt"
	"sync"
	"time"
)

// Now returns the present moment.
type Now func() time.Time

// System is the Now of a running service: UTC, whole milliseconds, as both
// databases keep it.
func System() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// Date is a day of the calendar, YYYY-MM-DD. It compares and sorts as text.
type Date string

// ParseDate reads a YYYY-MM-DD that exists in the calendar.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1900 || t.Year() > 2200 {
		return "", fmt.Errorf("not a date: %q", s)
	}
	return Date(s), nil
}

// DateIn is the day that t falls on in the named time zone; UTC if the zone is unknown.
func DateIn(t time.Time, zone string) Date {
	return Date(t.In(Zone(zone)).Format(time.DateOnly))
}

// Time is midnight UTC of the day.
func (d Date) Time() time.Time {
	t, _ := time.Parse(time.DateOnly, string(d))
	return t
}

// AddDays returns the day n days later.
func (d Date) AddDays(n int) Date { return Date(d.Time().AddDate(0, 0, n).Format(time.DateOnly)) }

// TimeOfDay is a time of the day, HH:MM on a 24-hour clock.
type TimeOfDay string

// ParseTimeOfDay reads HH:MM.
func ParseTimeOfDay(s string) (TimeOfDay, error) {
	if _, err := time.Parse("15:04", s); err != nil || len(s) != 5 {
		return "", fmt.Errorf("not a time: %q", s)
	}
	return TimeOfDay(s), nil
}

var zones sync.Map // of string to *time.Location: reading one takes a file

// Zone returns the named time zone, or UTC where there is none of that name.
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
