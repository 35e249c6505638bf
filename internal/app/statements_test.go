package app_test

import (
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
)

// fewRows are the lists that may have less than two rows here, by route and role, with the reason.
var fewRows = map[string]string{
	"GET /school-admin/audit/reads SCHOOL_ADMIN":          "written in the background",
	"GET /super-admin/job/list SUPER_ADMIN":               "lists failed jobs",
	"GET /super-admin/backup/list SUPER_ADMIN":            "the demo has no backups",
	"GET /school-admin/guardian/change/list SCHOOL_ADMIN": "a parent has one open change",
	"GET /teacher/subject/list TEACHER":                   "the class teacher teaches one subject, on a day without a substitution",
	"GET /parent/exam/result PARENT":                      "one exam is published",
	"GET /driver/message/threads DRIVER":                  "a driver writes to the office alone",
	"GET /driver/message/recipients DRIVER":               "a driver writes to the office alone",
	"GET /bus-tracking/bus/list DRIVER":                   "a driver has one bus",
	"GET /bus-tracking/bus/list PARENT":                   "both children ride on one bus",
}

// TestNoListAsksPerRow requests every list with one row and with fifty, in a demo
// school. Both must take the same number of statements, whoever asks.
func TestNoListAsksPerRow(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := newDemoWorld(t, s)
		for _, rt := range s.App.Routes {
			if rt.Method != "GET" || !rt.List {
				continue
			}
			for _, role := range rt.Roles {
				url := w.url(rt, role)
				one, few := w.count(role, url+"limit=1")
				many, rows := w.count(role, url+"limit=50")
				if one != many {
					t.Errorf("%s as %s: %d statements for %d rows, %d for %d", rt.Pattern(), role, one, few, many, rows)
				}
				if name := rt.Pattern() + " " + string(role); rows < 2 && fewRows[name] == "" {
					t.Errorf("%s: %d rows: add some to demoWorld.fill, or the reason to fewRows", name, rows)
				}
			}
		}
	}, func(c *app.Config) { c.Demo = true })
}
