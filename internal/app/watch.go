package app

import (
	"context"
	"slices"
	"strings"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// watched are the records whose readers are kept.
var watched = map[string]audit.Kind{"student": {Table: "students", Missing: people.ErrNoStudent}}

// keepReaders marks every route by which staff read one student, so that no feature
// can forget to. Where the rule can't see what a route shows, the route says
// web.Shows itself.
func keepReaders(routes []web.Route) {
	for i := range routes {
		rt := &routes[i]
		if rt.Shows != (web.Shown{}) || rt.Verb != actor.Read || rt.List || !slices.ContainsFunc(rt.Roles, isStaff) {
			continue
		}
		switch {
		case strings.Contains(rt.Path, "/student/{id}"):
			web.Shows("student", "id")(rt)
		case rt.TakesID("studentId"):
			web.Shows("student", "studentId")(rt)
		}
	}
}

func isStaff(r actor.Role) bool { return r != actor.Parent }

// saw keeps what staff have seen. Parents see their own children.
func (a *App) saw(ctx context.Context, who actor.Actor, entity string, record id.ID) error {
	if !isStaff(who.Role) {
		return nil
	}
	return a.services.reads.Saw(ctx, who, entity, record)
}
