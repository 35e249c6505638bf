package message

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes are the endpoints, the same for each role. Drivers have the permission for
// notifications, not for messages.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		s.sendRoute("POST /parent/message/send", "message"),
		s.sendRoute("POST /teacher/message/send", "message"),
		s.sendRoute("POST /school-admin/message/send", "message"),
		s.sendRoute("POST /driver/message/send", "notification"),

		s.threadsRoute("GET /parent/message/threads", "message"),
		s.threadsRoute("GET /teacher/message/threads", "message"),
		s.threadsRoute("GET /school-admin/message/threads", "message"),
		s.threadsRoute("GET /driver/message/threads", "notification"),

		s.threadRoute("GET /parent/message/thread/{id}", "message"),
		s.threadRoute("GET /teacher/message/thread/{id}", "message"),
		s.threadRoute("GET /school-admin/message/thread/{id}", "message"),
		s.threadRoute("GET /driver/message/thread/{id}", "notification"),

		s.readRoute("POST /parent/message/thread/{id}/read", "message"),
		s.readRoute("POST /teacher/message/thread/{id}/read", "message"),
		s.readRoute("POST /school-admin/message/thread/{id}/read", "message"),
		s.readRoute("POST /driver/message/thread/{id}/read", "notification"),

		web.Handle("GET /parent/message/recipients", s.teachers, web.Read("message"), web.List("name"),
			web.Doc("Whom the caller may write to: the office, and this year's teachers of the caller's children.")),
		web.Handle("GET /teacher/message/recipients", s.parents, web.Read("message"), web.List("name"),
			web.Doc("Whom the caller may write to: the office, and the parents of the caller's students this year.")),
		web.Handle("GET /school-admin/message/recipients", s.everyone, web.Read("message"), web.List("name"),
			web.Doc("Whom the office may write to: parents, teachers and drivers with an account.")),
		web.Handle("GET /driver/message/recipients", s.office, web.Read("notification"), web.List("name"),
			web.Doc("Whom the caller may write to: the office.")),
	}
}

func (s *Service) sendRoute(pattern, module string) web.Route {
	return web.Handle(pattern, s.Send, web.Write(module), web.Created(), web.Says("Sent."),
		web.Doc("Sends a message in a conversation or to a recipient. Use an Idempotency-Key to avoid duplicates."))
}

func (s *Service) threadsRoute(pattern, module string) web.Route {
	return web.Handle(pattern, s.threads, web.Read(module), web.List("lastMessageAt"),
		web.Doc("Conversations of the caller or of the office, latest first, with unread counts."))
}

func (s *Service) threadRoute(pattern, module string) web.Route {
	return web.Handle(pattern, s.thread, web.Read(module), web.List("createdAt"),
		web.Doc("Messages of a conversation, latest first. before returns older ones. The id may be that of a message, as in notifications."))
}

func (s *Service) readRoute(pattern, module string) web.Route {
	return web.Handle(pattern, s.read, web.Write(module), web.Says("Marked as read."),
		web.Doc("Marks messages of the other side as read, up to a message or all. Repeating it changes nothing."))
}

func (s *Service) threads(ctx context.Context, who actor.Actor, in page.Ask[filter]) (Threads, error) {
	return s.List(ctx, who, in.Filters, in.Request)
}

type threadIn struct {
	ID id.ID `path:"id"`
	page.Ask[struct {
		Before *id.ID `json:"before,omitempty" doc:"Returns messages older than this one."`
	}]
}

func (s *Service) thread(ctx context.Context, who actor.Actor, in threadIn) (Page, error) {
	return s.Get(ctx, who, in.ID, in.Filters.Before, in.Request)
}

type readIn struct {
	ID        id.ID  `path:"id"`
	MessageID *id.ID `json:"messageId" doc:"The last message read. Default: all."`
}

func (s *Service) read(ctx context.Context, who actor.Actor, in readIn) (Read, error) {
	return s.MarkRead(ctx, who, in.ID, in.MessageID)
}

type ofStudent struct {
	StudentID *id.ID `json:"studentId,omitempty"`
}

func (s *Service) teachers(ctx context.Context, who actor.Actor, in page.Ask[ofStudent]) (page.Of[Recipient], error) {
	return s.Recipients(ctx, who, recipientFilter{student: in.Filters.StudentID}, in.Request)
}

type parentFilters struct {
	ofStudent
	Search string `json:"search,omitempty" maxLength:"100" doc:"Any part of a name or, with read on student, of a phone or e-mail."`
}

func (s *Service) parents(ctx context.Context, who actor.Actor, in page.Ask[parentFilters]) (page.Of[Recipient], error) {
	return s.Recipients(ctx, who, recipientFilter{student: in.Filters.StudentID, search: accountPattern(in.Filters.Search)}, in.Request)
}

type everyoneFilters struct {
	parentFilters
	Role Role `json:"role,omitempty" enum:"PARENT,TEACHER,DRIVER"`
}

func (s *Service) everyone(ctx context.Context, who actor.Actor, in page.Ask[everyoneFilters]) (page.Of[Recipient], error) {
	f := in.Filters
	return s.Recipients(ctx, who, recipientFilter{f.StudentID, accountPattern(f.Search), f.Role}, in.Request)
}

func (s *Service) office(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[Recipient], error) {
	return s.Recipients(ctx, who, recipientFilter{}, in.Request)
}
