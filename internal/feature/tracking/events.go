package tracking

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/opt"
)

// locationEvent is the payload of bus-location.
type locationEvent struct {
	BusID     id.ID     `json:"busId"`
	TripID    *id.ID    `json:"tripId"`
	Lat       float64   `json:"lat"`
	Lng       float64   `json:"lng"`
	Speed     float64   `json:"speed"`
	Heading   float64   `json:"heading"`
	Timestamp time.Time `json:"timestamp"`
	NextStop  *nextStop `json:"nextStop,omitempty"`
}

// nextStop is the next stop of a bus.
type nextStop struct {
	StopID         id.ID  `json:"stopId"`
	Name           string `json:"name"`
	EtaSeconds     int    `json:"etaSeconds"`
	DistanceMeters int    `json:"distanceMeters"`
}

// event returns the payload for the room of the bus.
func (t *tracker) event(now time.Time) locationEvent {
	l := t.gate.last
	return locationEvent{BusID: t.bus, TripID: t.onTrip, Lat: l.Lat, Lng: l.Lng, Speed: l.Speed, Heading: l.Heading, Timestamp: l.At,
		NextStop: t.nextStop(now)}
}

func (t *tracker) nextStop(now time.Time) *nextStop {
	if t.run == nil || t.run.journey.Seen().IsZero() {
		return nil
	}
	i, ahead := t.run.journey.Next()
	if !ahead {
		return nil
	}
	a := t.run.journey.Arrivals()[i]
	return &nextStop{t.run.stops[i].ID, t.run.stops[i].Name, secondsTo(a.At, now), a.Meters}
}

func secondsTo(at, now time.Time) int { return int(max(0, at.Sub(now)).Round(time.Second).Seconds()) }

// emitLocation sends the position to the room of the bus or, without a running trip,
// to the yard room. Slow clients get only the newest.
func (s *Service) emitLocation(t *tracker) {
	if s.sockets == nil {
		return
	}
	room := busRoom(t.school, t.bus)
	if !t.underWay() {
		room = yardRoom(t.school, t.bus)
	}
	if err := s.sockets.To(room).Volatile().Emit(busLocation, t.event(s.Now())); err != nil {
		s.Log.Warn("position not sent to other nodes", "bus", t.bus, "error", err)
	}
}

// statusEvent is the payload of trip-status.
type statusEvent struct {
	BusID  id.ID            `json:"busId"`
	TripID id.ID            `json:"tripId"`
	Status transport.Status `json:"status"`
	At     time.Time        `json:"at"`
}

func statusOf(t transport.Trip) statusEvent { return statusEvent{t.BusID, t.ID, t.Status, t.UpdatedAt} }

// boardingEvent is the payload of boarding-status.
type boardingEvent struct {
	BusID     id.ID                    `json:"busId"`
	TripID    id.ID                    `json:"tripId"`
	StudentID id.ID                    `json:"studentId"`
	Status    transport.BoardingStatus `json:"status"`
	StopID    *id.ID                   `json:"stopId" doc:"Null at the school or if unknown."`
	At        time.Time                `json:"at"`
}

// incidentEvent is the payload of incident-reported.
type incidentEvent struct {
	BusID       id.ID     `json:"busId"`
	TripID      *id.ID    `json:"tripId"`
	IncidentID  id.ID     `json:"incidentId"`
	Type        string    `json:"type"`
	Description opt.Text  `json:"description"`
	At          time.Time `json:"at"`
}

// withdrawnEvent is the payload of incident-withdrawn.
type withdrawnEvent struct {
	BusID      id.ID      `json:"busId"`
	TripID     *id.ID     `json:"tripId"`
	IncidentID id.ID      `json:"incidentId"`
	At         *time.Time `json:"at"`
}

// awaitedNow ends the payload of a signal that the bus is on its way to further students.
const awaitedNow = "/awaited"

// onSignal handles a changed trip, on any node.
func (s *Service) onSignal(sig db.Signal) {
	school, bus, ok := strings.Cut(sig.Payload, "/")
	if sig.Lost || !ok {
		s.stale(func(busKey) bool { return true })
		s.Live.CheckAll()
		return
	}
	bus, awaited := strings.CutSuffix(bus, awaitedNow)
	at := busKey{id.ID(school), id.ID(bus)}
	s.mu.Lock()
	t := s.buses[at]
	s.mu.Unlock()
	switch {
	case t != nil && awaited:
		t.awaited.Store(true)
	case t != nil:
		t.changed.Store(true)
	}
	if awaited {
		return
	}
	s.Live.CheckRoom(busRoom(at.school, at.bus))
}

// onReach handles changed guardians, routes or buses.
func (s *Service) onReach(sig db.Signal) {
	s.stale(func(k busKey) bool { return sig.Lost || k.school == id.ID(sig.Payload) })
}

// stale makes trackers read the database again.
func (s *Service) stale(which func(busKey) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, t := range s.buses {
		if which(k) {
			t.changed.Store(true)
		}
	}
}

// schoolOf returns the school of a transaction.
func schoolOf(ctx context.Context, tx *db.Tx) (id.ID, error) {
	at, err := db.One[id.ID](ctx, tx, `SELECT id FROM schools WHERE id = :school`, nil)
	if err != nil {
		return "", fmt.Errorf("read the school of a trip: %w", err)
	}
	return at, nil
}

// TripChanged implements transport.Events, like Boarded, Reported and Withdrawn.
func (s *Service) TripChanged(ctx context.Context, tx *db.Tx, t transport.Trip) error {
	school, err := schoolOf(ctx, tx)
	if err != nil {
		return err
	}
	if t.Status == transport.Completed {
		if err := jobs.Enqueue(ctx, tx, s.Now(), learn{t.ID}, jobs.At(s.Now().Add(learnAfter)), jobs.Unique(string(t.ID))); err != nil {
			return err
		}
	}
	tx.AfterCommit(func() { s.emit(busRoom(school, t.BusID), tripStatus, statusOf(t)) })
	return tx.Notify(ctx, Topic, string(school)+"/"+string(t.BusID))
}

// Boarded notifies the parents and teachers of each student, the driver and the administrators.
func (s *Service) Boarded(ctx context.Context, tx *db.Tx, t transport.Trip, changed []transport.Boarding) error {
	school, err := schoolOf(ctx, tx)
	if err != nil {
		return err
	}
	students := make([]id.ID, len(changed))
	for i, b := range changed {
		students[i] = b.StudentID
	}
	parents, err := parentsOf(ctx, tx, students)
	if err != nil {
		return err
	}
	others, err := watchers(ctx, tx)
	if err != nil {
		return err
	}
	teachers, err := teachersOf(ctx, tx, students)
	if err != nil {
		return err
	}
	if t.DriverUserID != "" {
		others = append(others, t.DriverUserID)
	}
	now := s.Now()
	tx.AfterCommit(func() {
		for _, b := range changed {
			stop, _ := b.Where()
			e := boardingEvent{t.BusID, t.ID, b.StudentID, b.Status, stop, now}
			for _, user := range slices.Concat(parents[b.StudentID], teachers[b.StudentID], others) {
				if err := s.Live.EmitTo(school, user, boardingStatus, e); err != nil {
					s.Log.Warn("event not sent to other nodes", "event", boardingStatus, "error", err)
				}
			}
		}
	})
	if !slices.ContainsFunc(changed, func(b transport.Boarding) bool { return waits(t, b) }) {
		return nil
	}
	return tx.Notify(ctx, Topic, string(school)+"/"+string(t.BusID)+awaitedNow)
}

// watchers returns the administrators who may see students.
func watchers(ctx context.Context, q db.Q) ([]id.ID, error) {
	list, err := db.All[id.ID](ctx, q, `
		SELECT u.id FROM users u
		JOIN role_permissions p ON p.school_id = u.school_id AND p.role_id = u.role_id
		JOIN modules m ON m.id = p.module_id AND m.name = 'transport'
		WHERE u.school_id = :school AND u.role = 'SCHOOL_ADMIN' AND u.status = 'ACTIVE' AND p.can_read`, nil)
	if err != nil {
		return nil, fmt.Errorf("find administrators: %w", err)
	}
	return list, nil
}

// parentsOf maps students to the accounts of the guardians who may see them.
func parentsOf(ctx context.Context, q db.Q, students []id.ID) (map[id.ID][]id.ID, error) {
	return accountsOf(ctx, q, students, `
		SELECT s.id AS student_id, g.user_id FROM students s
		JOIN student_guardians l ON l.school_id = s.school_id AND l.student_id = s.id AND l.can_view_data
		JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id AND g.user_id IS NOT NULL
		WHERE s.school_id = :school AND s.id IN (:students) AND s.archived_at IS NULL`)
}

// teachersOf maps students to the accounts of their teachers who may see buses.
func teachersOf(ctx context.Context, q db.Q, students []id.ID) (map[id.ID][]id.ID, error) {
	return accountsOf(ctx, q, students, `
		SELECT DISTINCT s.id AS student_id, u.id AS user_id FROM students s
		JOIN teacher_assignments a ON a.school_id = s.school_id AND a.class_id = s.class_id
			AND (a.division_id IS NULL OR a.division_id = s.division_id)
		JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
		JOIN users u ON u.school_id = e.school_id AND u.id = e.user_id AND u.status = 'ACTIVE'
		JOIN role_permissions p ON p.school_id = u.school_id AND p.role_id = u.role_id AND p.can_read
		JOIN modules m ON m.id = p.module_id AND m.name = 'transport'
		WHERE s.school_id = :school AND s.id IN (:students) AND s.archived_at IS NULL`)
}

func accountsOf(ctx context.Context, q db.Q, students []id.ID, sql string) (map[id.ID][]id.ID, error) {
	type pair struct{ StudentID, UserID id.ID }
	out := map[id.ID][]id.ID{}
	err := db.Each(ctx, q, sql, db.Args{"students": students}, func(l pair) error {
		out[l.StudentID] = append(out[l.StudentID], l.UserID)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read who may see a student: %w", err)
	}
	return out, nil
}

// Reported sends the incident to the room of the bus.
func (s *Service) Reported(ctx context.Context, tx *db.Tx, i transport.Incident) error {
	school, err := schoolOf(ctx, tx)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() {
		s.emit(busRoom(school, i.BusID), incidentReported,
			incidentEvent{i.BusID, i.TripID, i.ID, i.Type, i.Description, i.CreatedAt})
	})
	return nil
}

// Withdrawn sends to the room of the bus that an incident was a mistake.
func (s *Service) Withdrawn(ctx context.Context, tx *db.Tx, i transport.Incident) error {
	school, err := schoolOf(ctx, tx)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() {
		s.emit(busRoom(school, i.BusID), incidentWithdrawn, withdrawnEvent{i.BusID, i.TripID, i.ID, i.WithdrawnAt})
	})
	return nil
}

func (s *Service) emit(room, event string, payload any) {
	if s.sockets == nil {
		return
	}
	if err := s.sockets.To(room).Emit(event, payload); err != nil {
		s.Log.Warn("event not sent to other nodes", "event", event, "error", err)
	}
}
