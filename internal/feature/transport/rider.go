package transport

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// riderIn assigns a student to a stop.
type riderIn struct {
	StudentID id.ID `json:"studentId" required:"true"`
	StopID    id.ID `json:"stopId" required:"true"`
	Pickup    *bool `json:"pickup" default:"true"`
	Dropoff   *bool `json:"dropoff" default:"true"`
}

func (in riderIn) rider() Rider {
	r := Rider{StudentID: in.StudentID, StopID: in.StopID, Pickup: true, Dropoff: true}
	opt.Set(&r.Pickup, in.Pickup)
	opt.Set(&r.Dropoff, in.Dropoff)
	return r
}

type ridersIn struct {
	ID       id.ID     `path:"id"`
	Students []riderIn `json:"students" required:"true" maxItems:"2000" doc:"Replaces the students of the route."`
}

// Check allows each student one pickup stop and one dropoff stop.
func (in *ridersIn) Check() error {
	type ride struct {
		student id.ID
		what    string
	}
	seen := map[ride]bool{}
	var wrong []fault.Field
	for i, s := range in.Students {
		r := s.rider()
		if !r.Pickup && !r.Dropoff {
			wrong = append(wrong, fault.Field{Field: fmt.Sprintf("students[%d].pickup", i), Message: "or dropoff must be true"})
		}
		for what, on := range map[string]bool{"pickup": r.Pickup, "dropoff": r.Dropoff, string(r.StopID): true} {
			if on && seen[ride{r.StudentID, what}] {
				wrong = append(wrong, fault.Field{Field: fmt.Sprintf("students[%d].studentId", i),
					Message: "can have one pickup stop and one dropoff stop"})
				break
			}
		}
		seen[ride{r.StudentID, string(r.StopID)}] = true
		seen[ride{r.StudentID, "pickup"}] = seen[ride{r.StudentID, "pickup"}] || r.Pickup
		seen[ride{r.StudentID, "dropoff"}] = seen[ride{r.StudentID, "dropoff"}] || r.Dropoff
	}
	if len(wrong) > 0 {
		return fault.Fields(wrong...)
	}
	return nil
}

// ridersOut are the students of a route.
type ridersOut struct {
	Students []RouteRider `json:"students"`
	Total    int          `json:"total"`
}

// RouteRider is a student at a stop of a route.
type RouteRider struct {
	StudentID   id.ID    `json:"studentId"`
	AdmissionNo string   `json:"admissionNo"`
	FirstName   string   `json:"firstName"`
	LastName    opt.Text `json:"lastName"`
	StopID      id.ID    `json:"stopId"`
	StopName    string   `json:"stopName"`
	StopOrder   int      `json:"stopOrder"`
	Pickup      bool     `json:"pickup"`
	Dropoff     bool     `json:"dropoff"`
}

const (
	riderColumns = `s.id AS student_id, s.admission_no, s.first_name, s.last_name, p.id AS stop_id, p.name AS stop_name,
		p.position AS stop_order, w.pickup, w.dropoff`
	riderTable = `student_stops w
		JOIN route_stops p ON p.school_id = w.school_id AND p.id = w.stop_id AND p.route_id = :route
		JOIN students s ON s.school_id = w.school_id AND s.id = w.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'
		WHERE w.school_id = :school`
)

// setRiders replaces the students of a route.
func (s *Service) setRiders(ctx context.Context, who actor.Actor, in ridersIn) (out ridersOut, err error) {
	err = s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		route, err := getRoute(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		riders := make([]Rider, len(in.Students))
		for i, r := range in.Students {
			riders[i] = r.rider()
		}
		if err := mustFitRiders(ctx, tx, route, riders); err != nil {
			return err
		}
		before, err := ridersOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `DELETE FROM student_stops WHERE school_id = :school
			AND stop_id IN (SELECT id FROM route_stops WHERE school_id = :school AND route_id = :route)`, db.Args{"route": in.ID})
		if err != nil {
			return fmt.Errorf("remove students from a route: %w", err)
		}
		if err := s.AddRiders(ctx, tx, riders); err != nil {
			return err
		}
		if err := mustHold(ctx, tx, &in.ID); err != nil {
			return err
		}
		out.Students, err = db.All[RouteRider](ctx, tx, `SELECT `+riderColumns+` FROM `+riderTable+`
			ORDER BY p.position, s.first_name, s.last_name, s.id`,
			db.Args{"route": in.ID})
		if err != nil {
			return fmt.Errorf("list the students of a route: %w", err)
		}
		out.Total = len(out.Students)
		return s.Audit.Record(ctx, tx, who, "route.students", "route", in.ID, before, riders)
	})
	return out, err
}

// ridersOf reads the students of a route, without names.
func ridersOf(ctx context.Context, q db.Q, route id.ID) ([]Rider, error) {
	list, err := db.All[Rider](ctx, q, `
		SELECT w.student_id, w.stop_id, w.pickup, w.dropoff FROM student_stops w
		JOIN route_stops p ON p.school_id = w.school_id AND p.id = w.stop_id
		WHERE w.school_id = :school AND p.route_id = :route ORDER BY w.student_id, w.stop_id`, db.Args{"route": route})
	if err != nil {
		return nil, fmt.Errorf("read the students of a route: %w", err)
	}
	return list, nil
}

// mustFitRiders checks that the stops are on this route and that the students are
// of this school and on no other route.
func mustFitRiders(ctx context.Context, q db.Q, route Route, riders []Rider) error {
	stops := map[id.ID]bool{}
	for _, stop := range route.Stops {
		stops[stop.ID] = true
	}
	ids := []id.ID{}
	for _, r := range riders {
		if !stops[r.StopID] {
			return errNoStop
		}
		ids = append(ids, r.StudentID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if err := mustAttend(ctx, q, ids); err != nil {
		return err
	}
	return mustRideOnce(ctx, q, route.ID, riders, ids)
}

// mustAttend checks that students exist and have not left the school.
func mustAttend(ctx context.Context, q db.Q, students []id.ID) error {
	type student struct{ Name, Status string }
	there, err := db.All[student](ctx, q, `SELECT TRIM(first_name || ' ' || last_name) AS name, status FROM students
		WHERE school_id = :school AND archived_at IS NULL AND id IN (:ids) ORDER BY name, id`, db.Args{"ids": students})
	switch {
	case err != nil:
		return fmt.Errorf("look up students: %w", err)
	case len(there) < len(students):
		return people.ErrNoStudent
	}
	var left []string
	for _, s := range there {
		if s.Status != "ACTIVE" {
			left = append(left, s.Name)
		}
	}
	if len(left) > 0 {
		return errLeft.Saying("Not at the school any more: %s. Remove them from the list.", strings.Join(left, ", "))
	}
	return nil
}

// mustRideOnce refuses students who ride in the same direction on another route.
func mustRideOnce(ctx context.Context, q db.Q, route id.ID, riders []Rider, students []id.ID) error {
	type other struct {
		StudentID       id.ID
		Name, RouteName string
		Pickup, Dropoff bool
	}
	others, err := db.All[other](ctx, q, `
		SELECT w.student_id, TRIM(s.first_name || ' ' || s.last_name) AS name, r.name AS route_name, w.pickup, w.dropoff FROM student_stops w
		JOIN students s ON s.school_id = w.school_id AND s.id = w.student_id
		JOIN route_stops p ON p.school_id = w.school_id AND p.id = w.stop_id AND p.route_id <> :route
		JOIN routes r ON r.school_id = p.school_id AND r.id = p.route_id
		WHERE w.school_id = :school AND w.student_id IN (:ids) ORDER BY name, w.student_id`, db.Args{"route": route, "ids": students})
	if err != nil {
		return fmt.Errorf("look for other routes of students: %w", err)
	}
	var names []string
	for _, o := range others {
		clash := slices.ContainsFunc(riders, func(r Rider) bool {
			return r.StudentID == o.StudentID && (r.Pickup && o.Pickup || r.Dropoff && o.Dropoff)
		})
		if clash {
			names = append(names, o.Name+" ("+o.RouteName+")")
		}
	}
	if len(names) > 0 {
		return errRides.Saying("A student can ride on one route in each direction. First remove these from the other route: %s.",
			strings.Join(names, ", "))
	}
	return nil
}

// mustHold checks that the buses of a route have enough seats in each direction.
// A route without buses has no limit.
func mustHold(ctx context.Context, q db.Q, route *id.ID) error {
	if route == nil {
		return nil
	}
	type load struct{ Buses, Seats, Pickup, Dropoff int }
	l, err := db.One[load](ctx, q, `
		SELECT (SELECT COUNT(*) FROM buses WHERE school_id = :school AND route_id = :route AND status <> 'RETIRED') AS buses,
			(SELECT CAST(COALESCE(SUM(capacity), 0) AS BIGINT)
				FROM buses WHERE school_id = :school AND route_id = :route AND status <> 'RETIRED') AS seats,
			(SELECT COUNT(*) FROM `+riderTable+` AND w.pickup) AS pickup,
			(SELECT COUNT(*) FROM `+riderTable+` AND w.dropoff) AS dropoff`, db.Args{"route": *route})
	switch {
	case err != nil:
		return fmt.Errorf("count seats: %w", err)
	case l.Buses > 0 && max(l.Pickup, l.Dropoff) > l.Seats:
		return errFull.Saying("%d students are on this route, but its buses have only %d seats. Use a larger bus or another route.",
			max(l.Pickup, l.Dropoff), l.Seats)
	}
	return nil
}

// mustStillHold checks the seats of the routes that a changed bus serves, or served. It looks
// only if the change takes seats: a route that is too full for another reason, such as a student
// who came back, must not keep a bus from a new driver.
func mustStillHold(ctx context.Context, q db.Q, before, after Bus) error {
	moved := (before.RouteID == nil) != (after.RouteID == nil) || before.RouteID != nil && *before.RouteID != *after.RouteID
	if !moved && after.seats() >= before.seats() {
		return nil
	}
	if err := mustHold(ctx, q, after.RouteID); err != nil || !moved {
		return err
	}
	return mustHold(ctx, q, before.RouteID)
}

// seats are those that count for a route.
func (b Bus) seats() int {
	if b.Status == "RETIRED" {
		return 0
	}
	return b.Capacity
}

type ridersAsk struct {
	ID id.ID `path:"id"`
	page.Ask[struct{}]
}

func (s *Service) riders(ctx context.Context, who actor.Actor, in ridersAsk) (page.Of[RouteRider], error) {
	q := s.DB.School(who.School)
	if _, err := getRoute(ctx, q, in.ID); err != nil {
		return page.Of[RouteRider]{}, err
	}
	return db.Page[RouteRider](ctx, q, db.List{
		Columns: riderColumns, From: riderTable,
		Sorts:   map[string]string{"stopOrder": "p.position, s.first_name", "firstName": "s.first_name, s.last_name", "id": "s.id, p.position"},
		Default: "stopOrder",
	}, in.Request, db.Args{"route": in.ID})
}

// AddRiders assigns students to stops.
func (s *Service) AddRiders(ctx context.Context, tx *db.Tx, in []Rider) error {
	type row struct {
		Rider
		CreatedAt time.Time
	}
	rows := make([]row, len(in))
	for i, r := range in {
		rows[i] = row{r, s.Now()}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO student_stops (school_id, student_id, stop_id, pickup, dropoff, created_at)
		VALUES (:school, :student_id, :stop_id, :pickup, :dropoff, :created_at)`, rows)
	switch {
	case db.IsDuplicate(err, "student_stops_pickup"), db.IsDuplicate(err, "student_stops_dropoff"):
		return errRides.Because(err)
	case db.IsReference(err):
		return errNoRider.Because(err)
	case err != nil:
		return fmt.Errorf("add riders: %w", err)
	}
	return nil
}
