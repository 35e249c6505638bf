// Package message lets people of a school write to each other: parents with their
// children's teachers and the office, teachers and drivers with the office.
//
// A conversation (Thread) has two sides: an account, or the office. Every
// administrator with the permission reads and answers for the office; its id is the
// school's. Two sides have one conversation per student.
//
// rule.go decides for each message who may write to whom. When a right ends, both
// sides can still read. send.go sends, tell.go delivers, thread.go reads.
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
	"homeroom/internal/platform/opt"
)

// Service holds the rules for messages.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Files  *file.Service
	Now    clock.Now
	NewID  id.Source
	Log    *slog.Logger

	// Sockets; both may be nil.
	Live    Live
	Present func(school, user id.ID) bool // whether the user has a socket on this node
}

// Live sends to a user's sockets on all nodes.
type Live interface {
	EmitTo(school, user id.ID, event string, payload any) error
}

// Role is the role of a side.
type Role string

// Office is the role of the office. The others are roles of accounts.
const Office Role = "OFFICE"

// Party is a side, or an administrator of the office.
type Party struct {
	ID   id.ID    `json:"id" doc:"The account's id; for the office, the school's id."`
	Name opt.Text `json:"name"`
	Role Role     `json:"role" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN,OFFICE"`
}

// Message is one message, as seen from one side.
type Message struct {
	ID          id.ID       `json:"id"`
	ThreadID    id.ID       `json:"threadId"`
	Sender      Party       `json:"sender"`
	Author      *Party      `json:"author,omitempty" doc:"The administrator who wrote it for the office. Visible to administrators only."`
	IsOwn       bool        `json:"isOwn" doc:"Written by the reader's side."`
	Body        opt.Text    `json:"body" doc:"Plain text."`
	Attachments []file.View `json:"attachments"`
	ReadAt      *time.Time  `json:"readAt" doc:"When the other side read it."`
	ReadBy      *Party      `json:"readBy" doc:"Who read it on the other side. Only administrators see which administrator it was."`
	CreatedAt   time.Time   `json:"createdAt"`
}

// Thread is a conversation, as seen from one side.
type Thread struct {
	ID          id.ID     `json:"id"`
	With        Party     `json:"with" doc:"The other side."`
	StudentID   *id.ID    `json:"studentId" doc:"The student it is about; null if none."`
	StudentName opt.Text  `json:"studentName"`
	UnreadCount int       `json:"unreadCount" doc:"Messages that the reader's side hasn't read."`
	LastMessage Last      `json:"lastMessage"`
	CreatedAt   time.Time `json:"createdAt"`
}

// Last is the latest message of a conversation, shortened.
type Last struct {
	ID              id.ID      `json:"id"`
	SenderID        id.ID      `json:"senderId"`
	IsOwn           bool       `json:"isOwn"`
	Body            opt.Text   `json:"body" doc:"Its first 200 characters."`
	AttachmentCount int        `json:"attachmentCount"`
	ReadAt          *time.Time `json:"readAt"`
	CreatedAt       time.Time  `json:"createdAt"`
}

// sideOf returns the side that the caller reads and writes for.
func sideOf(who actor.Actor) id.ID {
	if who.Role == actor.SchoolAdmin {
		return who.School
	}
	return who.User
}
