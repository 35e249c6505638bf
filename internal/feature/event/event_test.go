package event_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type m = map[string]any

const (
	admin   = "/school-admin/event/"
	teacher = "/teacher/co-curricular/"
)

type world struct {
	*testing.T
	*apptest.Service
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) { test(t, &world{t, s}) })
}

// day is today plus n days.
func (w *world) day(n int) string { return w.Now().AddDate(0, 0, n).Format(time.DateOnly) }

// at moves the clock to the next occurrence of a time, and signs everyone in again.
func (w *world) at(hour, minute int) {
	w.Helper()
	now := w.Now()
	then := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, time.UTC)
	if then.Before(now) {
		then = then.AddDate(0, 0, 1)
	}
	w.Clock.Add(then.Sub(now))
	for _, school := range []apptest.School{w.North, w.South} {
		for _, a := range []*apptest.Account{school.Admin, school.Teacher, school.Parent} {
			w.SignIn(w.T, a)
		}
	}
}

func (w *world) add(body m) apptest.Object {
	w.Helper()
	return w.Call(w.T, w.North.Teacher, "POST", teacher+"add-event", body).OK()
}

func (w *world) make(module string, body m) string {
	w.Helper()
	return w.Call(w.T, w.North.Admin, "POST", "/school-admin/"+module+"/create", body).OK().Text("id")
}

// events returns the titles from get-events.
func (w *world) events(query string) string {
	w.Helper()
	var out []string
	for _, e := range w.Call(w.T, w.North.Teacher, "GET", teacher+"get-events"+query, nil).OK()["events"].([]any) {
		out = append(out, e.(m)["title"].(string))
	}
	return strings.Join(out, " ")
}

func (w *world) list(who *apptest.Account, query string) string {
	w.Helper()
	var out []string
	for _, e := range w.Call(w.T, who, "GET", "/"+who.Role.Prefix()+"/event/list"+query, nil).OK().Items() {
		out = append(out, e.Text("title"))
	}
	return strings.Join(out, " ")
}

func (w *world) status(event string) string {
	w.Helper()
	return w.Call(w.T, w.North.Admin, "GET", admin+event, nil).OK().Text("status")
}

func TestTeacher(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if r := w.Call(t, w.North.Teacher, "GET", teacher+"get-events", nil); !strings.Contains(string(r.Body), `"events":[]`) {
			t.Errorf("GET get-events: got %s", r.Body)
		}
		body := m{"title": "Science fair", "description": "Bring glue", "eventDate": w.day(3), "startTime": "10:00", "endTime": "12:30",
			"venue": "Hall", "targetAudience": "ALL"}
		r := w.Call(t, w.North.Teacher, "POST", teacher+"add-event", body)
		made := r.OK()
		if r.Status != 201 || made["status"] != "UPCOMING" {
			t.Errorf("POST add-event: got %d %v", r.Status, made)
		}
		for k, v := range body {
			if made[k] != v {
				t.Errorf("%s is %v, want %v", k, made[k], v)
			}
		}
		shown := w.Call(t, w.North.Teacher, "GET", teacher+"get-events", nil).OK()["events"].([]any)[0].(m)
		if keys := slices.Sorted(maps.Keys(shown)); fmt.Sprint(keys) !=
			"[classIds createdAt description endTime eventDate id startTime status targetAudience title updatedAt venue version]" {
			t.Errorf("fields of the event: got %v", keys)
		}

		at := made.Text("id")
		for i, body := range []m{{"id": at, "venue": "Yard"}, {"eventId": at, "venue": "Roof"},
			{"id": at, "eventId": at, "venue": "Gym", "version": 3, "status": "UPCOMING"}} {
			o := w.Call(t, w.North.Teacher, "PUT", teacher+"update-event", body).OK()
			if o["venue"] != body["venue"] || o["title"] != "Science fair" || o["startTime"] != "10:00" || o["version"] != float64(i+2) {
				t.Errorf("%v: %v", body, o)
			}
		}
		w.Call(t, w.North.Teacher, "PUT", teacher+"update-event", m{"venue": "X"}).Want(422, "Unprocessable Entity")
		w.Call(t, w.North.Teacher, "PUT", teacher+"update-event", m{"id": at, "eventId": w.NewID(), "venue": "X"}).Want(422,
			"Unprocessable Entity")
		w.Call(t, w.North.Teacher, "PUT", teacher+"update-event", m{"id": at, "version": 1, "venue": "X"}).Want(409, "Conflict")
		w.Call(t, w.South.Teacher, "PUT", teacher+"update-event", m{"id": at, "venue": "X"}).Want(404, "Not Found")
		w.Call(t, w.South.Teacher, "DELETE", teacher+"delete-event/"+at, nil).Want(404, "Not Found")
		if r := w.Call(t, w.North.Teacher, "DELETE", teacher+"delete-event/"+at, nil); r.Status != 204 || len(r.Body) != 0 {
			t.Errorf("DELETE delete-event: got %d %s", r.Status, r.Body)
		}
		w.Call(t, w.North.Teacher, "DELETE", teacher+"delete-event/"+at, nil).Want(404, "Not Found")
		for action, want := range map[string]float64{"event.create": 1, "event.update": 3, "event.delete": 1} {
			if o := w.Call(t, w.North.Admin, "GET", "/school-admin/audit/list?action="+action, nil).OK(); o["total"] != want {
				t.Errorf("%s: %v entries, want %v", action, o["total"], want)
			}
		}
	})
}

// TestWantsPermission removes canWrite for events from teachers.
func TestWantsPermission(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.add(m{"title": "T", "eventDate": w.day(1)}).Text("id")
		role, err := db.One[string](t.Context(), w.DB.School(w.North.ID), `SELECT id FROM roles WHERE school_id = :school AND type = 'TEACHER'`,
			nil)
		if err != nil {
			t.Fatal(err)
		}
		path := "/school-admin/role/" + role + "/permissions"
		for _, p := range w.Call(t, w.North.Admin, "GET", path, nil).OK()["permissions"].([]any) {
			if p := p.(m); p["module"] == "event" {
				w.Call(t, w.North.Admin, "PUT", path, m{"permissions": []m{{"moduleId": p["moduleId"], "canRead": true}}}).OK()
			}
		}
		w.Call(t, w.North.Teacher, "GET", teacher+"get-events", nil).OK()
		w.Call(t, w.North.Teacher, "POST", teacher+"add-event", m{"title": "T", "eventDate": w.day(1)}).Want(403, "PERMISSION_DENIED")
		w.Call(t, w.North.Teacher, "PUT", teacher+"update-event", m{"id": at}).Want(403, "PERMISSION_DENIED")
		w.Call(t, w.North.Teacher, "DELETE", teacher+"delete-event/"+at, nil).Want(403, "PERMISSION_DENIED")
	})
}

func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		good := m{"title": "T", "eventDate": w.day(1), "startTime": "10:00", "endTime": "11:00"}
		at := w.add(good).Text("id")
		for _, tt := range []struct {
			field string
			value any
			names string
		}{
			{"title", nil, "title"}, {"title", " ", "title"}, {"title", strings.Repeat("x", 201), "title"},
			{"eventDate", nil, "eventDate"}, {"eventDate", "01/02/2027", "eventDate"}, {"eventDate", "2027-02-30", "eventDate"},
			{"startTime", "9:00", "startTime"}, {"startTime", "25:00", "startTime"}, {"startTime", "11:00", "endTime"},
			{"startTime", "11:01", "endTime"},
			{"endTime", "10:00", "endTime"}, {"endTime", "noon", "endTime"},
			{"targetAudience", "CLASS", "classIds"}, {"targetAudience", "NOBODY", "targetAudience"}, {"classIds", []id.ID{w.NewID()}, "classIds"},
		} {
			body := maps.Clone(good)
			body[tt.field] = tt.value
			for _, path := range []string{teacher + "add-event", admin + "create"} {
				who := w.North.Teacher
				if path == admin+"create" {
					who = w.North.Admin
				}
				e := w.Call(t, who, "POST", path, body).Want(422, "Unprocessable Entity")
				if len(e.Details) != 1 || e.Details[0].Field != tt.names {
					t.Errorf("%s %v: %v", tt.field, tt.value, e.Details)
				}
			}
			if tt.value == nil { // PUT does not change missing fields
				continue
			}
			w.Call(t, w.North.Teacher, "PUT", teacher+"update-event", m{"id": at, tt.field: tt.value}).Want(422, "Unprocessable Entity")
			w.Call(t, w.North.Admin, "PUT", admin+at, m{tt.field: tt.value}).Want(422, "Unprocessable Entity")
		}
		if got := w.events(""); got != "T" {
			t.Errorf("there are %s", got)
		}
		// Without times it is the whole day.
		if o := w.add(m{"title": "Day", "eventDate": w.day(1)}); o["startTime"] != "00:00" || o["endTime"] != "23:59" ||
			o["targetAudience"] != "ALL" || o["venue"] != "" {
			t.Errorf("new event: got %v", o)
		}
	})
}

// TestStatus checks the status of an event during a day, in the school's time zone.
func TestStatus(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Call(t, w.North.Admin, "PUT", "/school-admin/setting", m{"timezone": "Asia/Kolkata"}).OK() // 5:30 ahead
		w.at(4, 0)                                                                                   // 09:30 there
		at := w.add(m{"title": "T", "eventDate": w.day(0), "startTime": "10:00", "endTime": "12:00"}).Text("id")
		night := w.add(m{"title": "Night", "eventDate": w.day(1), "startTime": "00:10", "endTime": "01:00"}).Text("id")
		for _, tt := range []struct {
			hour, minute  int
			status, night string
		}{
			{4, 0, "UPCOMING", "UPCOMING"}, {4, 29, "UPCOMING", "UPCOMING"}, {4, 30, "ONGOING", "UPCOMING"}, {6, 29, "ONGOING", "UPCOMING"},
			{6, 30, "COMPLETED", "UPCOMING"}, {18, 39, "COMPLETED", "UPCOMING"}, {18, 40, "COMPLETED", "ONGOING"},
			{19, 30, "COMPLETED", "COMPLETED"},
			{4, 0, "COMPLETED", "COMPLETED"},
		} {
			w.at(tt.hour, tt.minute)
			if got, late := w.status(at), w.status(night); got != tt.status || late != tt.night {
				t.Errorf("%02d:%02d UTC: %s and %s, want %s and %s", tt.hour, tt.minute, got, late, tt.status, tt.night)
			}
			for _, s := range []string{"UPCOMING", "ONGOING", "COMPLETED", "CANCELLED"} {
				want := []string{}
				if tt.status == s {
					want = append(want, "T")
				}
				if tt.night == s {
					want = append(want, "Night")
				}
				if got := w.events("?status=" + s); got != strings.Join(want, " ") {
					t.Errorf("%02d:%02d UTC: %s are %q, want %v", tt.hour, tt.minute, s, got, want)
				}
				if got := w.list(w.North.Parent, "?sort=eventDate&status="+s); got != strings.Join(want, " ") {
					t.Errorf("%02d:%02d UTC: a parent's %s are %q, want %v", tt.hour, tt.minute, s, got, want)
				}
			}
		}
	})
}

// TestMoves tries every action on an event of every status.
func TestMoves(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.at(10, 30)
		states := map[string]m{
			"UPCOMING":  {"eventDate": w.day(1), "startTime": "10:00", "endTime": "11:00"},
			"ONGOING":   {"eventDate": w.day(0), "startTime": "10:00", "endTime": "11:00"},
			"COMPLETED": {"eventDate": w.day(-1), "startTime": "10:00", "endTime": "11:00"},
			"CANCELLED": {"eventDate": w.day(1), "startTime": "10:00", "endTime": "11:00"},
		}
		// The expected status, or "" for 409.
		for _, tt := range []struct {
			does                                    string
			body                                    m // of a PUT; an empty one cancels
			upcoming, ongoing, completed, cancelled string
		}{
			{"cancel", m{}, "CANCELLED", "CANCELLED", "", ""},
			{"edit", m{"venue": "Hall"}, "UPCOMING", "ONGOING", "COMPLETED", ""},
			{"put off", m{"eventDate": w.day(7)}, "UPCOMING", "UPCOMING", "UPCOMING", ""},
			{"put before", m{"eventDate": w.day(-7)}, "COMPLETED", "COMPLETED", "COMPLETED", ""},
			{"say CANCELLED", m{"status": "CANCELLED"}, "CANCELLED", "CANCELLED", "", ""},
			{"say UPCOMING", m{"status": "UPCOMING"}, "UPCOMING", "", "", ""},
			{"say ONGOING", m{"status": "ONGOING"}, "", "ONGOING", "", ""},
			{"say COMPLETED", m{"status": "COMPLETED"}, "", "", "COMPLETED", ""},
			{"put off and say so", m{"eventDate": w.day(7), "status": "UPCOMING"}, "UPCOMING", "UPCOMING", "UPCOMING", ""},
			{"put off and cancel", m{"eventDate": w.day(7), "status": "CANCELLED"}, "CANCELLED", "CANCELLED", "CANCELLED", ""},
		} {
			for state, want := range map[string]string{"UPCOMING": tt.upcoming, "ONGOING": tt.ongoing, "COMPLETED": tt.completed,
				"CANCELLED": tt.cancelled} {
				body := maps.Clone(states[state])
				body["title"] = tt.does
				at := w.add(body).Text("id")
				if state == "CANCELLED" {
					w.Call(t, w.North.Admin, "POST", admin+at+"/cancel", nil).OK()
				}
				if got := w.status(at); got != state {
					t.Fatalf("%s starts as %s", state, got)
				}
				method, path := "PUT", admin+at
				if len(tt.body) == 0 {
					method, path = "POST", path+"/cancel"
				}
				r := w.Call(t, w.North.Admin, method, path, tt.body)
				if want == "" {
					r.Want(409, "Conflict")
					want = state
				} else if got := r.OK().Text("status"); got != want {
					t.Errorf("%s: %s: answers %s, want %s", state, tt.does, got, want)
				}
				if got := w.status(at); got != want {
					t.Errorf("%s: %s: is %s, want %s", state, tt.does, got, want)
				}
				w.Call(t, w.North.Admin, "DELETE", admin+at, nil).OK() // always allowed
			}
		}
	})
}

func TestLists(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		class, other := w.make("class", m{"name": "One"}), w.make("class", m{"name": "Two"})
		w.make("student", m{"firstName": "Mia", "classId": class, "guardians": []m{{"name": "P", "phone": w.North.Parent.Phone,
			"canViewData": true}}})
		add := func(title string, day int, audience string, classes ...string) {
			body := m{"title": title, "eventDate": w.day(day), "targetAudience": audience, "venue": "Aula"}
			if classes != nil {
				body["classIds"] = classes
			}
			w.make("event", body)
		}
		add("all", 2, "ALL")
		add("parents", -400, "PARENTS")
		add("teachers", 3, "TEACHERS")
		add("students", 4, "STUDENTS")
		add("one", 800, "CLASS", class, other, class)
		add("Über", 6, "CLASS", other)
		everything := "parents all teachers students Über one"
		if got := w.events(""); got != everything {
			t.Errorf("get-events: %s", got)
		}
		for query, want := range map[string]string{"?from=" + w.day(3): "teachers students Über one", "?to=" + w.day(2): "parents all",
			"?from=" + w.day(3) + "&to=" + w.day(4): "teachers students", "?status=COMPLETED": "parents", "?from=" + w.day(3) + "&to=" +
				w.day(2): ""} {
			if got := w.events(query); got != want {
				t.Errorf("get-events%s: %s, want %s", query, got, want)
			}
		}
		for query, want := range map[string]string{"": "one Über students teachers all parents",
			"?status=UPCOMING":      "all teachers students Über one",
			"?targetAudience=CLASS": "one Über", "?search=UBER": "Über", "?search=aul&limit=2": "one Über", "?sort=title&limit=3": "all one parents",
			"?from=" + w.day(3) + "&to=" + w.day(4): "students teachers", "?limit=2&page=3": "all parents"} {
			if got := w.list(w.North.Admin, query); got != want {
				t.Errorf("list%s: %s, want %s", query, got, want)
			}
		}
		if got := w.list(w.North.Parent, ""); got != "one students all parents" {
			t.Errorf("a parent's list: %s", got)
		}
		if got := w.list(w.North.Parent, "?from="+w.day(0)+"&limit=1"); got != "one" {
			t.Errorf("a parent's page: %s", got)
		}
		if got := w.list(w.South.Parent, "") + w.list(w.South.Admin, ""); got != "" {
			t.Errorf("another school has %s", got)
		}
		one := w.Call(t, w.North.Admin, "GET", admin+"list?search=one", nil).OK().Items()[0]
		if len(one["classIds"].([]any)) != 2 {
			t.Errorf("GET list: got %v", one)
		}
		o := w.Call(t, w.North.Admin, "PUT", admin+one.Text("id"), m{"targetAudience": "TEACHERS"}).OK()
		if len(o["classIds"].([]any)) != 0 || strings.Contains(w.list(w.North.Parent, ""), "one") {
			t.Errorf("changed event: got %v", o)
		}
		for _, bad := range []string{"?status=OVER", "?from=x", "?nope=1"} {
			w.Call(t, w.North.Admin, "GET", admin+"list"+bad, nil).Want(422, "Unprocessable Entity")
		}
	})
}

// TestBounded checks that get-events returns the latest 500.
func TestBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		rows := make([]struct {
			ID, Date string
			Now      time.Time
		}, 502)
		for i := range rows {
			rows[i].ID, rows[i].Date, rows[i].Now = string(w.NewID()), w.day(i-300), w.Now()
		}
		_, err := db.Insert(t.Context(), w.DB.School(w.North.ID), `
			INSERT INTO events (school_id, id, title, description, event_date, start_time, end_time, venue, target_audience, search, created_at,
				updated_at)
			VALUES (:school, :id, :date, '', :date, '08:00', '09:00', '', 'ALL', '', :now, :now)`, rows)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Fields(w.events(""))
		if len(got) != 500 || got[0] != w.day(-298) || got[499] != w.day(201) {
			t.Errorf("%d events, from %s to %s", len(got), got[0], got[len(got)-1])
		}
		if got := strings.Fields(w.events("?to=" + w.day(-299))); len(got) != 2 {
			t.Errorf("refused fields: got %v", got)
		}
	})
}

// TestClassesOfTeacher lets a teacher write only to assigned classes.
func TestClassesOfTeacher(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		mine, other := w.make("class", m{"name": "One"}), w.make("class", m{"name": "Two"})
		e := w.make("employee", m{"firstName": "Ann", "phone": "+15550300001"})
		w.Call(t, w.North.Admin, "POST", "/school-admin/employee/"+e+"/assignments", m{"assignments": []m{{"classId": mine}}}).OK()
		user, err := db.One[id.ID](t.Context(), w.DB.School(w.North.ID), `SELECT user_id FROM employees WHERE school_id = :school AND id = :id`,
			db.Args{"id": id.ID(e)})
		if err != nil {
			t.Fatal(err)
		}
		ann := &apptest.Account{ID: user, School: w.North.ID, Role: actor.Teacher}
		w.SignIn(t, ann)
		body := func(classes ...string) m {
			return m{"title": "T", "eventDate": w.day(1), "targetAudience": "CLASS", "classIds": classes}
		}
		at := w.Call(t, ann, "POST", teacher+"add-event", body(mine)).OK().Text("id")
		w.Call(t, ann, "POST", teacher+"add-event", body(mine, other)).Want(403, "PERMISSION_DENIED")
		w.Call(t, ann, "POST", teacher+"add-event", body(mine, string(w.NewID()))).Want(404, "Not Found")
		w.Call(t, ann, "PUT", teacher+"update-event", m{"id": at, "classIds": []string{other}}).Want(403, "PERMISSION_DENIED")
		w.Call(t, ann, "PUT", teacher+"update-event", m{"id": at, "venue": "Hall"}).OK()
		theirs := w.make("event", body(other))
		w.Call(t, ann, "PUT", teacher+"update-event", m{"id": theirs, "venue": "Hall"}).Want(403, "PERMISSION_DENIED")
		w.Call(t, ann, "PUT", teacher+"update-event", m{"id": theirs, "targetAudience": "ALL"}).Want(403, "PERMISSION_DENIED")
		w.Call(t, ann, "DELETE", teacher+"delete-event/"+theirs, nil).Want(403, "PERMISSION_DENIED")
		w.Call(t, w.North.Teacher, "DELETE", teacher+"delete-event/"+at, nil).Want(403, "PERMISSION_DENIED")
		w.Call(t, ann, "DELETE", teacher+"delete-event/"+at, nil).OK()
		w.Call(t, w.North.Admin, "DELETE", "/school-admin/class/"+other, nil).OK() // an event does not prevent it
		if o := w.Call(t, w.North.Admin, "GET", admin+theirs, nil).OK(); len(o["classIds"].([]any)) != 0 {
			t.Errorf("event of the other school: got %v", o)
		}
	})
}
