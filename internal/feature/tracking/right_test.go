package tracking_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/freeaddr"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

// loss is a way to lose the right to watch the bus.
type loss struct {
	name   string
	who    func(*world) *apptest.Account
	lose   func(*world)
	gone   bool // the socket is disconnected, not only removed from the room
	driven bool // Eve drives afterwards
	told   bool // of the trip before, in a notification
}

func parentOf(w *world) *apptest.Account  { return w.North.Parent }
func driverOf(w *world) *apptest.Account  { return w.North.Driver }
func teacherOf(w *world) *apptest.Account { return w.North.Teacher }
func adminOf(w *world) *apptest.Account   { return w.North.Admin }

var losses = []loss{
	{name: "the link is removed", who: parentOf, lose: func(w *world) {
		pat := w.One(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Pat'`, nil)
		w.Admin("DELETE", "/school-admin/student/"+w.mia+"/guardians/"+pat, nil)
	}},
	{name: "canViewData is false", who: parentOf, lose: func(w *world) {
		w.Admin("POST", "/school-admin/student/"+w.mia+"/guardians",
			m{"name": "Pat", "phone": w.North.Parent.Phone, "canViewData": false}).OK()
	}},
	{name: "the child leaves the route", who: parentOf, lose: func(w *world) {
		w.Admin("PUT", depot+"route/"+w.hills+"/students", m{"students": list{m{"studentId": w.zoe, "stopId": w.gate}}}).OK()
	}},
	{name: "the bus leaves the route", who: parentOf, lose: func(w *world) {
		w.Admin("PUT", depot+"bus/"+w.bus, m{"routeId": nil}).OK()
	}},
	{name: "the trip ends on whose list the child was", who: parentOf, told: true, lose: func(w *world) {
		trip := w.begin("pickup")
		w.Admin("PUT", depot+"route/"+w.hills+"/students", m{"students": list{m{"studentId": w.zoe, "stopId": w.gate}}}).OK()
		w.act(trip, "end", m{}).OK()
	}},
	{name: "the child leaves the school", who: parentOf, lose: func(w *world) {
		w.Admin("PUT", "/school-admin/student/"+w.mia, m{"status": "LEFT"}).OK()
	}},
	{name: "the child is archived", who: parentOf, lose: func(w *world) {
		w.Admin("DELETE", "/school-admin/student/"+w.mia, nil)
	}},
	{name: "the child is erased", who: parentOf, lose: func(w *world) {
		number := w.One(`SELECT admission_no FROM students WHERE school_id = :school AND id = :id`, db.Args{"id": id.ID(w.mia)})
		w.Admin("POST", "/school-admin/student/"+w.mia+"/erase", m{"confirm": number}).OK()
	}},
	{name: "the parents' role loses transport", who: parentOf, lose: func(w *world) { w.LetRead(actor.Parent, "transport", false) }},
	{name: "the teachers' role loses transport", who: teacherOf, lose: func(w *world) { w.LetRead(actor.Teacher, "transport", false) }},
	{name: "the bus goes to another driver", who: driverOf, driven: true, lose: func(w *world) {
		w.Admin("PUT", depot+"bus/"+w.bus, m{"driverId": w.eve}).OK()
	}},
	{name: "the school is suspended", who: parentOf, gone: true, lose: func(w *world) {
		w.As(w.Super, "POST", "/super-admin/school/"+string(w.North.ID)+"/suspend", m{}).OK()
	}},
	{name: "the account is disabled", who: func(w *world) *apptest.Account { return w.aunt }, gone: true, lose: func(w *world) {
		ada := w.One(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Ada'`, nil)
		w.Admin("DELETE", "/school-admin/student/"+w.zoe+"/guardians/"+ada, nil) // her only child
	}},
	{name: "the session ends", who: parentOf, gone: true, lose: func(w *world) {
		w.As(w.North.Parent, "POST", "/auth/logout", m{})
	}},
}

// sibling gives Parent a child without a bus, so that the account stays active.
func (w *world) sibling() {
	w.Helper()
	w.Make("student/create", m{"firstName": "Ben", "classId": w.class, "guardians": list{m{"name": "Pat", "phone": w.North.Parent.Phone}}})
}

// TestNothingAfterTheRightIsGone revokes the right in every possible way: the socket
// is told that it left the room and gets no more events of the bus.
func TestNothingAfterTheRightIsGone(t *testing.T) {
	for _, l := range losses {
		t.Run(l.name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.sibling()
				w.LetRead(actor.Teacher, "transport", true)
				w.Work(t)
				c := w.Dial(l.who(w))
				w.join(c)
				l.lose(w)
				if l.gone {
					if _, err := c.Await("41", await.Limit); err != nil {
						t.Fatal("the socket was not disconnected:", err)
					}
					return
				}
				want := fmt.Sprintf(`42["room-left",{"schoolId":"%s","busId":"%s"}]`, w.North.ID, w.bus)
				if _, err := c.Await(want, await.Limit); err != nil { // skips earlier events
					t.Fatal(err)
				}
				apptest.Eq(t, "join without the right", c.Ask("join-bus-room", m{"busId": w.bus})["ok"], false)
				w.drive(l.driven)
				for _, event := range []string{"bus-location", "trip-status", "boarding-status", "incident-reported", "room-left"} {
					c.HearsNot(event)
				}
			})
		})
	}
}

// drive triggers every event of a room and checks that an administrator gets them.
func (w *world) drive(byEve bool) {
	w.Helper()
	driver, employee := w.North.Driver, w.dan
	if byEve {
		driver, employee = w.eves, w.eve
	}
	witness, phone := w.Dial(adminOf(w)), w.Dial(driver)
	w.join(witness)
	w.join(phone)
	trip := w.Make("transport/trip/schedule", m{"busId": w.bus, "routeId": w.hills, "driverId": employee,
		"type": "dropoff", "date": w.monday, "startTime": "08:00"})
	w.As(driver, "POST", trips+trip+"/start", m{}).OK()
	phone.OK("update-location", at(0, w.Now()))
	witness.Hears("trip-status")
	witness.Hears("bus-location")
	w.As(driver, "POST", "/driver/incident/report", m{"type": "traffic_jam"}).OK()
	witness.Hears("incident-reported")
	if w.Count(`boardings WHERE school_id = :school AND trip_id = :trip AND student_id = :zoe`,
		db.Args{"trip": id.ID(trip), "zoe": id.ID(w.zoe)}) == 1 {
		w.As(driver, "POST", trips+trip+"/students/"+w.zoe+"/status", m{"status": "boarded"}).OK()
		apptest.Eq[any](w, "boarding-status", witness.Hears("boarding-status")["studentId"], w.zoe)
	}
}

// hide removes a link in the database, without a signal.
func (w *world) hide() {
	w.Helper()
	err := w.DB.InSchool(w.Context(), w.North.ID, func(ctx context.Context, tx *db.Tx) error {
		_, err := db.Exec(ctx, tx, `UPDATE student_guardians SET can_view_data = FALSE WHERE school_id = :school AND student_id = :mia`,
			db.Args{"mia": id.ID(w.mia)})
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

func TestRenewalLooksAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		parent, aunt := w.Dial(w.North.Parent), w.Dial(w.aunt)
		w.join(parent)
		w.join(aunt)
		w.hide()
		for c, who := range map[*apptest.Socket]*apptest.Account{parent: w.North.Parent, aunt: w.aunt} {
			w.SignIn(t, who)
			c.OK("authenticate", m{"token": who.Access})
		}
		apptest.Eq[any](t, "room-left", parent.Hears("room-left")["busId"], w.bus)
		aunt.HearsNot("room-left")
		w.drive(false)
		parent.HearsNot("bus-location")
		aunt.Hears("bus-location")
	})
}

func TestOnceAMinuteLooksAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Work(t)
		parent, aunt := w.Dial(w.North.Parent), w.Dial(w.aunt)
		w.join(parent)
		w.join(aunt)
		w.hide()
		w.Clock.Add(time.Minute)
		apptest.Eq[any](t, "room-left", parent.Hears("room-left")["busId"], w.bus)
		aunt.HearsNot("room-left")
	})
}

// TestOwnEventsNeedTheirRight stops notifications and messages when the role loses the right.
func TestOwnEventsNeedTheirRight(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Work(t)
		parent := w.Dial(w.North.Parent)
		trip := w.begin("pickup")
		board := func(status string) { w.act(trip, "students/"+w.mia+"/status", m{"status": status}).OK() }
		board("boarded")
		parent.Hears("boarding-status")
		parent.Hears("notification")
		w.LetRead(actor.Parent, "transport", false)
		quiet := false
		for i := 0; !quiet && i < 1000; i++ { // the signal is asynchronous
			board([]string{"waiting", "boarded"}[i%2])
			parent.Ask("nonsense")
			_, err := parent.Event("boarding-status", 20*time.Millisecond)
			quiet = err != nil
		}
		if !quiet {
			t.Error("boarding-status still arrives without the right")
		}
	})
}

// TestIdleBusIsForAdministrators hides the position of a bus without a running trip.
func TestIdleBusIsForAdministrators(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.LetRead(actor.Teacher, "transport", true)
		driver, parent, teacher, admin := w.Dial(w.North.Driver), w.Dial(w.North.Parent), w.Dial(w.North.Teacher), w.Dial(w.North.Admin)
		for _, c := range []*apptest.Socket{driver, parent, teacher, admin} {
			w.join(c)
		}
		others := []*apptest.Socket{parent, teacher}
		shown := func(want map[*apptest.Account]bool) {
			t.Helper()
			for who, is := range want {
				apptest.Eq(t, fmt.Sprint("live for ", who.Role), w.live(who)["location"] != nil, is)
			}
		}
		hidden := map[*apptest.Account]bool{w.North.Parent: false, w.North.Teacher: false, w.North.Admin: true, w.North.Driver: true}
		open := map[*apptest.Account]bool{w.North.Parent: true, w.North.Teacher: true, w.North.Admin: true, w.North.Driver: true}
		move := func(share float64) {
			t.Helper()
			w.Clock.Add(10 * time.Second)
			driver.OK("update-location", at(share, w.Now()))
			admin.Hears("bus-location")
		}
		hear := func(heard bool) {
			t.Helper()
			for _, c := range others {
				if heard {
					c.Hears("bus-location")
				} else {
					c.HearsNot("bus-location")
				}
			}
		}
		move(0) // at the driver's home
		hear(false)
		shown(hidden)
		trip := w.begin("pickup")
		shown(hidden) // starting a trip does not reveal it
		late := w.Dial(w.North.Parent)
		w.join(late)
		late.HearsNot("bus-location")
		move(0.01)
		hear(true)
		shown(open)
		w.act(trip, "pause", m{}).OK()
		move(0.02)
		hear(true)
		w.act(trip, "resume", m{}).OK()
		w.act(trip, "end", m{}).OK()
		move(0.03) // home again
		hear(false)
		shown(hidden)
		late = w.Dial(w.North.Parent)
		w.join(late)
		late.HearsNot("bus-location")
		last := w.Dial(w.North.Admin)
		w.join(last)
		if got := last.Hears("bus-location"); got["tripId"] != nil {
			t.Errorf("first event after joining: %v", got)
		}
	})
}

// TestLossOnAnotherNode revokes rights on one node of sockets on the other.
func TestLossOnAnotherNode(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t, "postgres", schema.FS)
	addresses := []string{freeaddr.In(t), freeaddr.In(t)}
	node := func(i int) *apptest.Service {
		return apptest.Open(t, url, func(c *app.Config) {
			c.ClusterListen, c.ClusterSecret, c.ClusterPeers = addresses[i], "a secret of the tests", []string{addresses[1-i]}
		})
	}
	a, b := node(0), node(1)
	w := newWorld(a.World(t))
	b.Clock.Add(a.Now().Sub(b.Now()))
	w.sibling()
	far := &world{World: b.World(t), bus: w.bus}
	far.North = w.North
	b.Work(t)
	parent, driver, aunt := far.Dial(w.North.Parent), far.Dial(w.North.Driver), far.Dial(w.aunt)
	for _, c := range []*apptest.Socket{parent, driver, aunt} {
		far.join(c)
	}
	for _, l := range losses {
		switch l.name {
		case "canViewData is false":
			l.lose(w)
			parent.Hears("room-left")
		case "the bus goes to another driver":
			l.lose(w)
			driver.Hears("room-left")
		case "the school is suspended":
			l.lose(w)
			for i, c := range []*apptest.Socket{parent, driver, aunt} {
				if _, err := c.Await("41", await.Limit); err != nil {
					t.Errorf("socket %d was not disconnected: %v", i, err)
				}
			}
		}
	}
}
