package tracking_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/schema"
)

func TestTeachersHearOfBoarding(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		before := w.dial(w.North.Teacher)
		trip := w.begin("pickup")
		status := func(status string) { w.act(trip, "students/"+w.mia+"/status", m{"status": status}).OK() }
		status("boarded") // not her teacher yet
		w.teach()
		status("waiting") // without permission to see buses
		before.hearsNo("boarding-status")
		w.letTeachersSee()
		teacher := w.dial(w.North.Teacher)
		status("boarded")
		if got := teacher.hears("boarding-status"); got["studentId"] != w.mia || got["status"] != "boarded" {
			t.Errorf("boarding-status of a teacher: %v", got)
		}
		teacher.hearsNo("boarding-status")
	})
}

// TestEvents watches a whole trip and checks which events each account gets.
func TestEvents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		parent, aunt, admin, stranger := w.dial(w.North.Parent), w.dial(w.aunt), w.dial(w.North.Admin), w.dial(w.South.Admin)
		for _, c := range []*client{parent, aunt, admin} {
			w.join(c)
		}
		trip := w.begin("pickup")
		w.act(trip, "pause", m{}).OK()
		w.act(trip, "resume", m{}).OK()
		for _, want := range []string{"in_progress", "paused", "in_progress"} {
			if got := aunt.hears("trip-status"); got["status"] != want || got["tripId"] != trip {
				t.Errorf("trip-status %v, want %s", got, want)
			}
		}
		w.act(trip, "students/"+w.mia+"/status", m{"status": "boaded"}).OK()
		for _, c := range []*client{parent, admin} {
			got := c.hears("boarding-status")
			if got["studentId"] != w.mia || got["status"] != "boarded" || got["busId"] != w.bus || got["stopId"] != w.mill || got["at"] == nil {
				t.Errorf("boarding-status %v", got)
			}
		}
		aunt.hearsNo("boarding-status") // another parent's child
		w.do(w.North.Driver, "POST", "/driver/incident/report", m{"type": "traffic_jam", "description": "The bridge is closed."})
		jam := aunt.hears("incident-reported")
		if jam["type"] != "traffic_jam" || jam["description"] != "The bridge is closed." || jam["tripId"] != trip || jam["incidentId"] == nil {
			t.Errorf("incident-reported %v", jam)
		}
		w.act(trip, "end", m{}).OK()
		if got := parent.hears("trip-status"); got["status"] != "in_progress" {
			t.Errorf("trip-status %v", got)
		}
		for _, c := range []*client{parent, aunt} { // at the end Mia is at school and Zoe is a no-show
			if got := c.hears("boarding-status"); got["status"] != map[*client]string{parent: "alighted", aunt: "no_show"}[c] {
				t.Errorf("boarding-status %v", got)
			}
		}
		for _, event := range []string{"trip-status", "boarding-status", "incident-reported", "bus-location"} {
			stranger.hearsNo(event)
		}
	})
}

// TestTwoNodes has the driver on one node and a parent on the other.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t, "postgres", schema.FS)
	addresses := []string{free(t), free(t)}
	node := func(i int) *apptest.Service {
		return apptest.Open(t, url, func(c *app.Config) {
			c.ClusterListen, c.ClusterSecret, c.ClusterPeers = addresses[i], "a secret of the tests", []string{addresses[1-i]}
		})
	}
	a, b := node(0), node(1)
	w := newWorld(t, a)
	b.Clock.Add(a.Now().Sub(b.Now()))
	far := &world{Service: b, TB: t, bus: w.bus}
	far.North = w.North
	driver, parent := w.dial(w.North.Driver), far.dial(w.North.Parent)
	w.join(driver)
	far.join(parent)
	trip := w.begin("pickup")
	// Other nodes learn of a new room with a delay: drive until then.
	i := 0
	await.Until(t, "a parent on the other node to hear of the bus", func() bool {
		w.Clock.Add(5 * time.Second)
		b.Clock.Add(5 * time.Second)
		driver.ok("update-location", at(-1+float64(i)*0.01, w.Now()))
		i++
		_, err := parent.Event("bus-location", 200*time.Millisecond)
		return err == nil
	})
	w.do(w.North.Admin, "GET", depot+"trip/"+trip+"/track", nil) // flushes pending positions
	near, there := w.live(w.North.Parent), far.live(w.North.Parent)
	if object(near["location"])["timestamp"] != object(there["location"])["timestamp"] ||
		fmt.Sprint(near["stops"]) != fmt.Sprint(there["stops"]) {
		t.Errorf("live bus differs by node: %v and %v", near, there)
	}
	w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded"}).OK()
	if got := parent.hears("boarding-status"); got["studentId"] != w.mia {
		t.Errorf("boarding-status %v", got)
	}
	w.act(trip, "end", m{}).OK()
	for got := parent.hears("trip-status"); got["status"] != "completed"; got = parent.hears("trip-status") {
		continue
	}
	// The event and the database signal may arrive in either order.
	await.Until(t, "the other node to see the end", func() bool {
		return object(far.live(w.North.Parent)["trip"])["status"] == "completed"
	})
}

func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
