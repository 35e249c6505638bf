package tracking_test

import (
	"errors"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/socketio/siotest"
)

// roomEvents are the events of the room of a bus.
var roomEvents = []string{"bus-location", "trip-status", "incident-reported"}

func (w *world) report() {
	w.Helper()
	w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "traffic_jam", "busId": w.bus}).OK()
}

// TestMissedEventsAreReplayed breaks a parent's connection during a trip.
func TestMissedEventsAreReplayed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		driver, before := w.Dial(w.North.Driver), w.DialRecovering(w.North.Parent, nil)
		w.join(driver)
		w.join(before)
		trip := w.begin("pickup")
		apptest.Eq[any](t, "status", before.Hears("trip-status")["status"], "in_progress")
		before.HearsNot("trip-status")
		before.Close()
		move := func(share float64) {
			w.Clock.Add(10 * time.Second)
			driver.OK("update-location", at(share, w.Now()))
		}
		move(0)
		w.act(trip, "pause", m{}).OK()
		w.report()
		w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded"}).OK()
		w.act(trip, "students/"+w.zoe+"/status", m{"status": "boarded"}).OK()
		move(0.1)

		c := w.DialRecovering(w.North.Parent, before)
		apptest.Eq(t, "socket", c.ID, before.ID)
		apptest.Eq[any](t, "position", c.Hears("bus-location")["timestamp"], w.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
		apptest.Eq[any](t, "status", c.Hears("trip-status")["status"], "paused")
		c.Hears("incident-reported")
		apptest.Eq[any](t, "boarded", c.Hears("boarding-status")["studentId"], w.mia)
		c.Hears("notification")
		for _, event := range append(roomEvents, "boarding-status", "room-left") {
			c.HearsNot(event)
		}
		move(0.2) // the socket is still in the room
		c.Hears("bus-location")
	})
}

// TestNoReplayWithoutTheRight revokes the right in every possible way while the client is
// away: it gets nothing of the bus, not even what was sent before.
func TestNoReplayWithoutTheRight(t *testing.T) {
	for i, l := range losses {
		t.Run(l.name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.sibling()
				w.LetRead("TEACHER", "transport", true)
				before := w.DialRecovering(l.who(w), nil)
				w.join(before)
				before.Close()
				if i%2 == 0 { // else the right is only checked when the client connects
					w.Work(t)
				}
				w.report()
				l.lose(w)
				if l.gone {
					_, err := siotest.Connect(t.Context(), w.URL+"/socket.io/",
						m{"token": l.who(w).Access, "recover": true, "pid": before.PID, "offset": before.Offset}, nil)
					if _, refused := errors.AsType[*siotest.Refused](err); !refused {
						t.Errorf("connected again: %v", err)
					}
					return
				}
				c := w.DialRecovering(l.who(w), before)
				if c.ID == before.ID || !l.told { // else it has missed what is outdated
					apptest.Eq(t, "socket", c.ID, before.ID)
					apptest.Eq[any](t, "room-left", c.Hears("room-left")["busId"], w.bus)
				}
				w.drive(l.driven)
				for _, event := range roomEvents { // room-left may come twice, if the check while away meets the new connection
					c.HearsNot(event)
				}
			})
		})
	}
}

// TestNoReplayOfALostChild: what was sent to a parent of a child is not replayed after the link has ended. The client gets a
// new socket and reloads.
func TestNoReplayOfALostChild(t *testing.T) {
	for _, l := range losses[:2] {
		t.Run(l.name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.sibling()
				w.Work(t)
				trip := w.begin("pickup")
				before, witness := w.DialRecovering(w.North.Parent, nil), w.Dial(w.North.Parent)
				w.join(witness)
				before.Close()
				w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded"}).OK()
				witness.Hears("boarding-status")
				l.lose(w)
				witness.Hears("room-left")
				c := w.DialRecovering(w.North.Parent, before)
				if c.ID == before.ID {
					t.Error("the client believes that it has missed nothing")
				}
				for _, event := range []string{"boarding-status", "notification"} {
					c.HearsNot(event)
				}
			})
		})
	}
}

// TestNewSignInDoesNotRecover uses a pid with another session of the same account.
func TestNewSignInDoesNotRecover(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		before := w.DialRecovering(w.North.Parent, nil)
		w.join(before)
		before.Close()
		w.report()
		for _, who := range []*apptest.Account{w.aunt, w.North.Parent} {
			w.SignIn(t, who)
			c := w.DialRecovering(who, before)
			if c.ID == before.ID {
				t.Error("recovered by another session")
			}
			c.HearsNot("incident-reported")
		}
	})
}
