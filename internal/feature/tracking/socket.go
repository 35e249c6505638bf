package tracking

import (
	"context"
	"encoding/json"

	"homeroom/internal/feature/live"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// Names of Socket.IO events.
const (
	joinBusRoom       = "join-bus-room"
	leaveBusRoom      = "leave-bus-room"
	updateLocation    = "update-location"
	busLocation       = "bus-location"
	tripStatus        = "trip-status"
	boardingStatus    = "boarding-status"
	incidentReported  = "incident-reported"
	incidentWithdrawn = "incident-withdrawn"
)

// Serve attaches the sockets. Call it before they accept connections.
func (s *Service) Serve(sockets *socketio.Server) {
	s.sockets = sockets
	sockets.Declare(
		socketio.Takes[room, joined](joinBusRoom, "Joins the room of a bus. The latest bus-location and trip-status are sent at once."),
		socketio.Takes[room, joined](leaveBusRoom, "Leaves the room of a bus."),
		socketio.Takes[sent, located](updateLocation, "The position of the bus whose room the driver joined last."),
		socketio.Sends[locationEvent](busLocation, "The position of a bus, to its room. Slow clients get only the newest."),
		socketio.Sends[statusEvent](tripStatus, "A trip of the bus has changed, to its room."),
		socketio.Sends[incidentEvent](incidentReported, "The driver has reported an incident, to the room of the bus."),
		socketio.Sends[withdrawnEvent](incidentWithdrawn, "An incident was reported by mistake, to the room of the bus."),
		socketio.Sends[boardingEvent](boardingStatus, "A student got on or off, to those who may see the student."),
		socketio.Sends[joined](live.RoomLeft, "The socket was removed from the room of a bus, because the right to watch it ended."),
	)
	sockets.On(joinBusRoom, s.onJoin)
	sockets.On(leaveBusRoom, s.onLeave)
	sockets.On(updateLocation, s.onLocation)
}

// room is the argument of join-bus-room and leave-bus-room.
type room struct {
	SchoolID json.RawMessage `json:"schoolId" oneOf:"uuid" doc:"The account's school, which is the default."`
	BusID    json.RawMessage `json:"busId" required:"true" oneOf:"uuid"`
}

// roomOf parses the bus of an event.
func roomOf(e socketio.Event, who actor.Actor) (bus id.ID, err error) {
	var in room
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
	Live bool `json:"live" doc:"The position became the current one of the bus."`
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
