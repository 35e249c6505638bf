package tracking_test

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
)

// TestReport drives late, fast and with a detour, and checks the report.
func TestReport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		empty := w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "dropoff", "date": w.monday, "startTime": "16:00"})
		if got := w.Admin("GET", depot+"trip/"+empty+"/track", nil).OK(); got["type"] != "Feature" || got["geometry"] != nil {
			t.Errorf("track of a scheduled trip: %v", got)
		}
		report := w.Admin("GET", depot+"trip/"+empty+"/report", nil).OK()
		if report["positions"] != 0.0 || len(report.Objects("stops")) != 3 || report.Objects("stops")[0]["name"] != "Gate" {
			t.Errorf("report of a scheduled trip: %v", report)
		}
		w.Pass(6 * time.Minute) // 07:06; Mill is planned at 07:05
		trip := w.begin("pickup")
		start := w.Now()
		var fixes list
		second := 0
		drive := func(from, to, lng float64, seconds int) {
			for i := range seconds / 5 {
				f := at(from+(to-from)*float64(i)*5/float64(seconds), start.Add(time.Duration(second)*time.Second))
				f["lng"] = -74.0 + lng
				fixes = append(fixes, f)
				second += 5
			}
		}
		drive(0, 0, 0, 30)         // at Mill
		drive(0, 1, 0, 40)         // 1,112 m in 40 s: 100 km/h
		drive(1, 1, 0, 30)         // at Church
		drive(1.01, 1.9, 0.01, 90) // 840 m off the line
		drive(1.9, 2, 0, 60)       // to Gate
		drive(2, 2, 0, 60)
		w.Pass(10 * time.Minute)
		w.act(trip, "locations", m{"locations": fixes}).OK()
		w.act(trip, "end", m{}).OK()
		got := w.Admin("GET", depot+"trip/"+trip+"/report", nil).OK()
		stops := got.Objects("stops")
		if stops[0]["reachedAt"] == nil || stops[0]["leftAt"] == nil || stops[0]["delaySeconds"] != 60.0 {
			t.Errorf("Mill %v", stops[0])
		}
		if stops[1]["delaySeconds"].(float64) > -100 || stops[2]["reachedAt"] == nil {
			t.Errorf("Church %v, Gate %v", stops[1], stops[2])
		}
		if top := got["topSpeedKmh"].(float64); top < 90 || top > 200 {
			t.Errorf("top speed %v", top)
		}
		if list := got.Objects("overspeed"); len(list) == 0 || list[0]["most"].(float64) < 90 {
			t.Errorf("overspeed %v", list)
		}
		if list := got.Objects("offRoute"); len(list) != 1 || list[0]["most"].(float64) < 700 || list[0]["most"].(float64) > 900 {
			t.Errorf("off the route %v", list)
		}
		w.As(w.South.Admin, "GET", depot+"trip/"+trip+"/report", nil).Want(404, "Not Found")
	})
}

// TestLearning drives a leg slowly on three days; the fourth day's prediction is
// slow too.
func TestLearning(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Work(t)
		drive := func(legs int) {
			start := w.Now()
			var fixes list
			for i := range 20 * legs { // 10 minutes a leg
				fixes = append(fixes, at(min(2, float64(i)*0.05), start.Add(time.Duration(i)*30*time.Second)))
			}
			w.Pass(time.Duration(len(fixes)) * 30 * time.Second)
			trip := w.Admin("GET", depot+"live", nil).OK().Items()[0]
			w.act(trip.Object("trip").Text("id"), "locations", m{"locations": fixes}).OK()
		}
		gate := func() float64 { return w.live(w.North.Admin).Objects("stops")[2]["etaSeconds"].(float64) }
		for day := range 4 {
			trip := w.begin("pickup")
			if day == 3 {
				drive(1)
				if eta := gate(); eta < 500 || eta > 800 {
					t.Errorf("Gate predicted in %v s, but it took ten minutes from Church three times", eta)
				}
				return
			}
			drive(3)
			w.act(trip, "end", m{}).OK()
			w.Pass(10 * time.Second)
			w.learnt(2 * (day + 1))
			w.Pass(24*time.Hour - 30*time.Minute - 10*time.Second)
			w.monday = w.monday.AddDays(1)
		}
	})
}

// learnt waits until n legs are stored.
func (w *world) learnt(n int) {
	w.Helper()
	await.Until(w, fmt.Sprint(n, " legs to be kept"), func() bool {
		got, err := db.One[int](w.Context(), w.DB.School(w.North.ID), `SELECT COUNT(*) FROM leg_times WHERE school_id = :school`, nil)
		if err != nil {
			w.Fatal(err)
		}
		return got >= n
	})
}
