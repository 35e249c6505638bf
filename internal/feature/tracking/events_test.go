package tracking_test

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/freeaddr"
	"homeroom/internal/schema"
)

func TestTeachersHearOfBoarding(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		before := w.Dial(w.North.Teacher)
		trip := w.begin("pickup")
		status := func(status string) { w.act(trip, "students/"+w.mia+"/status", m{"status": status}).OK() }
		status("boarded") // not her teacher yet
		w.teach()
		status("waiting") // without permission to see buses
		before.HearsNot("boarding-status")
		w.LetRead(actor.Teacher, "transport", true)
		teacher := w.Dial(w.North.Teacher)
		status("boarded")
		if got := teacher.Hears("boarding-status"); got["studentId"] != w.mia || got["status"] != "boarded" {
			t.Errorf("boarding-status of a teacher: %v", got)
		}
		teacher.HearsNot("boarding-status")
	})
}

// TestEvents watches a whole trip and checks which events each account gets.
func TestEvents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		parent, aunt, admin, stranger := w.Dial(w.North.Parent), w.Dial(w.aunt), w.Dial(w.North.Admin), w.Dial(w.South.Admin)
		for _, c := range []*apptest.Socket{parent, aunt, admin} {
			w.join(c)
		}
		trip := w.begin("pickup")
		w.act(trip, "pause", m{}).OK()
		w.act(trip, "resume", m{}).OK()
		for _, want := range []string{"in_progress", "paused", "in_progress"} {
			if got := aunt.Hears("trip-status"); got["status"] != want || got["tripId"] != trip {
				t.Errorf("trip-status %v, want %s", got, want)
			}
		}
		w.act(trip, "students/"+w.mia+"/status", m{"status": "boaded"}).OK()
		for _, c := range []*apptest.Socket{parent, admin} {
			got := c.Hears("boarding-status")
			if got["studentId"] != w.mia || got["status"] != "boarded" || got["busId"] != w.bus || got["stopId"] != w.mill || got["at"] == nil {
				t.Errorf("boarding-status %v", got)
			}
		}
		aunt.HearsNot("boarding-status") // another parent's child
		w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "traffic_jam", "description": "The bridge is closed."}).OK()
		jam := aunt.Hears("incident-reported")
		if jam["type"] != "traffic_jam" || jam["description"] != "The bridge is closed." || jam["tripId"] != trip || jam["incidentId"] == nil {
			t.Errorf("incident-reported %v", jam)
		}
		w.As(w.North.Driver, "POST", "/driver/incident/"+jam.Text("incidentId")+"/withdraw", m{}).OK()
		apptest.Eq(t, "withdrawn", aunt.Hears("incident-withdrawn")["incidentId"], jam["incidentId"])
		w.act(trip, "end", m{}).OK()
		if got := parent.Hears("trip-status"); got["status"] != "in_progress" {
			t.Errorf("trip-status %v", got)
		}
		for _, c := range []*apptest.Socket{parent, aunt} { // at the end Mia is at school and Zoe is a no-show
			got := c.Hears("boarding-status")
			stop, has := got["stopId"]
			if got["status"] != map[*apptest.Socket]string{parent: "alighted", aunt: "no_show"}[c] || !has || stop != nil {
				t.Errorf("boarding-status %v", got)
			}
		}
		for _, event := range []string{"trip-status", "boarding-status", "incident-reported", "bus-location"} {
			stranger.HearsNot(event)
		}
	})
}

// TestTwoNodes has the driver on one node and a parent on the other.
func TestTwoNodes(t *testing.T) {
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
	far := &world{World: b.World(t), bus: w.bus}
	far.North = w.North
	driver, parent := w.Dial(w.North.Driver), far.Dial(w.North.Parent)
	w.join(driver)
	far.join(parent)
	trip := w.begin("pickup")
	// Other nodes learn of a new room with a delay: drive until then.
	i := 0
	await.Until(t, "a parent on the other node to hear of the bus", func() bool {
		w.Clock.Add(5 * time.Second)
		b.Clock.Add(5 * time.Second)
		driver.OK("update-location", at(-1+float64(i)*0.01, w.Now()))
		i++
		_, err := parent.Event("bus-location", 200*time.Millisecond)
		return err == nil
	})
	w.Admin("GET", depot+"trip/"+trip+"/track", nil).OK() // flushes pending positions
	near, there := w.live(w.North.Parent), far.live(w.North.Parent)
	if near.Object("location")["timestamp"] != there.Object("location")["timestamp"] ||
		fmt.Sprint(near["stops"]) != fmt.Sprint(there["stops"]) {
		t.Errorf("live bus differs by node: %v and %v", near, there)
	}
	w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded"}).OK()
	apptest.Eq[any](t, "boarding-status", parent.Hears("boarding-status")["studentId"], w.mia)
	w.act(trip, "end", m{}).OK()
	for got := parent.Hears("trip-status"); got["status"] != "completed"; got = parent.Hears("trip-status") {
		continue
	}
	// The event and the database signal may arrive in either order.
	await.Until(t, "the other node to see the end", func() bool {
		return far.live(w.North.Parent).Object("trip")["status"] == "completed"
	})
}
