package transport

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

const routeColumns = `id, name, version, created_at, updated_at`

type newRoute struct {
	Name  string    `json:"name" required:"true" maxLength:"100" example:"North loop"`
	Stops []newStop `json:"stops" maxItems:"200"`
}

// Check validates the stops.
func (in *newRoute) Check() error { return checkStops(in.stops()) }

func (in newRoute) stops() []stopIn {
	stops := make([]stopIn, len(in.Stops))
	for i, s := range in.Stops {
		stops[i].newStop = s
	}
	return stops
}

func (s *Service) createRoute(ctx context.Context, who actor.Actor, in newRoute) (r Route, err error) {
	err = s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		made, err := s.AddRoutes(ctx, tx, []Route{{Name: strings.TrimSpace(in.Name), Stops: inOrder(in.stops())}})
		if err != nil {
			return err
		}
		r = made[0]
		return s.Audit.Record(ctx, tx, who, "route.create", "route", r.ID, nil, r)
	})
	return r, err
}

func (s *Service) getRoute(ctx context.Context, who actor.Actor, in idIn) (Route, error) {
	return getRoute(ctx, s.DB.School(who.School), in.ID)
}

func getRoute(ctx context.Context, q db.Q, route id.ID) (Route, error) {
	r, err := db.One[Route](ctx, q, `SELECT `+routeColumns+` FROM routes WHERE school_id = :school AND id = :id AND archived_at IS NULL`,
		db.Args{"id": route})
	if err != nil {
		return r, db.Found("read route", err, errNoRoute)
	}
	r.Stops, err = RouteStops(ctx, q, route)
	return r, err
}

type routeFilters struct {
	Search string `json:"search,omitempty" doc:"Any part of the name."`
}

func (s *Service) routes(ctx context.Context, who actor.Actor, in page.Ask[routeFilters]) (page.Of[Route], error) {
	q := s.DB.School(who.School)
	search := strings.ToLower(db.Contains(strings.TrimSpace(in.Filters.Search)))
	out, err := db.Page[Route](ctx, q, db.List{
		Columns: routeColumns,
		From:    `routes WHERE school_id = :school AND archived_at IS NULL` + db.When(search != "", ` AND lower(name) LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"name": "name", "createdAt": "id"},
		Default: "name",
	}, in.Request, db.Args{"search": search})
	if err != nil {
		return out, err
	}
	return out, addStops(ctx, q, out.Items)
}

type routeChange struct {
	ID      id.ID     `path:"id"`
	Name    *string   `json:"name" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	Stops   *[]stopIn `json:"stops" maxItems:"200" doc:"Replaces all stops. Removing a stop that students use is refused (409)."`
	Version *int      `json:"version" doc:"The version you read; 409 if the record has changed since."`
}

// Check validates the stops.
func (in *routeChange) Check() error {
	if in.Stops == nil {
		return nil
	}
	return checkStops(*in.Stops)
}

func (s *Service) updateRoute(ctx context.Context, who actor.Actor, in routeChange) (after Route, err error) {
	err = s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		before, err := getRoute(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		name := before.Name
		opt.Set(&name, in.Name)
		_, err = db.Exec(ctx, tx, `UPDATE routes SET name = :name, version = version + 1, updated_at = :now
			WHERE school_id = :school AND id = :id`,
			db.Args{"id": in.ID, "name": strings.TrimSpace(name), "now": s.Now()})
		switch {
		case db.IsDuplicate(err, "routes_name"):
			return errRouteName.Because(err)
		case err != nil:
			return fmt.Errorf("write route: %w", err)
		}
		if in.Stops != nil {
			if err := s.putStops(ctx, tx, before, inOrder(*in.Stops)); err != nil {
				return err
			}
		}
		if after, err = getRoute(ctx, tx, in.ID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "route.update", "route", in.ID, before, after)
	})
	return after, err
}

// deleteRoute archives a route that nothing uses. Its past trips stay.
func (s *Service) deleteRoute(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		r, err := getRoute(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		type uses struct{ Buses, Students int }
		n, err := db.One[uses](ctx, tx, `
			SELECT (SELECT COUNT(*) FROM buses WHERE school_id = :school AND route_id = :route) AS buses,
				(SELECT COUNT(DISTINCT s.id) FROM `+riderTable+`) AS students`, db.Args{"route": in.ID})
		switch {
		case err != nil:
			return fmt.Errorf("count uses of a route: %w", err)
		case n.Buses+n.Students > 0:
			return errInUse.Saying("%d buses and %d students are on this route. Remove them first.", n.Buses, n.Students)
		}
		if err := mustBeIdle(ctx, tx, "route", in.ID); err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `UPDATE routes SET archived_at = :now, version = version + 1, updated_at = :now
			WHERE school_id = :school AND id = :id`, db.Args{"id": in.ID, "now": s.Now()})
		if err != nil {
			return fmt.Errorf("delete route: %w", err)
		}
		stops := make([]id.ID, len(r.Stops))
		for i, stop := range r.Stops {
			stops[i] = stop.ID
		}
		if err := forgetRiders(ctx, tx, stops); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "route.delete", "route", in.ID, r, nil)
	})
}
