package ical

import (
	"fmt"
	"time"

	"homeroom/internal/platform/clock"
)

// zone writes a VTIMEZONE for a range of days: the initial offset, and each change.
func (w *writer) zone(zone *time.Location, from, to clock.Date) {
	w.line("BEGIN", "VTIMEZONE")
	w.line("TZID", zone.String())
	end := to.AddDays(2).Time() // beyond any UTC offset
	for t := from.AddDays(-2).Time().In(zone); ; {
		start, next := t.ZoneBounds()
		w.observance(t, start)
		if next.IsZero() || next.After(end) {
			break
		}
		t = next
	}
	w.line("END", "VTIMEZONE")
}

// observance writes the offset that applies at t, since start.
func (w *writer) observance(t, start time.Time) {
	name, offset := t.Zone()
	before := offset
	if start.IsZero() { // the initial offset
		start = time.Unix(0, 0)
	} else {
		_, before = start.Add(-time.Second).Zone()
	}
	kind := "STANDARD"
	if t.IsDST() {
		kind = "DAYLIGHT"
	}
	w.line("BEGIN", kind)
	// DTSTART is in local time before the change.
	w.line("DTSTART", start.UTC().Add(time.Duration(before)*time.Second).Format(localTime))
	w.line("TZOFFSETFROM", offsetText(before))
	w.line("TZOFFSETTO", offsetText(offset))
	w.line("TZNAME", text(name))
	w.line("END", kind)
}

func offsetText(seconds int) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	out := fmt.Sprintf("%s%02d%02d", sign, seconds/3600, seconds/60%60)
	if s := seconds % 60; s != 0 {
		out += fmt.Sprintf("%02d", s)
	}
	return out
}
