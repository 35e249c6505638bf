package app_test

import (
	"encoding/json"
	"net/url"
	"strings"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
)

// way is a way to receive data: a column of the matrix. open prepares it while
// everything is allowed, and returns a function that reports whether data (still) comes.
type way struct {
	name, kind string
	role       actor.Role
	on         thing
	needs      string // the module whose read permission it needs
	open       func(w *lossWorld) func() bool
}

// ways returns all columns: REST reads, socket events, calendar feeds and file URLs.
func ways(s *apptest.Service) []way {
	var out []way
	module := modules(s)
	for _, role := range []actor.Role{actor.Parent, actor.Teacher, actor.Driver} {
		for _, l := range looks[role] {
			c := l.way(role)
			if c.needs == "" {
				c.needs = module[l.route]
			}
			out = append(out, c)
		}
		out = append(out, inRoom(role, "bus-location", (*lossWorld).move), inRoom(role, "trip-status", (*lossWorld).rest),
			inRoom(role, "incident-reported", (*lossWorld).incident), inRoom(role, "incident-withdrawn", (*lossWorld).mistake))
	}
	return append(append(out, personal...), files...)
}

// personal are the socket events sent to one user, the calendar feeds, and the keys of other systems.
var personal = []way{
	{"boarding-status", "socket, personal", actor.Parent, trip, "transport", hearing(actor.Parent, "boarding-status", (*lossWorld).board)},
	{"boarding-status", "socket, personal", actor.Teacher, pupil, "transport", hearing(actor.Teacher, "boarding-status", (*lossWorld).board)},
	{"notification", "socket, personal", actor.Parent, child, "notification", hearing(actor.Parent, "notification", (*lossWorld).mark)},
	{"notification", "socket, personal", actor.Teacher, pupil, "notification", hearing(actor.Teacher, "notification", (*lossWorld).ask)},
	{"message about the child", "socket, personal", actor.Parent, child, "message", hearing(actor.Parent, "message", func(w *lossWorld) bool {
		return w.write(w.at.Teacher, w.at.Parent, w.f["student"])
	})},
	{"message about the child", "socket, personal", actor.Teacher, pupil, "message",
		hearing(actor.Teacher, "message", func(w *lossWorld) bool {
			return w.write(w.wit, w.at.Teacher, w.f["student"])
		})},
	{"message of the office", "socket, personal", actor.Parent, own, "message", hearing(actor.Parent, "message", fromOffice(actor.Parent))},
	{"message of the office", "socket, personal", actor.Teacher, own, "message", hearing(actor.Teacher, "message", fromOffice(actor.Teacher))},
	{"message of the office", "socket, personal", actor.Driver, own, "notification",
		hearing(actor.Driver, "message", fromOffice(actor.Driver))},
	{"calendar of the child", "calendar feed", actor.Parent, child, "timetable", feed(actor.Parent)},
	{"rosters", "OneRoster key", actor.SchoolAdmin, own, "student", rosters},
	{"calendar of the own lessons", "calendar feed", actor.Teacher, own, "timetable", feed(actor.Teacher)},
}

func fromOffice(role actor.Role) func(w *lossWorld) bool {
	return func(w *lossWorld) bool { return w.write(w.at.Admin, w.losing(role), "") }
}

// files are the signed file URLs, which work without a token.
var files = []way{
	signed("photo of the student", actor.Parent, child, "student", look{route: "GET /parent/student/{id}", path: []string{"$student"}}),
	signed("photo of a rider", actor.Parent, trip, "student",
		look{route: "GET /bus-tracking/trip/{tripId}/students", path: []string{"$ride"}}),
	signed("photo of a rider", actor.Teacher, pupil, "student",
		look{route: "GET /bus-tracking/trip/{tripId}/students", path: []string{"$ride"}}),
	signed("photo of a rider", actor.Driver, bus, "transport", look{route: "GET /driver/student/list"}),
	signed("file of an announcement", actor.Parent, child, "announcement",
		look{route: "GET /parent/announcement/{id}", path: []string{"$classNews"}}),
	signed("file of an announcement", actor.Teacher, class, "announcement",
		look{route: "GET /teacher/announcement/{id}", path: []string{"$classNews"}}),
	signed("file of a leave", actor.Parent, child, "leave", look{route: "GET /parent/leave/list"}),
	signed("file of a leave", actor.Teacher, pupil, "leave", look{route: "GET /teacher/leave/student-requests"}),
	signed("photo of an incident", actor.Parent, bus, "transport", look{route: "GET /bus-tracking/incidents/{busId}", path: []string{"$bus"}}),
	signed("photo of an incident", actor.Teacher, own, "transport",
		look{route: "GET /bus-tracking/incidents/{busId}", path: []string{"$bus"}}),
	signed("photo of an incident", actor.Driver, bus, "transport", look{route: "GET /bus-tracking/incidents/{busId}", path: []string{"$bus"}}),
}

// inRoom listens for an event in the room of the bus.
func inRoom(role actor.Role, event string, cause func(*lossWorld) bool) way {
	on := map[actor.Role]thing{actor.Parent: bus, actor.Teacher: own, actor.Driver: bus}[role]
	return way{event, "socket, room", role, on, "transport", func(w *lossWorld) func() bool {
		return w.listen(w.losing(role)).join().waits(event, cause)
	}}
}

// hearing listens for an event sent to the user.
func hearing(role actor.Role, event string, cause func(*lossWorld) bool) func(w *lossWorld) func() bool {
	return func(w *lossWorld) func() bool { return w.listen(w.losing(role)).waits(event, cause) }
}

// waits returns a function that causes an event and reports whether the socket
// receives it. If nobody can cause events any more, the socket must be closed.
func (e *ear) waits(event string, cause func(*lossWorld) bool) func() bool {
	return func() bool {
		e.hears(event) // discards earlier events
		if e.w.mute {
			return !e.closed
		}
		if !cause(e.w) {
			return false
		}
		e.w.passed()
		return e.hears(event) > 0
	}
}

// passed waits until all events sent so far have reached the receivers on the other node:
// it sends a position after them, and when that has come, the others are handled.
func (w *lossWorld) passed() {
	w.Helper()
	if w.far == w.s { // on one node, events are sent before the response
		return
	}
	if w.fence == nil {
		w.fence = w.listen(w.at.Admin).join()
	}
	after := w.fixes // earlier positions may still be on their way
	await.Until(w.T, "the other node to receive a position", func() bool {
		return w.move() && w.fence.hears("bus-location") > 0 && w.fence.fix() > after
	})
	if err := w.far.WaitRelayed(); err != nil { // each room has a queue of its own
		w.Fatal(err)
	}
}

// feed opens a calendar feed.
func feed(role actor.Role) func(w *lossWorld) func() bool {
	return func(w *lossWorld) func() bool {
		w.Helper()
		body := m{}
		if role == actor.Parent {
			body["studentId"] = w.f["student"]
		}
		at := w.far.Call(w.T, w.losing(role), "POST", "/"+role.Prefix()+"/timetable/calendar-link", body).OK().Text("url")
		_, path, _ := strings.Cut(at, "/calendar/")
		return func() bool { return w.far.Call(w.T, nil, "GET", "/calendar/"+path, nil).Status == 200 }
	}
}

// rosters gives a key to another system. With the token that it has, or with a new one,
// it reads the students.
func rosters(w *lossWorld) func() bool {
	w.Helper()
	key := w.far.Call(w.T, w.ida, "POST", "/school-admin/oneroster/keys", m{"name": "Moodle"}).OK()
	bearer := ""
	return func() bool {
		r := w.far.Call(w.T, nil, "POST", "/ims/oneroster/token", url.Values{"grant_type": {"client_credentials"},
			"client_id": {key.Text("clientId")}, "client_secret": {key.Text("clientSecret")}}.Encode(),
			"Content-Type", "application/x-www-form-urlencoded")
		var out struct {
			Token string `json:"access_token"`
		}
		if json.Unmarshal(r.Body, &out) == nil && out.Token != "" {
			bearer = out.Token
		}
		read := w.far.Call(w.T, nil, "GET", "/ims/oneroster/rostering/v1p2/students", nil, "Authorization", "Bearer "+bearer)
		return r.Status == 200 || read.Status == 200
	}
}

// signed is the signed URL of a file in the response of a look.
func signed(name string, role actor.Role, on thing, module string, l look) way {
	return way{name, "file URL", role, on, module, func(w *lossWorld) func() bool {
		w.Helper()
		at := fileURLIn(json.RawMessage(l.call(w, w.losing(role)).Body))
		if at == "" {
			w.Errorf("the response of %s for a %s has no file URL", l.route, role)
		}
		return func() bool { return w.far.Call(w.T, nil, "GET", at, nil).Status == 200 }
	}}
}

// fileURLIn finds the first file URL in a response.
func fileURLIn(raw json.RawMessage) string {
	var object map[string]json.RawMessage
	var items []json.RawMessage
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.HasPrefix(text, "/file/") {
		return text
	}
	_ = json.Unmarshal(raw, &items) // fails unless it is a list
	if json.Unmarshal(raw, &object) == nil {
		for _, v := range object {
			items = append(items, v)
		}
	}
	for _, v := range items {
		if at := fileURLIn(v); at != "" {
			return at
		}
	}
	return ""
}
