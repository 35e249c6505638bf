package fee

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
)

func TestPeriods(t *testing.T) {
	t.Parallel()
	full := school.Year{Name: "2026/27", StartDate: "2026-06-15", EndDate: "2027-05-31"}
	short := school.Year{Name: "2026", StartDate: "2026-01-01", EndDate: "2026-10-31"}
	nine := school.Year{Name: "2026", StartDate: "2026-01-01", EndDate: "2026-09-30"}
	mid := school.Year{Name: "2026/27", StartDate: "2026-06-15", EndDate: "2027-06-14"} // has days in 13 months
	day := func(n int) *int { return &n }
	date := func(d clock.Date) *clock.Date { return &d }
	for _, tt := range []struct {
		name   string
		period string
		year   school.Year
		item   Item
		terms  int
		key    string // "" for none
		label  string
		due    clock.Date
	}{
		{"a month", "2026-11", full, Item{Frequency: "MONTHLY", DueDay: day(5)}, 3, "2026-11", "November 2026", "2026-11-05"},
		{"a month over new year", "2027-02", full, Item{Frequency: "MONTHLY", DueDay: day(31)}, 3, "2027-02", "February 2027", "2027-02-28"},
		{"a leap month", "2028-02", school.Year{StartDate: "2028-01-01", EndDate: "2028-12-31"}, Item{Frequency: "MONTHLY", DueDay: day(31)}, 3,
			"2028-02", "February 2028", "2028-02-29"},
		{"the first month, due before it begins", "2026-06", full, Item{Frequency: "MONTHLY"}, 3, "2026-06", "June 2026", "2026-06-15"},
		{"the month of today", "", full, Item{Frequency: "MONTHLY"}, 3, "2026-11", "November 2026", "2026-11-10"},
		{"the 13th month, which the next year charges", "2027-06", mid, Item{Frequency: "MONTHLY"}, 3, "", "", ""},
		{"the 12th of 13 months", "2027-05", mid, Item{Frequency: "MONTHLY"}, 3, "2027-05", "May 2027", "2027-05-10"},
		{"the 13th of 15 months", "2027-06", school.Year{StartDate: "2026-06-15", EndDate: "2027-08-20"}, Item{Frequency: "MONTHLY"}, 3,
			"2027-06", "June 2027", "2027-06-10"},
		{"a 13th month that is whole", "2027-06", school.Year{StartDate: "2026-06-15", EndDate: "2027-06-30"}, Item{Frequency: "MONTHLY"}, 3,
			"2027-06", "June 2027", "2027-06-10"},
		{"the quarter around a month", "2026-11", full, Item{Frequency: "QUARTERLY"}, 3, "Q2", "quarter 2 of 2026/27", "2026-09-10"},
		{"a quarter", "Q4", full, Item{Frequency: "QUARTERLY"}, 3, "Q4", "quarter 4 of 2026/27", "2027-03-10"},
		{"the last quarter, which is short", "Q4", short, Item{Frequency: "QUARTERLY"}, 3, "Q4", "quarter 4 of 2026", "2026-10-10"},
		{"the 13th month is in the last quarter", "2027-06", mid, Item{Frequency: "QUARTERLY"}, 3, "Q4", "quarter 4 of 2026/27", "2027-03-10"},
		{"the 13th month is in the last term", "2027-06", mid, Item{Frequency: "TERM"}, 3, "T3", "term 3 of 2026/27", "2027-02-10"},
		{"the second of three terms in 13 months", "T2", mid, Item{Frequency: "TERM"}, 3, "T2", "term 2 of 2026/27", "2026-10-10"},
		{"the last of four terms in 13 months", "T4", mid, Item{Frequency: "TERM"}, 4, "T4", "term 4 of 2026/27", "2027-03-10"},
		{"a fourth of three terms in 13 months", "T4", mid, Item{Frequency: "TERM"}, 3, "", "", ""},
		{"a quarter is no month", "Q1", full, Item{Frequency: "MONTHLY"}, 3, "", "", ""},
		{"the term around a month", "2026-11", full, Item{Frequency: "TERM"}, 3, "T2", "term 2 of 2026/27", "2026-10-10"},
		{"one of two terms", "T2", full, Item{Frequency: "TERM"}, 2, "T2", "term 2 of 2026/27", "2026-12-10"},
		{"a term that there is not", "T3", full, Item{Frequency: "TERM"}, 2, "", "", ""},
		{"the last of four terms in nine months", "T4", nine, Item{Frequency: "TERM"}, 4, "T4", "term 4 of 2026", "2026-07-10"},
		{"the rest of nine months is in the last term", "2026-09", nine, Item{Frequency: "TERM"}, 4, "T4", "term 4 of 2026", "2026-07-10"},
		{"the third of four terms in nine months", "2026-06", nine, Item{Frequency: "TERM"}, 4, "T3", "term 3 of 2026", "2026-05-10"},
		{"the year", "2026-11", full, Item{Frequency: "YEARLY"}, 3, "YEAR", "2026/27", "2026-06-15"},
		{"the year alone", "YEAR", full, Item{Frequency: "YEARLY", DueDate: date("2026-07-01")}, 3, "YEAR", "2026/27", "2026-07-01"},
		{"once", "YEAR", full, Item{Frequency: "ONCE"}, 3, "ONCE", "2026/27", "2026-06-15"},
		{"once, in a month", "2027-05", full, Item{Frequency: "ONCE"}, 3, "ONCE", "2026/27", "2026-06-15"},
		{"the year is no term", "YEAR", full, Item{Frequency: "TERM"}, 3, "", "", ""},
		{"before it begins", "2026-10", full, Item{Frequency: "MONTHLY", StartDate: date("2026-11-01")}, 3, "", "", ""},
		{"from its beginning", "2026-11", full, Item{Frequency: "MONTHLY", StartDate: date("2026-11-01")}, 3, "2026-11", "November 2026",
			"2026-11-10"},
		{"after its end", "2026-12", full, Item{Frequency: "MONTHLY", EndDate: date("2026-11-30")}, 3, "", "", ""},
	} {
		a, err := parsePeriod(tt.period, tt.year, "2026-11-15")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		s, ok := a.spanOf(tt.item, tt.terms)
		if ok != (tt.key != "") || ok && (s.key != tt.key || s.label != tt.label || tt.item.dueDate(s) != tt.due) {
			t.Errorf("%s: %+v %v due %s", tt.name, s, ok, tt.item.dueDate(s))
		}
	}
	for _, bad := range []string{"2026-05", "2027-06", "2026-13", "Q5", "Q0", "T5", "november", "2026", "Q1 "} {
		if a, err := parsePeriod(bad, full, "2026-11-15"); err == nil {
			t.Errorf("%q parsed as a period: %+v", bad, a)
		}
	}
	if _, err := parsePeriod("Q4", school.Year{StartDate: "2026-01-01", EndDate: "2026-09-30"}, "2026-11-15"); err == nil {
		t.Error("a year of nine months has a fourth quarter")
	}
	for months := 1; months <= 13; months++ {
		end := clock.Date(time.Date(2026, time.Month(6+months), 14, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		for terms := 1; terms <= min(months, 4); terms++ {
			last := fmt.Sprint("T", terms)
			a, err := parsePeriod(last, school.Year{StartDate: "2026-06-15", EndDate: end}, "2026-11-15")
			if s, ok := a.spanOf(Item{Frequency: "TERM"}, terms); err != nil || !ok || s.key != last {
				t.Errorf("the last of %d terms in a year to %s: %+v %v %v", terms, end, s, ok, err)
			}
		}
	}
	if a, err := parsePeriod("", full, "2030-01-01"); err != nil || a.month != 11 {
		t.Errorf("month after the end of the year: got %d, %v, want 11", a.month, err)
	}
	if a, err := parsePeriod("", full, "2020-01-01"); err != nil || a.month != 0 {
		t.Errorf("month before the start of the year: got %d, %v, want 0", a.month, err)
	}
}
