package access

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

const (
	see  = actor.Read
	edit = actor.Read | actor.Write
	all  = actor.Read | actor.Write | actor.Delete
)

// system is a system role and its initial permissions.
type system struct {
	typ    actor.Role
	name   string
	every  actor.Verb // on all modules
	grants actor.Grants
}

var (
	superAdmin  = system{typ: actor.SuperAdmin, name: "Super administrator", every: all}
	schoolAdmin = system{typ: actor.SchoolAdmin, name: "School administrator", every: all}

	// Teachers see classes and what happens in them, but no staff, money, buses or
	// administration.
	teacher = system{typ: actor.Teacher, name: "Teacher", grants: actor.Grants{
		"student": see, "class": see, "division": see, "subject": see, "timetable": see,
		"attendance": edit, "exam": edit, "result": edit, "leave": edit, "announcement": all,
		"event": all, "message": edit, "notification": edit,
	}}
	parent = system{typ: actor.Parent, name: "Parent", grants: actor.Grants{
		"student": see, "attendance": see, "exam": see, "result": see, "fee": see, "announcement": see, "timetable": see,
		"event": see, "transport": see, "library": see,
		"leave": edit, "message": edit, "notification": edit,
	}}
	// Incidents belong to transport; a driver lists the students on the bus.
	driver = system{typ: actor.Driver, name: "Driver", grants: actor.Grants{
		"transport": edit, "leave": edit, "notification": edit, "student": see,
	}}
)

// Seed creates the missing system roles of tx's school with their initial permissions.
// It is idempotent and changes no existing row.
//
// Only the platform's school has a SUPER_ADMIN role, so that no school can assign it.
func (s *Service) Seed(ctx context.Context, tx *db.Tx) error {
	return s.seed(ctx, tx, schoolAdmin, teacher, parent, driver)
}

// SeedPlatform creates the SUPER_ADMIN role in the platform's own school.
func (s *Service) SeedPlatform(ctx context.Context, tx *db.Tx) error {
	return s.seed(ctx, tx, superAdmin)
}

func (s *Service) seed(ctx context.Context, tx *db.Tx, roles ...system) error {
	var rows []Permission
	for _, sys := range roles {
		now := s.Now()
		role := Role{ID: s.NewID(), Name: sys.name, Type: sys.typ, IsSystem: true, Version: 1, CreatedAt: now, UpdatedAt: now}
		if err := putSystemRole(ctx, tx, role); err != nil {
			return fmt.Errorf("seed role %s: %w", sys.typ, err)
		}
		role, err := System(ctx, tx, sys.typ) // may have existed before
		if err != nil {
			return fmt.Errorf("seed role %s: %w", sys.typ, err)
		}
		table, err := listPermissions(ctx, tx, role.ID)
		if err != nil {
			return fmt.Errorf("seed permissions of %s: %w", sys.typ, err)
		}
		rows = append(rows, s.missing(sys, table)...)
	}
	if err := putPermissions(ctx, tx, rows); err != nil {
		return fmt.Errorf("seed permissions: %w", err)
	}
	return nil
}

// missing returns the initial permissions without a row.
func (s *Service) missing(sys system, table []Permission) []Permission {
	var rows []Permission
	for _, p := range table {
		v := sys.every | sys.grants[p.Module]
		if p.ID != nil || v == 0 {
			continue
		}
		fresh := s.NewID()
		p = p.with(v)
		p.ID = &fresh
		rows = append(rows, p)
	}
	return rows
}
