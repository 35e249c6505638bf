package transport_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
)

// cancel cancels a trip as the administrator.
func (w *world) cancel(trip string, body m) apptest.Reply {
	w.Helper()
	return w.As(w.North.Admin, "POST", depot+"trip/"+trip+"/cancel", body)
}

// TestCancelTells: driver and parents are told, in quiet hours too.
func TestCancelTells(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		parent := w.North.Parent
		w.As(parent, "PUT", "/parent/notification/preferences", m{"quietHours": m{"from": "05:00", "to": "09:00"}}).OK()
		w.onLeave(w.noa)
		trip := w.plan("pickup", "07:00")
		w.cancel(trip, m{"reason": "Snow."}).OK()
		got := w.told(parent, trip)
		if len(got) != 1 || !strings.Contains(got[0], "Please bring Mia Roe to school") || !strings.Contains(got[0], "Reason: Snow.") {
			t.Errorf("the parent reads %q", got)
		}
		if got := w.sent(parent.Phone, "The school bus does not run"); len(got) != 1 || !strings.Contains(got[0], "Mia Roe") {
			t.Errorf("SMS to the parent: %q", got)
		}
		if got := w.told(w.North.Driver, trip); len(got) != 1 || !strings.Contains(got[0], "Reason: Snow.") {
			t.Errorf("the driver reads %q", got)
		}
		if got := w.told(w.uncle, trip); len(got) != 2 {
			t.Errorf("the uncle of Mia and Zoe reads %q", got)
		}
		for _, who := range []*apptest.Account{w.aunt, w.eves, w.South.Driver} {
			if got := w.told(who, trip); len(got) != 0 {
				t.Errorf("%s reads %q", who.Role, got)
			}
		}
	})
}

// TestCancelManyTellsOnce: a week of trips is one message per child and driver.
func TestCancelManyTellsOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		week := m{"busId": w.bus, "type": "pickup", "fromDate": w.day(0), "toDate": w.day(4), "startTime": "07:00"}
		first := w.As(w.North.Admin, "POST", depot+"trip/schedule", week).OK().Text("id")
		w.As(w.North.Admin, "POST", depot+"trip/schedule", apptest.With(week, "type", "dropoff", "startTime", "15:00")).OK()
		w.As(w.North.Admin, "POST", depot+"trip/cancel", m{"busId": w.bus, "fromDate": w.day(0), "reason": "Snow."}).OK()
		for who, want := range map[*apptest.Account]int{w.North.Parent: 2, w.uncle: 2, w.North.Driver: 1, w.aunt: 0, w.eves: 0} {
			got := w.told(who, first)
			if len(got) != want || want > 0 && (!strings.Contains(got[0], "10 trips of Blue bus") || !strings.Contains(got[0], "Reason: Snow.")) {
				t.Errorf("%s reads %q, want %d", who.Role, got, want)
			}
		}
	})
}

// TestRunsAgain: whoever was told that the bus does not run is told if it does, once.
func TestRunsAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		parent := w.North.Parent
		w.cancel(w.plan("pickup", "07:00"), m{"reason": "Snow."}).OK()
		w.As(parent, "PUT", "/parent/notification/preferences", m{"quietHours": m{"from": "05:00", "to": "09:00"}}).OK()
		w.Pass(time.Minute)
		again := w.plan("pickup", "07:15")
		if got := w.told(parent, again); len(got) != 2 ||
			!strings.Contains(fmt.Sprint(got), "Blue bus takes Mia Roe on 30 November 2026 after all. The trip starts at 07:15.") {
			t.Errorf("the parent reads %q", got)
		}
		if got := w.sent(parent.Phone, "The school bus runs after all"); len(got) != 2 {
			t.Errorf("SMS to the parent: %q", got)
		}
		if got := w.told(w.North.Driver, again); len(got) != 1 || !strings.Contains(got[0], "You drive Blue bus") {
			t.Errorf("the driver reads %q", got)
		}
		for _, trip := range []string{w.plan("pickup", "08:00"), w.plan("dropoff", "15:00")} { // not cancelled, or told already
			if got := w.told(parent, trip); len(got) != 0 {
				t.Errorf("the parent reads %q", got)
			}
		}
		week := m{"busId": w.bus, "type": "dropoff", "fromDate": w.day(1), "toDate": w.day(4), "startTime": "15:00"}
		w.As(w.North.Admin, "POST", depot+"trip/schedule", week).OK()
		w.As(w.North.Admin, "POST", depot+"trip/cancel", m{"busId": w.bus, "fromDate": w.day(1)}).OK()
		first := w.As(w.North.Admin, "POST", depot+"trip/schedule", week).OK().Text("id")
		if got := w.told(w.uncle, first); len(got) != 2 || !strings.Contains(got[0], "4 trips from 1 December 2026 to 4 December 2026") {
			t.Errorf("the uncle reads %q", got)
		}
		for _, who := range []*apptest.Account{w.aunt, w.eves} {
			if got := append(w.told(who, again), w.told(who, first)...); len(got) != 0 {
				t.Errorf("%s reads %q", who.Role, got)
			}
		}
	})
}

// TestCancelOfThePast: nobody is told that trips of past days, which never started, do not run.
func TestCancelOfThePast(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		past := func(n int) string {
			return w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "pickup", "date": w.day(-n), "startTime": "07:00"})
		}
		one, changed, many := past(7), past(6), past(5)
		w.As(w.North.Admin, "PUT", depot+"trip/"+changed, m{"startTime": "08:00"}).OK()
		w.cancel(one, m{}).OK()
		today, tomorrow := w.plan("pickup", "07:00"), w.Make("transport/trip/schedule",
			m{"busId": w.bus, "type": "pickup", "date": w.day(1), "startTime": "07:00"})
		w.As(w.North.Admin, "POST", depot+"trip/cancel", m{"busId": w.bus, "fromDate": w.day(-9)}).OK()
		for _, trip := range []string{one, changed, many, tomorrow} {
			if got := w.told(w.uncle, trip); len(got) > 0 {
				t.Errorf("the uncle reads %q", got)
			}
		}
		for _, who := range []*apptest.Account{w.uncle, w.North.Driver} {
			if got := w.told(who, today); len(got) == 0 || !strings.Contains(got[0], "2 trips of Blue bus") {
				t.Errorf("%s reads %q", who.Role, got)
			}
		}
	})
}

// TestCancelOfAForgottenTrip: nobody is told of a trip of a past day that nobody ended. A trip past
// midnight is no such trip.
func TestCancelOfAForgottenTrip(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		told := func(hours time.Duration) int {
			trip := w.begin("pickup", "07:00")
			w.set(trip, w.mia, "boarded").OK()
			was := len(w.told(w.uncle, trip)) + len(w.told(w.North.Driver, trip))
			w.Pass(hours * time.Hour)
			w.cancel(trip, m{"confirmEmpty": true}).OK()
			apptest.Eq(t, "students", w.statuses(trip)[w.mia], "alighted")
			return len(w.told(w.uncle, trip)) + len(w.told(w.North.Driver, trip)) - was
		}
		w.Pass(17 * time.Hour) // 23:00
		apptest.Eq(t, "told after two hours", told(2), 3)
		apptest.Eq(t, "told the day after", told(24), 0)
	})
}

// TestCancelWithStudentsOnBoard refuses until it is said where they are.
func TestCancelWithStudentsOnBoard(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup", "07:00")
		w.set(trip, w.mia, "boarded").OK()
		e := w.cancel(trip, m{}).Want(409, "Conflict")
		if !strings.Contains(e.Message, "Mia Roe") || strings.Contains(e.Message, "Zoe") {
			t.Errorf("who is on the bus: %s", e.Message)
		}
		spare := w.Make("transport/bus/create", m{"registrationNo": "B-2"})
		dropoff := w.plan("dropoff", "15:00")
		foreign := w.As(w.South.Admin, "POST", depot+"bus/create", m{"registrationNo": "S-1"}).OK().Text("id")
		tiny := w.Make("transport/bus/create", m{"registrationNo": "B-3", "capacity": 1, "driverId": w.eve})
		w.set(trip, w.noa, "boarded").OK()
		for name, tt := range map[string]struct {
			body   m
			status int
		}{
			"two replacements":          {m{"replacementBusId": spare, "replacementTripId": dropoff}, 422},
			"empty and replaced":        {m{"replacementBusId": spare, "confirmEmpty": true}, 422},
			"the same bus":              {m{"replacementBusId": w.bus}, 422},
			"the same trip":             {m{"replacementTripId": trip}, 422},
			"the other direction":       {m{"replacementTripId": dropoff}, 422},
			"a bus of another school":   {m{"replacementBusId": foreign}, 404},
			"no such trip":              {m{"replacementTripId": w.mia}, 404},
			"fewer seats than on board": {m{"replacementBusId": tiny}, 409},
		} {
			if r := w.cancel(trip, tt.body); r.Status != tt.status {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
		w.cancel(dropoff, m{"replacementBusId": spare}).Want(409, "Conflict") // has not started
		if got := w.statuses(trip); got[w.mia] != "boarded" || got[w.zoe] != "waiting" || len(w.told(w.uncle, trip)) != 3 {
			t.Errorf("after refused calls: %v, %q", got, w.told(w.uncle, trip))
		}
		if after := w.cancel(trip, m{"confirmEmpty": true}).OK(); after.Text("status") != "cancelled" || after["confirmedEmpty"] != true {
			t.Errorf("cancelled: %v", after)
		}
		if got := w.statuses(trip); got[w.mia] != "alighted" || got[w.zoe] != "waiting" {
			t.Errorf("statuses: %v", got)
		}
		if got := fmt.Sprint(w.told(w.uncle, trip)); !strings.Contains(got, "Where Mia Roe got off was not noted") ||
			!strings.Contains(got, "Please bring Zoe Roe to school") {
			t.Errorf("the uncle reads %s", got)
		}
	})
}

// TestTakeOverByBus: Eve's bus takes over the students of Dan's.
func TestTakeOverByBus(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		spare := w.Make("transport/bus/create", m{"registrationNo": "B-2", "name": "Red bus", "driverId": w.eve})
		trip := w.begin("pickup", "07:00")
		w.set(trip, w.mia, "boarded").OK()
		w.set(trip, w.noa, "absent").OK()
		w.cancel(trip, m{"replacementBusId": spare, "reason": "Flat tyre."}).OK()
		next := w.As(w.North.Admin, "GET", depot+"trip/list?status=STARTED", nil).OK().Items()[0]
		if next.Text("busId") != spare || next.Text("driverId") != w.eve || next.Text("routeId") != w.hills {
			t.Errorf("the other trip: %v", next)
		}
		id := next.Text("id")
		if got := w.statuses(id); len(got) != 2 || got[w.mia] != "boarded" || got[w.zoe] != "waiting" {
			t.Errorf("students of the other trip: %v", got)
		}
		if got := w.statuses(trip); len(got) != 1 || got[w.noa] != "absent" {
			t.Errorf("students left on the cancelled trip: %v", got)
		}
		if got := fmt.Sprint(w.told(w.uncle, id)); !strings.Contains(got, "Red bus takes Mia Roe instead") ||
			!strings.Contains(got, "Red bus takes Zoe Roe instead") {
			t.Errorf("the uncle reads %s", got)
		}
		if got := fmt.Sprint(w.told(w.North.Parent, id)); strings.Contains(got, "Noa") {
			t.Errorf("the parent of an absent child reads %s", got)
		}
		if got := fmt.Sprint(w.told(w.eves, id)); !strings.Contains(got, "Mia Roe") || strings.Contains(got, "Noa") {
			t.Errorf("the new driver reads %s", got)
		}
		if got := w.told(w.North.Driver, trip); len(got) != 1 {
			t.Errorf("the old driver reads %q", got)
		}
		w.act(id, "students/"+w.mia+"/status", m{"status": "alighted"}).Want(403, "PERMISSION_DENIED") // as the old driver
		w.As(w.eves, "POST", trips+id+"/students/"+w.mia+"/status", m{"status": "alighted"}).OK()
		w.As(w.North.Parent, "GET", "/bus-tracking/trip/"+id+"/students", nil).OK()
		w.Pass(time.Minute)
		w.As(w.eves, "POST", trips+id+"/end", m{}).OK()
	})
}

// TestTakeOverByTrip: another trip takes over, running or not, and a child on its list
// who is on the cancelled bus is on board.
func TestTakeOverByTrip(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		spare := w.Make("transport/bus/create", m{"registrationNo": "B-2", "driverId": w.eve, "routeId": w.hills})
		for _, started := range []bool{true, false} {
			at := fmt.Sprintf("0%d:00", map[bool]int{true: 7, false: 8}[started])
			trip := w.begin("pickup", at)
			other := w.Make("transport/trip/schedule", m{"busId": spare, "type": "pickup", "date": w.monday, "startTime": at})
			w.set(trip, w.mia, "boarded").OK()
			if started {
				w.As(w.eves, "POST", trips+other+"/start", m{}).OK()
				w.As(w.eves, "POST", trips+other+"/students/"+w.zoe+"/status", m{"status": "boarded"}).OK()
			}
			w.cancel(trip, m{"replacementTripId": other}).OK()
			got := w.statuses(other)
			if len(got) != 3 || got[w.mia] != "boarded" || got[w.noa] != "waiting" || (got[w.zoe] == "boarded") != started {
				t.Errorf("started %v: students of the other trip: %v", started, got)
			}
			if status := w.As(w.North.Admin, "GET", depot+"trip/"+other, nil).OK().Text("status"); status != "in_progress" {
				t.Errorf("started %v: the other trip is %s", started, status)
			}
			w.As(w.eves, "POST", trips+other+"/end", m{}).OK()
		}
		done := w.As(w.North.Admin, "GET", depot+"trip/list?status=ENDED", nil).OK().Items()[0].Text("id")
		trip := w.begin("pickup", "09:00")
		w.set(trip, w.mia, "boarded").OK()
		w.cancel(trip, m{"replacementTripId": done}).Want(409, "Conflict")
	})
}

// TestTakeOverIsCorrected: the parents who were told of a child on the first bus are told by the
// second that this was a mistake, and once it is so.
func TestTakeOverIsCorrected(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		spare := w.Make("transport/bus/create", m{"registrationNo": "B-2", "name": "Red bus", "driverId": w.eve})
		trip := w.begin("pickup", "07:00")
		w.set(trip, w.zoe, "boarded").OK()
		w.set(trip, w.mia, "boarded").OK()
		w.set(trip, w.mia, "waiting").OK()
		w.cancel(trip, m{"replacementBusId": spare}).OK()
		next := w.As(w.North.Admin, "GET", depot+"trip/list?status=STARTED", nil).OK().Items()[0].Text("id")
		was := len(w.told(w.uncle, next))
		for student, steps := range map[string][]string{w.zoe: {"waiting", "boarded"}, w.mia: {"boarded"}} {
			for _, status := range steps {
				w.As(w.eves, "POST", trips+next+"/students/"+student+"/status", m{"status": status}).OK()
			}
		}
		got := w.told(w.uncle, next)[was:]
		slices.Sort(got)
		apptest.Eq(t, "Uncle reads of the second bus", got, []string{
			"Correction: not on the bus: Zoe Roe is not on Red bus. The message before was a mistake.",
			"On the bus: Mia Roe got on Red bus at Mill.", "On the bus: Zoe Roe got on Red bus at Church."})
	})
}
