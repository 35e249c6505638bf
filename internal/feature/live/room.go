package live

import (
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// roomLeft is the event that tells a socket of a room that it had to leave.
const roomLeft = "room-left"

// ownRoom is the room of an account for a module that it hears of.
func ownRoom(school, user id.ID, module string) string {
	return "user:" + string(school) + ":" + string(user) + ":" + module
}

// moduleOf is what one must be able to read to hear an event of one's own.
var moduleOf = map[string]string{
	"notification":    "notification",
	"message":         "message",
	"message-read":    "message",
	"boarding-status": "transport",
}

// joinOwn puts a socket into the rooms of its account that it may be in, and takes
// it out of the others.
func joinOwn(so *socketio.Socket, who actor.Actor) error {
	for _, module := range []string{"notification", "message", "transport"} {
		room, right := ownRoom(who.School, who.User, module), module
		if module == "message" && who.Role == actor.Driver {
			right = "notification" // drivers have no right of their own for messages
		}
		if !who.Can(right, actor.Read) {
			so.Leave(room)
		} else if err := so.Join(room); err != nil {
			return err
		}
	}
	return nil
}

// EmitTo sends an event to all sockets of a user, on all nodes: a notification, a
// message.
func (s *Service) EmitTo(school, user id.ID, event string, payload any) error {
	if s.sockets == nil {
		return nil
	}
	module, known := moduleOf[event]
	if !known {
		return fmt.Errorf("nobody has said who may hear %s", event)
	}
	if err := s.sockets.To(ownRoom(school, user, module)).Emit(event, payload); err != nil {
		return fmt.Errorf("send to a user's devices: %w", err)
	}
	return nil
}

// TellLeft tells a socket of a room that it had to leave; room is what it knows the
// room by.
func TellLeft(so *socketio.Socket, room any) error {
	if err := so.Emit(roomLeft, room); err != nil {
		return fmt.Errorf("tell of a room left: %w", err)
	}
	return nil
}
