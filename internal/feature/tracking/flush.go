package tracking

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

const (
	flushEvery = time.Second
	flushEnd   = 10 * time.Second // time limit of the last flush
	mostSteps  = 100_000          // most steps in memory while the database is down
)

var errFull = fault.New(fault.Unavailable, "",
	"Positions can't be saved right now. Keep them on the device and send them later.").After(10 * time.Second)

// pending holds positions and alerts that are not yet written.
type pending struct {
	mu        sync.Mutex
	steps     []step
	positions map[busKey]position
	alerts    []alert
}

func (p *pending) addStep(s step) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.steps) >= mostSteps {
		return errFull
	}
	p.steps = append(p.steps, s)
	return nil
}

func (p *pending) setPosition(at position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.positions == nil {
		p.positions = map[busKey]position{}
	}
	p.positions[busKey{at.SchoolID, at.BusID}] = at
}

func (p *pending) addAlerts(list []alert) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alerts = append(p.alerts, list...)
}

// batch is the rows of one flush.
type batch struct {
	steps     []step
	positions []position
}

func (p *pending) take() (b batch, alerts []alert) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b.steps, alerts = p.steps, p.alerts
	for _, at := range p.positions {
		b.positions = append(b.positions, at)
	}
	p.steps, p.positions, p.alerts = nil, nil, nil
	return b, alerts
}

// giveBack puts a failed batch back, before newer rows.
func (p *pending) giveBack(b batch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps = append(b.steps, p.steps...)
	if p.positions == nil {
		p.positions = map[busKey]position{}
	}
	for _, at := range b.positions {
		k := busKey{at.SchoolID, at.BusID}
		if newer, ok := p.positions[k]; !ok || newer.At.Before(at.At) {
			p.positions[k] = at
		}
	}
}

// Run flushes all buses once a second until ctx ends, and once more at the end.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushEnd)
			defer cancel()
			return s.Flush(last)
		case <-tick.C:
		}
		if err := s.Flush(ctx); err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "positions not written, will retry", "error", err)
		}
		s.forget()
	}
}

// Flush writes all pending positions and notifies the parents at stops that buses
// have come near to.
func (s *Service) Flush(ctx context.Context) error {
	s.flushing.Lock() // also waits for a flush under way
	defer s.flushing.Unlock()
	b, alerts := s.pending.take()
	if err := s.write(ctx, b); err != nil {
		s.pending.giveBack(b)
		s.pending.addAlerts(alerts)
		return fmt.Errorf("write positions: %w", err)
	}
	var failed error
	for _, a := range alerts {
		if err := s.tell(ctx, a); err != nil {
			s.pending.addAlerts([]alert{a})
			failed = errors.Join(failed, fmt.Errorf("notify that a bus is near: %w", err))
		}
	}
	return failed
}

// write inserts the rows of all schools in one transaction.
func (s *Service) write(ctx context.Context, b batch) error {
	if len(b.steps)+len(b.positions) == 0 {
		return nil
	}
	err := s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error { return b.put(ctx, tx) })
	if !db.IsReference(err) {
		return err
	}
	return s.writeApart(ctx, b)
}

func (b batch) put(ctx context.Context, q db.Q) error {
	if _, err := db.Insert(ctx, q, putSteps, b.steps); err != nil {
		return err
	}
	_, err := db.Insert(ctx, q, putPositions, b.positions)
	return err
}

// writeApart writes each school on its own. It is used when a school in the batch
// has been deleted.
func (s *Service) writeApart(ctx context.Context, b batch) error {
	of := map[id.ID]*batch{}
	at := func(school id.ID) *batch {
		if of[school] == nil {
			of[school] = &batch{}
		}
		return of[school]
	}
	for _, row := range b.steps {
		at(row.SchoolID).steps = append(at(row.SchoolID).steps, row)
	}
	for _, row := range b.positions {
		at(row.SchoolID).positions = append(at(row.SchoolID).positions, row)
	}
	for _, one := range of {
		err := s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error { return one.put(ctx, tx) })
		if err != nil && !db.IsReference(err) {
			return err
		}
	}
	return nil
}

// waits reports whether the bus is on its way to the stop of a student.
func waits(t transport.Trip, b transport.Boarding) bool {
	if t.Type == transport.Dropoff {
		return b.Status == transport.Boarded
	}
	return b.Expected()
}

// tell notifies the parents of students at a stop that the bus is near.
func (s *Service) tell(ctx context.Context, a alert) error {
	return s.DB.InSchool(ctx, a.school, func(ctx context.Context, tx *db.Tx) error {
		trip, err := transport.LockTrip(ctx, tx, a.trip)
		switch {
		case errors.Is(err, transport.ErrNoTrip): // deleted with its school
			return nil
		case err != nil || !trip.Running(): // cancelled or ended since
			return err
		}
		riders, err := transport.RidersOf(ctx, tx, trip)
		if err != nil {
			return err
		}
		var students []id.ID
		stop := ""
		for _, r := range riders {
			if r.StopID == a.stop && waits(trip, r) {
				students, stop = append(students, r.StudentID), r.StopName
			}
		}
		_, err = s.Transport.Alert(ctx, tx, a.school, transport.Alert{Trip: a.trip, Kind: "near",
			Say: func(_ id.ID, name string) (title, body text.Text) {
				return text.T("transport.near.title"), near(trip, stop, name, a.away)
			}}, students)
		return err
	})
}

func near(trip transport.Trip, stop, name string, away time.Duration) text.Text {
	if minutes := int(away.Round(time.Minute).Minutes()); minutes >= 1 {
		return text.T("transport.near.minutes", "bus", trip.Label(), "student", name, "stop", stop, "minutes", minutes)
	}
	return text.T("transport.near.close", "bus", trip.Label(), "student", name, "stop", stop)
}
