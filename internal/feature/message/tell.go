package message

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/text"
)

// Names of Socket.IO events.
const (
	messageEvent = "message"
	readEvent    = "message-read"
)

// Events are the events that are sent to sockets.
func Events() []socketio.Declared {
	return []socketio.Declared{
		socketio.Sends[Message](messageEvent, "A new message, to the sockets of everyone who may read it but its author."),
		socketio.Sends[readPayload](readEvent, "How far the other side has read."),
	}
}

// tell delivers the message to everyone but its author: over sockets after the
// commit, as a notification to the other side, and as a push if no socket is open. It
// returns the author's view.
func (s *Service) tell(ctx context.Context, tx *db.Tx, who actor.Actor, of, message id.ID) (Sent, error) {
	side := sideOf(who)
	t, err := getThread(ctx, tx, of, side)
	if err != nil {
		return Sent{}, err
	}
	m, err := getMessage(ctx, tx, of, message)
	if err != nil {
		return Sent{}, err
	}
	files, err := s.views(ctx, tx, who, m)
	if err != nil {
		return Sent{}, err
	}
	for _, to := range []id.ID{side, t.other(side)} {
		err := s.emit(ctx, tx, who, to, messageEvent, func(user id.ID) (any, error) {
			files, err := s.views(ctx, tx, actor.Actor{School: who.School, User: user}, m)
			return t.message(m, to, files), err
		})
		if err != nil {
			return Sent{}, err
		}
	}
	return Sent{Message: t.message(m, side, files), Thread: t.seenFrom(side)}, s.notify(ctx, tx, who, t, m)
}

// emit sends an event after the commit to everyone of a side but the caller. payload
// returns each user's view.
func (s *Service) emit(ctx context.Context, tx *db.Tx, who actor.Actor, side id.ID, event string,
	payload func(user id.ID) (any, error)) error {
	if s.Live == nil {
		return nil
	}
	users := []id.ID{side}
	if side == who.School {
		var err error
		if users, err = notification.OfficeUsers(ctx, tx, office); err != nil {
			return err
		}
	}
	for _, user := range users {
		if user == who.User {
			continue
		}
		sent, err := payload(user)
		if err != nil {
			return err
		}
		tx.AfterCommit(func() {
			if err := s.Live.EmitTo(who.School, user, event, sent); err != nil { // the next request for the list still has it
				s.Log.Warn("event not sent to sockets", "event", event, "error", err)
			}
		})
	}
	return nil
}

// office is the permission of those who read for the office.
const office = "message.read"

// notify notifies the other side. Notifications never contain the text of a message.
func (s *Service) notify(ctx context.Context, tx *db.Tx, who actor.Actor, t thread, m row) error {
	to := t.party(t.other(m.SideID))
	sender := t.party(m.SideID)
	n := notification.Notice{Type: notification.Message, Record: m.ID, Users: []id.ID{to.ID},
		Title: text.T("message.received.title", "sender", sender.Name), Body: text.T("message.received.body", "sender", sender.Name)}
	if t.StudentID != nil {
		n.Student, n.Body = *t.StudentID, text.T("message.received.about", "sender", sender.Name, "student", t.StudentName)
	}
	if to.Role == Office {
		return s.Notify.Office(ctx, tx, who, office, n)
	}
	if s.Present == nil || !s.Present(who.School, to.ID) {
		n.Topic, n.Devices = topicOf(to, t.StudentID)
	}
	if err := s.Notify.Send(ctx, tx, who.School, []notification.Notice{n}); err != nil {
		return fmt.Errorf("notify of a message: %w", err)
	}
	return nil
}

// topicOf returns the push topic of someone's app. Parents subscribe to their
// children; a message about none goes to the parent's own devices.
func topicOf(to Party, student *id.ID) (topic string, devices bool) {
	switch {
	case to.Role == Role(actor.Teacher):
		return notification.TeacherTopic(to.ID), false
	case to.Role == Role(actor.Driver):
		return notification.DriverTopic(to.ID), false
	case student != nil:
		return notification.StudentTopic(*student), false
	}
	return "", true
}

// readPayload is the payload of message-read.
type readPayload struct {
	ThreadID  id.ID     `json:"threadId"`
	MessageID id.ID     `json:"messageId" doc:"The last message read."`
	ReadAt    time.Time `json:"readAt"`
	ReadBy    Party     `json:"readBy"`
}

// tellRead sends the other side how far the caller's side has read.
func (s *Service) tellRead(ctx context.Context, tx *db.Tx, who actor.Actor, t thread, r Read) error {
	side := sideOf(who)
	return s.emit(ctx, tx, who, t.other(side), readEvent, func(id.ID) (any, error) {
		return readPayload{r.ThreadID, r.MessageID, r.ReadAt, t.party(side)}, nil
	})
}
