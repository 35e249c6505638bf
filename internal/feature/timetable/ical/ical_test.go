package ical_test

import (
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/timetable/ical"
	"homeroom/internal/feature/timetable/ical/icaltest"
	"homeroom/internal/platform/clock"
)

// TestMoments compares every lesson of a year with Go's time zones, across daylight
// saving changes.
func TestMoments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Australia/Lord_Howe",
		"Pacific/Auckland", "Africa/Casablanca", "Europe/Dublin", "Asia/Kathmandu", "Pacific/Apia"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			const first, last = clock.Date("2026-06-01"), clock.Date("2027-05-31") // Mondays
			skip := clock.Date("2026-12-28")
			cal := ical.Calendar{Name: "Year", Zone: zone, From: first, To: last, Events: []ical.Event{{
				UID: "a", Date: first, Start: "08:00", End: "08:45", Until: last, Except: []clock.Date{skip}, Summary: "Maths"}}}
			got, err := icaltest.Read(string(cal.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			i := 0
			for d := first; d <= last; d = d.AddDays(7) {
				if d == skip {
					continue
				}
				day := d.Time()
				want := time.Date(day.Year(), day.Month(), day.Day(), 8, 0, 0, 0, zone).UTC()
				if i >= len(got) || !got[i].Start.Equal(want) || !got[i].End.Equal(want.Add(45*time.Minute)) {
					t.Fatalf("lesson %d on %s: want %s; got %d lessons, this one %v", i, d, want, len(got), got[min(i, len(got)-1)])
				}
				i++
			}
			if i != len(got) {
				t.Errorf("%d lessons, want %d", len(got), i)
			}
		})
	}
}

// TestText round-trips long lines, multi-byte letters and special characters.
func TestText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"plain", `a,b;c\d`, "two\nlines", strings.Repeat("ä", 100), strings.Repeat("語", 60) + "x",
		strings.Repeat("x", 67), strings.Repeat("x", 68), strings.Repeat("😀", 50), "colon: \"quoted\"", `\n`} {
		cal := ical.Calendar{Name: s, Zone: time.UTC, From: "2026-10-05", To: "2026-10-05", Events: []ical.Event{{
			UID: "a", Date: "2026-10-05", Start: "08:00", End: "08:45", Summary: s, Location: s, Description: s}}}
		got, err := icaltest.Read(string(cal.Bytes()))
		if err != nil {
			t.Errorf("read back %q: %v", s, err)
			continue
		}
		if len(got) != 1 || got[0].Summary != s || got[0].Location != s || got[0].Description != s {
			t.Errorf("read back %q: got %v", s, got)
		}
	}
}

// TestZone checks the VTIMEZONE of Berlin against a literal.
func TestZone(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	got := string(ical.Calendar{Zone: zone, From: "2026-09-01", To: "2027-07-31"}.Bytes())
	want := strings.ReplaceAll(`BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:DAYLIGHT
DTSTART:20260329T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
TZNAME:CEST
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:20261025T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
TZNAME:CET
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:20270328T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
TZNAME:CEST
END:DAYLIGHT
END:VTIMEZONE
`, "\n", "\r\n")
	if !strings.Contains(got, want) {
		t.Errorf("calendar without the VTIMEZONE of Berlin:\n%s", got)
	}
}
