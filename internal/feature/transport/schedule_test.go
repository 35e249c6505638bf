package transport_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

func TestSchedule(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin, path := w.North.Admin, depot+"trip/schedule"
		one := m{"busId": w.bus, "type": "pickup", "date": w.monday, "startTime": "07:00"}
		first := w.As(admin, "POST", path, one).OK()
		if first.Text("routeId") != w.hills || first.Text("driverId") != w.dan || first.Text("driverName") != "Dan Roe" ||
			first.Text("status") != "scheduled" ||
			first["created"] != 1.0 || first["existing"] != 0.0 || first.Text("date") != w.day(0) {
			t.Errorf("scheduled trip: %v", first)
		}
		if e := w.As(admin, "POST", path, one).Want(409, "Conflict"); !strings.Contains(e.Message, w.day(0)) {
			t.Errorf("scheduled again: %s", e.Message)
		}
		again := w.As(admin, "POST", path, apptest.With(one, "replace", true)).OK()
		if again.Text("id") != first.Text("id") || again["created"] != 0.0 || again["existing"] != 1.0 || again["replaced"] != 0.0 {
			t.Errorf("scheduled again: %v", again)
		}
		w.As(admin, "POST", path, apptest.With(one, "date", w.day(5))).OK() // an explicit Saturday

		w.As(admin, "POST", "/school-admin/holiday/create", m{"date": w.day(2), "endDate": w.day(3), "name": "Harvest"}).OK()
		weeks := apptest.With(one, "date", nil, "fromDate", w.day(0), "toDate", w.day(13), "replace", true)
		got := w.As(admin, "POST", path, weeks).OK()
		want := []string{w.day(0), w.day(1), w.day(4), w.day(7), w.day(8), w.day(9), w.day(10), w.day(11)}
		if !slices.Equal(dates(got), want) || got["created"] != 7.0 || got["existing"] != 1.0 || got.Text("id") != first.Text("id") {
			t.Errorf("scheduled for two weeks: %v", got)
		}
		if again := w.As(admin, "POST", path, weeks).OK(); again["created"] != 0.0 || !slices.Equal(dates(again), want) {
			t.Errorf("scheduled for two weeks again: %v", again)
		}
		some := w.As(admin, "POST", path, apptest.With(weeks, "type", "dropoff", "weekdays", list{1, 3, 6})).OK()
		apptest.Eq(t, "scheduled for some weekdays", dates(some), []string{w.day(0), w.day(7), w.day(9)})
		year := w.As(admin, "POST", path, apptest.With(weeks, "startTime", "09:00", "toDate", w.day(365))).OK()
		if n := len(dates(year)); n < 250 || n > 262 {
			t.Errorf("trips in a year: got %d, want 250 to 262", n)
		}
		bare := w.Make("transport/bus/create", m{"registrationNo": "C-1"})
		old := w.Make("transport/bus/create", m{"registrationNo": "C-2", "status": "RETIRED"})
		teacher := w.Make("employee/create", m{"firstName": "Tom"})
		for name, tt := range map[string]struct {
			body   m
			status int
			fault  string
		}{
			"too long":      {apptest.With(weeks, "toDate", w.day(366)), 422, "toDate"},
			"backwards":     {apptest.With(weeks, "toDate", w.day(-1)), 422, "toDate"},
			"half a range":  {apptest.With(weeks, "toDate", nil), 422, "toDate"},
			"no day":        {apptest.With(one, "date", nil), 422, "date"},
			"both":          {apptest.With(weeks, "date", w.day(0)), 422, "date"},
			"eighth day":    {apptest.With(weeks, "weekdays", list{1, 8}), 422, "weekdays[1]"},
			"only holidays": {apptest.With(weeks, "fromDate", w.day(2), "toDate", w.day(3)), 422, "toDate"},
			"only weekends": {apptest.With(weeks, "weekdays", list{6, 7}), 422, "toDate"},
			"no route":      {apptest.With(one, "busId", bare), 422, "routeId"},
			"no driver":     {apptest.With(one, "busId", bare, "routeId", w.hills), 422, "driverId"},
			"not a driver":  {apptest.With(one, "driverId", teacher), 422, "driverId"},
			"retired":       {apptest.With(one, "busId", old), 409, "retired"},
			"other type":    {apptest.With(one, "type", "PICKUP"), 422, "type"},
			"no time":       {apptest.With(one, "startTime", "7:00"), 422, "startTime"},
			"unknown bus":   {apptest.With(one, "busId", w.mia), 404, "Not Found"},
		} {
			if r := w.As(admin, "POST", path, tt.body); r.Status != tt.status || !strings.Contains(string(r.Body), tt.fault) {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
	})
}

func dates(o apptest.Object) (out []string) {
	trips, _ := o["trips"].([]any)
	for _, v := range trips {
		trip, _ := v.(map[string]any)
		out = append(out, apptest.Object(trip).Text("date"))
	}
	return out
}

func TestTripLists(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		late, early := w.plan("dropoff", "15:00"), w.begin("pickup", "07:00")
		tomorrow := w.Make("transport/trip/schedule", m{"busId": w.bus, "driverId": w.eve,
			"type": "pickup", "date": w.day(1), "startTime": "07:00"})
		for query, want := range map[string][]string{
			"":                                    {early, late, tomorrow},
			"?date=" + w.day(0):                   {early, late},
			"?from=" + w.day(1):                   {tomorrow},
			"?to=" + w.day(0):                     {early, late},
			"?status=STARTED":                     {early},
			"?status=in_progress":                 {early},
			"?status=Scheduled":                   {late, tomorrow},
			"?status=ENDED":                       nil,
			"?type=dropoff":                       {late},
			"?driverId=" + w.eve:                  {tomorrow},
			"?busId=" + w.bus + "&sort=createdAt": {late, early, tomorrow},
			"?routeId=" + w.hills + "&order=desc&sort=date": {tomorrow, late, early},
		} {
			apptest.Eq(t, fmt.Sprint("trip list ", query), w.As(admin, "GET", depot+"trip/list"+query, nil).OK().Texts("id"), want)
		}
		w.As(admin, "GET", depot+"trip/list?status=flying", nil).Want(422, "Unprocessable Entity")
		for query, want := range map[string][]string{"": {early, late}, "?date=" + w.day(1): {}, "?status=STARTED": {early}} {
			apptest.Eq(t, fmt.Sprint("Dan's day ", query), w.As(w.North.Driver, "GET", "/driver/trip/list"+query, nil).OK().Texts("id"), want)
		}
		apptest.Eq(t, "Eve's day", w.As(w.eves, "GET", "/driver/trip/list?date="+w.day(1), nil).OK().Texts("id"), []string{tomorrow})
		apptest.Eq(t, "trips of a driver of South", w.As(w.South.Driver, "GET", "/driver/trip/list", nil).OK()["total"], 0.0)
	})
}

func TestCancelMany(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		week := m{"busId": w.bus, "type": "pickup", "fromDate": w.day(0), "toDate": w.day(4), "startTime": "07:00"}
		w.As(admin, "POST", depot+"trip/schedule", week).OK()
		w.As(admin, "POST", depot+"trip/schedule", apptest.With(week, "type", "dropoff", "startTime", "15:00")).OK()
		running := w.One(`SELECT id FROM trips WHERE school_id = :school AND date = :day AND type = 'pickup'`, db.Args{"day": w.day(0)})
		w.act(running, "start", m{}).OK()
		cancelIn := m{"busId": w.bus, "fromDate": w.day(0), "toDate": w.day(1), "type": "pickup", "reason": "Snow"}
		apptest.Eq(t, "cancel two days, one of them running", w.As(admin, "POST", depot+"trip/cancel", cancelIn).OK()["cancelled"], 1.0)
		apptest.Eq(t, "running trip after a cancel", w.As(admin, "GET", depot+"trip/"+running, nil).OK().Text("status"), "in_progress")
		off := w.As(admin, "GET", depot+"trip/list?status=cancelled", nil).OK().Items()
		if len(off) != 1 || off[0].Text("cancelReason") != "Snow" || off[0].Text("date") != w.day(1) {
			t.Errorf("cancelled trips: %v", off)
		}
		if got := w.As(admin, "POST", depot+"trip/cancel", m{"busId": w.bus, "fromDate": w.day(1)}).OK(); got["cancelled"] != 7.0 {
			t.Errorf("cancel all future trips: %v", got)
		}
		if got := w.As(admin, "POST", depot+"trip/schedule", apptest.With(week, "replace", true)).OK(); got["created"] != 4.0 {
			t.Errorf("schedule cancelled trips again: %v", got)
		}
	})
}
