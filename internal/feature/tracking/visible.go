package tracking

import (
	"context"

	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// visibleBus is a bus that someone may watch.
type visibleBus struct {
	ID             id.ID             `json:"id"`
	RegistrationNo string            `json:"registrationNo"`
	Name           string            `json:"name"`
	RouteID        *id.ID            `json:"routeId"`
	RouteName      string            `json:"routeName"`
	TripID         *id.ID            `json:"tripId" doc:"The trip that it is on."`
	TripStatus     *transport.Status `json:"tripStatus" enum:"in_progress,paused"`
}

// visible is which buses a role may watch, in the words of transport.MaySeeBus.
var visible = map[actor.Role]string{
	actor.Driver: ` AND (b.driver_id IN (SELECT e.id FROM employees e
			WHERE e.school_id = :school AND e.user_id = :user AND e.archived_at IS NULL AND e.status <> 'RESIGNED')
		OR EXISTS (SELECT 1 FROM trips x JOIN employees e ON e.school_id = x.school_id AND e.id = x.driver_id
			WHERE x.school_id = :school AND x.bus_id = b.id AND x.status IN ('scheduled', 'in_progress', 'paused')
				AND e.user_id = :user AND e.archived_at IS NULL AND e.status <> 'RESIGNED'))`,
	actor.Parent: ` AND (EXISTS (SELECT 1 FROM route_stops p
			JOIN student_stops r ON r.school_id = p.school_id AND r.stop_id = p.id
			WHERE p.school_id = :school AND p.route_id = b.route_id AND p.archived_at IS NULL AND r.student_id IN (` + children + `))
		OR EXISTS (SELECT 1 FROM boardings x WHERE x.school_id = :school AND x.trip_id = t.id AND x.student_id IN (` + children + `)))`,
}

// children selects the students whom the account :user may see.
const children = `SELECT l.student_id FROM guardians g
	JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id
	JOIN students c ON c.school_id = l.school_id AND c.id = l.student_id AND c.archived_at IS NULL
	WHERE g.school_id = :school AND g.user_id = :user AND l.can_view_data`

func (s *Service) visible(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[visibleBus], error) {
	args := db.Args{}
	if visible[who.Role] != "" {
		args["user"] = who.User
	}
	return db.Page[visibleBus](ctx, s.DB.School(who.School), db.List{
		Columns: `b.id, b.registration_no, b.name, b.route_id, COALESCE(r.name, '') AS route_name, t.id AS trip_id, t.status AS trip_status`,
		From: `buses b
			LEFT JOIN routes r ON r.school_id = b.school_id AND r.id = b.route_id
			LEFT JOIN trips t ON t.school_id = b.school_id AND t.bus_id = b.id AND t.status IN ('in_progress', 'paused')
			WHERE b.school_id = :school AND b.archived_at IS NULL AND b.status <> 'RETIRED'` + visible[who.Role],
		Sorts:   map[string]string{"registrationNo": "b.registration_no", "name": "b.name", "id": "b.id"},
		Default: "registrationNo",
	}, in.Request, args)
}
