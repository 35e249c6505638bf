package transport

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

type cancelIn struct {
	ID                id.ID  `path:"id"`
	Reason            string `json:"reason" maxLength:"1000" multiline:"true" doc:"Parents and the driver read it."`
	ConfirmEmpty      bool   `json:"confirmEmpty" doc:"The bus was searched and is empty. Students on board become alighted, without a stop."`
	ReplacementTripID *id.ID `json:"replacementTripId" doc:"Trip that takes over the students, of the same day and type. It starts if it has not."`
	ReplacementBusID  *id.ID `json:"replacementBusId" doc:"Bus that takes over the students, on a new trip that starts at once."`
}

// Check allows one way for the students on board.
func (in *cancelIn) Check() error {
	switch {
	case in.ReplacementTripID != nil && in.ReplacementBusID != nil:
		return fault.OnField("replacementBusId", "can't be combined with replacementTripId")
	case in.ConfirmEmpty && in.replaced():
		return fault.OnField("confirmEmpty", "can't be combined with a replacement")
	}
	return nil
}

func (in cancelIn) replaced() bool { return in.ReplacementTripID != nil || in.ReplacementBusID != nil }

// cancel cancels a trip, even a running one. With students on board it needs another
// trip or bus for them, or the word that the bus is empty.
func (s *Service) cancel(ctx context.Context, who actor.Actor, in cancelIn) (after Trip, err error) {
	err = s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		before, err := TripOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := lockTrip(ctx, tx, &before); err != nil {
			return err
		}
		if err := in.mustExist(ctx, tx); err != nil {
			return err
		}
		riders, err := RidersOf(ctx, tx, before)
		if err != nil {
			return err
		}
		now := s.Now()
		after, err = s.step(ctx, tx, who, cancel, before, func(t *Trip) error {
			t.CancelledAt, t.PausedAt, t.CancelReason = &now, nil, opt.Text(strings.TrimSpace(in.Reason))
			t.ConfirmedEmpty = in.ConfirmEmpty && before.Running()
			return in.mayLeave(before, riders)
		})
		switch {
		case err != nil:
			return err
		case in.replaced():
			return s.takeOver(ctx, tx, who, in, after, riders)
		}
		if err := s.leaveBus(ctx, tx, after, riders); err != nil {
			return err
		}
		return s.tellCancelled(ctx, tx, who, after, riders)
	})
	return after, err
}

// mustExist checks the trip or bus that takes over.
func (in cancelIn) mustExist(ctx context.Context, q db.Q) (err error) {
	switch {
	case in.ReplacementTripID != nil:
		_, err = TripOf(ctx, q, *in.ReplacementTripID)
	case in.ReplacementBusID != nil:
		_, err = GetBus(ctx, q, *in.ReplacementBusID)
	}
	return err
}

// mayLeave refuses to cancel a trip with students on board, and names them.
func (in cancelIn) mayLeave(t Trip, riders []Boarding) error {
	names := namesOf(riders, func(b Boarding) bool { return b.Status == Boarded })
	switch {
	case in.replaced() && !t.Running():
		return errState.Saying("This trip has not started. Change its bus or its driver instead.")
	case names == "" || in.ConfirmEmpty || in.replaced():
		return nil
	}
	return errAboard.Saying("Still on the bus: %s. Name the trip or bus that takes them over, or confirm that the bus is empty.", names)
}

// namesOf lists the names of some students.
func namesOf(riders []Boarding, which func(Boarding) bool) string {
	var names []string
	for _, b := range riders {
		if which(b) {
			names = append(names, b.Name())
		}
	}
	return strings.Join(names, ", ")
}

// leaveBus lets the students on board of a cancelled trip, whose bus is empty, alight.
func (s *Service) leaveBus(ctx context.Context, tx *db.Tx, t Trip, riders []Boarding) error {
	var off []Boarding
	for _, b := range riders {
		if b.Status == Boarded {
			b.do(Alighted, s.Now(), nil)
			off = append(off, b)
		}
	}
	if len(off) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, tx, `
		UPDATE boardings SET status = 'alighted', alighted_at = :now, updated_at = :now
		WHERE school_id = :school AND trip_id = :trip AND status = 'boarded'`, db.Args{"trip": t.ID, "now": s.Now()})
	if err != nil {
		return fmt.Errorf("empty a cancelled trip: %w", err)
	}
	return s.events().Boarded(ctx, tx, t, off)
}

type cancelAllIn struct {
	BusID    id.ID       `json:"busId" required:"true"`
	FromDate clock.Date  `json:"fromDate" required:"true"`
	ToDate   *clock.Date `json:"toDate" doc:"Default: no end."`
	Type     Type        `json:"type" enum:"pickup,dropoff"`
	Reason   string      `json:"reason" maxLength:"1000" multiline:"true" doc:"Parents and the drivers read it."`
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
		trips, err := db.All[Trip](ctx, tx, `SELECT `+tripColumns+` FROM `+tripTable+`
			AND t.bus_id = :bus AND t.status = 'scheduled' AND t.date >= :from`+
			db.When(in.ToDate != nil, ` AND t.date <= :to`)+db.When(in.Type != "", ` AND t.type = :type`)+` ORDER BY t.date, t.start_time, t.id`,
			db.Args{"bus": in.BusID, "from": in.FromDate, "to": in.ToDate, "type": in.Type})
		if err != nil {
			return fmt.Errorf("read trips to cancel: %w", err)
		}
		gone, err := s.callOff(ctx, tx, who, trips, strings.TrimSpace(in.Reason))
		if err != nil {
			return err
		}
		out.Cancelled = len(gone)
		ids := make([]id.ID, len(gone))
		for i, t := range gone {
			ids[i] = t.ID
		}
		return s.Audit.Record(ctx, tx, who, "trip.cancel", "bus", in.BusID, nil, map[string]any{"trips": ids, "reason": in.Reason})
	})
	return out, err
}

// callOff cancels those of a bus's trips that have not started, tells the drivers and the
// parents, and returns the cancelled ones.
func (s *Service) callOff(ctx context.Context, tx *db.Tx, who actor.Actor, trips []Trip, reason string) ([]Trip, error) {
	ids := make([]id.ID, len(trips))
	for i, t := range trips {
		ids[i] = t.ID
	}
	ids, err := db.All[id.ID](ctx, tx, `
		UPDATE trips SET status = 'cancelled', cancelled_at = :now, cancel_reason = :reason, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id IN (:ids) AND status = 'scheduled' RETURNING id`,
		db.Args{"ids": ids, "reason": reason, "now": s.Now()})
	if err != nil {
		return nil, fmt.Errorf("cancel trips: %w", err)
	}
	gone, err := tripsOf(ctx, tx, ids)
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	for _, t := range gone {
		if err := s.events().TripChanged(ctx, tx, t); err != nil {
			return nil, err
		}
	}
	return gone, s.tellCalledOff(ctx, tx, who, gone)
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
