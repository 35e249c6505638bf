// Package school manages schools with their settings, academic years and holidays.
// The platform's own school, which lists omit, is that of the super-administrators.
//
// Deleting a school deletes every row of every table with a school_id, because each
// of them references schools ON DELETE CASCADE. A test checks this for all tables.
package school

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// PlatformID is the id of the platform's own school, the same in every installation.
const PlatformID id.ID = "01930000-0000-7000-8000-00000000f001"

// Status says whether a school's users may use the service.
type Status string

// The statuses. A school is DELETING only inside the transaction that deletes it.
const (
	Active    Status = "ACTIVE"
	Suspended Status = "SUSPENDED"
	deleting  Status = "DELETING"
)

// School is one school.
type School struct {
	ID             id.ID    `json:"id"`
	Name           string   `json:"name"`
	Code           string   `json:"code" example:"GREENFIELD"`
	Phone          opt.Text `json:"phone"`
	Email          opt.Text `json:"email"`
	Address        opt.Text `json:"address"`
	Timezone       string   `json:"timezone" example:"Europe/Berlin"`
	Currency       string   `json:"currency" example:"EUR"`
	Locale         string   `json:"locale" example:"en"`
	LogoFileID     *id.ID   `json:"logoFileId"`
	LogoURL        opt.Text `json:"logoUrl" db:"-" doc:"URL of the logo, which needs no token. Valid for about an hour."`
	Status         Status   `json:"status" enum:"ACTIVE,SUSPENDED"`
	EvaluationMode bool     `json:"evaluationMode" doc:"While true, teachers can change only exams and results."`
	Settings
	IsPlatform bool      `json:"-"`
	Version    int       `json:"version" doc:"Incremented by each change. Send it with a PUT to detect a change by someone else."`
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
}

// Admins creates a school's first administrator and sends a link to set a password.
// Implemented by identity, a later feature.
type Admins interface {
	Invite(ctx context.Context, tx *db.Tx, school id.ID, name, email, phone string) error
}

// Files stores logos. Implemented with the file feature, which comes later.
type Files interface {
	// SetLogo attaches the logo of a school; nil removes it.
	SetLogo(ctx context.Context, tx *db.Tx, who actor.Actor, school id.ID, logo *id.ID) error
	LogoURL(school, logo id.ID) string
	// Forget removes all files of a school that is deleted in tx.
	Forget(ctx context.Context, tx *db.Tx, school id.ID) error
}

// Service holds the rules. Admins is set before the service is used.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Access *access.Service
	Admins Admins
	Files  Files // nil: no logos
	Now    clock.Now
	NewID  id.Source

	// Opened is called in the transaction in which days are no longer a holiday. It may be nil.
	Opened func(ctx context.Context, tx *db.Tx, who actor.Actor, from, to clock.Date) error
	// Ended is called in the transaction that moves the last day of a year. It may be nil.
	Ended func(ctx context.Context, tx *db.Tx, before, after Year) error
	// Activated are called in the transaction that makes a year the current one.
	Activated []func(ctx context.Context, tx *db.Tx, who actor.Actor, y Year) error
}

// ErrNoSchool is returned for an unknown school.
var ErrNoSchool = fault.New(fault.NotFound, "", "There is no such school.")

var (
	errCode      = fault.Duplicate("Another school has this code. Choose a different code.")
	errSuspended = fault.New(fault.Conflict, "", "The school is suspended already.")
	errActive    = fault.New(fault.Conflict, "", "The school is not suspended.")
	errImporting = fault.New(fault.Conflict, "", "The import of this school is not finished. Import the same file again to finish it.")
	errNotYet    = fault.New(fault.Conflict, "", "Only a suspended school can be deleted. Suspend it first.")
)

// New is the input for creating a school.
type New struct {
	Name         string   `json:"name" required:"true" maxLength:"200" example:"Greenfield School"`
	Code         string   `json:"code" required:"true" pattern:"^[A-Za-z0-9-]{2,32}$" patternHint:"must be 2 to 32 letters, digits and dashes" doc:"Unique; stored in capitals." example:"GREENFIELD"`
	Phone        string   `json:"phone" format:"phone"`
	Email        string   `json:"email" format:"email"`
	Address      string   `json:"address" maxLength:"500" multiline:"true"`
	Timezone     string   `json:"timezone" format:"timezone" default:"UTC"`
	Currency     string   `json:"currency" format:"currency" default:"USD"`
	Locale       string   `json:"locale" pattern:"^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$" patternHint:"must be a language, such as en or pt-BR" default:"en"`
	Admin        *Admin   `json:"admin" doc:"The first administrator, who gets a link to set a password. Can be added later."`
	AcademicYear *NewYear `json:"academicYear" doc:"The first academic year, which becomes the current one. Can be added later."`
}

// Check validates the academic year.
func (in *New) Check() error {
	if in.AcademicYear == nil {
		return nil
	}
	return in.AcademicYear.check("academicYear.")
}

// Admin is a school's first administrator.
type Admin struct {
	Name  string `json:"name" required:"true" maxLength:"200"`
	Email string `json:"email" required:"true" format:"email"`
	Phone string `json:"phone" format:"phone"`
}

// Create creates a school with its system roles and, if given, its first
// administrator and academic year, in one transaction.
func (s *Service) Create(ctx context.Context, who actor.Actor, in New) (School, error) {
	sch := in.school(s.NewID(), s.Now())
	err := s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
		if err := putSchool(ctx, all, sch); err != nil {
			return schoolFault("create school", err)
		}
		return s.setUp(ctx, all.School(sch.ID), who, sch, in)
	})
	return sch, err
}

func (s *Service) setUp(ctx context.Context, tx *db.Tx, who actor.Actor, sch School, in New) error {
	if err := s.Access.Seed(ctx, tx); err != nil {
		return err
	}
	if err := s.Audit.Record(ctx, tx, who, "school.create", "school", sch.ID, nil, sch); err != nil {
		return err
	}
	if in.AcademicYear != nil {
		year := *in.AcademicYear
		year.IsCurrent = new(true)
		if _, err := s.addYear(ctx, tx, who, year); err != nil {
			return err
		}
	}
	if in.Admin != nil {
		if err := s.Admins.Invite(ctx, tx, sch.ID, in.Admin.Name, in.Admin.Email, in.Admin.Phone); err != nil {
			return fmt.Errorf("invite the first administrator: %w", err)
		}
	}
	return nil
}

// Platform creates the platform's own school and its role, unless they exist.
// Several nodes may do so at the same time.
func (s *Service) Platform(ctx context.Context) error {
	own := New{Name: "Homeroom", Code: "PLATFORM"}.school(PlatformID, s.Now())
	own.IsPlatform = true
	err := s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
		if err := putPlatform(ctx, all, own); err != nil {
			return err
		}
		return s.Access.SeedPlatform(ctx, all.School(PlatformID))
	})
	if err != nil {
		return fmt.Errorf("create the platform's own school: %w", err)
	}
	return nil
}

// schoolFault maps database errors to faults.
func schoolFault(doing string, err error) error {
	switch {
	case errors.Is(err, db.ErrNotFound):
		return ErrNoSchool.Because(err)
	case db.IsDuplicate(err, "schools_code"):
		return errCode.Because(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
