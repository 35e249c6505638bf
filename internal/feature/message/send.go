package message

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// New is a message to send, in a conversation or to a recipient.
type New struct {
	ThreadID    *id.ID  `json:"threadId" doc:"An existing conversation. Use either threadId or recipientId."`
	RecipientID *id.ID  `json:"recipientId" example:"0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47" doc:"An account, or the school's id for the office; see recipients. Continues the existing conversation, if any."`
	StudentID   *id.ID  `json:"studentId" doc:"The student it is about, with recipientId. Optional if only one is possible, or with the office."`
	Body        string  `json:"body" maxLength:"4000" multiline:"true" doc:"Plain text. Optional with attachments."`
	Attachments []id.ID `json:"attachments" maxItems:"10" doc:"Files that the caller uploaded."`
}

// Check validates the combination of fields.
func (in *New) Check() error {
	switch {
	case in.ThreadID == nil && in.RecipientID == nil:
		return fault.OnField("recipientId", "is required without threadId")
	case in.ThreadID != nil && in.RecipientID != nil:
		return fault.OnField("recipientId", "can't be combined with threadId")
	case in.ThreadID != nil && in.StudentID != nil:
		return fault.OnField("studentId", "is only allowed with recipientId")
	case strings.TrimSpace(in.Body) == "" && len(in.Attachments) == 0:
		return fault.OnField("body", "must not be blank without attachments")
	}
	return nil
}

// Sent is a sent message and its conversation.
type Sent struct {
	Message Message `json:"message"`
	Thread  Thread  `json:"thread"`
}

// Send writes a message, creates the conversation if needed, and notifies the other
// side, all in one transaction.
func (s *Service) Send(ctx context.Context, who actor.Actor, in New) (out Sent, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		p, err := in.pair(ctx, tx, who)
		if err != nil {
			return err
		}
		if err := p.lock(ctx, tx); err != nil {
			return err
		}
		st, err := readRelation(ctx, tx, who.School, p)
		switch {
		case err != nil:
			return err
		case !st.StudentKnown && in.ThreadID == nil:
			return people.ErrNoStudent
		}
		if err := st.mayWrite(who, p); err != nil {
			return err
		}
		of, message, err := s.put(ctx, tx, who, p, st, in)
		if err != nil {
			return err
		}
		if out, err = s.tell(ctx, tx, who, of, message); err != nil {
			return err
		}
		// Without the text, which is private.
		return s.Audit.Record(ctx, tx, who, "message.send", "message", message, nil,
			map[string]any{"threadId": of, "recipientId": p.other(sideOf(who)), "studentId": p.StudentID, "attachments": len(in.Attachments)})
	})
	return out, err
}

// pair returns the sides of the message.
func (in New) pair(ctx context.Context, q db.Q, who actor.Actor) (pair, error) {
	if in.ThreadID == nil {
		return pairOf(ctx, q, who, *in.RecipientID, in.StudentID)
	}
	t, err := getThread(ctx, q, *in.ThreadID, sideOf(who))
	return t.pair, err
}

// put writes the message into the conversation of the pair.
func (s *Service) put(ctx context.Context, tx *db.Tx, who actor.Actor, p pair, st relation, in New) (of, message id.ID, err error) {
	now := s.Now()
	search := people.SearchText(st.UserName, st.PeerName, st.StudentName)
	of, err = findThread(ctx, tx, p)
	isNew := errors.Is(err, db.ErrNotFound)
	if isNew {
		of = s.NewID()
		err = putThread(ctx, tx, of, p, now)
	}
	if err != nil {
		return of, "", fmt.Errorf("create a conversation: %w", err)
	}
	m := row{ID: s.NewID(), ThreadID: of, SideID: sideOf(who), AuthorID: who.User, Body: in.Body, CreatedAt: now}
	m.Attachments.V = append([]id.ID{}, in.Attachments...)
	if err := putMessage(ctx, tx, m); err != nil {
		return of, m.ID, err
	}
	if len(in.Attachments) > 0 {
		if err := s.Files.Attach(ctx, tx, who, file.Message, m.ID, in.Attachments); err != nil {
			return of, m.ID, err
		}
	}
	if isNew {
		return of, m.ID, putSides(ctx, tx, m, p, search)
	}
	return of, m.ID, moveSides(ctx, tx, m, search)
}
