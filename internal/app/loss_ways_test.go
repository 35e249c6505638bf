package app_test

import (
	"encoding/json"
	"strings"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
)

// way is a way to receive: a column of the matrix. open prepares it while
// everything is allowed, and returns what reports whether something (still) comes.
type way struct {
	name, kind string
	role       actor.Role
	on         thing
	needs      string // the module that its reader must be allowed to read
	open       func(w *lossWorld) func() bool
}

// ways are all of them.
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
			inRoom(role, "incident-reported", (*lossWorld).incident))
	}
	return append(append(out, told...), files...)
}

// told are the ways by which people are told of something themselves, and the
// feeds of calendars.
var told = []way{
	{"boarding-status", "socket, personal", actor.Parent, trip, "transport", hearing(actor.Parent, "boarding-status", (*lossWorld).board)},
	{"boarding-status", "socket, personal", actor.Teacher, pupil, "transport", hearing(actor.Teacher, "boarding-status", (*lossWorld).board)},
	{"notification", "socket, personal", actor.Parent, child, "notification", hearing(actor.Parent, "notification", (*lossWorld).mark)},
	{"notification", "socket, personal", actor.Teacher, pupil, "notification", hearing(actor.Teacher, "notification", (*lossWorld).ask)},
	{"message about the child", "socket, personal", actor.Parent, child, "message", hearing(actor.Parent, "message", func(w *lossWorld) bool {
		return w.write(w.at.Teacher, w.at.Parent, w.f["student"])
	})},
	{"message about the child", "socket, personal", actor.Teacher, pupil, "message", hearing(actor.Teacher, "message", func(w *lossWorld) bool {
		return w.write(w.wit, w.at.Teacher, w.f["student"])
	})},
	{"message of the office", "socket, personal", actor.Parent, own, "message", hearing(actor.Parent, "message", fromOffice(actor.Parent))},
	{"message of the office", "socket, personal", actor.Teacher, own, "message", hearing(actor.Teacher, "message", fromOffice(actor.Teacher))},
	{"message of the office", "socket, personal", actor.Driver, own, "notification", hearing(actor.Driver, "message", fromOffice(actor.Driver))},
	{"calendar of the child", "calendar feed", actor.Parent, child, "timetable", feed(actor.Parent)},
	{"calendar of the own lessons", "calendar feed", actor.Teacher, own, "timetable", feed(actor.Teacher)},
}

func fromOffice(role actor.Role) func(w *lossWorld) bool {
	return func(w *lossWorld) bool { return w.write(w.at.Admin, w.losing(role), "") }
}

// files are the addresses of files that work without a token.
var files = []way{
	signed("photo of the student", actor.Parent, child, "student", look{route: "GET /parent/student/{id}", path: []string{"$student"}}),
	signed("photo of a rider", actor.Parent, trip, "student", look{route: "GET /bus-tracking/trip/{tripId}/students", path: []string{"$ride"}}),
	signed("photo of a rider", actor.Teacher, pupil, "student", look{route: "GET /bus-tracking/trip/{tripId}/students", path: []string{"$ride"}}),
	signed("photo of a rider", actor.Driver, bus, "transport", look{route: "GET /driver/student/list"}),
	signed("file of an announcement", actor.Parent, child, "announcement", look{route: "GET /parent/announcement/{id}", path: []string{"$classNews"}}),
	signed("file of an announcement", actor.Teacher, class, "announcement", look{route: "GET /teacher/announcement/{id}", path: []string{"$classNews"}}),
	signed("file of a leave", actor.Parent, child, "leave", look{route: "GET /parent/leave/list"}),
	signed("file of a leave", actor.Teacher, pupil, "leave", look{route: "GET /teacher/leave/student-requests"}),
	signed("photo of an incident", actor.Parent, bus, "transport", look{route: "GET /bus-tracking/incidents/{busId}", path: []string{"$bus"}}),
	signed("photo of an incident", actor.Teacher, own, "transport", look{route: "GET /bus-tracking/incidents/{busId}", path: []string{"$bus"}}),
	signed("photo of an incident", actor.Driver, bus, "transport", look{route: "GET /bus-tracking/incidents/{busId}", path: []string{"$bus"}}),
}

// inRoom hears an event in the room of the bus.
func inRoom(role actor.Role, event string, cause func(*lossWorld) bool) way {
	on := map[actor.Role]thing{actor.Parent: bus, actor.Teacher: own, actor.Driver: bus}[role]
	return way{event, "socket, room", role, on, "transport", func(w *lossWorld) func() bool {
		return w.listen(w.losing(role)).join().waits(event, cause)
	}}
}

// hearing hears an event that is the user's own.
func hearing(role actor.Role, event string, cause func(*lossWorld) bool) func(w *lossWorld) func() bool {
	return func(w *lossWorld) func() bool { return w.listen(w.losing(role)).waits(event, cause) }
}

// waits reports whether the socket hears an event once it is caused. Where nobody
// can cause anything any more, it must be hung up on.
func (e *ear) waits(event string, cause func(*lossWorld) bool) func() bool {
	return func() bool {
		e.hears(event) // what came before
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

// passed returns when everything that was sent so far has come to the node of the
// receivers: what is sent after it comes after it.
func (w *lossWorld) passed() {
	w.Helper()
	if w.far == w.s { // it came before its cause was answered
		return
	}
	if w.fence == nil {
		w.fence = w.listen(w.at.Admin).join()
	}
	await.Until(w.T, "the other node to hear of a position", func() bool { return w.move() && w.fence.hears("bus-location") > 0 })
}

// feed is the address that a calendar program reads.
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

// signed is the address of a file, as a look has shown it.
func signed(name string, role actor.Role, on thing, module string, l look) way {
	return way{name, "file URL", role, on, module, func(w *lossWorld) func() bool {
		w.Helper()
		at := addressIn(json.RawMessage(l.call(w, w.losing(role)).Body))
		if at == "" {
			w.Errorf("%s shows a %s no address of a file", l.route, role)
		}
		return func() bool { return w.far.Call(w.T, nil, "GET", at, nil).Status == 200 }
	}}
}

// addressIn finds the first signed address in an answer.
func addressIn(raw json.RawMessage) string {
	var object map[string]json.RawMessage
	var items []json.RawMessage
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.HasPrefix(text, "/file/") {
		return text
	}
	_ = json.Unmarshal(raw, &items) // or it is no list
	if json.Unmarshal(raw, &object) == nil {
		for _, v := range object {
			items = append(items, v)
		}
	}
	for _, v := range items {
		if at := addressIn(v); at != "" {
			return at
		}
	}
	return ""
}
