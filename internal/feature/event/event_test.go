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

type m = apptest.M

const (
	admin   = "/school-admin/event/"
	teacher = "/teacher/co-curricular/"
)

type world struct{ *apptest.World }

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, func(w *apptest.World) *world { return &world{w} }, test)
}

// at moves the clock to the next occurrence of a time, and signs everyone in again.
func (w *world) at(hour, minute int) {
	w.Helper()
	now := w.Now()
	then := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, time.UTC)
	if then.Before(now) {
		then = then.AddDate(0, 0, 1)
	}
	w.Pass(then.Sub(now))
}

func (w *world) add(body m) apptest.Object {
	w.Helper()
	return w.As(w.North.Teacher, "POST", teacher+"add-event", body).OK()
}

// events returns the titles from get-events.
func (w *world) events(query string) string {
	w.Helper()
	return strings.Join(apptest.Pick(w.As(w.North.Teacher, "GET", teacher+"get-events"+query, nil).OK()["events"], "title"), " ")
}

func (w *world) list(who *apptest.Account, query string) string {
	w.Helper()
	return strings.Join(w.As(who, "GET", "/"+who.Role.Prefix()+"/event/list"+query, nil).OK().Texts("title"), " ")
}

func (w *world) status(event string) string {
	w.Helper()
	return w.Admin("GET", admin+event, nil).OK().Text("status")
}

func TestTeacher(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.As(w.North.Teacher, "GET", teacher+"get-events", nil).Has(`"events":[]`)
		body := m{"title": "Science fair", "description": "Bring glue", "eventDate": w.Day(3), "startTime": "10:00", "endTime": "12:30",
			"venue": "Hall", "targetAudience": "ALL"}
		r := w.As(w.North.Teacher, "POST", teacher+"add-event", body)
		made := r.OK()
		if r.Status != 201 || made["status"] != "UPCOMING" {
			t.Errorf("POST add-event: got %d %v", r.Status, made)
		}
		for k, v := range body {
			apptest.Eq(t, k, made[k], v)
		}
		shown := w.As(w.North.Teacher, "GET", teacher+"get-events", nil).OK()["events"].([]any)[0].(m)
		apptest.Eq(t, "fields of the event",
			fmt.Sprint(slices.Sorted(maps.Keys(shown))),
			"[classIds createdAt description endTime eventDate id startTime status targetAudience title updatedAt venue version]")

		at := made.Text("id")
		for i, body := range []m{{"id": at, "venue": "Yard"}, {"eventId": at, "venue": "Roof"},
			{"id": at, "eventId": at, "venue": "Gym", "version": 3, "status": "UPCOMING"}} {
			o := w.As(w.North.Teacher, "PUT", teacher+"update-event", body).OK()
			if o["venue"] != body["venue"] || o["title"] != "Science fair" || o["startTime"] != "10:00" || o["version"] != float64(i+2) {
				t.Errorf("%v: %v", body, o)
			}
		}
		w.As(w.North.Teacher, "PUT", teacher+"update-event", m{"venue": "X"}).Want(422, "Unprocessable Entity")
		w.As(w.North.Teacher, "PUT", teacher+"update-event", m{"id": at, "eventId": w.NewID(), "venue": "X"}).Want(422,
			"Unprocessable Entity")
		w.As(w.North.Teacher, "PUT", teacher+"update-event", m{"id": at, "version": 1, "venue": "X"}).Want(409, "Conflict")
		w.As(w.South.Teacher, "PUT", teacher+"update-event", m{"id": at, "venue": "X"}).Want(404, "Not Found")
		w.As(w.South.Teacher, "DELETE", teacher+"delete-event/"+at, nil).Want(404, "Not Found")
		if r := w.As(w.North.Teacher, "DELETE", teacher+"delete-event/"+at, nil); r.Status != 204 || len(r.Body) != 0 {
			t.Errorf("DELETE delete-event: got %d %s", r.Status, r.Body)
		}
		w.As(w.North.Teacher, "DELETE", teacher+"delete-event/"+at, nil).Want(404, "Not Found")
		for action, want := range map[string]int{"event.create": 1, "event.update": 3, "event.delete": 1} {
			w.Audited(action, want)
		}
	})
}

// TestDeletedTwice: of two calls that delete an event, one is refused, and the log has one.
func TestDeletedTwice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 20 {
			event := w.add(m{"title": "Fair", "eventDate": w.Day(3)}).Text("id")
			replies := apptest.AtOnce(2, func(int) apptest.Reply { return w.Admin("DELETE", admin+event, nil) })
			if replies[204] != 1 || replies[404] != 1 {
				t.Errorf("round %d: %v", i, replies)
			}
		}
		w.Audited("event.delete", 20)
	})
}

// TestWantsPermission removes canWrite for events from teachers.
func TestWantsPermission(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.add(m{"title": "T", "eventDate": w.Day(1)}).Text("id")
		w.LetRead(actor.Teacher, "event", true)
		w.As(w.North.Teacher, "GET", teacher+"get-events", nil).OK()
		w.As(w.North.Teacher, "POST", teacher+"add-event", m{"title": "T", "eventDate": w.Day(1)}).Want(403, "PERMISSION_DENIED")
		w.As(w.North.Teacher, "PUT", teacher+"update-event", m{"id": at}).Want(403, "PERMISSION_DENIED")
		w.As(w.North.Teacher, "DELETE", teacher+"delete-event/"+at, nil).Want(403, "PERMISSION_DENIED")
	})
}

func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		good := m{"title": "T", "eventDate": w.Day(1), "startTime": "10:00", "endTime": "11:00"}
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
				w.As(who, "POST", path, body).Fields(422, tt.names)
			}
			if tt.value == nil { // PUT does not change missing fields
				continue
			}
			w.As(w.North.Teacher, "PUT", teacher+"update-event", m{"id": at, tt.field: tt.value}).Want(422, "Unprocessable Entity")
			w.Admin("PUT", admin+at, m{tt.field: tt.value}).Want(422, "Unprocessable Entity")
		}
		apptest.Eq(t, "events", w.events(""), "T")
		// Without times it is the whole day.
		if o := w.add(m{"title": "Day", "eventDate": w.Day(1)}); o["startTime"] != "00:00" || o["endTime"] != "23:59" ||
			o["targetAudience"] != "ALL" || o["venue"] != nil {
			t.Errorf("new event: got %v", o)
		}
	})
}

// TestStatus checks the status of an event during a day, in the school's time zone.
func TestStatus(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"timezone": "Asia/Kolkata"}).OK() // 5:30 ahead
		w.at(4, 0)                                                                  // 09:30 there
		at := w.add(m{"title": "T", "eventDate": w.Day(0), "startTime": "10:00", "endTime": "12:00"}).Text("id")
		night := w.add(m{"title": "Night", "eventDate": w.Day(1), "startTime": "00:10", "endTime": "01:00"}).Text("id")
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
			"UPCOMING":  {"eventDate": w.Day(1), "startTime": "10:00", "endTime": "11:00"},
			"ONGOING":   {"eventDate": w.Day(0), "startTime": "10:00", "endTime": "11:00"},
			"COMPLETED": {"eventDate": w.Day(-1), "startTime": "10:00", "endTime": "11:00"},
			"CANCELLED": {"eventDate": w.Day(1), "startTime": "10:00", "endTime": "11:00"},
		}
		// The expected status, or "" for 409.
		for _, tt := range []struct {
			does                                    string
			body                                    m // of a PUT; an empty one cancels
			upcoming, ongoing, completed, cancelled string
		}{
			{"cancel", m{}, "CANCELLED", "CANCELLED", "", ""},
			{"edit", m{"venue": "Hall"}, "UPCOMING", "ONGOING", "COMPLETED", ""},
			{"put off", m{"eventDate": w.Day(7)}, "UPCOMING", "UPCOMING", "UPCOMING", ""},
			{"put before", m{"eventDate": w.Day(-7)}, "COMPLETED", "COMPLETED", "COMPLETED", ""},
			{"say CANCELLED", m{"status": "CANCELLED"}, "CANCELLED", "CANCELLED", "", ""},
			{"say UPCOMING", m{"status": "UPCOMING"}, "UPCOMING", "", "", ""},
			{"say ONGOING", m{"status": "ONGOING"}, "", "ONGOING", "", ""},
			{"say COMPLETED", m{"status": "COMPLETED"}, "", "", "COMPLETED", ""},
			{"put off and say so", m{"eventDate": w.Day(7), "status": "UPCOMING"}, "UPCOMING", "UPCOMING", "UPCOMING", ""},
			{"put off and cancel", m{"eventDate": w.Day(7), "status": "CANCELLED"}, "CANCELLED", "CANCELLED", "CANCELLED", ""},
		} {
			for state, want := range map[string]string{"UPCOMING": tt.upcoming, "ONGOING": tt.ongoing, "COMPLETED": tt.completed,
				"CANCELLED": tt.cancelled} {
				body := maps.Clone(states[state])
				body["title"] = tt.does
				at := w.add(body).Text("id")
				if state == "CANCELLED" {
					w.Admin("POST", admin+at+"/cancel", nil).OK()
				}
				if got := w.status(at); got != state {
					t.Fatalf("%s starts as %s", state, got)
				}
				method, path := "PUT", admin+at
				if len(tt.body) == 0 {
					method, path = "POST", path+"/cancel"
				}
				r := w.Admin(method, path, tt.body)
				if want == "" {
					r.Want(409, "Conflict")
					want = state
				} else if got := r.OK().Text("status"); got != want {
					t.Errorf("%s: %s: answers %s, want %s", state, tt.does, got, want)
				}
				apptest.Eq(t, fmt.Sprint(state, ": ", tt.does), w.status(at), want)
				w.Admin("DELETE", admin+at, nil).OK() // always allowed
			}
		}
	})
}

func TestLists(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		class, other := w.Make("class/create", m{"name": "One"}), w.Make("class/create", m{"name": "Two"})
		w.Make("student/create", m{"firstName": "Mia", "classId": class, "guardians": []m{{"name": "P", "phone": w.North.Parent.Phone,
			"canViewData": true}}})
		add := func(title string, day int, audience string, classes ...string) {
			body := m{"title": title, "eventDate": w.Day(day), "targetAudience": audience, "venue": "Aula"}
			if classes != nil {
				body["classIds"] = classes
			}
			w.Make("event/create", body)
		}
		add("all", 2, "ALL")
		add("parents", -400, "PARENTS")
		add("teachers", 3, "TEACHERS")
		add("students", 4, "STUDENTS")
		add("one", 800, "CLASS", class, other, class)
		add("Über", 6, "CLASS", other)
		everything := "parents all teachers students Über one"
		apptest.Eq(t, "get-events", w.events(""), everything)
		for query, want := range map[string]string{"?from=" + w.Day(3): "teachers students Über one", "?to=" + w.Day(2): "parents all",
			"?from=" + w.Day(3) + "&to=" + w.Day(4): "teachers students", "?status=COMPLETED": "parents", "?from=" + w.Day(3) + "&to=" +
				w.Day(2): ""} {
			apptest.Eq(t, fmt.Sprint("get-events", query), w.events(query), want)
		}
		for query, want := range map[string]string{"": "one Über students teachers all parents",
			"?status=UPCOMING":      "all teachers students Über one",
			"?targetAudience=CLASS": "one Über", "?search=UBER": "Über", "?search=aul&limit=2": "one Über", "?sort=title&limit=3": "all one parents",
			"?from=" + w.Day(3) + "&to=" + w.Day(4): "students teachers", "?limit=2&page=3": "all parents"} {
			apptest.Eq(t, fmt.Sprint("list", query), w.list(w.North.Admin, query), want)
		}
		apptest.Eq(t, "a parent's list", w.list(w.North.Parent, ""), "one students all parents")
		apptest.Eq(t, "a parent's page", w.list(w.North.Parent, "?from="+w.Day(0)+"&limit=1"), "one")
		apptest.Eq(t, "another school has", w.list(w.South.Parent, "")+w.list(w.South.Admin, ""), "")
		one := w.Admin("GET", admin+"list?search=one", nil).OK().Items()[0]
		if len(one["classIds"].([]any)) != 2 {
			t.Errorf("GET list: got %v", one)
		}
		o := w.Admin("PUT", admin+one.Text("id"), m{"targetAudience": "TEACHERS"}).OK()
		if len(o["classIds"].([]any)) != 0 || strings.Contains(w.list(w.North.Parent, ""), "one") {
			t.Errorf("changed event: got %v", o)
		}
		for _, bad := range []string{"?status=OVER", "?from=x", "?nope=1"} {
			w.Admin("GET", admin+"list"+bad, nil).Want(422, "Unprocessable Entity")
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
			rows[i].ID, rows[i].Date, rows[i].Now = string(w.NewID()), w.Day(i-300), w.Now()
		}
		_, err := db.Insert(t.Context(), w.DB.School(w.North.ID), `
			INSERT INTO events (school_id, id, title, description, event_date, start_time, end_time, venue, target_audience, search, created_at,
				updated_at)
			VALUES (:school, :id, :date, '', :date, '08:00', '09:00', '', 'ALL', '', :now, :now)`, rows)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Fields(w.events(""))
		if len(got) != 500 || got[0] != w.Day(-298) || got[499] != w.Day(201) {
			t.Errorf("%d events, from %s to %s", len(got), got[0], got[len(got)-1])
		}
		apptest.Eq(t, "events until a day", len(strings.Fields(w.events("?to="+w.Day(-299)))), 2)
	})
}

// TestClassesOfTeacher lets a teacher write only to assigned classes.
func TestClassesOfTeacher(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		mine, other := w.Make("class/create", m{"name": "One"}), w.Make("class/create", m{"name": "Two"})
		e := w.Make("employee/create", m{"firstName": "Ann", "phone": "+15550300001"})
		w.Admin("POST", "/school-admin/employee/"+e+"/assignments", m{"assignments": []m{{"classId": mine}}}).OK()
		ann := w.Account(actor.Teacher, "+15550300001")
		body := func(classes ...string) m {
			return m{"title": "T", "eventDate": w.Day(1), "targetAudience": "CLASS", "classIds": classes}
		}
		at := w.As(ann, "POST", teacher+"add-event", body(mine)).OK().Text("id")
		w.As(ann, "POST", teacher+"add-event", body(mine, other)).Want(403, "PERMISSION_DENIED")
		w.As(ann, "POST", teacher+"add-event", body(mine, string(w.NewID()))).Want(404, "Not Found")
		w.As(ann, "PUT", teacher+"update-event", m{"id": at, "classIds": []string{other}}).Want(403, "PERMISSION_DENIED")
		w.As(ann, "PUT", teacher+"update-event", m{"id": at, "venue": "Hall"}).OK()
		theirs := w.Make("event/create", body(other))
		w.As(ann, "PUT", teacher+"update-event", m{"id": theirs, "venue": "Hall"}).Want(403, "PERMISSION_DENIED")
		w.As(ann, "PUT", teacher+"update-event", m{"id": theirs, "targetAudience": "ALL"}).Want(403, "PERMISSION_DENIED")
		w.As(ann, "DELETE", teacher+"delete-event/"+theirs, nil).Want(403, "PERMISSION_DENIED")
		w.As(w.North.Teacher, "DELETE", teacher+"delete-event/"+at, nil).Want(403, "PERMISSION_DENIED")
		w.As(ann, "DELETE", teacher+"delete-event/"+at, nil).OK()
		w.Admin("DELETE", "/school-admin/class/"+other, nil).OK() // an event does not prevent it
		apptest.Eq(t, "classes of the event", len(w.Admin("GET", admin+theirs, nil).OK()["classIds"].([]any)), 0)
	})
}
