package tracking_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// TestNear notifies each child's parents once that the bus is near.
func TestNear(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup")
		driver := w.Dial(w.North.Driver)
		w.join(driver)
		told := func() (out []string) {
			t.Helper()
			w.Admin("GET", depot+"trip/"+trip+"/track", nil).OK() // flushes pending alerts
			rows, err := db.All[string](context.Background(), w.DB.School(w.North.ID), `
				SELECT student_id FROM notifications WHERE school_id = :school
					AND title = 'The bus is near' AND record_id = :trip`, db.Args{"trip": id.ID(trip)})
			if err != nil {
				t.Fatal(err)
			}
			return rows
		}
		drive := func(share float64) {
			t.Helper()
			w.Clock.Add(50 * time.Second)
			driver.OK("update-location", at(share, w.Now()))
		}
		drive(-2.2)
		apptest.Eq(t, "notified while far away", len(told()), 0)
		for share := -1.8; share < 0.05; share += 0.3 {
			drive(share)
		}
		apptest.Eq(t, "notified", told(), []string{w.mia})
		for share := 0.3; share < 2.05; share += 0.3 {
			drive(share)
		}
		drive(1.8) // back again
		if got := told(); len(got) != 2 || !slices.Contains(got, w.zoe) {
			t.Errorf("notified: %v, want also Zoe's parents, each once", got)
		}
	})
}

// TestNearThenCancelled: nobody is told that the bus is near after being told that it does not come.
func TestNearThenCancelled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup")
		driver := w.Dial(w.North.Driver)
		w.join(driver)
		w.Clock.Add(10 * time.Second)
		driver.OK("update-location", at(-0.1, w.Now()))
		w.Admin("POST", depot+"trip/"+trip+"/cancel", m{}).OK() // positions are written once a second
		w.Admin("GET", depot+"trip/"+trip+"/track", nil).OK()   // flushes pending alerts
		titles := w.All(`SELECT title FROM notifications WHERE school_id = :school AND user_id = :user AND record_id = :trip ORDER BY id`,
			db.Args{"user": w.North.Parent.ID, "trip": id.ID(trip)})
		apptest.Eq(t, "the last that Mia's parent reads", titles[len(titles)-1], "The school bus does not run")
	})
}

// TestNearBeforeBoarding: at the school a bus may be near its first stop before anybody is
// on it, and a student may wait again at a stop that it is near to. Their parents are told.
func TestNearBeforeBoarding(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		driver := w.Dial(w.North.Driver)
		w.join(driver)
		drive := func(share float64) {
			t.Helper()
			w.Clock.Add(10 * time.Second)
			driver.OK("update-location", at(share, w.Now()))
		}
		told := func(trip string) int {
			t.Helper()
			w.Admin("GET", depot+"trip/"+trip+"/track", nil).OK() // flushes pending alerts
			return w.Count(`notifications WHERE school_id = :school AND title = 'The bus is near' AND record_id = :trip`,
				db.Args{"trip": id.ID(trip)})
		}
		near := func(trip string, share float64) {
			t.Helper()
			for end := time.Now().Add(await.Limit); told(trip) == 0; drive(share) { // the signal takes a moment
				if time.Sleep(50 * time.Millisecond); time.Now().After(end) {
					t.Fatal("nobody is told that the bus is near")
				}
			}
		}
		dropoff := w.begin("dropoff")
		drive(2.4) // Gate is the first stop
		apptest.Eq(t, "told while the bus is empty", told(dropoff), 0)
		w.act(dropoff, "students/"+w.zoe+"/status", m{"status": "boarded"}).OK()
		near(dropoff, 2.4)
		w.act(dropoff, "end", m{"confirmEmpty": true}).OK()
		pickup := w.begin("pickup")
		w.act(pickup, "students/"+w.mia+"/status", m{"status": "boarded"}).OK() // Zoe was meant
		drive(-0.1)
		apptest.Eq(t, "told of a child on the bus", told(pickup), 0)
		w.act(pickup, "students/"+w.mia+"/status", m{"status": "waiting"}).OK()
		near(pickup, -0.1)
	})
}
