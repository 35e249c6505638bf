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

// cancel calls a trip off, even one that is under way. Its students stay as they
// were noted.
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
	ToDate   *clock.Date `json:"toDate" doc:"All that come after, if left out."`
	Type     Type        `json:"type" enum:"pickup,dropoff"`
	Reason   string      `json:"reason" maxLength:"1000" multiline:"true"`
}

// counted is how many trips were called off.
type counted struct {
	Cancelled int `json:"cancelled"`
}

// cancelAll calls off the trips of a bus that have not started.
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
		gone, err := db.All[Trip](ctx, tx, `SELECT `+tripColumns+` FROM `+tripTable+` AND t.id IN (:ids) ORDER BY t.date, t.id`, db.Args{"ids": ids})
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

// mustBeIdle wants no trip of a bus or a route to be under way or to come.
func mustBeIdle(ctx context.Context, q db.Q, what string, record id.ID) error {
	n, err := db.One[int](ctx, q, `
		SELECT COUNT(*) FROM trips WHERE school_id = :school AND `+what+`_id = :id AND status IN ('scheduled', 'in_progress', 'paused')`,
		db.Args{"id": record})
	switch {
	case err != nil:
		return fmt.Errorf("look for trips: %w", err)
	case n > 0:
		return errInUse.Saying("There are %d trips of this %s that are not over. Cancel them first.", n, what)
	}
	return nil
}
