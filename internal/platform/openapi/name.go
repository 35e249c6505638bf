package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/web"
)

// Names are the names that the rules of operationID and typeName would choose badly.
type Names struct {
	// Operations maps a route without its role's prefix, such as "POST /notification/read-all",
	// to a name: markAllNotificationsRead.
	Operations map[string]string
	// Groups are segments of a path that say nothing in a name: /transport/bus is a bus.
	Groups []string
	// Schemas maps a Go type, such as "people.Record", to the name of its schema: Student.
	Schemas map[string]string
	// Packages maps a package to the start of its schemas' names, by default its own name.
	Packages map[string]string
}

// operationID names an operation as a person would name the function that calls it: a verb,
// a noun and, unless it is the office's, the role. The path tells the first two:
//
//	POST /school-admin/student/create    createStudent
//	GET  /school-admin/student/list      listStudents
//	POST /school-admin/student/list      queryStudents (the same list, asked for by a body)
//	GET  /teacher/student/{id}           getStudentAsTeacher
//	PUT  /school-admin/student/{id}      updateStudent
//	POST /teacher/leave/{id}/approve     approveLeaveAsTeacher
func (g *generator) operationID(r *web.Route) string { return g.baseName(r) + roleSuffix(r.Path) }

// baseName is the operation's name without the role.
func (g *generator) baseName(r *web.Route) string {
	if get, ok := g.twin(r); ok {
		return "query" + strings.TrimPrefix(g.baseName(get), "list")
	}
	tail := withoutRole(r.Path)
	if name := g.names.Operations[r.Method+" "+tail]; name != "" {
		return name
	}
	segments := strings.Split(strings.Trim(tail, "/"), "/")
	last := segments[len(segments)-1]
	owner := segments[:len(segments)-1]
	switch {
	case r.Method == http.MethodPut:
		return "update" + g.noun(segments)
	case r.Method == http.MethodDelete:
		return "delete" + g.noun(segments)
	case r.List && last == "list":
		return "list" + plural(g.noun(owner))
	case r.List:
		return "list" + plural(g.noun(segments))
	case r.Method == http.MethodPost:
		return camel(last) + g.noun(owner)
	case last == "export":
		return "export" + plural(g.noun(owner))
	case last == "get":
		return "get" + g.noun(owner)
	}
	return "get" + g.noun(segments)
}

// twin returns the GET of a list that r asks for by a body.
func (g *generator) twin(r *web.Route) (*web.Route, bool) {
	get := *r
	get.Method = http.MethodGet
	return &get, r.List && r.Method == http.MethodPost && g.declared[get.Pattern()]
}

// noun joins the words of a path: /role/{id}/permissions is RolePermissions. What is followed by
// a parameter or by another word is one thing.
func (g *generator) noun(segments []string) string {
	var words []string
	for i, s := range segments {
		switch {
		case strings.Contains(s, "{"), slices.Contains(g.names.Groups, s):
		case i+1 < len(segments):
			words = append(words, title(camel(singular(s))))
		default:
			words = append(words, title(camel(s)))
		}
	}
	return strings.Join(words, "")
}

// checkNames returns an error if two operations have the same name.
func (g *generator) checkNames(routes []web.Route) error {
	taken := map[string]string{}
	for i := range routes {
		r := &routes[i]
		name := g.operationID(r)
		if other := taken[name]; other != "" {
			return fmt.Errorf("openapi: %s and %s are both %s", other, r.Pattern(), name)
		}
		taken[name] = r.Pattern()
	}
	return nil
}

// roles are the suffixes of operations that are not the office's.
var roles = map[actor.Role]string{
	actor.Parent: "AsParent", actor.Teacher: "AsTeacher", actor.Driver: "AsDriver", actor.SuperAdmin: "AsSuperAdmin",
}

func roleSuffix(path string) string {
	role, _ := actor.OfPrefix(strings.Split(path, "/")[1])
	return roles[role]
}

func withoutRole(path string) string {
	prefix, tail, _ := strings.Cut(path[1:], "/")
	if _, ok := actor.OfPrefix(prefix); ok {
		return "/" + tail
	}
	return path
}

func plural(s string) string {
	switch {
	case strings.HasSuffix(s, "ss"), strings.HasSuffix(s, "us"), strings.HasSuffix(s, "x"), strings.HasSuffix(s, "ch"):
		return s + "es"
	case strings.HasSuffix(s, "s"):
		return s
	case strings.HasSuffix(s, "y") && !strings.HasSuffix(s, "ay"):
		return strings.TrimSuffix(s, "y") + "ies"
	}
	return s + "s"
}

func singular(s string) string {
	switch {
	case strings.HasSuffix(s, "ies"):
		return strings.TrimSuffix(s, "ies") + "y"
	case strings.HasSuffix(s, "ss"), strings.HasSuffix(s, "us"):
		return s
	}
	return strings.TrimSuffix(s, "s")
}

// camel turns calendar-link into calendarLink.
func camel(s string) string {
	words := strings.Split(s, "-")
	for i, w := range words[1:] {
		words[i+1] = title(w)
	}
	return strings.Join(words, "")
}

func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
