package notification

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes are the routes of this feature: the same for each app, and the deliveries
// for the administrator.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		s.tokenRoute("POST /parent/notification/token"),
		s.tokenRoute("POST /teacher/notification/token"),
		s.tokenRoute("POST /driver/notification/token"),
		s.tokenRoute("POST /school-admin/notification/token"),
		s.keyRoute("GET /parent/notification/push-key"),
		s.keyRoute("GET /teacher/notification/push-key"),
		s.keyRoute("GET /driver/notification/push-key"),
		s.keyRoute("GET /school-admin/notification/push-key"),
		s.deliveredRoute("GET /parent/notification/delivered-notifications"),
		s.deliveredRoute("GET /teacher/notification/delivered-notifications"),
		s.deliveredRoute("GET /driver/notification/delivered-notifications"),
		s.deliveredRoute("GET /school-admin/notification/delivered-notifications"),
		s.readRoute("POST /parent/notification/read"),
		s.readRoute("POST /teacher/notification/read"),
		s.readRoute("POST /driver/notification/read"),
		s.readRoute("POST /school-admin/notification/read"),
		s.readAllRoute("POST /parent/notification/read-all"),
		s.readAllRoute("POST /teacher/notification/read-all"),
		s.readAllRoute("POST /driver/notification/read-all"),
		s.readAllRoute("POST /school-admin/notification/read-all"),
		s.topicsRoute("GET /parent/notification/topics"),
		s.topicsRoute("GET /teacher/notification/topics"),
		s.topicsRoute("GET /driver/notification/topics"),
		s.topicsRoute("GET /school-admin/notification/topics"),
		s.preferencesRoute("GET /parent/notification/preferences"),
		s.preferencesRoute("GET /teacher/notification/preferences"),
		s.preferencesRoute("GET /driver/notification/preferences"),
		s.preferencesRoute("GET /school-admin/notification/preferences"),
		s.setPreferencesRoute("PUT /parent/notification/preferences"),
		s.setPreferencesRoute("PUT /teacher/notification/preferences"),
		s.setPreferencesRoute("PUT /driver/notification/preferences"),
		s.setPreferencesRoute("PUT /school-admin/notification/preferences"),
		web.Handle("GET /school-admin/notification/deliveries", s.deliveries, web.Read("notification"), web.List("createdAt"),
			web.Doc("Messages sent by SMS, e-mail and push, with recipient and status, newest first. "+
				"Texts need the permission for what they are about, recipients that for students.")),
		s.retryRoute("POST /school-admin/notification/deliveries/{id}/retry"),
		s.providersRoute("GET /school-admin/notification/providers"),
		s.providersRoute("GET /super-admin/notification/providers"),
		s.testRoute("POST /school-admin/notification/test"),
		s.testRoute("POST /super-admin/notification/test"),
		s.testedRoute("GET /school-admin/notification/test/{id}"),
		s.testedRoute("GET /super-admin/notification/test/{id}"),
	}
}

func (s *Service) tokenRoute(pattern string) web.Route {
	return web.Handle(pattern, s.register, web.Write("notification"), web.Says("This device is registered."), web.InEvaluation(),
		web.Doc("Registers the device for push until the session ends, by fcmToken or, a browser, by subscription. "+
			"A token belongs to the account that registered it last."))
}

func (s *Service) deliveredRoute(pattern string) web.Route {
	return web.Handle(pattern, s.delivered, web.Read("notification"), web.List("createdAt"),
		web.Doc("The caller's notifications, newest first, and the number unread. "+
			"Leaves out those about students the caller may no longer see."))
}

func (s *Service) readRoute(pattern string) web.Route {
	return web.Handle(pattern, s.read, web.Write("notification"), web.Says("Marked as read."), web.InEvaluation(),
		web.Doc("Marks one of the caller's notifications as read. Repeating the call changes nothing."))
}

func (s *Service) readAllRoute(pattern string) web.Route {
	return web.Handle(pattern, s.readAll, web.Write("notification"), web.Says("Marked as read."), web.InEvaluation(),
		web.Doc("Marks all of the caller's notifications as read."))
}

func (s *Service) topicsRoute(pattern string) web.Route {
	return web.Handle(pattern, s.topics, web.Read("notification"),
		web.Doc("The push topics to subscribe to: those with at least one type not switched off."))
}

func (s *Service) preferencesRoute(pattern string) web.Route {
	return web.Handle(pattern, s.getPreferences, web.Read("notification"),
		web.Doc("The caller's preferences: language, quiet hours and channels."))
}

func (s *Service) setPreferencesRoute(pattern string) web.Route {
	return web.Handle(pattern, s.putPreferences, web.Write("notification"),
		web.Doc("Updates the fields sent. Read the topics again afterwards and unsubscribe from those that are gone."))
}

type deliveredOut struct {
	Notifications []Notification `json:"notifications"`
	UnreadCount   int            `json:"unreadCount" doc:"Of all pages."`
	Total         int            `json:"total"`
	Page          int            `json:"page"`
	Limit         int            `json:"limit"`
	TotalPages    int            `json:"totalPages"`
}

func (s *Service) delivered(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (deliveredOut, error) {
	q := s.DB.School(who.School)
	p, err := listNotifications(ctx, q, who.User, in.Request)
	if err != nil {
		return deliveredOut{}, err
	}
	unread, err := countUnread(ctx, q, who.User)
	return deliveredOut{p.Items, unread, p.Total, p.Page, p.Limit, p.TotalPages}, err
}

type readIn struct {
	NotificationID id.ID `json:"notificationId" required:"true"`
}

func (s *Service) read(ctx context.Context, who actor.Actor, in readIn) (Notification, error) {
	return putRead(ctx, s.DB.School(who.School), who.User, in.NotificationID, s.Now())
}

type readAllOut struct {
	Marked int64 `json:"marked" doc:"How many were unread."`
}

func (s *Service) readAll(ctx context.Context, who actor.Actor, _ web.None) (readAllOut, error) {
	n, err := putAllRead(ctx, s.DB.School(who.School), who.User, s.Now())
	return readAllOut{n}, err
}

type topicsOut struct {
	Topics []string `json:"topics"`
}

func (s *Service) topics(ctx context.Context, who actor.Actor, _ web.None) (topicsOut, error) {
	topics, err := s.Topics(ctx, who)
	return topicsOut{topics}, err
}
