package transport

import (
	"context"
	"maps"

	"homeroom/internal/feature/file"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes are the endpoints of this feature.
func (s *Service) Routes() []web.Route {
	return append(append(s.depotRoutes(), s.tripRoutes()...), s.roadRoutes()...)
}

// depotRoutes manage buses and routes, for administrators.
func (s *Service) depotRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/transport/bus/create", s.createBus, web.Write("transport"), web.Created(), web.Doc("Adds a bus.")),
		web.Handle("GET /school-admin/transport/bus/list", s.buses, web.Read("transport"),
			web.List("registrationNo", "name", "createdAt"), web.Doc("Buses of this school.")),
		web.Handle("GET /school-admin/transport/bus/{id}", s.getBus, web.Read("transport"), web.Doc("One bus.")),
		web.Handle("PUT /school-admin/transport/bus/{id}", s.updateBus, web.Write("transport"),
			web.Doc("Changes a bus. Its scheduled trips follow a new driver. 409 if its route has more students than seats.")),
		web.Handle("DELETE /school-admin/transport/bus/{id}", s.deleteBus, web.Delete("transport"),
			web.Doc("Deletes a bus; its past trips stay. 409 while it has scheduled or running trips.")),
		web.Handle("POST /school-admin/transport/route/create", s.createRoute, web.Write("transport"), web.Created(),
			web.Doc("Adds a route with its stops.")),
		web.Handle("GET /school-admin/transport/route/list", s.routes, web.Read("transport"),
			web.List("name", "createdAt"), web.Doc("Routes with their stops.")),
		web.Handle("GET /school-admin/transport/route/{id}", s.getRoute, web.Read("transport"), web.Doc("One route with its stops.")),
		web.Handle("PUT /school-admin/transport/route/{id}", s.updateRoute, web.Write("transport"),
			web.Doc("Changes a route. Stops, if sent, replace all stops. Removing a stop that students use is refused (409).")),
		web.Handle("DELETE /school-admin/transport/route/{id}", s.deleteRoute, web.Delete("transport"),
			web.Doc("Deletes a route. 409 while buses, students or scheduled trips use it.")),
		web.Handle("PUT /school-admin/transport/route/{id}/students", s.setRiders, web.Write("transport"),
			web.Doc("Replaces the students of a route. 409 if its buses have too few seats.")),
		web.Handle("GET /school-admin/transport/route/{id}/students", s.riders, web.Read("transport"),
			web.List("stopOrder", "firstName"), web.Doc("Students of a route.")),
	}
}

// tripRoutes manage trips and incidents, for administrators.
func (s *Service) tripRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/transport/trip/schedule", s.Schedule, web.Write("transport"), web.Created(), web.Says("Scheduled."),
			web.Doc("Schedules a trip on one day, or on each school day in a range. 409 if the bus has such a trip, unless replace is true.")),
		web.Handle("GET /school-admin/transport/trip/list", s.trips, web.Read("transport"), web.List("date", "createdAt"),
			web.Doc("Trips by date and time.")),
		web.Handle("POST /school-admin/transport/trip/cancel", s.cancelAll, web.Write("transport"), web.Says("Cancelled."),
			web.Doc("Cancels the trips of a bus in a date range that have not started. Tells the drivers and the parents.")),
		web.Handle("GET /school-admin/transport/trip/{id}", s.trip, web.Read("transport"), web.Doc("One trip.")),
		web.Handle("PUT /school-admin/transport/trip/{id}", s.changeTrip, web.Write("transport"), web.Says("Changed."),
			web.Doc("Gives a trip that has not started another driver, bus or time. Tells the drivers and, of another bus or time, the parents.")),
		web.Handle("POST /school-admin/transport/trip/{id}/cancel", s.cancel, web.Write("transport"), web.Says("Cancelled."),
			web.Doc("Cancels a trip, even one under way. Tells the driver and the parents. 409 with students on board, unless another trip "+
				"or bus takes them over or confirmEmpty is true.")),
		web.Handle("GET /school-admin/transport/incident/list", file.Showing(s.incidents, s.showIncidents), web.Read("transport"),
			web.List("createdAt"),
			web.Doc("Incidents, latest first.")),
		web.Handle("POST /school-admin/transport/incident/{id}/acknowledge", file.Showing(s.acknowledge, s.showIncident), web.Write("transport"),
			web.Says("Acknowledged."),
			web.Doc("Acknowledges an incident and tells the driver who reported it. 409 if somebody has acknowledged it.")),
		web.Handle("POST /school-admin/transport/incident/{id}/withdraw", file.Showing(s.withdraw, s.showIncident), web.Write("transport"),
			web.Says("Withdrawn."),
			web.Doc("Takes back an incident that was reported by mistake, and tells everyone who was told of it. It is kept.")),
	}
}

// roadRoutes are for drivers, and for everyone who may watch a bus.
func (s *Service) roadRoutes() []web.Route {
	watchers := web.Roles(actor.SchoolAdmin, actor.Teacher, actor.Driver, actor.Parent)
	riders := web.List("stopOrder", "firstName")
	return []web.Route{
		web.Handle("GET /driver/bus/get", s.ownBus, web.Read("transport"), web.Doc("The caller's bus, with its route and stops.")),
		web.Handle("GET /driver/trip/list", s.ownTrips, web.Read("transport"), web.List("date", "createdAt"),
			web.Doc("The caller's trips of a day.")),
		web.Handle("GET /driver/student/list", file.Showing(s.ownRiders, s.showOwnRiders), web.Read("transport"), riders,
			web.Doc("Students of one of the caller's trips, with a guardian's phone and medical notes. Default: the running trip, or else "+
				"the next one today.")),
		web.Handle("POST /driver/bus-tracking/trips/{tripId}/start", s.start, web.Write("transport"), web.Says("Started."),
			web.Doc("Starts a trip and notifies the parents of its students.")),
		web.Handle("POST /driver/bus-tracking/trips/{tripId}/pause", s.pause, web.Write("transport"), web.Says("Paused."),
			web.Doc("Pauses a trip.")),
		web.Handle("POST /driver/bus-tracking/trips/{tripId}/resume", s.resume, web.Write("transport"), web.Says("Resumed."),
			web.Doc("Resumes a paused trip.")),
		web.Handle("POST /driver/bus-tracking/trips/{tripId}/end", s.end, web.Write("transport"), web.Says("Ended."),
			web.Doc("Ends a trip. 409 if a dropoff still has students on the bus, unless confirmEmpty is true.")),
		web.Handle("POST /driver/bus-tracking/trips/{tripId}/students/{studentId}/status", file.Showing(s.board, s.showRider),
			web.Write("transport"), web.Doc("Records that a student got on, got off or did not come, or undoes the latest of these.")),
		web.Handle("POST /driver/incident/report", file.Showing(s.Report, s.showIncident), web.Write("transport"),
			web.Created(), web.Says("Reported."),
			web.Doc("Reports an incident. Notifies the office, and the parents of students who wait for the bus or are on it.")),
		web.Handle("GET /driver/incident/list", file.Showing(s.ownIncidents, s.showIncidents), web.Read("transport"), web.List("createdAt"),
			web.Doc("Incidents that the caller reported, latest first.")),
		web.Handle("POST /driver/incident/{id}/withdraw", file.Showing(s.withdrawOwn, s.showIncident), web.Write("transport"),
			web.Says("Withdrawn."),
			web.Doc("Takes back an incident that the caller reported by mistake, while its trip runs (409 later). Tells everyone who was told.")),
		web.Handle("GET /parent/transport/list", s.childRides, web.Read("transport"), web.List("firstName"),
			web.Doc("How the caller's children ride: stop, route, bus and driver.")),
		web.Handle("POST /parent/transport/walk", s.walk, web.Read("transport"), web.Says("Saved."),
			web.Doc("Sets how many minutes the caller needs on foot to a child's stop. Only the caller sees them.")),
		web.Handle("GET /bus-tracking/trip/{tripId}/students", file.Showing(s.tripRiders, s.showRiders), watchers, web.Read("transport"), riders,
			web.Doc("The students of a trip. Parents see their own children, and teachers those whom they teach.")),
		web.Handle("GET /bus-tracking/incidents/{busId}", file.Showing(s.busIncidents, s.showIncidents), watchers,
			web.Read("transport"), web.List("createdAt"),
			web.Doc("Incidents of a bus, latest first.")),
	}
}

// pageRiders lists the students of a trip; columns are extra columns of T, and more is an
// extra SQL condition.
func pageRiders[T any](ctx context.Context, q db.Q, t Trip, r page.Request, columns, more string, args db.Args) (page.Of[T], error) {
	a := boardingArgs(t)
	maps.Copy(a, args)
	return db.Page[T](ctx, q, db.List{
		Columns: boardingColumns + columns, From: boardingTable(t) + more,
		Sorts:   map[string]string{"stopOrder": "p.position, s.first_name", "firstName": "s.first_name, s.last_name", "id": "s.id"},
		Default: "stopOrder",
	}, r, a)
}

type tripRidersIn struct {
	TripID id.ID `path:"tripId"`
	page.Ask[struct{}]
}

// taught is an SQL condition: students s whom the account :user teaches.
const taught = ` AND s.archived_at IS NULL AND EXISTS (SELECT 1 FROM teacher_assignments a
	JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id
		AND e.user_id = :user AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
	WHERE a.school_id = s.school_id AND a.class_id = s.class_id AND (a.division_id IS NULL OR a.division_id = s.division_id))`

func (s *Service) tripRiders(ctx context.Context, who actor.Actor, in tripRidersIn) (page.Of[Boarding], error) {
	q := s.DB.School(who.School)
	t, err := TripOf(ctx, q, in.TripID)
	if err != nil {
		return page.Of[Boarding]{}, err
	}
	user := db.Args{"user": who.User}
	switch who.Role {
	case actor.Driver:
		if err := t.stillDrivenBy(ctx, q, who.User, s.Now()); err != nil {
			return page.Of[Boarding]{}, err
		}
		return pageDriven[Boarding](ctx, q, t, in.Request, "", who.User, s.Now())
	case actor.Teacher:
		return pageRiders[Boarding](ctx, q, t, in.Request, "", taught, user)
	case actor.Parent:
		out, err := pageRiders[Boarding](ctx, q, t, in.Request, "", ` AND s.id IN (`+childIDs+`)`, user)
		if err == nil && out.Total == 0 {
			err = ErrNotVisible
		}
		return out, err
	}
	return pageRiders[Boarding](ctx, q, t, in.Request, "", "", nil)
}
