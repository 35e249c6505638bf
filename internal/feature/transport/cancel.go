package transport

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

type cancelIn struct {
	ID     id.ID  `path:"id"`
	Reason string `json:"reason" maxLength:"1000" multiline:"true"`
}

// cancel cancels a trip, even a running one. The statuses of its students stay.
func (s *Service) cancel(ctx context.Context, who actor.Actor, in cancelIn) (after Trip, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := TripOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := lockTrip(ctx, tx, &before); err != nil {
			return err
		}
		now := s.Now()
		after, err = s.step(ctx, tx, who, cancel, before, func(t *Trip) error {
			t.CancelledAt, t.PausedAt, t.CancelReason = &now, nil, strings.TrimSpace(in.Reason)
			return nil
		})
		return err
	})
	return after, err
}

type cancelAllIn struct {
	BusID    id.ID       `json:"busId" required:"true"`
	FromDate clock.Date  `json:"fromDate" required:"true"`
	ToDate   *clock.Date `json:"toDate" doc:"Default: no end."`
	Type     Type        `json:"type" enum:"pickup,dropoff"`
	Reason   string      `json:"reason" maxLength:"1000" multiline:"true"`
}

// counted is the number of cancelled trips.
type counted struct {
	Cancelled int `json:"cancelled"`
}

// cancelAll cancels the trips of a bus that have not started.
func (s *Service) cancelAll(ctx context.Context, who actor.Actor, in cancelAllIn) (out counted, err error) {
	err = s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		if _, err := GetBus(ctx, tx, in.BusID); err != nil {
			return err
		}
		ids, err := db.All[id.ID](ctx, tx, `
			UPDATE trips SET status = 'cancelled', cancelled_at = :now, cancel_reason = :reason, version = version + 1, updated_at = :now
			WHERE school_id = :school AND bus_id = :bus AND status = 'scheduled' AND date >= :from`+
			db.When(in.ToDate != nil, ` AND date <= :to`)+db.When(in.Type != "", ` AND type = :type`)+` RETURNING id`,
			db.Args{"bus": in.BusID, "from": in.FromDate, "to": in.ToDate, "type": in.Type, "reason": strings.TrimSpace(in.Reason), "now": s.Now()})
		if err != nil {
			return fmt.Errorf("cancel trips: %w", err)
		}
		out.Cancelled = len(ids)
		gone, err := db.All[Trip](ctx, tx, `SELECT `+tripColumns+` FROM `+tripTable+` AND t.id IN (:ids) ORDER BY t.date, t.id`,
			db.Args{"ids": ids})
		if err != nil {
			return fmt.Errorf("read cancelled trips: %w", err)
		}
		for _, t := range gone {
			if err := s.events().TripChanged(ctx, tx, t); err != nil {
				return err
			}
		}
		return s.Audit.Record(ctx, tx, who, "trip.cancel", "bus", in.BusID, nil, map[string]any{"trips": ids, "reason": in.Reason})
	})
	return out, err
}

// mustBeIdle refuses a bus or route with scheduled or running trips.
func mustBeIdle(ctx context.Context, q db.Q, what string, record id.ID) error {
	n, err := db.One[int](ctx, q, `
		SELECT COUNT(*) FROM trips WHERE school_id = :school AND `+what+`_id = :id AND status IN ('scheduled', 'in_progress', 'paused')`,
		db.Args{"id": record})
	switch {
	case err != nil:
		return fmt.Errorf("count trips: %w", err)
	case n > 0:
		return errInUse.Saying("This %s has %d scheduled or running trips. Cancel them first.", what, n)
	}
	return nil
}
