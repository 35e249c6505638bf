package tracking

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// The events, as clients know them.
const (
	joinBusRoom      = "join-bus-room"
	leaveBusRoom     = "leave-bus-room"
	updateLocation   = "update-location"
	busLocation      = "bus-location"
	tripStatus       = "trip-status"
	boardingStatus   = "boarding-status"
	incidentReported = "incident-reported"
)

func busRoom(school, bus id.ID) string   { return roomsOf(school) + string(bus) }
func roomsOf(school id.ID) string        { return "bus:" + string(school) + ":" }
func userRoom(school, user id.ID) string { return "user:" + string(school) + ":" + string(user) }

// Authenticate is the Config.Authenticate of the sockets. The token stays with the
// socket: every event asks again whether it is good.
func (s *Service) Authenticate(ctx context.Context, h socketio.Handshake) (socketio.Identity, error) {
	who, err := s.Gate.Authenticate(ctx, h.Token)
	if err != nil {
		return socketio.Identity{}, err
	}
	expires, err := s.Expiry(h.Token)
	if err != nil {
		return socketio.Identity{}, err
	}
	return socketio.Identity{User: string(who.User), Expires: expires, Principal: h.Token}, nil
}

// Serve gives the service its sockets. Call it before they are used.
func (s *Service) Serve(sockets *socketio.Server) {
	s.sockets = sockets
	sockets.OnConnect(func(ctx context.Context, so *socketio.Socket) error {
		who, err := s.who(ctx, so)
		if err != nil {
			return err
		}
		return so.Join(userRoom(who.School, who.User))
	})
	s.DB.Listen(identity.Topic, s.onUser)
	sockets.On(joinBusRoom, s.onJoin)
	sockets.On(leaveBusRoom, s.onLeave)
	sockets.On(updateLocation, s.onLocation)
}

// who is whose socket it is, as of now.
func (s *Service) who(ctx context.Context, so *socketio.Socket) (actor.Actor, error) {
	token, _ := so.Principal().(string)
	who, err := s.Gate.Authenticate(ctx, token)
	who.IP = so.IP()
	return who, err
}

// onUser hears that an account or a session has changed, on whatever node.
func (s *Service) onUser(sig db.Signal) {
	user, ok := strings.CutPrefix(sig.Payload, "user:")
	if sig.Lost || !ok {
		return // the tokens' own end is near enough
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubtful[user] = true
}

// hangUp disconnects those whose tokens are good no longer: they have signed out,
// or their account was closed.
func (s *Service) hangUp(ctx context.Context) {
	s.mu.Lock()
	users := s.doubtful
	s.doubtful = map[string]bool{}
	s.mu.Unlock()
	for user := range users {
		for _, so := range s.sockets.UserSockets(user) {
			if _, err := s.who(ctx, so); err != nil && fault.From(err).Kind != fault.Internal {
				so.Disconnect()
			}
		}
	}
}

// roomOf reads which bus an event is about.
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
		return "", fault.OnField(field, "is required, as a text")
	}
	v, err := id.Parse(text)
	if err != nil {
		return "", fault.OnField(field, "must be a UUID")
	}
	return v, nil
}

type joined struct {
	SchoolID id.ID `json:"schoolId"`
	BusID    id.ID `json:"busId"`
}

// onJoin lets someone watch a bus, and shows where it is.
func (s *Service) onJoin(ctx context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
	who, err := s.who(ctx, so)
	if err != nil {
		return nil, err
	}
	if !who.Can("transport", actor.Read) {
		return nil, errNoRead
	}
	bus, err := roomOf(e, who)
	if err != nil {
		return nil, err
	}
	q := s.DB.School(who.School)
	if _, err := transport.MaySeeBus(ctx, q, who, bus); err != nil {
		return nil, err
	}
	if who.Role == actor.Driver { // whose own fixes its node takes: what other nodes saw comes first
		s.tracker(who.School, bus).changed.Store(true)
	}
	so.Leave(busRoom(who.School, bus)) // the room joined last is the one that a driver moves
	if err := so.Join(busRoom(who.School, bus)); err != nil {
		return nil, err
	}
	return joined{who.School, bus}, s.greet(ctx, so, who.School, bus)
}

// greet sends a newcomer what was sent last.
func (s *Service) greet(ctx context.Context, so *socketio.Socket, school, bus id.ID) error {
	t := s.tracker(school, bus)
	location, seen, err := s.lastLocation(ctx, t)
	if err != nil {
		return err
	}
	if seen {
		if err := so.Emit(busLocation, location); err != nil {
			return err
		}
	}
	trip, is, err := lastTrip(ctx, s.DB.School(school), bus)
	if err != nil || !is {
		return err
	}
	return so.Emit(tripStatus, statusOf(trip))
}

func (s *Service) lastLocation(ctx context.Context, t *tracker) (locationEvent, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(ctx, s); err != nil {
		return locationEvent{}, false, err
	}
	return t.event(s.Now()), !t.gate.last.At.IsZero(), nil
}

func (s *Service) onLeave(ctx context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
	who, err := s.who(ctx, so)
	if err != nil {
		return nil, err
	}
	bus, err := roomOf(e, who)
	if err != nil {
		return nil, err
	}
	so.Leave(busRoom(who.School, bus))
	return joined{who.School, bus}, nil
}

type located struct {
	Live bool `json:"live"` // it moved the bus
}

// onLocation takes a position of the driver's bus.
func (s *Service) onLocation(ctx context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
	who, err := s.who(ctx, so)
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
	t := s.tracker(who.School, bus)
	if err := t.mayBeMovedBy(ctx, s, who.User); err != nil {
		return nil, err
	}
	moved, err := s.take(ctx, t, f)
	return located{moved}, err
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

// lastRoom is the bus whose room the socket has joined last.
func lastRoom(so *socketio.Socket, school id.ID) (bus id.ID, ok bool) {
	for _, name := range so.Rooms() {
		if rest, is := strings.CutPrefix(name, roomsOf(school)); is {
			bus, ok = id.ID(rest), true
		}
	}
	return bus, ok
}

// EmitTo sends an event to all sockets of a user, on all nodes: a notification, a
// message.
func (s *Service) EmitTo(school, user id.ID, event string, payload any) error {
	if s.sockets == nil {
		return nil
	}
	if err := s.sockets.To(userRoom(school, user)).Emit(event, payload); err != nil {
		return fmt.Errorf("send to a user's devices: %w", err)
	}
	return nil
}
