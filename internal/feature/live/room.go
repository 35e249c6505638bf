package live

import (
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// RoomLeft is the event sent to a socket that was removed from a room. The features that
// have rooms declare it.
const RoomLeft = "room-left"

// ownRoom is the room of an account for the events of a module.
func ownRoom(school, user id.ID, module string) string {
	return "user:" + string(school) + ":" + string(user) + ":" + module
}

// moduleOf is the read permission that each event requires.
var moduleOf = map[string]string{
	"notification":    "notification",
	"message":         "message",
	"message-read":    "message",
	"boarding-status": "transport",
}

// ownModules are the modules of which an account has a room.
var ownModules = []string{"notification", "message", "transport"}

// joinOwn joins the rooms of the account that it has the permission for, and leaves
// the others.
func joinOwn(so *socketio.Socket, who actor.Actor) error {
	for _, module := range ownModules {
		room, right := ownRoom(who.School, who.User, module), module
		if module == "message" && who.Role == actor.Driver {
			right = "notification" // drivers have no message permission
		}
		if !who.Can(right, actor.Read) {
			so.Leave(room)
		} else if err := so.Join(room); err != nil {
			return err
		}
	}
	return nil
}

// outdateOwn ends the replay of what was sent to the accounts of a school ("" = all) until now: it
// may be about a child whom they no longer see.
func (s *Service) outdateOwn(school id.ID) {
	for _, so := range s.sockets.Sockets() {
		if of := passOf(so).school; school == "" || of == school {
			for _, module := range ownModules {
				so.Outdate(ownRoom(of, id.ID(so.User()), module))
			}
		}
	}
}

// EmitTo sends an event to all sockets of a user, on all nodes.
func (s *Service) EmitTo(school, user id.ID, event string, payload any) error {
	if s.sockets == nil {
		return nil
	}
	module, known := moduleOf[event]
	if !known {
		return fmt.Errorf("event %s is not in moduleOf", event)
	}
	if err := s.sockets.To(ownRoom(school, user, module)).Emit(event, payload); err != nil {
		return fmt.Errorf("emit to a user: %w", err)
	}
	return nil
}

// TellLeft tells a socket that it was removed from a room; room identifies it to the
// client.
func TellLeft(so *socketio.Socket, room any) error {
	if err := so.Emit(RoomLeft, room); err != nil {
		return fmt.Errorf("emit room-left: %w", err)
	}
	return nil
}
