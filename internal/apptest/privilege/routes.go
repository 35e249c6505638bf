package privilege

import (
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"homeroom/internal/platform/web"
)

// sensitive matches the routes that change accounts, roles, links, assignments,
// sessions and devices.
var sensitive = regexp.MustCompile(`^/auth/|/user-auth/|^/super-admin/` +
	`|^/school-admin/(employee|role|module|student|guardian|user|account|invit|setting)` +
	`|/(notification/token|session|device|second-factor|password|pin|assignment)`)

// excluded are the sensitive routes that sequences do not call, with the reason.
var excluded = map[string]string{
	"POST /auth/setup":                                          "refused once there is an account: see the tests of identity",
	"POST /auth/second-factor":                                  "needs a code of the owner's device: see the tests of identity",
	"POST /auth/second-factor/confirm":                          "the same",
	"POST /auth/second-factor/remove":                           "the same",
	"POST /super-admin/school/create":                           "creates schools without accounts of the sequence",
	"DELETE /super-admin/school/{id}":                           "deletes a school with all its accounts",
	"POST /super-admin/module/create":                           "adds a module to all schools, also of later sequences",
	"POST /super-admin/file/upload":                             "changes no accounts",
	"POST /super-admin/job/retry":                               "changes no accounts",
	"POST /super-admin/backup/create":                           "changes no accounts",
	"POST /super-admin/backup/{id}/link":                        "changes nothing; its file is for super-administrators alone",
	"POST /super-admin/notification/test":                       "changes no accounts",
	"POST /super-admin/webhook/create":                          "changes no accounts",
	"PUT /super-admin/webhook/{id}":                             "the same",
	"DELETE /super-admin/webhook/{id}":                          "the same",
	"POST /super-admin/webhook/{id}/rotate":                     "the same",
	"POST /super-admin/webhook/{id}/test":                       "the same",
	"POST /super-admin/webhook/{id}/replay":                     "the same",
	"POST /super-admin/webhook/{id}/deliveries/{eventId}/retry": "the same",
	"POST /school-admin/student/renumber":                       "changes roll numbers",
	"POST /school-admin/student/promote":                        "moves students to classes of another year",
	"POST /school-admin/student/promote/preview":                "changes nothing",
	"POST /school-admin/student/promote/undo":                   "moves students back",
	"POST /school-admin/student/import/{id}/undo":               "deletes accounts that nobody has used",
	"POST /school-admin/employee/import/{id}/undo":              "deletes accounts as DELETE employee does, unless one has signed in",
	"POST /school-admin/employee/{id}/hand-over":                "assigns classes as assignments does, and changes no accounts",
	"POST /school-admin/guardian/change/{id}/accept":            "changes a guardian as PUT does, if the parent has asked for it",
	"POST /school-admin/guardian/change/{id}/reject":            "changes no accounts",
	"POST /school-admin/student/{id}/erase":                     "needs an admission number; deletes accounts as DELETE does",
	"POST /school-admin/student/import":                         "links guardians as create does; see the tests of imports",
}

// sensitiveRoutes returns the routes that sequences call.
func (w *World) sensitiveRoutes() []web.Route {
	var out []web.Route
	for _, rt := range w.routes {
		if sensitive.MatchString(rt.Path) && rt.Method != http.MethodGet && !rt.List && excluded[rt.Pattern()] == "" {
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

// field is a field of a request body.
type field struct {
	name     string
	required bool
}

// fields returns the fields of a request body's type.
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
