// Package announcement publishes announcements to a school or a part of it.
//
// An announcement is visible to its audience from publishAt to expiresAt. Publication
// sends each reader a notification and a push, in the transaction that marks it as
// published: exactly once, and always with the current text.
//
// Start at change.go for create and update, at publish.go for publication, and at
// audience.go for the recipients.
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
	"homeroom/internal/platform/opt"
)

var (
	errNone      = fault.Missing("announcement")
	errPublished = fault.New(fault.Conflict, "",
		"This announcement is already published, so publishAt can't be changed. Delete it and write a new one.")
	errNotified = fault.New(fault.Conflict, "",
		"The readers of this announcement were already notified, so urgent can't be changed. Write a new announcement.")
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

// Audience is the audience of an announcement.
type Audience string

// The audiences. CLASS and DIVISION are the parents of the students and the teachers.
const (
	All       Audience = "ALL"
	Parents   Audience = "PARENTS"
	Teachers  Audience = "TEACHERS"
	Drivers   Audience = "DRIVERS"
	Classes   Audience = "CLASS"
	Divisions Audience = "DIVISION"
)

// Status is the status of an announcement, derived from the time.
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
	Body        opt.Text `json:"body"`
	Audience    Audience `json:"audience" enum:"ALL,PARENTS,TEACHERS,DRIVERS,CLASS,DIVISION"`
	ClassIDs    []id.ID  `json:"classIds" db:"-" doc:"For audience CLASS."`
	DivisionIDs []id.ID  `json:"divisionIds" db:"-" doc:"For audience DIVISION."`
	file.Attached
	IsPinned   bool       `json:"isPinned" doc:"Lists show it first."`
	Urgent     bool       `json:"urgent" doc:"Its readers are notified at once by push, SMS and e-mail."`
	Status     Status     `json:"status" db:"-" enum:"SCHEDULED,PUBLISHED,EXPIRED"`
	PublishAt  time.Time  `json:"publishAt"`
	ExpiresAt  *time.Time `json:"expiresAt" doc:"When readers' lists stop showing it."`
	CreatedBy  id.ID      `json:"createdBy"`
	AuthorName opt.Text   `json:"authorName"`
	Version    int        `json:"version" doc:"Increases with each change. Send it with PUT to get 409 if someone else changed it first."`
	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
}

// Managed is an announcement for its authors, with counts.
type Managed struct {
	Announcement
	PublishedAt   *time.Time `json:"publishedAt" doc:"When its readers were notified; null before."`
	AudienceCount int        `json:"audienceCount" doc:"Number of accounts in the audience, as of the publication or the last change of the audience."`
	ReadCount     int        `json:"readCount" doc:"Number of readers who have opened it."`

	ByOffice bool `json:"-"` // an administrator saved it last
}

// Shown is an announcement for its readers.
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

// due reports whether it must be published now.
func (m Managed) due(now time.Time) bool { return m.PublishedAt == nil && m.statusAt(now) == Published }

// check validates the fields together.
func (a Announcement) check() error {
	switch {
	case a.Audience == Classes && len(a.ClassIDs) == 0:
		return fault.OnField("classIds", "is required when audience is CLASS")
	case a.Audience == Divisions && len(a.DivisionIDs) == 0:
		return fault.OnField("divisionIds", "is required when audience is DIVISION")
	case a.Audience != Classes && len(a.ClassIDs) > 0:
		return fault.OnField("classIds", "is only allowed with audience CLASS")
	case a.Audience != Divisions && len(a.DivisionIDs) > 0:
		return fault.OnField("divisionIds", "is only allowed with audience DIVISION")
	case a.ExpiresAt != nil && !a.ExpiresAt.After(a.PublishAt):
		return fault.OnField("expiresAt", "must be after publishAt")
	}
	return nil
}

// narrow reports whether it is for classes or divisions only.
func (a Announcement) narrow() bool { return a.Audience == Classes || a.Audience == Divisions }

// sameAudience reports whether both have the same audience.
func (a Announcement) sameAudience(b Announcement) bool {
	return a.Audience == b.Audience && slices.Equal(a.ClassIDs, b.ClassIDs) && slices.Equal(a.DivisionIDs, b.DivisionIDs)
}
