package transport

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes is everything this feature answers.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/transport/bus/list", s.buses, web.Read("transport"),
			web.List("registrationNo", "name", "createdAt"), web.Doc("Buses of this school.")),
		web.Handle("GET /school-admin/transport/route/list", s.routes, web.Read("transport"),
			web.List("name", "createdAt"), web.Doc("Routes with their stops.")),
		web.Handle("GET /driver/bus/get", s.bus, web.Read("transport"), web.Doc("The caller's bus, with its route and stops.")),
	}
}

const (
	busColumns = `id, registration_no, name, capacity, driver_id, attendant_name, route_id, status,
		insurance_expiry, fitness_expiry, version, created_at, updated_at`
	routeColumns = `id, name, version, created_at, updated_at`
)

type busFilters struct {
	Status string `json:"status,omitempty" enum:"ACTIVE,MAINTENANCE,RETIRED"`
}

func (s *Service) buses(ctx context.Context, who actor.Actor, in page.Ask[busFilters]) (page.Of[Bus], error) {
	return db.Page[Bus](ctx, s.DB.School(who.School), db.List{
		Columns: busColumns,
		From:    `buses WHERE school_id = :school` + db.When(in.Filters.Status != "", ` AND status = :status`),
		Sorts:   map[string]string{"registrationNo": "registration_no", "name": "name", "createdAt": "id"},
		Default: "registrationNo",
	}, in.Request, db.Args{"status": in.Filters.Status})
}

func (s *Service) routes(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[Route], error) {
	q := s.DB.School(who.School)
	out, err := db.Page[Route](ctx, q, db.List{
		Columns: routeColumns,
		From:    `routes WHERE school_id = :school`,
		Sorts:   map[string]string{"name": "name", "createdAt": "id"},
		Default: "name",
	}, in.Request, nil)
	if err != nil {
		return out, err
	}
	return out, addStops(ctx, q, out.Items)
}

// driverBus is a bus and the way it goes.
type driverBus struct {
	Bus
	Route *Route `json:"route"`
}

func (s *Service) bus(ctx context.Context, who actor.Actor, _ web.None) (driverBus, error) {
	q := s.DB.School(who.School)
	bus, err := BusOf(ctx, q, who.User)
	if err != nil || bus.RouteID == nil {
		return driverBus{Bus: bus}, err
	}
	routes, err := db.All[Route](ctx, q, `SELECT `+routeColumns+` FROM routes WHERE school_id = :school AND id = :id`,
		db.Args{"id": *bus.RouteID})
	if err != nil {
		return driverBus{}, fmt.Errorf("read route: %w", err)
	}
	return driverBus{Bus: bus, Route: &routes[0]}, addStops(ctx, q, routes)
}

// addStops fills in the stops of the routes.
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
		SELECT id, route_id, name, lat, lng, position, pickup_time, dropoff_time, geofence_meters FROM route_stops
		WHERE school_id = :school AND route_id IN (:ids) ORDER BY position`, db.Args{"ids": ids},
		func(stop Stop) error {
			at[stop.RouteID].Stops = append(at[stop.RouteID].Stops, stop)
			return nil
		})
	if err != nil {
		return fmt.Errorf("read stops: %w", err)
	}
	return nil
}
