package audit

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/audit/list", s.list, web.Read("report"), web.List("at"),
			web.Doc("List the audit log of this school, the newest first.")),
		web.Handle("GET /super-admin/audit/list", s.listAll, web.Read("report"), web.List("at"),
			web.Doc("List the audit log of all schools, the newest first.")),
	}
}

// span is a time range, by timestamps or whole days.
type span struct {
	From string `json:"from,omitempty" pattern:"^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$" patternHint:"must be a date or a timestamp, such as 2026-11-15 or 2026-11-15T08:05:00Z" example:"2026-11-15" doc:"First day (UTC) or timestamp, inclusive."`
	To   string `json:"to,omitempty" pattern:"^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$" patternHint:"must be a date or a timestamp, such as 2026-11-15 or 2026-11-15T08:05:00Z" example:"2026-11-15" doc:"Last day (UTC) or timestamp, inclusive."`
}

// bounds returns the range since <= t < before. A zero time is no bound.
func (s span) bounds() (since, before time.Time, err error) {
	var bad []fault.Field
	if since, _, err = moment(s.From); err != nil {
		bad = append(bad, fault.Field{Field: "from", Message: err.Error()})
	}
	if _, before, err = moment(s.To); err != nil {
		bad = append(bad, fault.Field{Field: "to", Message: err.Error()})
	}
	if bad != nil {
		return since, before, fault.Fields(bad...)
	}
	return since, before, nil
}

// moment parses a date or timestamp as a half-open range. The log has millisecond
// precision.
func moment(s string) (start, end time.Time, err error) {
	if s == "" {
		return start, end, nil
	}
	if d, err := clock.ParseDate(s); err == nil {
		return d.Time(), d.AddDays(1).Time(), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return start, end, fmt.Errorf("must be a date or a timestamp, such as 2026-11-15 or 2026-11-15T08:05:00Z")
	}
	t = t.UTC().Truncate(time.Millisecond)
	return t, t.Add(time.Millisecond), nil
}

type filters struct {
	UserID   id.ID  `json:"userId,omitempty"`
	Action   string `json:"action,omitempty" example:"role.update"`
	Entity   string `json:"entity,omitempty" example:"role"`
	EntityID id.ID  `json:"entityId,omitempty"`
	span
}

func (s *Service) list(ctx context.Context, who actor.Actor, in page.Ask[filters]) (page.Of[Entry], error) {
	f := in.Filters
	since, before, err := f.bounds()
	if err != nil {
		return page.Of[Entry]{}, err
	}
	out, err := listEntries[Entry](ctx, s.DB.School(who.School), entryColumns, `school_id = :school`, filter{
		userID: f.UserID, action: f.Action, entity: f.Entity, entityID: f.EntityID, since: since, before: before,
	}, in.Request)
	for i := range out.Items {
		out.Items[i].hide(who)
	}
	return out, err
}

type allFilters struct {
	SchoolID id.ID  `json:"schoolId,omitempty"`
	UserID   id.ID  `json:"userId,omitempty"`
	Action   string `json:"action,omitempty" example:"school.create"`
	span
}

// AnyEntry is an entry of any school.
type AnyEntry struct {
	Entry
	SchoolName opt.Text `json:"schoolName"`
}

func (s *Service) listAll(ctx context.Context, who actor.Actor, in page.Ask[allFilters]) (page.Of[AnyEntry], error) {
	f := in.Filters
	since, before, err := f.bounds()
	if err != nil {
		return page.Of[AnyEntry]{}, err
	}
	out, err := listEntries[AnyEntry](ctx, s.DB.Across(unscoped.Permit{}), anyEntryColumns, `1 = 1`, filter{
		schoolID: f.SchoolID, userID: f.UserID, action: f.Action, since: since, before: before,
	}, in.Request)
	for i := range out.Items {
		out.Items[i].hide(who)
	}
	return out, err
}
