package tracking_test

import (
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
)

// Tracks of past trips are deleted after 400 days.
func TestOldTracks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		drive := func() (trip string) {
			trip = w.begin("pickup")
			w.As(w.North.Driver, "POST", trips+trip+"/locations", m{"locations": list{at(0, w.Now()), at(0.5, w.Now().Add(time.Second))}}).OK()
			w.act(trip, "end", m{}).OK()
			return trip
		}
		old := drive()
		w.Pass(395 * 24 * time.Hour)
		w.monday = w.Monday(7)
		young := drive()
		positions := func(trip string) int {
			n, err := db.One[int](t.Context(), w.DB.School(w.North.ID),
				`SELECT COUNT(*) FROM trip_positions WHERE school_id = :school AND trip_id = :trip`, db.Args{"trip": trip})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if positions(old) != 2 || positions(young) != 2 {
			t.Fatalf("%d and %d positions", positions(old), positions(young))
		}
		w.Pass(10 * 24 * time.Hour)
		w.Work(t)
		await.Until(t, "the old track is deleted", func() bool { return positions(old) == 0 })
		if positions(young) != 2 {
			t.Errorf("%d positions of the younger track are left", positions(young))
		}
	})
}
