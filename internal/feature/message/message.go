// Package message lets a school's people write to each other: a parent with the
// teachers of a child and with the office, a teacher or a driver with the office.
//
// A conversation (Thread) has two sides. A side is an account or the office, in
// whose name every administrator with the permission reads and answers; the id of
// the office is the school's. Two sides have one conversation about each student.
//
// Who may write to whom is in rule.go, and is decided anew with every message:
// where the reason has ended, both sides still read what was said. Start at
// send.go for how a message gets in, at tell.go for whom it reaches, and at
// thread.go for what is read.
package message

import (
	"log/slog"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Service holds the rules.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Files  *file.Service
	Now    clock.Now
	NewID  id.Source
	Log    *slog.Logger

	// What sockets add. Both may be nil.
	Live    Live
	Present func(school, user id.ID) bool // whether the user has a socket here
}

// Live reaches a user's open sockets, on all nodes.
type Live interface {
	EmitTo(school, user id.ID, event string, payload any) error
}

// Role is what a side is.
type Role string

// Office is the role of the school's own side. The others are those of accounts.
const Office Role = "OFFICE"

// Party is a side, or a person of the office.
type Party struct {
	ID   id.ID  `json:"id" doc:"An account's; of the office, the school's."`
	Name string `json:"name"`
	Role Role   `json:"role" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN,OFFICE"`
}

// Message is one message, as someone of a side sees it.
type Message struct {
	ID          id.ID       `json:"id"`
	ThreadID    id.ID       `json:"threadId"`
	Sender      Party       `json:"sender"`
	Author      *Party      `json:"author,omitempty" doc:"Who wrote it for the office. Only administrators see it."`
	IsOwn       bool        `json:"isOwn" doc:"The reader's own side wrote it."`
	Body        string      `json:"body" doc:"Plain text."`
	Attachments []file.View `json:"attachments"`
	ReadAt      *time.Time  `json:"readAt" doc:"When the other side read it."`
	ReadBy      *Party      `json:"readBy" doc:"Who of the other side read it. Only administrators see which of them it was."`
	CreatedAt   time.Time   `json:"createdAt"`
}

// Thread is a conversation, as someone of a side sees it.
type Thread struct {
	ID          id.ID     `json:"id"`
	With        Party     `json:"with" doc:"The other side."`
	StudentID   *id.ID    `json:"studentId" doc:"Whom it is about; null for nobody in particular."`
	StudentName string    `json:"studentName"`
	UnreadCount int       `json:"unreadCount" doc:"Messages that the reader's side has not read."`
	LastMessage Last      `json:"lastMessage"`
	CreatedAt   time.Time `json:"createdAt"`
}

// Last is the latest message of a conversation, in brief.
type Last struct {
	ID              id.ID      `json:"id"`
	SenderID        id.ID      `json:"senderId"`
	IsOwn           bool       `json:"isOwn"`
	Body            string     `json:"body" doc:"Its first 200 characters."`
	AttachmentCount int        `json:"attachmentCount"`
	ReadAt          *time.Time `json:"readAt"`
	CreatedAt       time.Time  `json:"createdAt"`
}

// sideOf is the side that someone reads and writes for.
func sideOf(who actor.Actor) id.ID {
	if who.Role == actor.SchoolAdmin {
		return who.School
	}
	return who.User
}
