// Package ical writes iCalendar files (RFC 5545).
//
// Events have local times of one time zone, and the calendar includes a VTIMEZONE.
// So calendar apps anywhere show the right moment, across daylight saving changes.
package ical

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"homeroom/internal/platform/clock"
)

// Type is the media type of a calendar.
const Type = "text/calendar"

// Calendar is a set of events in one time zone.
type Calendar struct {
	Name   string
	Zone   *time.Location
	From   clock.Date // all events are within these days
	To     clock.Date
	Events []Event
}

// Event happens once, or weekly until a day.
type Event struct {
	UID         string // never changes
	Stamp       time.Time
	Sequence    int // grows with each change
	Date        clock.Date
	Start, End  clock.TimeOfDay // "" for the whole day
	Last        clock.Date      // of an event of several whole days
	Until       clock.Date      // "" for a single event
	Except      []clock.Date    // EXDATE
	Summary     string
	Location    string
	Description string
}

// Bytes encodes the calendar as a file.
func (c Calendar) Bytes() []byte {
	var w writer
	w.line("BEGIN", "VCALENDAR")
	w.line("VERSION", "2.0")
	w.line("PRODID", "-//Homeroom//Timetable//EN")
	w.line("CALSCALE", "GREGORIAN")
	w.line("METHOD", "PUBLISH")
	w.line("X-WR-CALNAME", text(c.Name))
	w.line("X-WR-TIMEZONE", c.Zone.String())
	w.line("REFRESH-INTERVAL;VALUE=DURATION", "PT1H")
	w.line("X-PUBLISHED-TTL", "PT1H")
	w.zone(c.Zone, c.From, c.To)
	for _, e := range c.Events {
		w.event(e, c.Zone)
	}
	w.line("END", "VCALENDAR")
	return w.buf.Bytes()
}

type writer struct{ buf bytes.Buffer }

// line writes one property, folded so that no line is longer than 75 octets.
func (w *writer) line(name, value string) {
	const most = 75
	rest, room := name+":"+value, most
	for len(rest) > room {
		cut := room
		for !utf8.RuneStart(rest[cut]) {
			cut--
		}
		w.buf.WriteString(rest[:cut] + "\r\n ")
		rest, room = rest[cut:], most-1 // the leading space counts
	}
	w.buf.WriteString(rest + "\r\n")
}

// text escapes special characters of a value.
func text(s string) string {
	return strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`).Replace(s)
}

const (
	localTime = "20060102T150405"
	utcTime   = "20060102T150405Z"
)

// local formats a local time.
func local(d clock.Date, t clock.TimeOfDay) string {
	return strings.ReplaceAll(string(d), "-", "") + "T" + strings.ReplaceAll(string(t), ":", "") + "00"
}

func (e Event) wholeDay() bool { return e.Start == "" || e.End == "" }

func (w *writer) event(e Event, zone *time.Location) {
	in := ";TZID=" + zone.String()
	w.line("BEGIN", "VEVENT")
	w.line("UID", text(e.UID))
	w.line("DTSTAMP", e.Stamp.UTC().Format(utcTime))
	w.line("SEQUENCE", fmt.Sprint(e.Sequence))
	if e.wholeDay() {
		w.line("DTSTART;VALUE=DATE", strings.ReplaceAll(string(e.Date), "-", ""))
		w.line("DTEND;VALUE=DATE", strings.ReplaceAll(string(max(e.Date, e.Last).AddDays(1)), "-", "")) // exclusive
	} else {
		w.line("DTSTART"+in, local(e.Date, e.Start))
		w.line("DTEND"+in, local(e.Date, e.End))
	}
	if e.Until != "" {
		last := e.Until.Time()
		end := time.Date(last.Year(), last.Month(), last.Day(), 23, 59, 59, 0, zone)
		w.line("RRULE", "FREQ=WEEKLY;UNTIL="+end.UTC().Format(utcTime))
	}
	if len(e.Except) > 0 {
		days := make([]string, len(e.Except))
		for i, d := range e.Except {
			days[i] = local(d, e.Start)
		}
		w.line("EXDATE"+in, strings.Join(days, ","))
	}
	w.line("SUMMARY", text(e.Summary))
	if e.Location != "" {
		w.line("LOCATION", text(e.Location))
	}
	if e.Description != "" {
		w.line("DESCRIPTION", text(e.Description))
	}
	if e.wholeDay() {
		w.line("TRANSP", "TRANSPARENT")
	} else {
		w.line("TRANSP", "OPAQUE")
	}
	w.line("END", "VEVENT")
}
