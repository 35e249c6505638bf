package transport_test

import (
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

func TestSchedule(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin, path := w.North.Admin, depot+"trip/schedule"
		one := m{"busId": w.bus, "type": "pickup", "date": w.monday, "startTime": "07:00"}
		first := w.do(admin, "POST", path, one)
		if first.Text("routeId") != w.hills || first.Text("driverId") != w.dan || first.Text("driverName") != "Dan Roe" ||
			first.Text("status") != "scheduled" ||
			first["created"] != 1.0 || first["existing"] != 0.0 || first.Text("date") != w.day(0) {
			t.Errorf("scheduled trip: %v", first)
		}
		if again := w.do(admin, "POST", path, one); again.Text("id") != first.Text("id") || again["created"] != 0.0 || again["existing"] != 1.0 {
			t.Errorf("scheduled again: %v", again)
		}
		w.do(admin, "POST", path, with(one, "date", w.day(5))) // an explicit Saturday

		w.do(admin, "POST", "/school-admin/holiday/create", m{"date": w.day(2), "endDate": w.day(3), "name": "Harvest"})
		weeks := with(one, "date", nil, "fromDate", w.day(0), "toDate", w.day(13))
		got := w.do(admin, "POST", path, weeks)
		want := []string{w.day(0), w.day(1), w.day(4), w.day(7), w.day(8), w.day(9), w.day(10), w.day(11)}
		if !slices.Equal(dates(got), want) || got["created"] != 7.0 || got["existing"] != 1.0 || got.Text("id") != first.Text("id") {
			t.Errorf("scheduled for two weeks: %v", got)
		}
		if again := w.do(admin, "POST", path, weeks); again["created"] != 0.0 || !slices.Equal(dates(again), want) {
			t.Errorf("scheduled for two weeks again: %v", again)
		}
		some := w.do(admin, "POST", path, with(weeks, "type", "dropoff", "weekdays", list{1, 3, 6}))
		if !slices.Equal(dates(some), []string{w.day(0), w.day(7), w.day(9)}) {
			t.Errorf("scheduled for some weekdays: %v", dates(some))
		}
		year := w.do(admin, "POST", path, with(weeks, "startTime", "09:00", "toDate", w.day(365)))
		if n := len(dates(year)); n < 250 || n > 262 {
			t.Errorf("trips in a year: got %d, want 250 to 262", n)
		}
		bare := w.make("transport/bus/create", m{"registrationNo": "C-1"})
		old := w.make("transport/bus/create", m{"registrationNo": "C-2", "status": "RETIRED"})
		teacher := w.make("employee/create", m{"firstName": "Tom"})
		for name, tt := range map[string]struct {
			body   m
			status int
			fault  string
		}{
			"too long":      {with(weeks, "toDate", w.day(366)), 422, "toDate"},
			"backwards":     {with(weeks, "toDate", w.day(-1)), 422, "toDate"},
			"half a range":  {with(weeks, "toDate", nil), 422, "toDate"},
			"no day":        {with(one, "date", nil), 422, "date"},
			"both":          {with(weeks, "date", w.day(0)), 422, "date"},
			"eighth day":    {with(weeks, "weekdays", list{1, 8}), 422, "weekdays[1]"},
			"only holidays": {with(weeks, "fromDate", w.day(2), "toDate", w.day(3)), 422, "toDate"},
			"only weekends": {with(weeks, "weekdays", list{6, 7}), 422, "toDate"},
			"no route":      {with(one, "busId", bare), 422, "routeId"},
			"no driver":     {with(one, "busId", bare, "routeId", w.hills), 422, "driverId"},
			"not a driver":  {with(one, "driverId", teacher), 422, "driverId"},
			"retired":       {with(one, "busId", old), 409, "retired"},
			"other type":    {with(one, "type", "PICKUP"), 422, "type"},
			"no time":       {with(one, "startTime", "7:00"), 422, "startTime"},
			"unknown bus":   {with(one, "busId", w.mia), 404, "Not Found"},
		} {
			if r := w.call(admin, "POST", path, tt.body); r.Status != tt.status || !strings.Contains(string(r.Body), tt.fault) {
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
		tomorrow := w.make("transport/trip/schedule", m{"busId": w.bus, "driverId": w.eve,
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
			if got := texts(w.do(admin, "GET", depot+"trip/list"+query, nil), "id"); !slices.Equal(got, want) {
				t.Errorf("trip list %s: %v, want %v", query, got, want)
			}
		}
		w.call(admin, "GET", depot+"trip/list?status=flying", nil).Want(422, "Unprocessable Entity")
		for query, want := range map[string][]string{"": {early, late}, "?date=" + w.day(1): nil, "?status=STARTED": {early}} {
			if got := texts(w.do(w.North.Driver, "GET", "/driver/trip/list"+query, nil), "id"); !slices.Equal(got, want) {
				t.Errorf("Dan's day %s: %v, want %v", query, got, want)
			}
		}
		if got := texts(w.do(w.eves, "GET", "/driver/trip/list?date="+w.day(1), nil), "id"); !slices.Equal(got, []string{tomorrow}) {
			t.Errorf("Eve's day: %v", got)
		}
		if got := w.do(w.South.Driver, "GET", "/driver/trip/list", nil); got["total"] != 0.0 {
			t.Errorf("trips of a driver of South: %v", got)
		}
	})
}

func TestCancelMany(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		week := m{"busId": w.bus, "type": "pickup", "fromDate": w.day(0), "toDate": w.day(4), "startTime": "07:00"}
		w.do(admin, "POST", depot+"trip/schedule", week)
		w.do(admin, "POST", depot+"trip/schedule", with(week, "type", "dropoff", "startTime", "15:00"))
		running := w.begin("pickup", "07:00")
		cancelIn := m{"busId": w.bus, "fromDate": w.day(0), "toDate": w.day(1), "type": "pickup", "reason": "Snow"}
		if got := w.do(admin, "POST", depot+"trip/cancel", cancelIn); got["cancelled"] != 1.0 {
			t.Errorf("cancel two days, one of them running: %v", got)
		}
		if got := w.do(admin, "GET", depot+"trip/"+running, nil); got.Text("status") != "in_progress" {
			t.Errorf("running trip after a cancel: %v", got)
		}
		off := w.do(admin, "GET", depot+"trip/list?status=cancelled", nil).Items()
		if len(off) != 1 || off[0].Text("cancelReason") != "Snow" || off[0].Text("date") != w.day(1) {
			t.Errorf("cancelled trips: %v", off)
		}
		if got := w.do(admin, "POST", depot+"trip/cancel", m{"busId": w.bus, "fromDate": w.day(1)}); got["cancelled"] != 7.0 {
			t.Errorf("cancel all future trips: %v", got)
		}
		if got := w.do(admin, "POST", depot+"trip/schedule", week); got["created"] != 4.0 {
			t.Errorf("schedule cancelled trips again: %v", got)
		}
	})
}
