// Package access manages roles and permissions. A school has roles, each of one of
// five types; a role has read, write and delete permissions on each module. A user
// has one role, and package web checks its Grants before each request.
//
// Caches of grants subscribe to Topic: each change is announced on it in its
// transaction.
package access

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Role is a named set of permissions in one school.
type Role struct {
	ID        id.ID      `json:"id"`
	Name      string     `json:"name"`
	Type      actor.Role `json:"type" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN,SUPER_ADMIN"`
	IsSystem  bool       `json:"isSystem" doc:"Created with the school: its type can't change, and it can't be deleted."`
	Version   int        `json:"version" doc:"Grows with each change. Send it with a PUT to detect concurrent changes."`
	CreatedAt time.Time  `json:"createdAt"`
	UpdatedAt time.Time  `json:"updatedAt"`
}

// RoleUsers is implemented by package identity, which imports this one.
type RoleUsers interface {
	CountByRole(ctx context.Context, q db.Q, role id.ID) (int, error)
	// Authority takes Lock and returns the caller's current authority.
	Authority(ctx context.Context, tx *db.Tx, who actor.Actor) (Authority, error)
	// KeepAdministrator fails if the school has no active administrator with every
	// permission. The caller holds Lock.
	KeepAdministrator(ctx context.Context, tx *db.Tx, change func() error) error
}

// Service manages roles and permissions. Users must be set before use.
type Service struct {
	DB    *db.DB
	Audit *audit.Service
	Users RoleUsers
	Now   clock.Now
	NewID id.Source
}

// ErrNoRole means that this school has no such role.
var ErrNoRole = fault.Missing("role")

var (
	errRoleName   = fault.Duplicate("Another role of this school has this name. Choose a different name.")
	errSystemRole = fault.New(fault.Conflict, "", "A system role can't be deleted. Change its permissions instead.")
	errSystemType = fault.New(fault.Conflict, "", "A system role keeps its type. Create a role of the other type instead.")
	errRoleInUse  = fault.New(fault.Conflict, "", "Users hold this role. Give them another role first.")
)

// NewRole is the input of Create. A new role has no permissions.
type NewRole struct {
	Name string     `json:"name" required:"true" maxLength:"100" example:"Senior teacher"`
	Type actor.Role `json:"type" required:"true" enum:"TEACHER,PARENT,DRIVER,SCHOOL_ADMIN"`
}

// RoleChange is a partial update: nil fields stay.
type RoleChange struct {
	Name    *string     `json:"name" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	Type    *actor.Role `json:"type" enum:"TEACHER,PARENT,DRIVER,SCHOOL_ADMIN" doc:"Can't change for system roles and roles that users hold."`
	Version *int        `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

// Create adds a role without permissions to the caller's school.
func (s *Service) Create(ctx context.Context, who actor.Actor, in NewRole) (Role, error) {
	now := s.Now()
	r := Role{ID: s.NewID(), Name: strings.TrimSpace(in.Name), Type: in.Type, Version: 1, CreatedAt: now, UpdatedAt: now}
	err := s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := putRole(ctx, tx, r); err != nil {
			return roleFault("create role", err)
		}
		return s.Audit.Record(ctx, tx, who, "role.create", "role", r.ID, nil, r)
	})
	return r, err
}

// Update changes a role's name or type.
func (s *Service) Update(ctx context.Context, who actor.Actor, role id.ID, in RoleChange) (after Role, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		held, err := s.Users.Authority(ctx, tx, who)
		if err != nil {
			return err
		}
		before, err := s.read(ctx, tx, role, in.Version)
		if err != nil {
			return err
		}
		after = before
		if in.Name != nil {
			after.Name = strings.TrimSpace(*in.Name)
		}
		if in.Type != nil {
			after.Type = *in.Type
		}
		if err := mayEdit(ctx, tx, held, before, after); err != nil {
			return err
		}
		if err := s.checkType(ctx, tx, before, after); err != nil {
			return err
		}
		if after, err = s.save(ctx, tx, after); err != nil {
			return err
		}
		if err := s.Audit.Record(ctx, tx, who, "role.update", "role", role, before, after); err != nil {
			return err
		}
		return Changed(ctx, tx, who.School)
	})
	return after, err
}

// mayEdit refuses a change of administrator roles with more permissions than the caller.
func mayEdit(ctx context.Context, tx *db.Tx, held Authority, before, after Role) error {
	if before.Type != actor.SchoolAdmin && after.Type != actor.SchoolAdmin {
		return nil
	}
	return held.Over(ctx, tx, before.ID)
}

// checkType refuses a new type for a system role or a role that users hold.
func (s *Service) checkType(ctx context.Context, tx *db.Tx, before, after Role) error {
	switch {
	case before.Type == after.Type:
		return nil
	case before.IsSystem:
		return errSystemType
	}
	return s.checkUnused(ctx, tx, before.ID)
}

func (s *Service) checkUnused(ctx context.Context, tx *db.Tx, role id.ID) error {
	n, err := s.Users.CountByRole(ctx, tx, role)
	if err != nil {
		return fmt.Errorf("count users of role: %w", err)
	}
	switch n {
	case 0:
		return nil
	case 1:
		return errRoleInUse.Saying("1 user holds this role. Give that user another role first.")
	default:
		return errRoleInUse.Saying("%d users hold this role. Give them another role first.", n)
	}
}

// Delete removes a role that nobody holds.
func (s *Service) Delete(ctx context.Context, who actor.Actor, role id.ID) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		held, err := s.Users.Authority(ctx, tx, who)
		if err != nil {
			return err
		}
		before, err := s.read(ctx, tx, role, nil)
		switch {
		case err != nil:
			return err
		case before.IsSystem:
			return errSystemRole
		}
		if err := mayEdit(ctx, tx, held, before, before); err != nil {
			return err
		}
		if err := s.checkUnused(ctx, tx, role); err != nil {
			return err
		}
		if err := deleteRole(ctx, tx, role); err != nil {
			return roleFault("delete role", err)
		}
		if err := s.Audit.Record(ctx, tx, who, "role.delete", "role", role, before, nil); err != nil {
			return err
		}
		return Changed(ctx, tx, who.School)
	})
}

// read returns a role, and fails if its version is not the caller's.
func (s *Service) read(ctx context.Context, q db.Q, role id.ID, version *int) (Role, error) {
	r, err := Get(ctx, q, role)
	if err != nil {
		return r, err
	}
	return r, fault.SameVersion(version, r.Version)
}

// save writes the next version of a role read in this transaction.
func (s *Service) save(ctx context.Context, tx *db.Tx, r Role) (Role, error) {
	r.UpdatedAt = s.Now()
	if err := updateRole(ctx, tx, r); err != nil {
		return r, roleFault("update role", err)
	}
	r.Version++
	return r, nil
}

// roleFault turns a constraint violation into a fault.
func roleFault(doing string, err error) error {
	switch {
	case errors.Is(err, db.ErrNotFound):
		return ErrNoRole.Because(err)
	case db.IsDuplicate(err, "roles_name"):
		return errRoleName.Because(err)
	case db.IsReference(err): // a user got the role after the count
		return errRoleInUse.Because(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
