package webhook

import "homeroom/internal/platform/web"

// Routes returns the routes of this feature: of a school, and of the platform.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		s.eventsRoute("GET /school-admin/webhook/events"),
		s.eventsRoute("GET /super-admin/webhook/events"),
		s.listRoute("GET /school-admin/webhook/list"),
		s.listRoute("GET /super-admin/webhook/list"),
		s.createRoute("POST /school-admin/webhook/create"),
		s.createRoute("POST /super-admin/webhook/create"),
		s.getRoute("GET /school-admin/webhook/{id}"),
		s.getRoute("GET /super-admin/webhook/{id}"),
		s.updateRoute("PUT /school-admin/webhook/{id}"),
		s.updateRoute("PUT /super-admin/webhook/{id}"),
		s.deleteRoute("DELETE /school-admin/webhook/{id}"),
		s.deleteRoute("DELETE /super-admin/webhook/{id}"),
		s.rotateRoute("POST /school-admin/webhook/{id}/rotate"),
		s.rotateRoute("POST /super-admin/webhook/{id}/rotate"),
		s.testRoute("POST /school-admin/webhook/{id}/test"),
		s.testRoute("POST /super-admin/webhook/{id}/test"),
		s.replayRoute("POST /school-admin/webhook/{id}/replay"),
		s.replayRoute("POST /super-admin/webhook/{id}/replay"),
		s.deliveriesRoute("GET /school-admin/webhook/{id}/deliveries"),
		s.deliveriesRoute("GET /super-admin/webhook/{id}/deliveries"),
		s.resendRoute("POST /school-admin/webhook/{id}/deliveries/{eventId}/retry"),
		s.resendRoute("POST /super-admin/webhook/{id}/deliveries/{eventId}/retry"),
	}
}

func (s *Service) eventsRoute(pattern string) web.Route {
	return web.Handle(pattern, s.events, web.Read("setting"),
		web.Doc("The types of events that the caller may subscribe a webhook to."))
}

func (s *Service) listRoute(pattern string) web.Route {
	return web.Handle(pattern, s.list, web.Read("setting"), web.List("name", "createdAt"), web.Doc("List webhooks."))
}

func (s *Service) createRoute(pattern string) web.Route {
	return web.Handle(pattern, s.create, web.Write("setting"), web.Created(), web.GivesSecret(),
		web.Doc("Register a URL for events. The reply has the secret that signs them, which is not shown again."))
}

func (s *Service) getRoute(pattern string) web.Route {
	return web.Handle(pattern, s.get, web.Read("setting"), web.Doc("Get a webhook."))
}

func (s *Service) updateRoute(pattern string) web.Route {
	return web.Handle(pattern, s.update, web.Write("setting"), web.Doc("Change a webhook, disable it, or enable it again."))
}

func (s *Service) deleteRoute(pattern string) web.Route {
	return web.Handle(pattern, s.delete, web.Delete("setting"), web.Doc("Delete a webhook with its deliveries."))
}

func (s *Service) rotateRoute(pattern string) web.Route {
	return web.Handle(pattern, s.rotate, web.Write("setting"), web.GivesSecret(), web.Says("Replaced."),
		web.Doc("Replace the secret. The old one also signs for 24 hours."))
}

func (s *Service) testRoute(pattern string) web.Route {
	return web.Handle(pattern, s.test, web.Write("setting"), web.Created(), web.Says("Sent."), web.Doc("Send an event of type ping."))
}

func (s *Service) replayRoute(pattern string) web.Route {
	return web.Handle(pattern, s.replay, web.Write("setting"), web.Says("Sending."),
		web.Doc("Send again all events since a time, at most 30 days ago. They keep their ids."))
}

func (s *Service) deliveriesRoute(pattern string) web.Route {
	return web.Handle(pattern, s.deliveries, web.Read("setting"), web.List("createdAt"),
		web.Doc("List what was sent to a webhook, the newest first."))
}

func (s *Service) resendRoute(pattern string) web.Route {
	return web.Handle(pattern, s.resend, web.Write("setting"), web.Says("Sending."),
		web.Doc("Send one event again, with the same id."))
}
