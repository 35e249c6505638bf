package message

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// The events, as clients know them.
const (
	messageEvent = "message"
	readEvent    = "message-read"
)

// tell has the message reach everyone but its author: over their sockets after
// the commit, by an entry of the other side's log, and by a push where no socket
// is open. It returns what the author sees.
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
	return Sent{Message: t.message(m, side, files), Thread: t.seenFrom(side)}, s.notify(ctx, tx, who.School, t, m)
}

// emit sends an event, once the transaction is through, to everyone of a side but
// the caller: to each what it is for that user.
func (s *Service) emit(ctx context.Context, tx *db.Tx, who actor.Actor, side id.ID, event string, payload func(user id.ID) (any, error)) error {
	if s.Live == nil {
		return nil
	}
	users := []id.ID{side}
	if side == who.School {
		var err error
		if users, err = officeAccounts(ctx, tx); err != nil {
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
			if err := s.Live.EmitTo(who.School, user, event, sent); err != nil { // their lists have it all the same
				s.Log.Warn("an event did not reach a socket", "event", event, "error", err)
			}
		})
	}
	return nil
}

// notify tells the other side, unless it is the office: its screen is its list of
// conversations. The text of a message is in no notification.
func (s *Service) notify(ctx context.Context, tx *db.Tx, school id.ID, t thread, m row) error {
	to := t.party(t.other(m.SideID))
	if to.Role == Office {
		return nil
	}
	sender := t.party(m.SideID)
	n := notification.Notice{Type: notification.Message, Record: m.ID, Users: []id.ID{to.ID},
		Title: text.T("message.received.title", "sender", sender.Name), Body: text.T("message.received.body", "sender", sender.Name)}
	if t.StudentID != nil {
		n.Student, n.Body = *t.StudentID, text.T("message.received.about", "sender", sender.Name, "student", t.StudentName)
	}
	if s.Present == nil || !s.Present(school, to.ID) {
		n.Topic, n.Devices = topicOf(to, t.StudentID)
	}
	if err := s.Notify.Send(ctx, tx, school, []notification.Notice{n}); err != nil {
		return fmt.Errorf("tell of a message: %w", err)
	}
	return nil
}

// topicOf is where someone's app listens. A parent's listens to the children: what
// is about none of them goes to the parent's own devices.
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

// readPayload is what message-read carries.
type readPayload struct {
	ThreadID  id.ID     `json:"threadId"`
	MessageID id.ID     `json:"messageId"` // up to which
	ReadAt    time.Time `json:"readAt"`
	ReadBy    Party     `json:"readBy"`
}

// tellRead tells the other side how far the caller's side has read.
func (s *Service) tellRead(ctx context.Context, tx *db.Tx, who actor.Actor, t thread, r Read) error {
	side := sideOf(who)
	return s.emit(ctx, tx, who, t.other(side), readEvent, func(id.ID) (any, error) {
		return readPayload{r.ThreadID, r.MessageID, r.ReadAt, t.party(side)}, nil
	})
}
