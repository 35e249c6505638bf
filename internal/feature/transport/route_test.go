package transport_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

func stop(name string, pairs ...any) m {
	return apptest.With(m{"name": name, "lat": 1.5, "lng": 2.5}, pairs...)
}

func TestRoutes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		// Orders may have gaps and differ from the list.
		bay := w.As(admin, "POST", depot+"route/create", m{"name": "Bay", "stops": list{stop("Last", "order", 30),
			stop("First", "order", 10), stop("Mid", "order", 20)}}).OK()
		if got := names(bay); got != "1 First, 2 Mid, 3 Last" || bay.Objects("stops")[0]["geofenceMeters"] != 500.0 {
			t.Errorf("stops %s of %v", got, bay)
		}
		w.As(admin, "POST", depot+"route/create", m{"name": "Empty"}).OK()
		apptest.Eq(t, "route list", w.As(admin, "GET", depot+"route/list", nil).OK().Texts("name"), []string{"Bay", "Empty", "Hills"})
		apptest.Eq(t, "route search", w.As(admin, "GET", depot+"route/list?search=hIL", nil).OK().Texts("name"), []string{"Hills"})

		// Existing stops keep their ids when moved.
		path := depot + "route/" + w.hills
		after := w.As(admin, "PUT", path, m{"stops": list{stop("Church", "id", w.church), stop("New"),
			stop("Mill", "id", w.mill, "pickupTime", "07:20")}, "version": 1}).OK()
		stops := after.Objects("stops")
		if got := names(after); got != "1 Church, 2 New, 3 Mill" || stops[0].Text("id") != w.church || stops[2].Text("id") != w.mill ||
			stops[2].Text("pickupTime") != "07:20" || after.Text("name") != "Hills" || after["version"] != 2.0 {
			t.Errorf("stops %s of %v", got, after)
		}
		apptest.Eq(t, "route read again", names(w.As(admin, "GET", path, nil).OK()), names(after))
		w.As(admin, "PUT", path, m{"name": "Hill"}).OK()
		e := w.As(admin, "PUT", path, m{"stops": list{stop("Mill", "id", w.mill)}}).Want(409, "Conflict")
		if !strings.Contains(e.Message, "Church") || strings.Contains(e.Message, "New") {
			t.Errorf("students wait at Church: %s", e.Message)
		}
		for name, tt := range map[string]struct {
			body   m
			status int
			fault  string
		}{
			"old version":      {m{"name": "x", "version": 1}, 409, "Conflict"},
			"name taken":       {m{"name": "Bay"}, 409, "DUPLICATE_ENTRY"},
			"gone stop":        {m{"stops": list{stop("Gate", "id", w.gate)}}, 404, "Not Found"},
			"of another route": {m{"stops": list{stop("Last", "id", bay.Objects("stops")[0].Text("id"))}}, 404, "Not Found"},
			"a stop twice":     {m{"stops": list{stop("A", "id", w.mill), stop("B", "id", w.mill)}}, 422, "Unprocessable Entity"},
			"an order twice":   {m{"stops": list{stop("A", "order", 2), stop("B")}}, 422, "Unprocessable Entity"},
			"off the globe":    {m{"stops": list{stop("A", "lat", 91)}}, 422, "Unprocessable Entity"},
			"nowhere":          {m{"stops": list{stop("A", "lng", nil)}}, 422, "Unprocessable Entity"},
		} {
			if r := w.As(admin, "PUT", path, tt.body); r.Status != tt.status || !strings.Contains(string(r.Body), tt.fault) {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
		w.As(admin, "POST", depot+"route/create", m{"name": "x", "stops": list{
			stop("A", "order", 2), stop("B")}}).Want(422, "Unprocessable Entity")
		apptest.Eq(t, "stops after refused changes", names(w.As(admin, "GET", path, nil).OK()), "1 Church, 2 New, 3 Mill")
		if r := w.As(admin, "DELETE", depot+"route/"+bay.Text("id"), nil); r.Status != 204 {
			t.Errorf("delete: %d %s", r.Status, r.Body)
		}
		w.As(admin, "GET", depot+"route/"+bay.Text("id"), nil).Want(404, "Not Found")
		w.Make("transport/route/create", m{"name": "Bay"})
	})
}

func names(route apptest.Object) string {
	var out []string
	for _, s := range route.Objects("stops") {
		out = append(out, fmt.Sprint(s["order"], " ", s["name"]))
	}
	return strings.Join(out, ", ")
}

func TestRiders(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin, path := w.North.Admin, depot+"route/"+w.hills+"/students"
		bay := w.As(admin, "POST", depot+"route/create", m{"name": "Bay", "stops": list{stop("Pier")}}).OK()
		pier := bay.Objects("stops")[0].Text("id")
		other := depot + "route/" + bay.Text("id") + "/students"
		on := func(student, stop string, pairs ...any) m {
			return apptest.With(m{"studentId": student, "stopId": stop}, pairs...)
		}

		out := w.As(admin, "PUT", path, m{"students": list{on(w.mia, w.mill, "dropoff", false), on(w.mia, w.gate, "pickup", false),
			on(w.noa, w.church)}}).OK()
		apptest.Eq(t, fmt.Sprint("riders set: ", out), out["total"], 3.0)
		apptest.Eq(t, "riders listed", w.As(admin, "GET", path, nil).OK().Texts("stopName"), []string{"Mill", "Church", "Gate"})
		full := list{on(w.mia, w.mill), on(w.noa, w.mill), on(w.zoe, w.mill), on(w.max, w.mill)}
		e := w.As(admin, "PUT", path, m{"students": full}).Want(409, "Conflict")
		if !strings.Contains(e.Message, "4 students") || !strings.Contains(e.Message, "3 seats") {
			t.Errorf("over capacity: %s", e.Message)
		}
		w.As(admin, "PUT", path, m{"students": list{on(w.mia, w.mill), on(w.noa, w.mill),
			on(w.zoe, w.mill, "dropoff", false), on(w.max, w.mill, "pickup", false)}}).OK()
		w.As(admin, "PUT", other, m{"students": list{on(w.max, pier, "dropoff", false)}}).OK() // no bus, no limit; the other way
		e = w.As(admin, "PUT", other, m{"students": list{on(w.max, pier)}}).Want(409, "DUPLICATE_ENTRY")
		if !strings.Contains(e.Message, "Max Roe (Hills)") {
			t.Errorf("on two routes: %s", e.Message)
		}
		for name, tt := range map[string]struct {
			students list
			status   int
			fault    string
		}{
			"neither way":            {list{on(w.mia, w.mill, "pickup", false, "dropoff", false)}, 422, "students[0].pickup"},
			"picked up twice":        {list{on(w.mia, w.mill), on(w.mia, w.gate, "dropoff", false)}, 422, "students[1].studentId"},
			"one stop twice":         {list{on(w.mia, w.mill, "pickup", false), on(w.mia, w.mill, "dropoff", false)}, 422, "students[1].studentId"},
			"a stop of another":      {list{on(w.mia, pier)}, 404, "Not Found"},
			"a student of no school": {list{on(w.mill, w.mill)}, 404, "STUDENT_NOT_FOUND"},
		} {
			if r := w.As(admin, "PUT", path, m{"students": tt.students}); r.Status != tt.status || !strings.Contains(string(r.Body), tt.fault) {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
		apptest.Eq(t, "riders after refused changes", w.As(admin, "GET", path, nil).OK()["total"], 4.0)
		w.As(admin, "PUT", path, m{"students": list{}}).OK()
		apptest.Eq(t, "riders after removing all", w.As(admin, "GET", path, nil).OK()["total"], 0.0)
	})
}
