package webapp_test

import (
	"testing"
	"time"
)

// TestHolidaysOfLastYear: the calendar shows the holidays of every half-year, also those before this January.
func TestHolidaysOfLastYear(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.goes("/app/calendar")
		d.settles()
		admin := d.login("admin@greenfield.test")
		today, err := time.Parse(time.DateOnly, d.js(`new Date().toISOString().slice(0, 10)`))
		if err != nil {
			d.T.Fatal(err)
		}
		back := 1 // half-years
		day := time.Date(today.Year()-1, 12, 9, 0, 0, 0, 0, time.UTC)
		for today.AddDate(0, -6*back, 1-today.Day()).After(day) {
			back++
		}
		r := d.Call(d.T, admin, "POST", "/school-admin/holiday/create", m{"name": "Deep winter", "date": day.Format(time.DateOnly)})
		if r.Status >= 300 {
			d.T.Fatalf("%d %s", r.Status, r.Body)
		}
		for range back {
			d.Clicks("button", "Earlier")
		}
		d.Until("see the holiday", func() bool {
			return d.js(`document.querySelector(".minidays [title$=': Deep winter']") !== null`) == "true"
		})
		d.clean()
	})
}
