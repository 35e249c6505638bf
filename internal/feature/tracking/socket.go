package tracking

import (
	"context"
	"encoding/json"

	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// Names of Socket.IO events.
const (
	joinBusRoom      = "join-bus-room"
	leaveBusRoom     = "leave-bus-room"
	updateLocation   = "update-location"
	busLocation      = "bus-location"
	tripStatus       = "trip-status"
	boardingStatus   = "boarding-status"
	incidentReported = "incident-reported"
)

// Serve attaches the sockets. Call it before they accept connections.
func (s *Service) Serve(sockets *socketio.Server) {
	s.sockets = sockets
	sockets.On(joinBusRoom, s.onJoin)
	sockets.On(leaveBusRoom, s.onLeave)
	sockets.On(updateLocation, s.onLocation)
}

// roomOf parses the bus of an event.
func roomOf(e socketio.Event, who actor.Actor) (bus id.ID, err error) {
	var in struct {
		SchoolID json.RawMessage `json:"schoolId"`
		BusID    json.RawMessage `json:"busId"`
	}
	if len(e.Args) == 0 || json.Unmarshal(e.Args[0], &in) != nil {
		return "", fault.OnField("busId", "is required; send {schoolId, busId}")
	}
	school, err := readID("schoolId", in.SchoolID, who.School)
	if err != nil {
		return "", err
	}
	if bus, err = readID("busId", in.BusID, ""); err != nil {
		return "", err
	}
	if school != who.School {
		return "", transport.ErrNoBus
	}
	return bus, nil
}

func readID(field string, raw json.RawMessage, otherwise id.ID) (id.ID, error) {
	if (len(raw) == 0 || string(raw) == "null") && otherwise != "" {
		return otherwise, nil
	}
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) != nil {
		return "", fault.OnField(field, "is required and must be a string")
	}
	v, err := id.Parse(text)
	if err != nil {
		return "", fault.OnField(field, "must be a UUID")
	}
	return v, nil
}

type located struct {
	Live bool `json:"live"` // the fix became the current position
}

// onLocation accepts a position of the driver's bus.
func (s *Service) onLocation(ctx context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
	who, err := s.Live.Who(ctx, so)
	switch {
	case err != nil:
		return nil, err
	case who.Role != actor.Driver:
		return nil, transport.ErrNotDriver
	case !who.Can("transport", actor.Write):
		return nil, errNoRead
	}
	f, err := s.readFix(e)
	if err != nil {
		return nil, err
	}
	bus, ok := lastRoom(so, who.School)
	if !ok {
		return nil, errNotJoined
	}
	moved, err := s.Move(ctx, who, bus, f)
	return located{moved}, err
}

// Move accepts a position of a bus from its driver, and reports whether it became the
// current one.
func (s *Service) Move(ctx context.Context, who actor.Actor, bus id.ID, f Fix) (bool, error) {
	t := s.tracker(who.School, bus)
	if err := t.mayBeMovedBy(ctx, s, who.User); err != nil {
		return false, err
	}
	return s.take(ctx, t, f)
}

func (s *Service) readFix(e socketio.Event) (Fix, error) {
	if len(e.Args) == 0 {
		return Fix{}, fault.OnField("lat", "is required; send an object with lat, lng, speed, heading and timestamp")
	}
	in, err := decodeSent(e.Args[0])
	if err != nil {
		return Fix{}, err
	}
	f, wrong := in.fix("", s.Now())
	if len(wrong) > 0 {
		return f, fault.Fields(wrong...)
	}
	return f, nil
}
