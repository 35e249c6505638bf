package app

import (
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/feature/tracking/geo"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

// demoNight is early on a Sunday in New York, in the winter break of both schools.
var demoNight = time.Date(2026, 12, 27, 7, 40, 0, 0, time.UTC)

// demoClock is a demo with a clock and a simulator that the test moves.
type demoClock struct {
	*testing.T
	*App
	now time.Time
	sim *simulator
	at  id.ID // Greenfield
	day clock.Date
}

func (d *demoClock) start(s Store) {
	d.Helper()
	c := Default()
	c.Store, c.Demo = s, true
	var err error
	if d.App, err = New(d.Context(), c, Deps{Now: func() time.Time { return d.now }}); err != nil {
		d.Fatal(err)
	}
	d.sim = d.newSimulator()
	d.at = one[id.ID](d.T, d.DB.Across(unscoped.Permit{}), `SELECT id FROM schools WHERE code = 'GREENFIELD'`, nil)
	d.day = clock.DateIn(d.now, "America/New_York")
}

// pass lets time pass and the simulator run.
func (d *demoClock) pass(t time.Duration) {
	d.Helper()
	d.now = d.now.Add(t)
	if err := d.sim.tick(d.Context()); err != nil {
		d.Fatal(err)
	}
	if err := d.services.tracking.Flush(d.Context()); err != nil {
		d.Fatal(err)
	}
}

func (d *demoClock) count(rows string) int {
	d.Helper()
	a := db.Args{"day": d.day, "plate": demoPlans()[0].plate(demoDriven)}
	return one[int](d.T, d.DB.School(d.at), `SELECT COUNT(*) FROM `+rows, only(rows, a))
}

// TestDemoIsAlive makes a demo on a Sunday night in the holidays, lets the simulator
// drive, and restarts the demo three days later at another hour.
func TestDemoIsAlive(t *testing.T) {
	eachStore(t, func(t *testing.T, s Store) {
		d := &demoClock{T: t, now: demoNight}
		d.start(s)
		d.checkDay()
		n := d.count(`timetable_periods WHERE school_id = :school AND day_of_week = 7 AND start_time <= '02:40' AND end_time > '02:40'`)
		if n < 15 {
			t.Errorf("%d lessons now, want nearly 20", n)
		}
		d.checkRides()
		d.checkRefusals()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(3*24*time.Hour + 9*time.Hour)
		d.start(s)
		for range 2 { // the second time must change nothing
			d.sim = d.newSimulator()
			d.pass(4 * time.Second)
			d.checkDay()
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// checkDay checks that a school day is going on.
func (d *demoClock) checkDay() {
	d.Helper()
	cal, err := school.CalendarOf(d.Context(), d.DB.School(d.at), d.day, d.day)
	if err != nil || !cal.IsSchoolDay(d.day) {
		d.Errorf("%s is no school day: %v", d.day, err)
	}
	for rows, want := range map[string]int{
		`(SELECT DISTINCT division_id FROM attendance WHERE school_id = :school AND date = :day) AS marked`: 10,
		`attendance WHERE school_id = :school AND date = :day`:                                              150,
		`leaves WHERE school_id = :school AND status = 'APPROVED' AND from_date = :day`:                     1,
		`leaves WHERE school_id = :school AND status = 'PENDING'`:                                           2,
		`trips t JOIN buses b ON b.school_id = t.school_id AND b.id = t.bus_id WHERE t.school_id = :school AND t.date = :day
			AND b.registration_no <> :plate AND t.status = 'scheduled'`: 2,
		`trips WHERE school_id = :school AND status = 'in_progress'`:       1,
		`contact_changes WHERE school_id = :school AND status = 'PENDING'`: 1,
		`incidents WHERE school_id = :school AND acknowledged_at IS NULL`:  1,
	} {
		if n := d.count(rows); n != want {
			d.Errorf("%s: %d %s, want %d", d.day, n, rows, want)
		}
	}
}

// checkRides follows the bus from the first stop to the school and back.
func (d *demoClock) checkRides() {
	d.Helper()
	boarded := func() int {
		return d.count(`boardings x JOIN trips t ON t.school_id = x.school_id AND t.id = x.trip_id
			WHERE x.school_id = :school AND x.status = 'boarded' AND t.status = 'in_progress'`)
	}
	type place struct{ Lat, Lng float64 }
	before, seen, most := place{}, map[place]bool{}, 0
	for range 20 { // some 13 minutes
		d.pass(40 * time.Second)
		now := one[place](d.T, d.DB.School(d.at), `SELECT lat, lng FROM bus_positions p WHERE school_id = :school`, nil)
		if far := geo.Distance(geo.Point(before), geo.Point(now)); before.Lat != 0 && far > 40.1*rideSpeed {
			d.Fatalf("the bus jumped %f m", far)
		}
		before, seen[now], most = now, true, max(most, boarded())
	}
	riders := d.count(`student_stops w JOIN route_stops p ON p.school_id = w.school_id AND p.id = w.stop_id
		JOIN buses b ON b.school_id = p.school_id AND b.route_id = p.route_id WHERE w.school_id = :school AND b.registration_no = :plate`)
	if len(seen) < 12 || most != riders || riders < 10 {
		d.Errorf("%d positions and up to %d students aboard, want over 12 and %d", len(seen), most, riders)
	}
	d.pass(rideRest)
	for range 20 {
		d.pass(40 * time.Second)
	}
	for rows, want := range map[string]int{
		`trips WHERE school_id = :school AND type = 'pickup' AND status = 'completed'`:  1,
		`trips WHERE school_id = :school AND type = 'dropoff' AND status = 'completed'`: 1,
		`boardings WHERE school_id = :school AND status = 'alighted'`:                   2 * riders,
	} {
		if n := d.count(rows); n != want {
			d.Errorf("%d %s, want %d", n, rows, want)
		}
	}
	d.pass(rideRest) // the next trip, for checkDay
}

// checkRefusals lets visitors retire the bus and suspend the school.
func (d *demoClock) checkRefusals() {
	d.Helper()
	trips := func() int { return d.count(`trips WHERE school_id = :school`) }
	before := trips()
	for _, change := range []string{`UPDATE buses SET archived_at = :now WHERE school_id = :school`,
		`UPDATE schools SET status = 'SUSPENDED' WHERE id = :school AND :now = :now`} {
		if _, err := db.Exec(d.Context(), d.DB.School(d.at), change, db.Args{"now": d.now}); err != nil {
			d.Fatal(err)
		}
		d.pass(time.Hour)
		if n := trips(); n != before {
			d.Errorf("%d trips after %s, want %d", n, change, before)
		}
	}
	for _, change := range []string{`UPDATE buses SET archived_at = NULL WHERE school_id = :school`,
		`UPDATE schools SET status = 'ACTIVE' WHERE id = :school`} {
		if _, err := db.Exec(d.Context(), d.DB.School(d.at), change, nil); err != nil {
			d.Fatal(err)
		}
	}
}

// TestDemoOpensAtAnyHour lays the school day around every minute of a day.
func TestDemoOpensAtAnyHour(t *testing.T) {
	t.Parallel()
	for minute := range 24 * 60 {
		opens := opensBefore(time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC))
		if opens < 0 || opens > minute || opens+demoDay >= 24*60 || minute > opens+demoDay+10 || opens%5 != 0 {
			t.Fatalf("at %s school opens at %s", timeOfDay(minute), timeOfDay(opens))
		}
		if minute > 80 && minute < 18*60+30+80 && minute-opens > 85 {
			t.Fatalf("at %s the second lesson is over: it opened at %s", timeOfDay(minute), timeOfDay(opens))
		}
	}
}

// TestRide checks a dropoff from its start to long after its end.
func TestRide(t *testing.T) {
	t.Parallel()
	stops := []transport.Stop{{ID: "far", Lat: 0.02}, {ID: "near", Lat: 0.01}}
	r := newRide(transport.Dropoff, stops, geo.Point{})
	leg := time.Duration(geo.Distance(geo.Point{}, geo.Point{Lat: 0.01}) / rideSpeed * float64(time.Second))
	for _, c := range []struct {
		after   time.Duration
		reached int
		lat     float64
		over    bool
	}{
		{0, 1, 0, false}, {rideDwell + leg/2, 1, 0.005, false}, {rideDwell + leg, 2, 0.01, false}, {2*rideDwell + 2*leg, 3, 0.02, false},
		{3*rideDwell + 2*leg, 3, 0.02, true}, {24 * time.Hour, 3, 0.02, true},
	} {
		m := r.after(c.after)
		if m.reached != c.reached || m.over != c.over || m.at.Lat < c.lat-1e-6 || m.at.Lat > c.lat+1e-6 || m.heading != 0 {
			t.Errorf("after %s: %+v, want %+v", c.after, m, c)
		}
	}
	near := transport.Boarding{StopID: "near", Status: transport.Boarded}
	if s := r.next(r.after(rideDwell), near); s != "" {
		t.Errorf("on the way to the stop: %s", s)
	}
	if s := r.next(r.after(rideDwell+leg), near); s != transport.Alighted {
		t.Errorf("at the stop: %q", s)
	}
	if s := r.next(r.after(0), transport.Boarding{StopID: "far", Status: transport.Waiting, OnLeave: true}); s != "" {
		t.Errorf("a student on leave: %s", s)
	}
}

// only keeps the arguments that the SQL uses.
func only(sql string, a db.Args) db.Args {
	for name := range a {
		if !strings.Contains(sql, ":"+name) {
			delete(a, name)
		}
	}
	return a
}
