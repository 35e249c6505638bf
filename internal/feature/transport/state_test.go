package transport_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// tripMoves are the changes that the specification allows.
var tripMoves = map[string]map[string]string{
	"start":  {"scheduled": "in_progress"},
	"pause":  {"in_progress": "paused"},
	"resume": {"paused": "in_progress"},
	"end":    {"in_progress": "completed"},
	"cancel": {"scheduled": "cancelled", "in_progress": "cancelled", "paused": "cancelled"},
}

// ways are the actions to each status.
var ways = map[string][]string{
	"scheduled": {}, "in_progress": {"start"}, "paused": {"start", "pause"},
	"completed": {"start", "end"}, "cancelled": {"cancel"},
}

// move runs an action as the driver or, to cancel, the administrator.
func (w *world) move(trip, action string) apptest.Reply {
	w.Helper()
	if action == "cancel" {
		return w.Admin("POST", depot+"trip/"+trip+"/cancel", m{"reason": "Snow"})
	}
	return w.act(trip, action, m{})
}

// TestTripMoves tries every action in every status.
func TestTripMoves(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for status, way := range ways {
			for action, moves := range tripMoves {
				trip := w.plan("pickup", "07:00")
				for _, step := range way {
					w.move(trip, step).OK()
				}
				next, legal := moves[status]
				r := w.move(trip, action)
				if legal {
					apptest.Eq(t, fmt.Sprint(action, " of a ", status, " trip"), r.OK().Text("status"), next)
				} else {
					next = status
					if e := r.Want(409, "Conflict"); !strings.Contains(e.Message, action) {
						t.Errorf("%s of a %s trip: %s", action, status, e.Message)
					}
				}
				is := w.Admin("GET", depot+"trip/"+trip, nil).OK()
				running := next == "in_progress" || next == "paused"
				if is.Text("status") != next || (is["pausedAt"] != nil) != (next == "paused") || (is["endedAt"] != nil) != (next == "completed") ||
					(is["cancelledAt"] != nil) != (next == "cancelled") || running && is["startedAt"] == nil {
					t.Errorf("trip after %s of %s: %v", action, status, is)
				}
				w.put(trip) // so that the next one can run
			}
		}
		if got := w.Count(`audit_log WHERE school_id = :school AND action = 'trip.start' AND entity = 'trip'`, nil); got == 0 {
			t.Error("no trip.start in the audit log")
		}
	})
}

// put cancels a trip, so that the bus and driver are free.
func (w *world) put(trip string) {
	w.Helper()
	_, err := db.Exec(w.Context(), w.DB.School(w.North.ID),
		`UPDATE trips SET status = 'cancelled' WHERE school_id = :school AND id = :id`, db.Args{"id": trip})
	if err != nil {
		w.Fatal(err)
	}
}

// TestWhoDrives allows actions only to the driver of a trip.
func TestWhoDrives(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.plan("pickup", "07:00")
		for _, action := range []string{"start", "pause", "resume", "end"} {
			w.As(w.eves, "POST", trips+trip+"/"+action, m{}).Want(403, "PERMISSION_DENIED")
			w.As(w.South.Driver, "POST", trips+trip+"/"+action, m{}).Want(404, "Not Found")
		}
		w.act(trip, "start", m{}).OK()
		w.As(w.eves, "POST", trips+trip+"/students/"+w.mia+"/status", m{"status": "boarded"}).Want(403, "PERMISSION_DENIED")
		w.As(w.eves, "GET", "/driver/student/list?tripId="+trip, nil).Want(403, "PERMISSION_DENIED")
		w.As(w.eves, "POST", "/driver/incident/report", m{"type": "other", "tripId": trip}).Want(403, "PERMISSION_DENIED")
		w.As(w.eves, "POST", "/driver/incident/report", m{"type": "other", "busId": w.bus}).Want(403, "PERMISSION_DENIED")
		w.As(w.eves, "POST", "/driver/incident/report", m{"type": "other"}).Want(404, "Not Found")
		w.Admin("PUT", "/school-admin/employee/"+w.dan, m{"status": "RESIGNED"}).OK()
		if r := w.act(trip, "end", m{}); r.Status != 401 && r.Status != 403 {
			t.Errorf("end by a driver who resigned: %d %s", r.Status, r.Body)
		}
	})
}

// TestOneAtATime races starts: a bus and a driver can be on one trip.
func TestOneAtATime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		other := w.Make("transport/bus/create", m{"registrationNo": "B-2", "routeId": w.hills})
		first, second := w.plan("pickup", "07:00"), w.plan("pickup", "08:00")
		danElsewhere := w.Make("transport/trip/schedule", m{"busId": other, "driverId": w.dan,
			"type": "pickup", "date": w.monday, "startTime": "07:00"})
		eveHere := w.Make("transport/trip/schedule", m{"busId": w.bus, "driverId": w.eve,
			"type": "dropoff", "date": w.monday, "startTime": "07:30"})

		var mu sync.Mutex
		got := map[string][]int{}
		var wg sync.WaitGroup
		for _, trip := range []string{first, first, first, second, second, danElsewhere} {
			wg.Go(func() {
				r := w.act(trip, "start", m{})
				mu.Lock()
				defer mu.Unlock()
				got[trip] = append(got[trip], r.Status)
			})
		}
		wg.Wait()
		all := slices.Concat(got[first], got[second], got[danElsewhere])
		slices.Sort(all)
		if !slices.Equal(all, []int{200, 409, 409, 409, 409, 409}) {
			t.Fatalf("six concurrent starts, want one success: %v", got)
		}
		if w.Count(`trips WHERE school_id = :school AND status = 'in_progress'`, nil) != 1 ||
			w.Count(`boardings WHERE school_id = :school`, nil) != 3 {
			t.Error("want one running trip with three students")
		}
		if slices.Contains(got[danElsewhere], 200) { // the bus is free then
			w.As(w.eves, "POST", trips+eveHere+"/start", m{}).OK()
		} else {
			w.As(w.eves, "POST", trips+eveHere+"/start", m{}).Want(409, "Conflict")
		}
	})
}

func TestATripOfAnotherDay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		later := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "pickup", "date": w.day(2), "startTime": "07:00"})
		if e := w.act(later, "start", m{}).Want(409, "Conflict"); !strings.Contains(e.Message, w.day(2)) {
			t.Errorf("start two days early: %s", e.Message)
		}
		past := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "pickup", "date": w.day(-3), "startTime": "07:00"})
		w.act(past, "start", m{}).OK()
	})
}

// TestStartedOffline: a start that arrives late counts from the time that the phone says, within limits.
func TestStartedOffline(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		now := w.Clock.Now()
		for i, tt := range []struct{ said, want time.Duration }{
			{-40 * time.Minute, -40 * time.Minute}, {time.Minute, 0}, {-13 * time.Hour, 0},
		} {
			trip := w.plan("pickup", fmt.Sprintf("07:%02d", i))
			started := w.act(trip, "start", m{"startedAt": now.Add(tt.said)}).OK().Text("startedAt")
			at, err := time.Parse(time.RFC3339Nano, started)
			if err != nil || !at.Equal(now.Add(tt.want).Truncate(time.Millisecond)) {
				t.Errorf("said %s from now: started at %s, want %s (%v)", tt.said, started, now.Add(tt.want), err)
			}
			w.act(trip, "end", m{}).OK()
		}
	})
}
