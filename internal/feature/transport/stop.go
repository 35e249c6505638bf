package transport

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

const stopColumns = `id, route_id, name, lat, lng, position, pickup_time, dropoff_time, geofence_meters`

type newStop struct {
	Name           string           `json:"name" required:"true" maxLength:"100"`
	Lat            float64          `json:"lat" required:"true" minimum:"-90" maximum:"90"`
	Lng            float64          `json:"lng" required:"true" minimum:"-180" maximum:"180"`
	Order          *int             `json:"order" minimum:"1" maximum:"1000" doc:"Order of the morning trip. Default: the position in this list."`
	PickupTime     *clock.TimeOfDay `json:"pickupTime"`
	DropoffTime    *clock.TimeOfDay `json:"dropoffTime"`
	GeofenceMeters int              `json:"geofenceMeters" minimum:"20" maximum:"10000" default:"500" doc:"Within this distance the bus counts as at the stop."`
}

// stopIn is a stop, existing (with an id) or new.
type stopIn struct {
	ID *id.ID `json:"id" doc:"Id of an existing stop; omit it for a new one."`
	newStop
}

func (in stopIn) stop() Stop {
	s := Stop{Name: strings.TrimSpace(in.Name), Lat: in.Lat, Lng: in.Lng, PickupTime: in.PickupTime, DropoffTime: in.DropoffTime,
		GeofenceMeters: in.GeofenceMeters}
	opt.Set(&s.ID, in.ID)
	return s
}

// checkStops refuses an order or an id that is used twice.
func checkStops(in []stopIn) error {
	orders, ids := map[int]bool{}, map[id.ID]bool{}
	var wrong []fault.Field
	for i, s := range in {
		order := s.order(i)
		if orders[order] {
			wrong = append(wrong, fault.Field{Field: fmt.Sprintf("stops[%d].order", i), Message: "is used by another stop"})
		}
		if s.ID != nil && ids[*s.ID] {
			wrong = append(wrong, fault.Field{Field: fmt.Sprintf("stops[%d].id", i), Message: "is listed twice"})
		}
		orders[order] = true
		if s.ID != nil {
			ids[*s.ID] = true
		}
	}
	if len(wrong) > 0 {
		return fault.Fields(wrong...)
	}
	return nil
}

func (in stopIn) order(place int) int {
	if in.Order != nil {
		return *in.Order
	}
	return place + 1
}

// inOrder returns the stops in the order of the morning trip.
func inOrder(in []stopIn) []Stop {
	type placed struct {
		order int
		stop  Stop
	}
	all := make([]placed, len(in))
	for i, s := range in {
		all[i] = placed{s.order(i), s.stop()}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.order, b.order) })
	stops := make([]Stop, len(in))
	for i, p := range all {
		stops[i] = p.stop
		stops[i].Position = i + 1
	}
	return stops
}

// addStops fills Stops of the routes.
func addStops(ctx context.Context, q db.Q, routes []Route) error {
	if len(routes) == 0 {
		return nil
	}
	at := map[id.ID]*Route{}
	ids := make([]id.ID, len(routes))
	for i := range routes {
		ids[i], at[routes[i].ID] = routes[i].ID, &routes[i]
		routes[i].Stops = []Stop{}
	}
	err := db.Each(ctx, q, `
		SELECT `+stopColumns+` FROM route_stops
		WHERE school_id = :school AND route_id IN (:ids) AND archived_at IS NULL ORDER BY position`, db.Args{"ids": ids},
		func(stop Stop) error {
			at[stop.RouteID].Stops = append(at[stop.RouteID].Stops, stop)
			return nil
		})
	if err != nil {
		return fmt.Errorf("read stops: %w", err)
	}
	return nil
}

// putStops replaces the stops of a route. Existing stops keep their ids; removed
// ones are archived for past trips.
func (s *Service) putStops(ctx context.Context, tx *db.Tx, r Route, stops []Stop) error {
	gone := map[id.ID]Stop{}
	for _, stop := range r.Stops {
		gone[stop.ID] = stop
	}
	for i := range stops {
		stops[i].RouteID = r.ID
		if stops[i].ID == "" {
			stops[i].ID = s.NewID()
			continue
		}
		if _, ok := gone[stops[i].ID]; !ok {
			return errNoStop
		}
		delete(gone, stops[i].ID)
	}
	if err := s.dropStops(ctx, tx, gone); err != nil {
		return err
	}
	// Negative positions first, so that the unique index never sees two equal ones.
	_, err := db.Exec(ctx, tx, `
		UPDATE route_stops SET position = -position
			WHERE school_id = :school AND route_id = :route AND archived_at IS NULL`, db.Args{"route": r.ID})
	if err != nil {
		return fmt.Errorf("move stops: %w", err)
	}
	_, err = db.Insert(ctx, tx, insertStops+`
		ON CONFLICT (school_id, id) DO UPDATE SET name = excluded.name, lat = excluded.lat, lng = excluded.lng, position = excluded.position,
			pickup_time = excluded.pickup_time, dropoff_time = excluded.dropoff_time, geofence_meters = excluded.geofence_meters`, stops)
	if err != nil {
		return fmt.Errorf("write stops: %w", err)
	}
	return nil
}

const insertStops = `
	INSERT INTO route_stops (school_id, id, route_id, name, lat, lng, position, pickup_time, dropoff_time, geofence_meters)
	VALUES (:school, :id, :route_id, :name, :lat, :lng, :position, :pickup_time, :dropoff_time, :geofence_meters)`

// dropStops archives stops that no student uses.
func (s *Service) dropStops(ctx context.Context, tx *db.Tx, gone map[id.ID]Stop) error {
	if len(gone) == 0 {
		return nil
	}
	ids := make([]id.ID, 0, len(gone))
	for stop := range gone {
		ids = append(ids, stop)
	}
	slices.Sort(ids)
	used, err := db.All[string](ctx, tx, `
		SELECT p.name FROM route_stops p WHERE p.school_id = :school AND p.id IN (:ids)
			AND EXISTS (SELECT 1 FROM student_stops w
				JOIN students s ON s.school_id = w.school_id AND s.id = w.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'
				WHERE w.school_id = p.school_id AND w.stop_id = p.id)
		ORDER BY p.position`, db.Args{"ids": ids})
	switch {
	case err != nil:
		return fmt.Errorf("find students at stops: %w", err)
	case len(used) > 0:
		return errStopUsed.Saying("Students use %s. Give them another stop first.", strings.Join(used, ", "))
	}
	_, err = db.Exec(ctx, tx, `UPDATE route_stops SET archived_at = :now WHERE school_id = :school AND id IN (:ids)`,
		db.Args{"ids": ids, "now": s.Now()})
	if err != nil {
		return fmt.Errorf("archive stops: %w", err)
	}
	return forgetRiders(ctx, tx, ids)
}

// forgetRiders removes the students of archived stops, who have all left the school: if
// one returns, there is no such stop.
func forgetRiders(ctx context.Context, tx *db.Tx, stops []id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM student_stops WHERE school_id = :school AND stop_id IN (:stops)`, db.Args{"stops": stops})
	if err != nil {
		return fmt.Errorf("remove students of archived stops: %w", err)
	}
	return nil
}

func mustBeStop(ctx context.Context, q db.Q, route, stop id.ID) error {
	_, err := db.One[id.ID](ctx, q, `
		SELECT id FROM route_stops WHERE school_id = :school AND id = :id AND route_id = :route AND archived_at IS NULL`,
		db.Args{"id": stop, "route": route})
	return db.Found("read stop", err, errNoStop)
}
