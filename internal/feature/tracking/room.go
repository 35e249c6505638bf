package tracking

import (
	"context"
	"strings"

	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// Each bus has two rooms: one for all watchers, and a yard room for those who may see
// the bus without a running trip.
func busRoom(school, bus id.ID) string  { return busRoomsOf(school) + string(bus) }
func busRoomsOf(school id.ID) string    { return "bus:" + string(school) + ":" }
func yardRoom(school, bus id.ID) string { return "yard:" + string(school) + ":" + string(bus) }

type joined struct {
	SchoolID id.ID `json:"schoolId"`
	BusID    id.ID `json:"busId"`
}

// onJoin adds the socket to the room of a bus and sends the current position.
func (s *Service) onJoin(ctx context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
	signals := s.Live.Signals()
	who, bus, err := s.mayJoin(ctx, so, e)
	if err != nil {
		return nil, err
	}
	if who.Role == actor.Driver { // this node now tracks the bus: load what other nodes wrote
		s.tracker(who.School, bus).changed.Store(true)
	}
	so.Leave(busRoom(who.School, bus)) // rejoin: a driver moves the bus joined last
	if err := enter(so, who, bus); err != nil {
		return nil, err
	}
	if s.Live.Signals() != signals { // the right may have ended before the socket was in the room
		if _, _, err := s.mayJoin(ctx, so, e); err != nil {
			leave(so, who.School, bus)
			return nil, err
		}
	}
	return joined{who.School, bus}, s.greet(ctx, so, who, bus)
}

func (s *Service) mayJoin(ctx context.Context, so *socketio.Socket, e socketio.Event) (who actor.Actor, bus id.ID, err error) {
	if who, err = s.Live.Who(ctx, so); err != nil {
		return who, "", err
	}
	if !who.Can("transport", actor.Read) {
		return who, "", errNoRead
	}
	if bus, err = roomOf(e, who); err != nil {
		return who, "", err
	}
	_, err = transport.MaySeeBus(ctx, s.DB.School(who.School), who, bus)
	return who, bus, err
}

// enter adds a socket to the rooms of a bus for its role.
func enter(so *socketio.Socket, who actor.Actor, bus id.ID) error {
	if who.Role != actor.SchoolAdmin {
		so.Leave(yardRoom(who.School, bus))
	} else if err := so.Join(yardRoom(who.School, bus)); err != nil {
		return err
	}
	return so.Join(busRoom(who.School, bus))
}

func leave(so *socketio.Socket, school, bus id.ID) {
	so.Leave(yardRoom(school, bus))
	so.Leave(busRoom(school, bus))
}

// greet sends the latest trip status and position to a new watcher.
func (s *Service) greet(ctx context.Context, so *socketio.Socket, who actor.Actor, bus id.ID) error {
	location, seen, err := s.lastLocation(ctx, s.tracker(who.School, bus), who.Role == actor.SchoolAdmin)
	if err != nil {
		return err
	}
	if seen {
		if err := so.Emit(busLocation, location); err != nil {
			return err
		}
	}
	trip, is, err := lastTrip(ctx, s.DB.School(who.School), bus)
	if err != nil || !is {
		return err
	}
	return so.Emit(tripStatus, statusOf(trip))
}

// lastLocation returns the position of a bus; false if there is none to show. idle
// includes a bus without a running trip.
func (s *Service) lastLocation(ctx context.Context, t *tracker, idle bool) (locationEvent, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(ctx, s); err != nil {
		return locationEvent{}, false, err
	}
	return t.event(s.Now()), !t.gate.last.At.IsZero() && (idle || t.underWay()), nil
}

func (s *Service) onLeave(ctx context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
	who, err := s.Live.Who(ctx, so)
	if err != nil {
		return nil, err
	}
	bus, err := roomOf(e, who)
	if err != nil {
		return nil, err
	}
	leave(so, who.School, bus)
	return joined{who.School, bus}, nil
}

// busesOf returns the buses whose rooms a socket is in, in the order of joining.
func busesOf(so *socketio.Socket, school id.ID) (buses []id.ID) {
	for _, name := range so.Rooms() {
		if bus, is := strings.CutPrefix(name, busRoomsOf(school)); is {
			buses = append(buses, id.ID(bus))
		}
	}
	return buses
}

// lastRoom returns the bus whose room the socket joined last.
func lastRoom(so *socketio.Socket, school id.ID) (bus id.ID, ok bool) {
	buses := busesOf(so, school)
	if len(buses) == 0 {
		return "", false
	}
	return buses[len(buses)-1], true
}
