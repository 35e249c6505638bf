package transport

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// childRide is how a child rides: the stop, and a bus of its route.
type childRide struct {
	StudentID         id.ID            `json:"studentId"`
	FirstName         string           `json:"firstName"`
	LastName          opt.Text         `json:"lastName"`
	Pickup            bool             `json:"pickup"`
	Dropoff           bool             `json:"dropoff"`
	StopID            id.ID            `json:"stopId"`
	StopName          string           `json:"stopName"`
	PickupTime        *clock.TimeOfDay `json:"pickupTime"`
	DropoffTime       *clock.TimeOfDay `json:"dropoffTime"`
	RouteID           id.ID            `json:"routeId"`
	RouteName         string           `json:"routeName"`
	BusID             *id.ID           `json:"busId" doc:"Null if no bus serves the route. A route with several buses has an entry for each."`
	BusRegistrationNo opt.Text         `json:"busRegistrationNo"`
	BusName           opt.Text         `json:"busName"`
	DriverName        opt.Text         `json:"driverName" doc:"Of the running trip, or else of the bus."`
	AttendantName     opt.Text         `json:"attendantName"`
}

type childRideFilters struct {
	StudentID *id.ID `json:"studentId,omitempty"`
}

// childRides lists the stops and buses of the caller's children.
func (s *Service) childRides(ctx context.Context, who actor.Actor, in page.Ask[childRideFilters]) (page.Of[childRide], error) {
	q, student := s.DB.School(who.School), in.Filters.StudentID
	if student != nil {
		if err := people.MustBeLinked(ctx, q, who.User, *student); err != nil {
			return page.Of[childRide]{}, err
		}
	}
	return db.Page[childRide](ctx, q, db.List{
		Columns: `s.id AS student_id, s.first_name, s.last_name, w.pickup, w.dropoff, p.id AS stop_id, p.name AS stop_name, p.pickup_time,
			p.dropoff_time, r.id AS route_id, r.name AS route_name, k.id AS bus_id, COALESCE(k.registration_no, '') AS bus_registration_no,
			COALESCE(k.name, '') AS bus_name, COALESCE(k.attendant_name, '') AS attendant_name,
			COALESCE(TRIM(e.first_name || ' ' || e.last_name), '') AS driver_name`,
		From: `student_stops w
			JOIN students s ON s.school_id = w.school_id AND s.id = w.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'
			JOIN route_stops p ON p.school_id = w.school_id AND p.id = w.stop_id AND p.archived_at IS NULL
			JOIN routes r ON r.school_id = p.school_id AND r.id = p.route_id
			LEFT JOIN buses k ON k.school_id = r.school_id AND k.route_id = r.id AND k.archived_at IS NULL AND k.status <> 'RETIRED'
			LEFT JOIN trips t ON t.school_id = k.school_id AND t.bus_id = k.id AND t.status IN ('in_progress', 'paused')
			LEFT JOIN employees e ON e.school_id = k.school_id AND e.id = COALESCE(t.driver_id, k.driver_id)
			WHERE w.school_id = :school AND w.student_id IN (` + childIDs + `)` + db.When(student != nil, ` AND w.student_id = :student`),
		Sorts:   map[string]string{"firstName": "s.first_name, s.last_name, p.position, k.registration_no", "id": "s.id, p.id, k.id"},
		Default: "firstName",
	}, in.Request, db.Args{"user": who.User, "student": student})
}
