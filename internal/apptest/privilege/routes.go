package privilege

import (
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"homeroom/internal/platform/web"
)

// concern matches the routes that touch accounts, roles, links, assignments,
// sessions and devices.
var concern = regexp.MustCompile(`^/auth/|/user-auth/|^/super-admin/|^/school-admin/(employee|role|module|student|guardian|user|account|invit|setting)` +
	`|/(notification/token|session|device|second-factor|password|pin|assignment)`)

// apart are the routes of concern that no move is made by, and why.
var apart = map[string]string{
	"POST /auth/second-factor":              "wants a code that only the owner's device makes: see the tests of identity",
	"POST /auth/second-factor/confirm":      "the same",
	"POST /auth/second-factor/remove":       "the same",
	"POST /super-admin/school/create":       "makes schools that nobody of a sequence belongs to",
	"DELETE /super-admin/school/{id}":       "takes a whole school away, and all power in it",
	"POST /super-admin/module/create":       "adds a module for all schools, of later sequences too",
	"POST /super-admin/file/upload":         "files",
	"POST /super-admin/job/retry":           "jobs of the queue",
	"POST /school-admin/student/promote":    "moves students to classes of another year",
	"POST /school-admin/student/{id}/erase": "wants an admission number; takes accounts away as DELETE does",
	"POST /school-admin/student/import":     "links guardians as create does; see the tests of imports",
}

// concerned lists the routes that moves are made by.
func (w *World) concerned() []web.Route {
	var out []web.Route
	for _, rt := range w.routes {
		if concern.MatchString(rt.Path) && rt.Method != http.MethodGet && !rt.List && apart[rt.Pattern()] == "" {
			out = append(out, rt)
		}
	}
	return out
}

func (w *World) count(route string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.tally[route]
	n[0]++
	if ok {
		n[1]++
	}
	w.tally[route] = n
}

// field is what a route takes in its body.
type field struct {
	name     string
	required bool
}

// fields lists what a route's body takes.
func fields(t reflect.Type) (out []field) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			out = append(out, fields(f.Type)...)
		case name != "" && name != "-":
			out = append(out, field{name, f.Tag.Get("required") == "true"})
		}
	}
	return out
}
