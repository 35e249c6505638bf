package event

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// maxEvents is the limit of get-events, which has no pages.
const maxEvents = 500

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("GET /teacher/co-curricular/get-events", s.events, web.Read("event"),
			web.Doc("List events by date; if there are more than 500, the latest 500.")),
		web.Handle("POST /teacher/co-curricular/add-event", s.Create, web.Write("event"), web.Created(),
			web.Doc("Create an event.")),
		web.Handle("PUT /teacher/co-curricular/update-event", s.updateNamed, web.Write("event"),
			web.Doc("Change or cancel the event given by id or eventId.")),
		web.Handle("DELETE /teacher/co-curricular/delete-event/{id}", s.delete, web.Delete("event"),
			web.Doc("Delete an event.")),

		web.Handle("GET /parent/event/list", s.listForParent, web.Read("event"), web.List("eventDate", "title"),
			web.Doc("List events for parents and for the classes of the caller's children.")),

		web.Handle("POST /school-admin/event/create", s.Create, web.Write("event"), web.Created(), web.Doc("Create an event.")),
		web.Handle("GET /school-admin/event/list", s.list, web.Read("event"), web.List("eventDate", "title"), web.Doc("List events.")),
		web.Handle("GET /school-admin/event/{id}", s.get, web.Read("event"), web.Doc("Get an event.")),
		web.Handle("PUT /school-admin/event/{id}", s.update, web.Write("event"), web.Doc("Change an event.")),
		web.Handle("DELETE /school-admin/event/{id}", s.delete, web.Delete("event"), web.Doc("Delete an event.")),
		web.Handle("POST /school-admin/event/{id}/cancel", s.cancel, web.Write("event"), web.Says("Cancelled."),
			web.Doc("Cancel an event that is not over.")),
	}
}

type eventsIn struct {
	Status Status     `json:"status" enum:"UPCOMING,ONGOING,COMPLETED,CANCELLED"`
	From   clock.Date `json:"from" doc:"Events on or after this date."`
	To     clock.Date `json:"to" doc:"Events on or before this date."`
}

type eventsOut struct {
	Events []Event `json:"events"`
}

func (s *Service) events(ctx context.Context, who actor.Actor, in eventsIn) (eventsOut, error) {
	all, err := latest(ctx, s.DB.School(who.School), s.moment(who), filter{status: in.Status, from: in.From, to: in.To}, maxEvents)
	return eventsOut{all}, err
}

type namedIn struct {
	ID      *id.ID `json:"id" example:"0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47"`
	EventID *id.ID `json:"eventId" doc:"The same as id."`
	Change
}

// Check validates the fields together.
func (in *namedIn) Check() error {
	switch {
	case in.ID == nil && in.EventID == nil:
		return fault.OnField("id", "is required")
	case in.ID != nil && in.EventID != nil && *in.ID != *in.EventID:
		return fault.OnField("eventId", "must be the same as id, if both are sent")
	}
	return nil
}

func (s *Service) updateNamed(ctx context.Context, who actor.Actor, in namedIn) (Event, error) {
	if in.ID == nil {
		in.ID = in.EventID
	}
	return s.Update(ctx, who, *in.ID, in.Change)
}

type byID struct {
	ID id.ID `path:"id"`
}

func (s *Service) delete(ctx context.Context, who actor.Actor, in byID) (web.None, error) {
	return web.None{}, s.Delete(ctx, who, in.ID)
}

type parentFilters struct {
	Status Status     `json:"status,omitempty" enum:"UPCOMING,ONGOING,COMPLETED,CANCELLED"`
	From   clock.Date `json:"from,omitempty" doc:"Events on or after this date."`
	To     clock.Date `json:"to,omitempty" doc:"Events on or before this date."`
}

func (s *Service) listForParent(ctx context.Context, who actor.Actor, in page.Ask[parentFilters]) (page.Of[Event], error) {
	f := in.Filters
	return list(ctx, s.DB.School(who.School), s.moment(who), filter{status: f.Status, from: f.From, to: f.To, parent: who.User}, in.Request)
}

type filters struct {
	Status         Status     `json:"status,omitempty" enum:"UPCOMING,ONGOING,COMPLETED,CANCELLED"`
	From           clock.Date `json:"from,omitempty" doc:"Events on or after this date."`
	To             clock.Date `json:"to,omitempty" doc:"Events on or before this date."`
	TargetAudience Audience   `json:"targetAudience,omitempty" enum:"ALL,PARENTS,TEACHERS,STUDENTS,CLASS"`
	Search         string     `json:"search,omitempty" doc:"Any part of the title or the venue."`
}

func (s *Service) list(ctx context.Context, who actor.Actor, in page.Ask[filters]) (page.Of[Event], error) {
	f := in.Filters
	return list(ctx, s.DB.School(who.School), s.moment(who),
		filter{status: f.Status, from: f.From, to: f.To, audience: f.TargetAudience, search: f.Search}, in.Request)
}

func (s *Service) get(ctx context.Context, who actor.Actor, in byID) (Event, error) {
	return get(ctx, s.DB.School(who.School), s.moment(who), in.ID)
}

type updateIn struct {
	ID id.ID `path:"id"`
	Change
}

func (s *Service) update(ctx context.Context, who actor.Actor, in updateIn) (Event, error) {
	return s.Update(ctx, who, in.ID, in.Change)
}

func (s *Service) cancel(ctx context.Context, who actor.Actor, in byID) (Event, error) {
	return s.Cancel(ctx, who, in.ID)
}
