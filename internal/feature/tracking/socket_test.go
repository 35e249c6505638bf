package tracking_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio/siotest"
)

func TestWatchingABus(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		driver, parent, admin := w.Dial(w.North.Driver), w.Dial(w.North.Parent), w.Dial(w.North.Admin)
		w.join(driver)
		w.join(parent)
		parent.HearsNot("bus-location") // no position yet
		trip := w.begin("pickup")
		if got := parent.Hears("trip-status"); got["status"] != "in_progress" || got["tripId"] != trip || got["busId"] != w.bus {
			t.Errorf("trip-status %v", got)
		}
		w.Clock.Add(time.Minute)
		apptest.Eq(t, "acknowledgement of a position", driver.OK("update-location", at(-0.5, w.Now()))["live"], true)
		got := parent.Hears("bus-location")
		next := got.Object("nextStop")
		if got["busId"] != w.bus || got["tripId"] != trip || got["lat"] != 40.705 || got["speed"] != 30.0 ||
			got["timestamp"] != w.Now().Format(clock.Stamp) {
			t.Errorf("bus-location %v", got)
		}
		if next["stopId"] != w.mill || next["name"] != "Mill" || next["distanceMeters"].(float64) < 500 || next["etaSeconds"].(float64) < 60 {
			t.Errorf("next stop %v", next)
		}
		w.join(admin) // gets the current position at once
		apptest.Eq(t, "first bus-location after joining", admin.Hears("bus-location")["lat"], 40.705)
		apptest.Eq(t, "first trip-status after joining", admin.Hears("trip-status")["status"], "in_progress")
		parent.OK("leave-bus-room", m{"schoolId": w.North.ID, "busId": w.bus})
		w.Clock.Add(10 * time.Second)
		driver.OK("update-location", at(-0.4, w.Now()))
		admin.Hears("bus-location")
		parent.HearsNot("bus-location")
	})
}

func TestWhoMayJoinAndMove(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		room := m{"schoolId": w.North.ID, "busId": w.bus}
		for _, tt := range []struct {
			name   string
			c      *apptest.Socket
			room   m
			status int
			error  string
		}{
			{"another school's parent", w.Dial(w.South.Parent), room, 404, "Not Found"},
			{"another school's bus", w.Dial(w.South.Admin), m{"schoolId": w.South.ID, "busId": w.bus}, 404, "Not Found"},
			{"another school's id", w.Dial(w.North.Admin), m{"schoolId": w.South.ID, "busId": w.bus}, 404, "Not Found"},
			{"no such bus", w.Dial(w.North.Admin), m{"schoolId": w.North.ID, "busId": id.New()}, 404, "Not Found"},
			{"no bus", w.Dial(w.North.Admin), m{"schoolId": w.North.ID}, 422, "Unprocessable Entity"},
			{"no id", w.Dial(w.North.Admin), m{"busId": "B-1"}, 422, "Unprocessable Entity"},
			{"a driver of no bus", w.Dial(w.eves), room, 403, "PERMISSION_DENIED"},
			{"a role without the permission", w.Dial(w.North.Teacher), room, 403, "PERMISSION_DENIED"},
		} {
			t.Log(tt.name)
			tt.c.Refused(tt.status, tt.error, "join-bus-room", tt.room)
		}
		here := at(0, w.Now())
		parent, driver, admin := w.Dial(w.North.Parent), w.Dial(w.North.Driver), w.Dial(w.North.Admin)
		w.join(parent)
		w.join(admin)
		parent.Refused(403, "PERMISSION_DENIED", "update-location", here)
		driver.Refused(409, "Conflict", "update-location", here)
		w.join(driver)
		driver.OK("update-location", here)
		admin.Hears("bus-location")
		parent.HearsNot("bus-location") // no running trip

		// The bus is assigned to Eve: Dan can't move it any more.
		w.Admin("PUT", depot+"bus/"+w.bus, m{"driverId": w.eve}).OK()
		w.Clock.Add(20 * time.Second)
		driver.Refused(403, "PERMISSION_DENIED", "update-location", at(0.1, w.Now()))
		admin.HearsNot("bus-location")
		apptest.Eq(t, "position of the bus", w.live(w.North.Admin).Object("location")["lat"], 40.71)
	})
}

func TestTokens(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, token := range []string{"", "nonsense"} {
			_, err := siotest.Connect(t.Context(), w.URL+"/socket.io/", m{"token": token}, nil)
			var refused *siotest.Refused
			if !errors.As(err, &refused) || !strings.Contains(string(refused.Data), `"statusCode":401,`) {
				t.Errorf("connect with the token %q: %v", token, err)
			}
		}
		w.Work(t)
		driver := w.Dial(w.North.Driver)
		w.join(driver)
		if got := w.As(w.North.Driver, "POST", "/auth/logout", m{}); got.Status != 200 {
			t.Fatalf("sign out: %s", got.Body)
		}
		// Signing out disconnects the socket.
		if _, err := driver.Await("41", await.Limit); err != nil {
			t.Fatal("the socket was not disconnected at sign-out:", err)
		}
	})
}

func TestBadPositions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		driver, admin := w.Dial(w.North.Driver), w.Dial(w.North.Admin)
		w.join(driver)
		w.join(admin)
		w.begin("pickup")
		now := w.Now()
		with := func(key string, v any) m { f := at(0, now); f[key] = v; return f }
		for _, tt := range []struct {
			field string
			fix   any
		}{
			{"lat", with("lat", 90.1)}, {"lat", with("lat", "40")}, {"lat", m{}}, {"lat", "x"},
			{"lng", with("lng", -180.5)}, {"lng", with("lng", nil)},
			{"speed", with("speed", -1)}, {"heading", with("heading", 361)},
			{"timestamp", with("timestamp", nil)}, {"timestamp", with("timestamp", "soon")}, {"timestamp", with("timestamp", now.Add(time.Minute))},
			{"timestamp", with("timestamp", -5)}, {"timestamp", with("timestamp", now.Add(time.Hour).Unix())},
		} {
			body := driver.Refused(422, "Unprocessable Entity", "update-location", tt.fix)
			if got := body.Objects("details"); len(got) == 0 || !has(got, tt.field) {
				t.Errorf("position %v: %v, want an error on %s", tt.fix, body, tt.field)
			}
		}
		admin.HearsNot("bus-location")

		live := func(want bool, fix m) {
			t.Helper()
			apptest.Eq[any](t, fmt.Sprint("position ", fix), driver.OK("update-location", fix)["live"], want)
		}
		zero := at(0, now)
		zero["lat"], zero["lng"] = 0, 0
		live(false, zero)
		live(true, at(0, now))
		live(false, at(0.1, now))                   // same timestamp
		live(false, at(0.1, now.Add(-time.Second))) // late
		w.Clock.Add(10 * time.Second)
		live(false, at(5, w.Now())) // 5.5 km in ten seconds
		live(true, with("timestamp", w.Now().UnixMilli()))
		w.Clock.Add(10 * time.Second)
		live(true, with("timestamp", float64(w.Now().Unix())))
	})
}

func has(details []apptest.Object, field string) bool {
	return slices.ContainsFunc(details, func(d apptest.Object) bool { return d.Text("field") == field })
}
