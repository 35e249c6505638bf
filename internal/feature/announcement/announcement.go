// Package announcement tells a school, or a part of it, what it should know.
//
// An announcement is shown from publishAt to expiresAt to those whom it is for.
// When it is published, each of them gets an entry in the log of notifications
// and a push, in the transaction that marks it as published: once, whatever
// crashes, and never with a text that was changed before.
//
// Start at change.go for how it is written, at publish.go for how people are
// told, and at audience.go for who they are.
package announcement

import (
	"slices"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var (
	errNone      = fault.Missing("announcement")
	errPublished = fault.New(fault.Conflict, "", "This announcement is published already, so that publishAt can't change any more. Delete it and write a new one.")
)

// Service holds the rules.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Files  *file.Service
	Now    clock.Now
	NewID  id.Source
}

// Audience is whom an announcement is for.
type Audience string

// The audiences. That of a class or division is the parents of its students and
// its teachers.
const (
	All       Audience = "ALL"
	Parents   Audience = "PARENTS"
	Teachers  Audience = "TEACHERS"
	Drivers   Audience = "DRIVERS"
	Classes   Audience = "CLASS"
	Divisions Audience = "DIVISION"
)

// Status is where an announcement stands; it follows from the time.
type Status string

// The statuses.
const (
	Scheduled Status = "SCHEDULED"
	Published Status = "PUBLISHED"
	Expired   Status = "EXPIRED"
)

// Announcement is one announcement.
type Announcement struct {
	ID          id.ID    `json:"id"`
	Title       string   `json:"title"`
	Body        string   `json:"body"`
	Audience    Audience `json:"audience" enum:"ALL,PARENTS,TEACHERS,DRIVERS,CLASS,DIVISION"`
	ClassIDs    []id.ID  `json:"classIds" db:"-" doc:"Of the audience CLASS."`
	DivisionIDs []id.ID  `json:"divisionIds" db:"-" doc:"Of the audience DIVISION."`
	file.Attached
	IsPinned   bool       `json:"isPinned" doc:"Lists show it first."`
	Status     Status     `json:"status" db:"-" enum:"SCHEDULED,PUBLISHED,EXPIRED"`
	PublishAt  time.Time  `json:"publishAt"`
	ExpiresAt  *time.Time `json:"expiresAt" doc:"Since when readers' lists no longer show it."`
	CreatedBy  id.ID      `json:"createdBy"`
	AuthorName string     `json:"authorName"`
	Version    int        `json:"version" doc:"Grows with each change. Send it with a PUT to be told when someone else was faster."`
	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
}

// Managed is an announcement as those who write it see it.
type Managed struct {
	Announcement
	PublishedAt   *time.Time `json:"publishedAt" doc:"When its readers were told; null while they were not."`
	AudienceCount int        `json:"audienceCount" doc:"How many accounts it is for, as of its publication or of the last change of its audience."`
	ReadCount     int        `json:"readCount" doc:"How many of its readers have opened it."`
}

// Shown is an announcement as its readers see it.
type Shown struct {
	Announcement
	IsRead bool `json:"isRead"`
}

func (a Announcement) statusAt(now time.Time) Status {
	switch {
	case a.PublishAt.After(now):
		return Scheduled
	case a.ExpiresAt != nil && !a.ExpiresAt.After(now):
		return Expired
	}
	return Published
}

// due tells whether its readers are to be told now.
func (m Managed) due(now time.Time) bool { return m.PublishedAt == nil && m.statusAt(now) == Published }

// check finds what is wrong with the whole of an announcement.
func (a Announcement) check() error {
	switch {
	case a.Audience == Classes && len(a.ClassIDs) == 0:
		return fault.OnField("classIds", "is required when audience is CLASS")
	case a.Audience == Divisions && len(a.DivisionIDs) == 0:
		return fault.OnField("divisionIds", "is required when audience is DIVISION")
	case a.Audience != Classes && len(a.ClassIDs) > 0:
		return fault.OnField("classIds", "goes only with the audience CLASS")
	case a.Audience != Divisions && len(a.DivisionIDs) > 0:
		return fault.OnField("divisionIds", "goes only with the audience DIVISION")
	case a.ExpiresAt != nil && !a.ExpiresAt.After(a.PublishAt):
		return fault.OnField("expiresAt", "must be after publishAt")
	}
	return nil
}

// sameAudience tells whether both are for the same people.
func (a Announcement) sameAudience(b Announcement) bool {
	return a.Audience == b.Audience && slices.Equal(a.ClassIDs, b.ClassIDs) && slices.Equal(a.DivisionIDs, b.DivisionIDs)
}
