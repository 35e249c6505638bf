package tracking

import (
	"context"
	"errors"
	"strings"

	"homeroom/internal/feature/live"
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
	if err := enter(so, who, bus); err != nil { // also if it is there: a driver moves the bus joined last
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
	_, err = transport.MaySeeBus(ctx, s.DB.School(who.School), who, bus, s.Now())
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
	if err := s.locate(ctx, so, who, bus); err != nil {
		return err
	}
	trip, is, err := lastTrip(ctx, s.DB.School(who.School), bus, s.Now())
	if err != nil || !is {
		return err
	}
	return so.Emit(tripStatus, statusOf(trip))
}

// onReturn sends the positions of its buses to a recovered socket: positions are the only
// events that it does not get later.
func (s *Service) onReturn(ctx context.Context, p live.Present) error {
	var failed error
	for _, bus := range busesOf(p.Socket, p.Who.School) {
		if p.Who.Role == actor.Driver { // other nodes may have got its positions meanwhile
			s.tracker(p.Who.School, bus).changed.Store(true)
		}
		failed = errors.Join(failed, s.locate(ctx, p.Socket, p.Who, bus))
	}
	return failed
}

// locate sends the position of a bus, if there is one to show.
func (s *Service) locate(ctx context.Context, so *socketio.Socket, who actor.Actor, bus id.ID) error {
	location, seen, err := s.lastLocation(ctx, s.tracker(who.School, bus), who.Role == actor.SchoolAdmin)
	if err != nil || !seen {
		return err
	}
	return so.EmitVolatile(busLocation, location)
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
