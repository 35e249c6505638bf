package transport

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
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
	WalkMinutes       *int             `json:"walkMinutes" doc:"Minutes on foot to the stop, as the caller has set them; null if not set."`
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
			COALESCE(TRIM(e.first_name || ' ' || e.last_name), '') AS driver_name, f.minutes AS walk_minutes`,
		From: `student_stops w
			JOIN students s ON s.school_id = w.school_id AND s.id = w.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'
			JOIN route_stops p ON p.school_id = w.school_id AND p.id = w.stop_id AND p.archived_at IS NULL
			JOIN routes r ON r.school_id = p.school_id AND r.id = p.route_id
			LEFT JOIN buses k ON k.school_id = r.school_id AND k.route_id = r.id AND k.archived_at IS NULL AND k.status <> 'RETIRED'
			LEFT JOIN trips t ON t.school_id = k.school_id AND t.bus_id = k.id AND ` + StillRuns + `
			LEFT JOIN employees e ON e.school_id = k.school_id AND e.id = COALESCE(t.driver_id, k.driver_id)
			LEFT JOIN stop_walks f ON f.school_id = p.school_id AND f.stop_id = p.id AND f.user_id = :user
			WHERE w.school_id = :school AND w.student_id IN (` + childIDs + `)` + db.When(student != nil, ` AND w.student_id = :student`),
		Sorts:   map[string]string{"firstName": "s.first_name, s.last_name, p.position, k.registration_no", "id": "s.id, p.id, k.id"},
		Default: "firstName",
	}, in.Request, db.Args{"user": who.User, "student": student, "begun": BegunSince(s.Now())})
}

var errNotChildsStop = fault.Denied("None of your children uses this stop.")

type walkIn struct {
	StopID  id.ID `json:"stopId" required:"true"`
	Minutes *int  `json:"minutes" minimum:"0" maximum:"120" doc:"Null removes them."`
}

// walk keeps how long the caller needs on foot to a stop of a child.
func (s *Service) walk(ctx context.Context, who actor.Actor, in walkIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		uses, err := db.One[bool](ctx, tx, `
			SELECT EXISTS (SELECT 1 FROM student_stops w WHERE w.school_id = :school AND w.stop_id = p.id
				AND w.student_id IN (`+childIDs+`)) AS uses
			FROM route_stops p WHERE p.school_id = :school AND p.id = :stop AND p.archived_at IS NULL`,
			db.Args{"stop": in.StopID, "user": who.User})
		switch {
		case err != nil:
			return db.Found("read a child's stop", err, errNoStop)
		case !uses:
			return errNotChildsStop
		}
		args := db.Args{"user": who.User, "stop": in.StopID}
		if in.Minutes == nil {
			_, err = db.Exec(ctx, tx, `DELETE FROM stop_walks WHERE school_id = :school AND user_id = :user AND stop_id = :stop`, args)
			return fault.Wrap("remove minutes on foot", err)
		}
		args["minutes"], args["now"] = *in.Minutes, s.Now()
		_, err = db.Exec(ctx, tx, `
			INSERT INTO stop_walks (school_id, user_id, stop_id, minutes, updated_at) VALUES (:school, :user, :stop, :minutes, :now)
			ON CONFLICT (school_id, user_id, stop_id) DO UPDATE SET minutes = excluded.minutes, updated_at = excluded.updated_at`, args)
		return fault.Wrap("write minutes on foot", err)
	})
}
