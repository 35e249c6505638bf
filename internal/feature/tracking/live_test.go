package tracking_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/schema"
)

func TestLive(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		idle := w.live(w.North.Parent)
		if idle["trip"] != nil || idle["location"] != nil || idle["nextStop"] != nil || len(idle.Objects("stops")) != 3 {
			t.Errorf("live, idle bus: %v", idle)
		}
		trip := w.begin("pickup")
		driver := w.Dial(w.North.Driver)
		w.join(driver)
		drive := func(share float64) {
			w.Clock.Add(10 * time.Second)
			driver.OK("update-location", at(share, w.Now()))
		}
		for share := -0.3; share <= 0.6; share += 0.1 { // 11 m/s
			drive(share)
		}
		got := w.live(w.North.Parent)
		stops := got.Objects("stops")
		if got.Object("trip")["id"] != trip || got.Object("trip")["status"] != "in_progress" || got.Object("bus")["name"] != "Blue bus" {
			t.Errorf("live, bus on a trip: %v", got)
		}
		if stops[0]["reachedAt"] == nil || stops[0]["etaSeconds"] != nil || stops[1]["reachedAt"] != nil || stops[2]["reachedAt"] != nil {
			t.Errorf("stops %v", stops)
		}
		church, gate := stops[1]["etaSeconds"].(float64), stops[2]["etaSeconds"].(float64)
		if church < 20 || church > 180 || gate < church+30 || got.Object("nextStop")["stopId"] != w.church {
			t.Errorf("church in %v s, gate in %v s, next %v", church, gate, got["nextStop"])
		}
		if late := got["delaySeconds"].(float64); late > -300 { // planned at 07:10; it is 07:01
			t.Errorf("delay: got %v, want under -300", late)
		}
		if at := got.Object("location"); at["isStale"] != false || at["tripId"] != trip {
			t.Errorf("location %v", at)
		}
		w.Clock.Add(61 * time.Second)
		apptest.Eq(t, "location after a minute", w.live(w.North.Parent).Object("location")["isStale"], true)
		w.As(w.eves, "GET", "/bus-tracking/bus/"+w.bus+"/live", nil).Want(403, "PERMISSION_DENIED")
		w.As(w.South.Parent, "GET", "/bus-tracking/bus/"+w.bus+"/live", nil).Want(404, "Not Found")

		board := w.Admin("GET", depot+"live", nil).OK().Items()
		if len(board) != 1 || board[0].Object("bus")["id"] != w.bus || board[0].Object("nextStop")["name"] != "Church" ||
			board[0].Object("location")["isStale"] != true {
			t.Errorf("dashboard: %v", board)
		}
		apptest.Eq(t, "South sees buses", w.As(w.South.Admin, "GET", depot+"live", nil).OK()["total"], 0.0)
		w.act(trip, "end", m{}).OK()
		if got := w.live(w.North.Parent); got.Object("trip")["status"] != "completed" || got["nextStop"] != nil {
			t.Errorf("live after the end: %v", got)
		}
		apptest.Eq(t, "dashboard after the end: buses", w.Admin("GET", depot+"live", nil).OK()["total"], 0.0)
	})
}

// TestTripThatNobodyEnded: after the next day, parents no longer see it, nor where the bus goes then:
// that may be the driver's way home.
func TestTripThatNobodyEnded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup")
		send := func(share float64) apptest.Object {
			body := m{"locations": list{at(share, w.Now())}}
			return w.As(w.North.Driver, "POST", trips+trip+"/locations", body).OK()
		}
		kept := func(share float64, want any) {
			t.Helper()
			apptest.Eq(t, "positions kept of the trip", send(share)["kept"], want)
		}
		kept(0, 1.0)
		w.Pass(24 * time.Hour)
		kept(0.1, 1.0) // it may be a trip past midnight
		seen := w.live(w.North.Parent)
		apptest.Eq(t, "trip of the day before", seen.Object("trip")["id"], any(trip))
		apptest.Eq(t, "is the location shown", seen["location"] != nil, true)
		w.Pass(24 * time.Hour)
		kept(0.2, 0.0)
		for _, key := range []string{"trip", "location", "nextStop"} {
			apptest.Eq(t, key+" that parents see", w.live(w.North.Parent)[key], nil)
		}
		apptest.Eq(t, "is the location shown to the office", w.live(w.North.Admin)["location"] != nil, true)
		parent := w.Dial(w.North.Parent)
		w.join(parent)
		send(0.3)
		for _, event := range []string{"trip-status", "bus-location"} {
			parent.HearsNot(event)
		}
	})
}

// TestStopMovedOnTheWay: what the office corrects of a stop is true at once, also for a running trip,
// and no stop that the bus has reached is forgotten.
func TestStopMovedOnTheWay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup")
		driver := w.Dial(w.North.Driver)
		w.join(driver)
		for share := -0.3; share <= 0.6; share += 0.1 {
			w.Clock.Add(10 * time.Second)
			driver.OK("update-location", at(share, w.Now()))
		}
		before := w.live(w.North.Parent).Objects("stops")
		w.Admin("GET", depot+"trip/"+trip+"/track", nil).OK() // writes what waits
		w.Admin("PUT", depot+"route/"+w.hills, m{"stops": list{
			m{"id": w.mill, "name": "Mill", "lat": 40.71, "lng": -74.0, "pickupTime": "07:05"},
			m{"id": w.church, "name": "Chapel", "lat": 40.72, "lng": -74.0, "pickupTime": "07:12"},
			m{"id": w.gate, "name": "Gate", "lat": 40.75, "lng": -74.0, "pickupTime": "07:15"}}}).OK()
		var now apptest.Object
		await.Until(t, "the stops of the running trip", func() bool {
			now = w.live(w.North.Parent)
			return now.Objects("stops")[1]["name"] == "Chapel"
		})
		stops := now.Objects("stops")
		apptest.Eq(t, "next stop", now.Object("nextStop")["name"], any("Chapel"))
		apptest.Eq(t, "reached Mill", stops[0]["reachedAt"], before[0]["reachedAt"])
		if was, is := before[2]["distanceMeters"].(float64), stops[2]["distanceMeters"].(float64); stops[2]["lat"] != 40.75 || is < was+2000 {
			t.Errorf("Gate, two kilometres further: %v at %v m, was %v m", stops[2]["lat"], is, was)
		}
		driver.OK("update-location", at(0.7, w.Now().Add(time.Second)))
	})
}

func TestWhichBuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Make("transport/bus/create", m{"registrationNo": "A-9", "capacity": 3})
		for _, tt := range []struct {
			who  *apptest.Account
			want []string
		}{
			{w.North.Admin, []string{"A-9", "B-1"}}, {w.North.Parent, []string{"B-1"}}, {w.aunt, []string{"B-1"}}, {w.North.Driver, []string{"B-1"}},
			{w.eves, nil}, {w.South.Parent, nil}, {w.South.Admin, nil},
		} {
			var got []string
			for _, b := range w.As(tt.who, "GET", "/bus-tracking/bus/list", nil).OK().Items() {
				got = append(got, b.Text("registrationNo"))
			}
			apptest.Eq(t, fmt.Sprint(tt.who.Role, " of ", tt.who.School, " sees"), got, tt.want)
		}
		w.As(w.North.Teacher, "GET", "/bus-tracking/bus/list", nil).Want(403, "PERMISSION_DENIED")
	})
}

// TestPositionEachSecond sends a position a second for two minutes at the default limits. The driver
// can still report and end the trip.
func TestPositionEachSecond(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup")
		for i := range 120 {
			w.Clock.Add(time.Second)
			w.act(trip, "locations", m{"locations": list{at(float64(i)*0.005, w.Now())}}).OK()
		}
		w.act(trip, "end", m{}).OK()
	}, func(c *app.Config) { c.RateWrite, c.RatePosition = app.Default().RateWrite, app.Default().RatePosition })
}

// TestOffline uploads positions recorded offline.
func TestOffline(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		planned := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "dropoff", "date": w.monday, "startTime": "15:00"})
		w.act(planned, "locations", m{"locations": list{at(0, w.Now())}}).Want(409, "Conflict")
		trip := w.begin("pickup")
		start := w.Now()
		w.Clock.Add(5 * time.Minute)
		driver, parent := w.Dial(w.North.Driver), w.Dial(w.North.Parent)
		w.join(driver)
		w.join(parent)
		driver.OK("update-location", at(1.5, w.Now()))
		parent.Hears("bus-location")

		zero := m{"lat": 0, "lng": 0, "timestamp": start.Add(time.Second)}
		batch := list{at(1, start.Add(2*time.Minute)), at(0, start.Add(time.Minute)), zero,
			at(0, start.Add(time.Minute)), at(9, start.Add(-time.Hour))}
		out := w.act(trip, "locations", m{"locations": batch}).OK()
		if out["received"] != 5.0 || out["kept"] != 2.0 || out["duplicates"] != 1.0 || out["ignored"] != 2.0 || out["live"] != false {
			t.Errorf("reply to a batch: %v", out)
		}
		parent.HearsNot("bus-location")
		apptest.Eq(t, "late positions moved the bus back", w.live(w.North.Admin).Object("location")["lat"], 40.725)
		if out := w.act(trip, "locations", m{"locations": batch}).OK(); out["kept"] != 0.0 || out["duplicates"] != 3.0 {
			t.Errorf("reply to the same batch: %v", out)
		}
		line := w.Admin("GET", depot+"trip/"+trip+"/track", nil).OK().Object("geometry")
		if got := line["coordinates"].([]any); len(got) != 3 || got[0].([]any)[1] != 40.71 || got[2].([]any)[1] != 40.725 {
			t.Errorf("track: %v", line)
		}
		w.Clock.Add(30 * time.Second)
		apptest.Eq(t, "reply to a new position", w.act(trip, "locations", m{"locations": list{at(1.7, w.Now())}}).OK()["live"], true)
		if got := parent.Hears("bus-location"); got["lat"].(float64) < 40.7269 {
			t.Errorf("bus-location: %v", got)
		}
		w.As(w.eves, "POST", trips+trip+"/locations", m{"locations": batch}).Want(403, "PERMISSION_DENIED")
		bad := w.act(trip, "locations", m{"locations": list{at(0, start), m{"lat": 91, "lng": 0, "timestamp": start},
			at(0, w.Now().Add(time.Hour))}})
		if got := bad.Want(422, "Unprocessable Entity").Details; len(got) == 0 || got[0].Field != "locations[1].lat" {
			t.Errorf("details of invalid positions: %v", got)
		}
	})
}

// TestAnyOrder sends the same positions in any order, over the socket and in
// batches, with duplicates: track and current position are always the same.
func TestAnyOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup")
		start := w.Now()
		var fixes list
		for i := range 60 {
			fixes = append(fixes, at(-0.5+float64(i)*0.04, start.Add(time.Duration(i)*5*time.Second)))
		}
		fixes[20].(m)["lat"] = 41.5 // an impossible fix
		w.Clock.Add(10 * time.Minute)
		chance := rand.New(rand.NewPCG(1, uint64(len(t.Name()))))
		mixed := append(slices.Clone(fixes), fixes[3], fixes[40])
		chance.Shuffle(len(mixed), func(i, k int) { mixed[i], mixed[k] = mixed[k], mixed[i] })
		driver := w.Dial(w.North.Driver)
		w.join(driver)
		for len(mixed) > 0 {
			n := min(len(mixed), 1+chance.IntN(9))
			if n == 1 {
				driver.OK("update-location", mixed[0])
			} else {
				w.act(trip, "locations", m{"locations": mixed[:n]}).OK()
			}
			mixed = mixed[n:]
		}
		apptest.Eq[any](t, "live", w.live(w.North.Admin).Object("location")["timestamp"], start.Add(295*time.Second).Format(clock.Stamp))
		track := w.Admin("GET", depot+"trip/"+trip+"/track", nil).OK()
		line := track.Object("geometry")["coordinates"].([]any)
		if len(line) != 59 {
			t.Fatalf("track has %d positions", len(line))
		}
		for i := 1; i < len(line); i++ {
			if line[i].([]any)[1].(float64) <= line[i-1].([]any)[1].(float64) {
				t.Fatalf("position %d of the track is out of order", i)
			}
		}
	})
}

// TestRestart starts a second service on the same database.
func TestRestart(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := dbtest.URL(t, engine, schema.FS)
			s, second := apptest.Open(t, url), apptest.Open(t, url) // the second has no state in memory
			w := newWorld(s.World(t))
			trip := w.begin("pickup")
			driver := w.Dial(w.North.Driver)
			w.join(driver)
			for _, share := range []float64{-0.1, 0, 0.3, 0.5} {
				w.Clock.Add(20 * time.Second)
				driver.OK("update-location", at(share, w.Now()))
			}
			before := w.live(w.North.Admin)
			w.Admin("GET", depot+"trip/"+trip+"/track", nil).OK() // flushes pending positions
			second.Clock.Add(w.Now().Sub(second.Now()))
			after := second.Call(t, w.North.Admin, "GET", "/bus-tracking/bus/"+w.bus+"/live", nil).OK()
			if d := cmp.Diff(before, after); d != "" || before["nextStop"] == nil {
				t.Errorf("live differs on the second service: %s", d)
			}
		})
	}
}

// TestLateForTheTrip ignores positions from after the end of a trip, however it ended.
func TestLateForTheTrip(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, how := range []string{"cancel", "end"} {
			trip := w.begin("pickup")
			w.Pass(5 * time.Minute)
			if how == "end" {
				w.act(trip, "end", m{}).OK()
			} else {
				w.Admin("POST", depot+"trip/"+trip+"/cancel", m{}).OK()
			}
			w.Pass(time.Hour) // the driver is at home
			out := w.act(trip, "locations", m{"locations": list{at(1, w.Now().Add(-time.Hour)), at(9, w.Now())}}).OK()
			if out["kept"] != 1.0 || out["ignored"] != 1.0 {
				t.Errorf("after %s: %v", how, out)
			}
		}
	})
}
