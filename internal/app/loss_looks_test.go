package app_test

import (
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/web"
)

// thing is what a right depends on, besides account and role.
type thing string

const (
	child thing = "the child"         // a parent's link to the child
	trip  thing = "the child's trip"  // the child is on the trip's list
	bus   thing = "the bus"           // of the child's route, or of the driver
	class thing = "the class"         // a teacher's assignment to it
	pupil thing = "the pupil"         // a student of that class now
	past  thing = "a former pupil"    // a student of that class then
	own   thing = "the account alone" // nothing else
)

// look is a call that reads, and what the response contains while it is allowed.
type look struct {
	route string
	on    thing
	path  []string // values of the path parameters
	query m
	shows string // "$student"; empty: status 200 is enough
	needs string // the module whose permission it needs, if the route names none
}

// looks lists every route with which a parent, a teacher or a driver reads.
var looks = map[actor.Role][]look{
	actor.Parent: {
		{route: "GET /parent/announcement/list", on: child, shows: "$classNews"},
		{route: "GET /parent/announcement/{id}", on: child, path: []string{"$classNews"}},
		{route: "GET /parent/attendance/list", on: child, query: m{"studentId": "$student"}},
		{route: "GET /parent/attendance/summary", on: child, query: m{"studentId": "$student"}},
		{route: "GET /parent/contact", on: own},
		{route: "GET /parent/event/list", on: child, shows: "$classEvent"},
		{route: "GET /parent/exam/list", on: child, query: m{"studentId": "$student"}, shows: "$publishedExam"},
		{route: "GET /parent/exam/report-card", on: child, query: m{"studentId": "$student"}},
		{route: "GET /parent/exam/report-card", on: child, query: m{"studentId": "$student", "format": "pdf"}},
		{route: "GET /parent/exam/result", on: child, query: m{"studentId": "$student"}},
		{route: "GET /parent/exam/schedule", on: child, query: m{"studentId": "$student"}},
		{route: "GET /parent/fee/list", on: child, shows: "$student"},
		{route: "GET /parent/fee/receipt/{id}", on: child, path: []string{"$receipt"}, query: m{"studentId": "$student"}},
		{route: "GET /parent/fee/receipt/{id}", on: child, path: []string{"$receipt"}, query: m{"studentId": "$student", "format": "pdf"}},
		{route: "GET /parent/fee/receipts", on: child, shows: "$receipt"},
		{route: "GET /parent/fee/statement", on: child, query: m{"studentId": "$student"}},
		{route: "GET /parent/fee/statement", on: child, query: m{"studentId": "$student", "format": "pdf"}},
		{route: "GET /parent/fee/summary", on: child, query: m{"studentId": "$student"}},
		{route: "GET /parent/home", on: child, shows: "$student"},
		{route: "GET /parent/leave/list", on: child, shows: "$pageLeave"},
		{route: "GET /parent/library/loans", on: child, shows: "$childLoan"},
		{route: "GET /parent/message/recipients", on: child, shows: "$teacherAccount"},
		{route: "GET /parent/message/thread/{id}", on: own, path: []string{"$thread"}},
		{route: "GET /parent/message/threads", on: own, shows: "$thread"},
		{route: "GET /parent/notification/delivered-notifications", on: child, shows: "$student"},
		{route: "GET /parent/notification/preferences", on: own},
		{route: "GET /parent/notification/push-key", on: own},
		{route: "GET /parent/notification/topics", on: child, shows: "$student"},
		{route: "GET /parent/school", on: own, shows: "$year"},
		{route: "GET /parent/student/{id}", on: child, path: []string{"$student"}},
		{route: "POST /parent/student/list", on: child, shows: "$student"},
		{route: "POST /parent/student/get-students", on: child, shows: "$student"},
		{route: "GET /parent/timetable/calendar", on: child, query: m{"studentId": "$student"}},
		{route: "GET /parent/timetable/get", on: child, query: m{"studentId": "$student"}},
		{route: "GET /parent/transport/list", on: bus, shows: "$bus"},
		{route: "GET /bus-tracking/bus/list", on: bus, shows: "$bus"},
		{route: "GET /bus-tracking/bus/{busId}/live", on: bus, path: []string{"$bus"}},
		{route: "GET /bus-tracking/incidents/{busId}", on: bus, path: []string{"$bus"}},
		{route: "GET /bus-tracking/trip/{tripId}/students", on: trip, path: []string{"$ride"}, shows: "$student"},
		{route: "GET /file/{id}", on: child, path: []string{"$photoFile"}, needs: "student"},
		{route: "GET /auth/me", on: own},
		{route: "GET /auth/sessions", on: own},
	},
	actor.Teacher: {
		{route: "GET /teacher/announcement/list", on: class, shows: "$classNews"},
		{route: "GET /teacher/announcement/{id}", on: class, path: []string{"$classNews"}},
		{route: "GET /teacher/announcement/{id}/reads", on: pupil, path: []string{"$ownNews"}, shows: "$parentAccount"},
		{route: "GET /teacher/attendance/list", on: pupil, query: m{"classId": "$class", "divisionId": "$division"}, shows: "$student"},
		{route: "GET /teacher/attendance/report", on: past, query: m{"classId": "$class", "divisionId": "$division"}, shows: "$student"},
		{route: "GET /teacher/attendance/summary", on: class, query: m{"classId": "$class"}},
		{route: "GET /teacher/class/list", on: class, shows: "$class"},
		{route: "GET /teacher/class/students", on: pupil, query: m{"classId": "$class"}, shows: "$student"},
		{route: "GET /teacher/co-curricular/get-events", on: own, shows: "$classEvent"}, // every event
		{route: "GET /teacher/exam/list", on: class, shows: "$publishedExam"},
		{route: "GET /teacher/exam/schedule", on: class, shows: "$publishedExam"},
		{route: "GET /teacher/leave/balance", on: own},
		{route: "GET /teacher/leave/list", on: own, shows: "$staffLeave"},
		{route: "GET /teacher/leave/student-requests", on: pupil, shows: "$pageLeave"},
		{route: "GET /teacher/message/recipients", on: pupil, shows: "$parentAccount"},
		{route: "GET /teacher/message/thread/{id}", on: own, path: []string{"$thread"}},
		{route: "GET /teacher/message/threads", on: own, shows: "$thread"},
		{route: "GET /teacher/notification/delivered-notifications", on: pupil, shows: "$student"},
		{route: "GET /teacher/notification/preferences", on: own},
		{route: "GET /teacher/notification/push-key", on: own},
		{route: "GET /teacher/notification/topics", on: own},
		{route: "GET /teacher/result/list", on: past, shows: "$student"},
		{route: "GET /teacher/school", on: own, shows: "$year"},
		{route: "GET /teacher/student/{id}", on: pupil, path: []string{"$student"}},
		{route: "GET /teacher/subject/list", on: class, shows: "$subject"},
		{route: "GET /teacher/timetable/calendar", on: own},
		{route: "GET /teacher/timetable/get", on: own},
		{route: "GET /bus-tracking/bus/list", on: own, shows: "$bus"}, // every bus
		{route: "GET /bus-tracking/bus/{busId}/live", on: own, path: []string{"$bus"}},
		{route: "GET /bus-tracking/incidents/{busId}", on: own, path: []string{"$bus"}},
		{route: "GET /bus-tracking/trip/{tripId}/students", on: pupil, path: []string{"$ride"}, shows: "$student"},
		{route: "GET /file/{id}", on: pupil, path: []string{"$photoFile"}, needs: "student"},
		{route: "GET /auth/me", on: own},
		{route: "GET /auth/sessions", on: own},
	},
	actor.Driver: {
		{route: "GET /driver/announcement/list", on: own, shows: "$announcement"},
		{route: "GET /driver/announcement/{id}", on: own, path: []string{"$announcement"}},
		{route: "GET /driver/bus/get", on: bus, shows: "$bus"},
		{route: "GET /driver/incident/list", on: own, shows: "$incident"},
		{route: "GET /driver/leave/balance", on: own},
		{route: "GET /driver/leave/list", on: own, shows: "$driverLeave"},
		{route: "GET /driver/message/recipients", on: own},
		{route: "GET /driver/message/thread/{id}", on: own, path: []string{"$driverThread"}},
		{route: "GET /driver/message/threads", on: own, shows: "$driverThread"},
		{route: "GET /driver/notification/delivered-notifications", on: own, shows: "$driverNotification"},
		{route: "GET /driver/notification/preferences", on: own},
		{route: "GET /driver/notification/push-key", on: own},
		{route: "GET /driver/notification/topics", on: own},
		{route: "GET /driver/school", on: own, shows: "$year"},
		{route: "GET /driver/student/list", on: bus, shows: "$student"},
		{route: "GET /driver/trip/list", on: own},
		{route: "GET /bus-tracking/bus/list", on: bus, shows: "$bus"},
		{route: "GET /bus-tracking/bus/{busId}/live", on: bus, path: []string{"$bus"}},
		{route: "GET /bus-tracking/incidents/{busId}", on: bus, path: []string{"$bus"}},
		{route: "GET /bus-tracking/trip/{tripId}/students", on: bus, path: []string{"$trip"}, shows: "$student"},
		{route: "GET /auth/me", on: own},
		{route: "GET /auth/sessions", on: own},
	},
}

// notLooked are the reading routes that need no look, with the reason.
var notLooked = map[string]string{
	"GET /calendar/{token}.ics":                    "tested as a way: calendar feed",
	"GET /logo/{id}":                               "public: it is on the school's letters",
	"POST /parent/timetable/calendar-link":         "creates a link, which is tested as a way",
	"POST /parent/timetable/calendar-link/revoke":  "ends a link",
	"POST /parent/transport/walk":                  "keeps the caller's own minutes, and returns nothing",
	"POST /teacher/timetable/calendar-link":        "creates a link, which is tested as a way",
	"POST /teacher/timetable/calendar-link/revoke": "ends a link",
}

// reads reports whether a route returns data.
func reads(rt web.Route) bool {
	return rt.Method == "GET" || rt.Module != "" && rt.Verb == actor.Read
}

// TestEveryReadIsLookedAt fails if a route with which a parent, a teacher or a
// driver reads is missing in the matrix of lost rights.
func TestEveryReadIsLookedAt(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "sqlite")
	known := map[string]bool{}
	for _, rt := range s.App.Routes {
		known[rt.Pattern()] = true
		if !reads(rt) || notLooked[rt.Pattern()] != "" {
			continue
		}
		for role, list := range looks {
			looked := slices.ContainsFunc(list, func(l look) bool { return l.route == rt.Pattern() })
			photoOfRider := rt.Path == "/file/{id}" && role == actor.Driver // by signed URL only
			if slices.Contains(rt.Roles, role) && !looked && !photoOfRider {
				t.Errorf("%s returns data to a %s: add it to looks, or to notLooked with the reason. "+
					"Its record comes from loss_world_test.go; if it shows files, add signed(…) to loss_ways_test.go too", rt.Pattern(), role)
			}
		}
	}
	for _, list := range looks {
		for _, l := range list {
			if !known[l.route] {
				t.Errorf("%s is in looks but is not a route", l.route)
			}
		}
	}
}

// name is the look's column name in the matrix.
func (l look) name() string {
	if l.query["format"] != nil {
		return l.route + " as PDF"
	}
	return l.route
}

// modules maps routes to the module that each reads.
func modules(s *apptest.Service) map[string]string {
	of := map[string]string{}
	for _, rt := range s.App.Routes {
		of[rt.Pattern()] = rt.Module
	}
	return of
}

// way returns the look as a column of the matrix.
func (l look) way(role actor.Role) way {
	return way{name: l.name(), kind: "REST", role: role, on: l.on, needs: l.needs, open: func(w *lossWorld) func() bool {
		return func() bool {
			r := l.call(w, w.losing(role))
			return r.Status == 200 && strings.Contains(string(r.Body), w.value(l.shows))
		}
	}}
}

// value returns the id of a fixture "$name", or the text itself.
func (w *lossWorld) value(of string) string {
	if name, ok := strings.CutPrefix(of, "$"); ok {
		return w.f[name].String()
	}
	return of
}

// call makes the look.
func (l look) call(w *lossWorld, who *apptest.Account) apptest.Reply {
	w.Helper()
	method, path, _ := strings.Cut(l.route, " ")
	i := 0
	path = param.ReplaceAllStringFunc(path, func(string) string { i++; return w.value(l.path[i-1]) })
	q := m{}
	for k, v := range l.query {
		q[k] = w.value(v.(string))
	}
	if method == "GET" {
		return w.far.Call(w.T, who, method, path+"?"+query(q).Encode(), nil)
	}
	return w.far.Call(w.T, who, method, path, q)
}
