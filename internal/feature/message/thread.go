package message

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// party returns a side of the conversation by id.
func (t thread) party(side id.ID) Party {
	switch {
	case side == t.UserID:
		return Party{side, opt.Text(t.UserName), Role(t.UserRole)}
	case t.PeerRole == "":
		return Party{side, opt.Text(t.SchoolName), Office}
	}
	return Party{side, opt.Text(t.PeerName), Role(t.PeerRole)}
}

// seenFrom returns one side's view of the conversation.
func (t thread) seenFrom(side id.ID) Thread {
	return Thread{ID: t.ID, With: t.party(t.other(side)), StudentID: t.StudentID, StudentName: opt.Text(t.StudentName),
		UnreadCount: t.Unread, CreatedAt: t.CreatedAt,
		LastMessage: Last{ID: t.LastMessageID, SenderID: t.LastSideID, IsOwn: t.LastSideID == side, Body: opt.Text(t.LastBody),
			AttachmentCount: len(t.LastAttachments.V), ReadAt: t.LastReadAt, CreatedAt: t.LastAt}}
}

// message returns one side's view of a message.
func (t thread) message(m row, side id.ID, files map[id.ID]file.View) Message {
	out := Message{ID: m.ID, ThreadID: m.ThreadID, Sender: t.party(m.SideID), IsOwn: m.SideID == side,
		Body: opt.Text(m.Body), Attachments: []file.View{},
		ReadAt: m.ReadAt, CreatedAt: m.CreatedAt}
	for _, f := range m.Attachments.V {
		if v, there := files[f]; there {
			out.Attachments = append(out.Attachments, v)
		}
	}
	office := t.party(side).Role == Office
	if office && out.IsOwn {
		out.Author = &Party{m.AuthorID, opt.Text(m.AuthorName), Role(actor.SchoolAdmin)}
	}
	if m.ReadAt != nil {
		out.ReadBy = new(t.party(t.other(m.SideID)))
		if office && !out.IsOwn && m.ReadBy != nil {
			out.ReadBy = &Party{*m.ReadBy, opt.Text(m.ReaderName), Role(actor.SchoolAdmin)}
		}
	}
	return out
}

// views reads the attachments of messages in one call.
func (s *Service) views(ctx context.Context, q db.Q, who actor.Actor, messages ...row) (map[id.ID]file.View, error) {
	var files []id.ID
	for _, m := range messages {
		files = append(files, m.Attachments.V...)
	}
	return s.Files.Views(ctx, q, who, files)
}

// Threads is a page of conversations.
type Threads struct {
	page.Of[Thread]
	UnreadCount int `json:"unreadCount" doc:"Unread messages in all conversations, not only on this page."`
}

// List pages through the conversations of the caller's side, latest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f filter, r page.Request) (Threads, error) {
	q, side := s.DB.School(who.School), sideOf(who)
	rows, err := listThreads(ctx, q, side, side == who.School && who.Can("student", actor.Read), f, r)
	if err != nil {
		return Threads{}, err
	}
	if f.StudentID != nil && rows.Total == 0 { // a match proves that the student exists
		if err := mustKnow(ctx, q, who, *f.StudentID); err != nil {
			return Threads{}, err
		}
	}
	out := Threads{Of: page.Of[Thread]{Items: make([]Thread, len(rows.Items)), Total: rows.Total,
		Page: rows.Page, Limit: rows.Limit, TotalPages: rows.TotalPages}}
	for i, t := range rows.Items {
		out.Items[i] = t.seenFrom(side)
	}
	out.UnreadCount, err = countUnread(ctx, q, side)
	return out, err
}

// mustKnow refuses a student that is not of the school, or not the parent's child.
func mustKnow(ctx context.Context, q db.Q, who actor.Actor, student id.ID) error {
	if who.Role == actor.Parent {
		return people.MustBeLinked(ctx, q, who.User, student)
	}
	return people.MustExist(ctx, q, people.Ref{Table: "students", ID: &student, Missing: people.ErrNoStudent})
}

// Page is a page of a conversation.
type Page struct {
	page.Of[Message]
	Thread   Thread `json:"thread"`
	CanWrite bool   `json:"canWrite" doc:"False if the caller may no longer write, e.g. because the student left or has another teacher."`
}

// Get pages through a conversation, latest message first. of may also be one of its messages, which is what
// notifications name.
func (s *Service) Get(ctx context.Context, who actor.Actor, of id.ID, before *id.ID, r page.Request) (Page, error) {
	q, side := s.DB.School(who.School), sideOf(who)
	t, err := getThread(ctx, q, of, side)
	if errors.Is(err, errNoThread) {
		t, err = threadOf(ctx, q, of, side)
	}
	if err != nil {
		return Page{}, err
	}
	of = t.ID
	if before != nil {
		if _, err := getMessage(ctx, q, of, *before); err != nil {
			return Page{}, err
		}
	}
	rows, err := listMessages(ctx, q, of, before, r)
	if err != nil {
		return Page{}, err
	}
	files, err := s.views(ctx, q, who, rows.Items...)
	if err != nil {
		return Page{}, err
	}
	st, err := readRelation(ctx, q, who.School, t.pair)
	if err != nil {
		return Page{}, err
	}
	out := Page{Thread: t.seenFrom(side), CanWrite: st.mayWrite(who, t.pair) == nil,
		Of: page.Of[Message]{Items: make([]Message, len(rows.Items)), Total: rows.Total,
			Page: rows.Page, Limit: rows.Limit, TotalPages: rows.TotalPages}}
	for i, m := range rows.Items {
		out.Items[i] = t.message(m, side, files)
	}
	return out, nil
}

// Read is how far a side has read.
type Read struct {
	ThreadID    id.ID     `json:"threadId"`
	MessageID   id.ID     `json:"messageId" doc:"The last message read."`
	ReadAt      time.Time `json:"readAt"`
	Marked      int64     `json:"marked" doc:"Messages newly marked as read."`
	UnreadCount int       `json:"unreadCount" doc:"Messages of the conversation still unread."`
}

// MarkRead marks messages of the other side as read, up to a message or all, and
// tells the other side.
func (s *Service) MarkRead(ctx context.Context, who actor.Actor, of id.ID, upTo *id.ID) (out Read, err error) {
	side := sideOf(who)
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		t, err := getThread(ctx, tx, of, side)
		if err != nil {
			return err
		}
		out = Read{ThreadID: of, MessageID: t.LastMessageID, ReadAt: s.Now()}
		if upTo != nil {
			if _, err := getMessage(ctx, tx, of, *upTo); err != nil {
				return err
			}
			out.MessageID = *upTo
		}
		if out.Marked, err = putRead(ctx, tx, of, side, who.User, upTo, out.ReadAt); err != nil {
			return fmt.Errorf("mark messages as read: %w", err)
		}
		if out.Marked == 0 {
			out.UnreadCount = t.Unread
			return nil
		}
		if t, err = getThread(ctx, tx, of, side); err != nil {
			return err
		}
		out.UnreadCount = t.Unread
		return s.tellRead(ctx, tx, who, t, out)
	})
	return out, err
}
