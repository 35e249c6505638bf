package transport_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// boardingWays are the steps to each status; boarded has two.
var boardingWays = map[string][]string{
	"waiting": {}, "boarded": {"boarded"}, "alighted": {"boarded", "alighted"}, "absent": {"absent"}, "no_show": {"no_show"},
	"boarded late": {"no_show", "boarded"},
}

// boardingMoves are the changes that the specification allows, undo included.
var boardingMoves = map[string][]string{
	"waiting": {"boarded", "absent", "no_show"}, "boarded": {"alighted", "waiting"}, "alighted": {"boarded"},
	"absent": {"waiting"}, "no_show": {"boarded", "waiting"}, "boarded late": {"alighted", "no_show"},
}

// TestBoardingMoves tries every step in every status.
func TestBoardingMoves(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup", "07:00")
		for from, way := range boardingWays {
			for _, to := range []string{"waiting", "boarded", "boaded", "alighted", "absent", "no_show"} {
				w.reset(trip)
				for _, step := range way {
					w.set(trip, w.mia, step).OK()
				}
				r := w.set(trip, w.mia, to)
				means := strings.Replace(to, "boaded", "boarded", 1)
				if strings.Fields(from)[0] == means {
					if r.OK()["unchanged"] != true {
						t.Errorf("%s again: %s", from, r.Body)
					}
					continue
				}
				if !slices.Contains(boardingMoves[from], means) {
					r.Want(409, "Conflict")
					continue
				}
				b := r.OK()
				if b["unchanged"] != false || b.Text("status") != means ||
					(b["absentAt"] != nil) != (means == "absent") || (b["alightedAt"] != nil) != (means == "alighted") ||
					(b["boardedAt"] != nil) != (means == "boarded" || means == "alighted") {
					t.Errorf("after %s → %s: %v", from, to, b)
				}
				apptest.Eq(t, fmt.Sprint(from, " → ", to, ": read"), w.statuses(trip)[w.mia], means)
			}
		}
		w.set(trip, w.mia, "flying").Want(422, "Unprocessable Entity")
		w.set(trip, w.mia, "BOARDED").Want(422, "Unprocessable Entity")
		w.set(trip, w.max, "boarded").Want(404, "STUDENT_NOT_FOUND")
		w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded", "lat": 1}).Want(422, "Unprocessable Entity")
	})
}

// reset makes every student of a trip wait again.
func (w *world) reset(trip string) {
	w.Helper()
	_, err := db.Exec(w.Context(), w.DB.School(w.North.ID), `
		UPDATE boardings SET status = 'waiting', boarded_at = NULL, alighted_at = NULL, absent_at = NULL, no_show_at = NULL
		WHERE school_id = :school AND trip_id = :trip`, db.Args{"trip": trip})
	if err != nil {
		w.Fatal(err)
	}
}

// TestBoardingOnlyWhileTheTripRuns refuses statuses before the start and after the
// end, and accepts them during a pause.
func TestBoardingOnlyWhileTheTripRuns(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.plan("pickup", "07:00")
		w.set(trip, w.mia, "boarded").Want(409, "Conflict")
		w.act(trip, "start", m{}).OK()
		w.act(trip, "pause", m{}).OK()
		w.Pass(time.Minute)
		b := w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded", "lat": 40.7, "lng": -74.0}).OK()
		if b.Text("boardedStopId") != w.mill || b["lat"] != 40.7 || b.Text("boardedAt") == "" || b.Text("stopName") != "Mill" {
			t.Errorf("Mia got on at her stop: %v", b)
		}
		b = w.act(trip, "students/"+w.noa+"/status", m{"status": "boarded", "stopId": w.gate}).OK()
		if b.Text("boardedStopId") != w.gate || b.Text("stopId") != w.church || b["lat"] != nil {
			t.Errorf("Noa got on at another stop: %v", b)
		}
		w.act(trip, "resume", m{}).OK()
		w.act(trip, "end", m{}).OK()
		w.set(trip, w.mia, "boarded").Want(409, "Conflict")
		want := map[string]string{w.mia: "alighted", w.noa: "alighted", w.zoe: "no_show"}
		if got := w.statuses(trip); !maps.Equal(got, want) {
			t.Errorf("at the end: %v", got)
		}
	})
}

// TestNobodyIsLeftOnTheBus refuses the end of a dropoff with a child on the bus.
func TestNobodyIsLeftOnTheBus(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("dropoff", "15:00")
		for _, student := range []string{w.mia, w.noa, w.zoe} {
			w.set(trip, student, "boarded").OK()
		}
		if b := w.set(trip, w.zoe, "alighted").OK(); b.Text("alightedStopId") != w.church || b["boardedStopId"] != nil {
			t.Errorf("Zoe got off at her stop: %v", b)
		}
		e := w.act(trip, "end", m{}).Want(409, "Conflict")
		if !strings.Contains(e.Message, "Mia Roe, Noa Roe") || strings.Contains(e.Message, "Zoe") {
			t.Errorf("who is on the bus: %s", e.Message)
		}
		if got := w.Admin("GET", depot+"trip/"+trip, nil).OK().Text("status"); got != "in_progress" ||
			w.statuses(trip)[w.mia] != "boarded" {
			t.Errorf("after a refused end: trip %s, students %v", got, w.statuses(trip))
		}
		if ended := w.act(trip, "end", m{"confirmEmpty": true}).OK(); ended["confirmedEmpty"] != true || ended.Text("status") != "completed" {
			t.Errorf("end with confirmEmpty: %v", ended)
		}
		if got := w.statuses(trip); got[w.mia] != "alighted" || got[w.noa] != "alighted" {
			t.Errorf("statuses after confirmEmpty: %v", got)
		}
		if last := w.told(w.North.Parent, trip); !strings.Contains(fmt.Sprint(last), "nobody is on it. Where Mia Roe got off was not noted.") {
			t.Errorf("parent's last notification: %v", last)
		}
	})
}

// TestNobodyGetsOnAfterTheEnd races boarding against the end of the trip: afterwards
// nobody is waiting or on the bus.
func TestNobodyGetsOnAfterTheEnd(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 5 {
			trip := w.begin("pickup", fmt.Sprintf("07:%02d", i))
			var wg sync.WaitGroup
			for _, student := range []string{w.mia, w.noa, w.zoe} {
				wg.Go(func() { w.set(trip, student, "boarded") })
			}
			wg.Go(func() { w.act(trip, "end", m{}) })
			wg.Wait()
			for student, status := range w.statuses(trip) {
				if status != "alighted" && status != "no_show" {
					t.Errorf("student %s is %s after the end", student, status)
				}
			}
		}
	})
}

// TestParentsHearOfCorrections: whoever was told that a child got on or off is told that it
// was a mistake, and told again once it is so.
func TestParentsHearOfCorrections(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("dropoff", "15:00")
		for _, status := range []string{"no_show", "boarded", "no_show", "boarded", "alighted", "boarded", "alighted"} {
			w.set(trip, w.zoe, status).OK()
		}
		const on, off = "On the bus: Zoe Roe got on Blue bus.", "Off the bus: Zoe Roe got off Blue bus at Church."
		apptest.Eq(t, "Uncle reads of Zoe", w.told(w.uncle, trip)[2:], []string{
			on, "Correction: not on the bus: Zoe Roe is not on Blue bus. The message before was a mistake.", on,
			off, "Correction: still on the bus: Zoe Roe has not got off Blue bus. The message before was a mistake.", off})
		if got := fmt.Sprint(w.told(w.North.Parent, trip)); strings.Contains(got, "Zoe") {
			t.Errorf("another parent reads %s", got)
		}
	})
}

// TestParentsAreToldOnce counts notifications of repeated calls.
func TestParentsAreToldOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup", "07:00")
		for _, status := range []string{"boarded", "boarded", "alighted", "alighted"} {
			w.set(trip, w.mia, status).OK()
		}
		w.set(trip, w.noa, "absent").OK()
		w.act(trip, "end", m{}).OK()
		uncle := []string{
			"The bus has started: Blue bus is on its way. The stop of Mia Roe is Mill.",
			"The bus has started: Blue bus is on its way. The stop of Zoe Roe is Church.",
			"On the bus: Mia Roe got on Blue bus at Mill.", "At school: Mia Roe got off Blue bus at school."}
		got := w.told(w.uncle, trip)
		slices.Sort(got)
		slices.Sort(uncle)
		apptest.Eq(t, "Uncle reads", got, uncle)
		if got := w.told(w.North.Parent, trip); len(got) != 4 || strings.Contains(fmt.Sprint(got), "Zoe") {
			t.Errorf("Parent reads %q", got)
		}
		apptest.Eq(t, "Aunt reads", len(w.told(w.aunt, trip)), 0)
		pushed := w.Count(`deliveries WHERE school_id = :school AND channel = 'push' AND to_addr = :topic`, db.Args{"topic": "student_" + w.mia})
		apptest.Eq(t, "pushes for Mia", pushed, 3)
	})
}

// TestWhoRides checks which students of a route are on the list of a trip.
func TestWhoRides(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		on := func(student, stop string, pairs ...any) m {
			return apptest.With(m{"studentId": student, "stopId": stop}, pairs...)
		}
		w.As(admin, "PUT", depot+"route/"+w.hills+"/students", m{"students": list{
			on(w.mia, w.mill, "dropoff", false), on(w.mia, w.gate, "pickup", false),
			on(w.noa, w.church, "dropoff", false), on(w.zoe, w.church, "pickup", false)}}).OK()
		w.As(admin, "PUT", "/school-admin/student/"+w.noa, m{"status": "LEFT"}).OK()
		pickup, dropoff := w.plan("pickup", "07:00"), w.plan("dropoff", "15:00")
		check := func(when string) {
			t.Helper()
			for trip, want := range map[string][]string{pickup: {"Mia at Mill"}, dropoff: {"Zoe at Church", "Mia at Gate"}} {
				var got []string
				for _, b := range w.As(w.North.Driver, "GET", "/driver/student/list?tripId="+trip, nil).OK().Items() {
					got = append(got, b.Text("firstName")+" at "+b.Text("stopName"))
				}
				apptest.Eq(t, fmt.Sprint("riders, ", when), got, want)
			}
		}
		check("before")
		apptest.Eq(t, "riders of the next trip",
			w.As(w.North.Driver, "GET", "/driver/student/list", nil).OK().Texts("stopName"), []string{"Mill"})
		w.act(pickup, "start", m{}).OK()
		w.act(pickup, "end", m{}).OK()
		w.act(dropoff, "start", m{}).OK()
		w.As(admin, "PUT", depot+"route/"+w.hills+"/students", m{"students": list{}}).OK()
		check("a list stays as it was at the start")
		apptest.Eq(t, "riders of the running trip", w.As(w.North.Driver, "GET", "/driver/student/list", nil).OK()["total"], 2.0)
		apptest.Eq(t, "riders of Eve, who has no trip", w.As(w.eves, "GET", "/driver/student/list", nil).OK()["total"], 0.0)
	})
}

// TestWhoSeesATrip shows parents only their own children.
func TestWhoSeesATrip(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.plan("pickup", "07:00")
		path := "/bus-tracking/trip/" + trip + "/students"
		for _, when := range []string{"before", "after"} {
			for who, want := range map[string][]string{"parent": {"Mia", "Noa"}, "uncle": {"Mia", "Zoe"}, "driver": {"Mia", "Noa", "Zoe"}} {
				account := map[string]any{"parent": w.North.Parent, "uncle": w.uncle, "driver": w.North.Driver}[who]
				r := w.As(accountOf(account), "GET", path, nil).OK()
				if got := r.Texts("firstName"); !slices.Equal(got, want) || r["total"] != float64(len(want)) {
					t.Errorf("students seen %s by %s: %v", when, who, got)
				}
			}
			w.As(w.aunt, "GET", path, nil).Want(403, "PERMISSION_DENIED")
			w.As(w.eves, "GET", path, nil).Want(403, "PERMISSION_DENIED")
			w.As(w.South.Admin, "GET", path, nil).Want(404, "Not Found")
			w.As(w.North.Teacher, "GET", path, nil).Want(403, "PERMISSION_DENIED") // no permission
			if when == "before" {
				w.act(trip, "start", m{}).OK()
			}
		}
		w.teach()
		apptest.Eq(t, "students seen by a teacher with permission",
			w.As(w.North.Teacher, "GET", path, nil).OK().Texts("firstName"), []string{"Mia", "Noa", "Zoe"})
	})
}

func TestErasedStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.begin("pickup", "07:00")
		w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded", "lat": 1, "lng": 2}).OK()
		w.act(trip, "end", m{}).OK()
		export := w.Admin("GET", "/school-admin/student/"+w.mia+"/data-export", nil)
		export.OK()
		if !strings.Contains(string(export.Body), trip) || !strings.Contains(string(export.Body), `"stopName":"Mill"`) {
			t.Errorf("export of Mia: %s", export.Body)
		}
		number := w.Admin("GET", "/school-admin/student/"+w.mia, nil).OK().Text("admissionNo")
		w.Admin("POST", "/school-admin/student/"+w.mia+"/erase", m{"confirm": number}).OK()
		for _, b := range w.Admin("GET", "/bus-tracking/trip/"+trip+"/students", nil).OK().Items() {
			if b.Text("studentId") == w.mia && (b.Text("firstName") != "" || b["lat"] != nil || b.Text("status") != "alighted") {
				t.Errorf("boarding of an erased student: %v", b)
			}
		}
		apptest.Eq(t, "alerts of an erased student remain",
			w.Count(`trip_alerts WHERE school_id = :school AND student_id = :student`, db.Args{"student": w.mia}), 0)
	})
}
