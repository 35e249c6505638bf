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

// auditedReads are the kinds of records whose reads are recorded.
var auditedReads = map[string]audit.Kind{"student": {Table: "students", Missing: people.ErrNoStudent}}

// recordReads marks every route on which staff read one student, so that features
// can't forget it. Routes that this rule does not find declare web.Shows themselves.
func recordReads(routes []web.Route) {
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

// saw records that staff have read a record. Reads of parents are not recorded.
func (a *App) saw(ctx context.Context, who actor.Actor, entity string, record id.ID) error {
	if !isStaff(who.Role) {
		return nil
	}
	return a.services.reads.Saw(ctx, who, entity, record)
}
