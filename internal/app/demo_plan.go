package app

import (
	"fmt"
	"math/rand/v2"
	"time"

	"homeroom/internal/platform/clock"
)

// demoPlan describes one demo school.
type demoPlan struct {
	name, code, zone, currency, locale string
	address, domain, principal         string
	prefix                             string // of admission numbers and employee codes
	phones                             string // prefix of every phone
	language                           string // second language, a subject
	yearBegins                         time.Month
	lat, lng                           float64 // of the school
	plates                             string  // format of registration numbers
	holidays                           []demoHoliday
	seed                               uint64
}

// demoHoliday is a holiday on the same day of every year.
type demoHoliday struct {
	name  string
	month time.Month
	day   int
	days  int
}

func demoPlans() []demoPlan {
	return []demoPlan{
		{
			name: "Greenfield School", code: "GREENFIELD", zone: "America/New_York", currency: "USD", locale: "en-US",
			address: "48 Orchard Street, Greenfield", domain: "greenfield.test", principal: "Grace Whitfield",
			prefix: "GF", phones: "+155501", language: "Spanish", yearBegins: time.August,
			lat: 42.5876, lng: -72.5995, plates: "SCH-41%02d", seed: 1,
			holidays: []demoHoliday{
				{"Autumn break", time.October, 12, 5}, {"Thanksgiving", time.November, 26, 2}, {"Winter break", time.December, 22, 12},
				{"Spring break", time.March, 22, 5}, {"Founders' Day", time.May, 14, 1},
			},
		},
		{
			name: "Riverside Academy", code: "RIVERSIDE", zone: "Asia/Kolkata", currency: "INR", locale: "en-IN",
			address: "7 River Road, Pune", domain: "riverside.test", principal: "Ananya Deshpande",
			prefix: "RS", phones: "+155502", language: "Hindi", yearBegins: time.April,
			lat: 18.5204, lng: 73.8567, plates: "MH 12 RS 70%02d", seed: 2,
			holidays: []demoHoliday{
				{"Summer break", time.May, 4, 35}, {"Independence Day", time.August, 15, 1}, {"Gandhi Jayanti", time.October, 2, 1},
				{"Winter break", time.December, 24, 9}, {"Republic Day", time.January, 26, 1},
			},
		},
	}
}

func (p demoPlan) admin() string   { return "admin@" + p.domain }
func (p demoPlan) teacher() string { return p.phones + "00001" }
func (p demoPlan) parent() string  { return p.phones + "00002" }
func (p demoPlan) driver() string  { return p.phones + "00003" }

// plate returns the registration number of the n-th bus.
func (p demoPlan) plate(n int) string { return fmt.Sprintf(p.plates, n+1) }

// random returns a random source with a fixed seed: every demo has the same people.
func (p demoPlan) random() *rand.Rand { return rand.New(rand.NewPCG(p.seed, 2026)) }

// yearStart returns the first day of the current academic year.
func (p demoPlan) yearStart(today clock.Date) clock.Date {
	t := today.Time()
	year := t.Year()
	if t.Month() < p.yearBegins {
		year--
	}
	return dateOf(year, p.yearBegins, 1)
}

// within returns the date of the holiday in the academic year that starts on first.
func (h demoHoliday) within(first clock.Date) clock.Date {
	date := dateOf(first.Time().Year(), h.month, h.day)
	if date < first {
		date = dateOf(first.Time().Year()+1, h.month, h.day)
	}
	return date
}

func dateOf(year int, month time.Month, day int) clock.Date {
	return clock.Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
}

func yearName(first clock.Date) string {
	year := first.Time().Year()
	return fmt.Sprintf("%d/%02d", year, (year+1)%100)
}

// yearEnd returns the last day of the academic year that starts on first.
func yearEnd(first clock.Date) clock.Date {
	t := first.Time()
	return dateOf(t.Year()+1, t.Month(), t.Day()).AddDays(-1)
}
