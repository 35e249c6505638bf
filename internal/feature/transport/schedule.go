package transport

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// maxDays is the longest range of one call.
const maxDays = 366

// NewTrips schedules trips of one bus, on one day or in a range.
type NewTrips struct {
	BusID     id.ID           `json:"busId" required:"true"`
	RouteID   *id.ID          `json:"routeId" doc:"Default: the route of the bus."`
	DriverID  *id.ID          `json:"driverId" doc:"Default: the driver of the bus."`
	Type      Type            `json:"type" required:"true" enum:"pickup,dropoff"`
	Date      *clock.Date     `json:"date" doc:"One day, even a holiday. Use either date, or fromDate and toDate."`
	FromDate  *clock.Date     `json:"fromDate" example:"-" doc:"First day of a range. Holidays and weekends are skipped."`
	ToDate    *clock.Date     `json:"toDate" example:"-" doc:"Last day of the range, at most 366 days."`
	Weekdays  []int           `json:"weekdays" maxItems:"7" minimum:"1" maximum:"7" example:"-" doc:"1 (Monday) to 7 (Sunday). Default: every school day."`
	StartTime clock.TimeOfDay `json:"startTime" required:"true"`
	Replace   bool            `json:"replace" doc:"Existing trips of the bus at this time get this driver and route, unless they have started. Otherwise they are refused (409)."`
}

// Check validates the dates.
func (in *NewTrips) Check() error {
	switch {
	case in.Date != nil && (in.FromDate != nil || in.ToDate != nil):
		return fault.OnField("date", "can't be combined with fromDate and toDate")
	case in.Date != nil:
		return nil
	case in.FromDate == nil:
		return fault.OnField("date", "is required, or fromDate and toDate")
	case in.ToDate == nil:
		return fault.OnField("toDate", "is required with fromDate")
	case *in.ToDate < *in.FromDate:
		return fault.OnField("toDate", "must not be before fromDate")
	case *in.ToDate > in.FromDate.AddDays(maxDays-1):
		return fault.OnField("toDate", "must be within %d days of fromDate", maxDays)
	}
	return nil
}

// days returns the one requested day, or the school days of the range.
func (in NewTrips) days(ctx context.Context, q db.Q) ([]clock.Date, error) {
	if in.Date != nil {
		return []clock.Date{*in.Date}, nil
	}
	cal, err := school.CalendarOf(ctx, q, *in.FromDate, *in.ToDate)
	if err != nil {
		return nil, err
	}
	days := cal.SchoolDays(*in.FromDate, *in.ToDate)
	if len(in.Weekdays) > 0 {
		days = slices.DeleteFunc(days, func(d clock.Date) bool { return !slices.Contains(in.Weekdays, d.Weekday()) })
	}
	if len(days) == 0 {
		return nil, fault.OnField("toDate", "leaves no school day in the range")
	}
	return days, nil
}

// Planned is the result of scheduling: the first trip in full, and all in short.
type Planned struct {
	Trip
	Created  int    `json:"created" doc:"New trips."`
	Existing int    `json:"existing" doc:"Trips that already existed."`
	Replaced int    `json:"replaced" doc:"Of the existing ones, those with another driver now."`
	Trips    []slot `json:"trips" doc:"All of them, in order."`
}

type slot struct {
	ID   id.ID      `json:"id"`
	Date clock.Date `json:"date"`
}

// Schedule plans trips.
func (s *Service) Schedule(ctx context.Context, who actor.Actor, in NewTrips) (out Planned, err error) {
	err = s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		plan, err := in.plan(ctx, tx)
		if err != nil {
			return err
		}
		days, err := in.days(ctx, tx)
		if err != nil {
			return err
		}
		replaced, err := s.replace(ctx, tx, who, in, plan, days)
		if err != nil {
			return err
		}
		added, err := s.addTrips(ctx, tx, plan, days)
		if err != nil {
			return err
		}
		if err := s.tellRunsAgain(ctx, tx, who, added); err != nil {
			return err
		}
		out, err = in.answer(ctx, tx, days, len(added))
		out.Replaced = replaced
		if err != nil || len(added)+replaced == 0 {
			return err
		}
		type trace struct {
			Trip
			Days []clock.Date `json:"days"`
		}
		return s.Audit.Record(ctx, tx, who, "trip.schedule", "bus", in.BusID, nil, trace{out.Trip, days})
	})
	return out, err
}

// plan returns a trip without a day. Route and driver default to those of the bus.
func (in NewTrips) plan(ctx context.Context, q db.Q) (Trip, error) {
	bus, err := GetBus(ctx, q, in.BusID)
	if err != nil {
		return Trip{}, err
	}
	if in.RouteID != nil {
		bus.RouteID = in.RouteID
		if _, err := getRoute(ctx, q, *in.RouteID); err != nil {
			return Trip{}, err
		}
	}
	if in.DriverID != nil {
		bus.DriverID = in.DriverID
		if err := mustBeDriver(ctx, q, *in.DriverID); err != nil {
			return Trip{}, err
		}
	}
	switch {
	case bus.Status == "RETIRED":
		return Trip{}, errRetired
	case bus.RouteID == nil:
		return Trip{}, fault.OnField("routeId", "is required: this bus has no route")
	case bus.DriverID == nil:
		return Trip{}, fault.OnField("driverId", "is required: this bus has no driver")
	}
	return Trip{BusID: bus.ID, RouteID: *bus.RouteID, DriverID: *bus.DriverID, Type: in.Type, StartTime: in.StartTime,
		Status: Scheduled, Version: 1}, nil
}

// replace gives the plan's driver to existing trips of its route, and cancels those of
// another route; trips that have started stay. It returns the number of the former, and
// refuses existing trips unless asked to replace them.
func (s *Service) replace(ctx context.Context, tx *db.Tx, who actor.Actor, in NewTrips, plan Trip, days []clock.Date) (int, error) {
	taken, err := db.All[Trip](ctx, tx, `SELECT `+tripColumns+` FROM `+tripTable+`
		AND t.bus_id = :bus AND t.type = :type AND t.start_time = :time AND t.status <> 'cancelled' AND t.date IN (:days) ORDER BY t.date`,
		db.Args{"bus": in.BusID, "type": in.Type, "time": in.StartTime, "days": days})
	switch {
	case err != nil:
		return 0, fmt.Errorf("read existing trips: %w", err)
	case len(taken) == 0:
		return 0, nil
	case !in.Replace:
		return 0, errSlot.Saying("This bus has a %s trip at %s already on %s. Replace it, or choose another time.",
			in.Type, in.StartTime, someDates(taken))
	}
	var stay, elsewhere []Trip
	for _, t := range taken {
		if t.RouteID == plan.RouteID {
			stay = append(stay, t)
		} else {
			elsewhere = append(elsewhere, t)
		}
	}
	if _, err := s.callOff(ctx, tx, who, elsewhere, ""); err != nil {
		return 0, err
	}
	return s.reassign(ctx, tx, who, stay, plan.DriverID)
}

// someDates lists the dates of trips for people, at most five.
func someDates(trips []Trip) string {
	const most = 5
	var dates []string
	for _, t := range trips[:min(len(trips), most)] {
		dates = append(dates, string(t.Date))
	}
	if more := len(trips) - most; more > 0 {
		return fmt.Sprintf("%s and %d more days", strings.Join(dates, ", "), more)
	}
	return strings.Join(dates, ", ")
}

// addTrips inserts a trip for each day, unless it exists, and returns the new ones.
func (s *Service) addTrips(ctx context.Context, tx *db.Tx, plan Trip, days []clock.Date) ([]Trip, error) {
	trips, ids := make([]Trip, len(days)), make([]id.ID, len(days))
	plan.CreatedAt = s.Now()
	plan.UpdatedAt = plan.CreatedAt
	for i, day := range days {
		trips[i] = plan
		trips[i].ID, trips[i].Date = s.NewID(), day
		ids[i] = trips[i].ID
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO trips (school_id, id, bus_id, route_id, driver_id, type, date, start_time, status, version, created_at, updated_at)
		VALUES (:school, :id, :bus_id, :route_id, :driver_id, :type, :date, :start_time, :status, :version, :created_at, :updated_at)
		ON CONFLICT DO NOTHING`, trips)
	if err != nil {
		return nil, fmt.Errorf("write trips: %w", err)
	}
	return tripsOf(ctx, tx, ids)
}

func (in NewTrips) answer(ctx context.Context, q db.Q, days []clock.Date, added int) (out Planned, err error) {
	out.Trips, err = db.All[slot](ctx, q, `
		SELECT id, date FROM trips
		WHERE school_id = :school AND bus_id = :bus AND type = :type AND start_time = :time AND status <> 'cancelled' AND date IN (:days)
		ORDER BY date`, db.Args{"bus": in.BusID, "type": in.Type, "time": in.StartTime, "days": days})
	if err != nil {
		return out, fmt.Errorf("read trips: %w", err)
	}
	out.Created, out.Existing = added, len(out.Trips)-added
	out.Trip, err = TripOf(ctx, q, out.Trips[0].ID)
	return out, err
}
