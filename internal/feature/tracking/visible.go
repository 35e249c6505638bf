package tracking

import (
	"context"

	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// visibleBus is a bus that the caller may watch.
type visibleBus struct {
	ID             id.ID             `json:"id"`
	RegistrationNo string            `json:"registrationNo"`
	Name           opt.Text          `json:"name"`
	RouteID        *id.ID            `json:"routeId"`
	RouteName      opt.Text          `json:"routeName"`
	DriverName     opt.Text          `json:"driverName" doc:"Of the running trip, or else of the bus."`
	TripID         *id.ID            `json:"tripId" doc:"The running trip."`
	TripStatus     *transport.Status `json:"tripStatus" enum:"in_progress,paused"`
}

func (s *Service) visible(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[visibleBus], error) {
	now := s.Now()
	only, args := transport.Visible(who.Role, who.User, now)
	args["begun"] = transport.BegunSince(now)
	return db.Page[visibleBus](ctx, s.DB.School(who.School), db.List{
		Columns: `b.id, b.registration_no, b.name, b.route_id, COALESCE(r.name, '') AS route_name, t.id AS trip_id, t.status AS trip_status,
			COALESCE(TRIM(e.first_name || ' ' || e.last_name), '') AS driver_name`,
		From: `buses b
			LEFT JOIN routes r ON r.school_id = b.school_id AND r.id = b.route_id
			LEFT JOIN trips t ON t.school_id = b.school_id AND t.bus_id = b.id AND ` + transport.StillRuns + `
			LEFT JOIN employees e ON e.school_id = b.school_id AND e.id = COALESCE(t.driver_id, b.driver_id)
			WHERE b.school_id = :school AND b.archived_at IS NULL AND b.status <> 'RETIRED'` + only,
		Sorts:   map[string]string{"registrationNo": "b.registration_no", "name": "b.name", "id": "b.id"},
		Default: "registrationNo",
	}, in.Request, args)
}
