package access

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Permission is what one role may do in one module.
type Permission struct {
	ID          *id.ID `json:"id" doc:"Null if the permission was never set."`
	RoleID      id.ID  `json:"roleId"`
	ModuleID    id.ID  `json:"moduleId"`
	Module      string `json:"module" doc:"The module's key."`
	DisplayName string `json:"displayName"`
	CanRead     bool   `json:"canRead"`
	CanWrite    bool   `json:"canWrite"`
	CanDelete   bool   `json:"canDelete"`
}

// verbs is the permission as bits.
func (p Permission) verbs() (v actor.Verb) {
	if p.CanRead {
		v |= actor.Read
	}
	if p.CanWrite {
		v |= actor.Write
	}
	if p.CanDelete {
		v |= actor.Delete
	}
	return v
}

// with returns the permission with other verbs.
func (p Permission) with(v actor.Verb) Permission {
	p.CanRead, p.CanWrite, p.CanDelete = v&actor.Read != 0, v&actor.Write != 0, v&actor.Delete != 0
	return p
}

// Table is all permissions of a role.
type Table struct {
	Version     int          `json:"version" doc:"The role's version."`
	Permissions []Permission `json:"permissions"`
}

// Grant sets a role's permission on one module.
type Grant struct {
	ModuleID  id.ID `json:"moduleId" required:"true"`
	CanRead   bool  `json:"canRead"`
	CanWrite  bool  `json:"canWrite"`
	CanDelete bool  `json:"canDelete"`
}

var (
	errNoModule = fault.New(fault.NotFound, "", "There is no such module.")
	errLockout  = fault.New(fault.Conflict, "",
		"The school's own administrators always keep read and write on roles and settings: "+
			"without them nobody could give these permissions back.")
)

// kept are the modules on which a school's own administrators keep read and write.
var kept = []string{"role", "setting"}

// Permissions is a role's whole table, one entry per module.
func (s *Service) Permissions(ctx context.Context, q db.Q, role id.ID) (Table, error) {
	r, err := Get(ctx, q, role)
	if err != nil {
		return Table{}, err
	}
	rows, err := listPermissions(ctx, q, role)
	return Table{r.Version, rows}, err
}

// Permit replaces a role's permissions on the modules given and returns the whole table.
func (s *Service) Permit(ctx context.Context, who actor.Actor, role id.ID, grants []Grant, version *int) (after Table, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		held, err := s.Users.Authority(ctx, tx, who)
		if err != nil {
			return err
		}
		r, err := s.read(ctx, tx, role, version)
		if err != nil {
			return err
		}
		if r, err = s.save(ctx, tx, r); err != nil {
			return err
		}
		before, err := listPermissions(ctx, tx, role)
		if err != nil {
			return fmt.Errorf("read permissions: %w", err)
		}
		if err := s.replace(ctx, tx, held, r, before, grants); err != nil {
			return err
		}
		after.Version = r.Version
		if after.Permissions, err = listPermissions(ctx, tx, role); err != nil {
			return fmt.Errorf("read permissions: %w", err)
		}
		err = s.Audit.Record(ctx, tx, who, "role.permissions", "role", role, byModule(before), byModule(after.Permissions))
		if err != nil {
			return err
		}
		return Changed(ctx, tx, who.School)
	})
	return after, err
}

// replace writes the grants. For an administrator role the caller needs all permissions
// of the table before and after.
func (s *Service) replace(ctx context.Context, tx *db.Tx, held Authority, r Role, before []Permission, grants []Grant) error {
	set, err := s.apply(r, before, grants)
	if err != nil {
		return err
	}
	write := func() error {
		if err := putPermissions(ctx, tx, set); err != nil {
			return fmt.Errorf("write permissions: %w", err)
		}
		return nil
	}
	if r.Type != actor.SchoolAdmin {
		return write()
	}
	for _, table := range [][]Permission{before, set} {
		if err := held.covers(byKey(table)); err != nil {
			return err
		}
	}
	return s.Users.KeepAdministrator(ctx, tx, write)
}

// apply returns the rows that the grants change.
func (s *Service) apply(r Role, table []Permission, grants []Grant) ([]Permission, error) {
	of := make(map[id.ID]Permission, len(table))
	for _, p := range table {
		of[p.ModuleID] = p
	}
	var set []Permission
	for _, g := range grants {
		p, ok := of[g.ModuleID]
		if !ok {
			return nil, errNoModule
		}
		p.CanRead, p.CanWrite, p.CanDelete = g.CanRead, g.CanWrite, g.CanDelete
		if locksOut(r, p) {
			return nil, errLockout
		}
		if p.ID == nil {
			fresh := s.NewID()
			p.ID = &fresh
		}
		set = append(set, p)
	}
	return set, nil
}

func locksOut(r Role, p Permission) bool {
	if !r.IsSystem || r.Type != actor.SchoolAdmin {
		return false
	}
	return slices.Contains(kept, p.Module) && (!p.CanRead || !p.CanWrite)
}

// byModule is a table in the audit log's form: one field per module.
func byModule(table []Permission) map[string]any {
	out := make(map[string]any, len(table))
	for _, p := range table {
		out[p.Module] = map[string]bool{"canRead": p.CanRead, "canWrite": p.CanWrite, "canDelete": p.CanDelete}
	}
	return out
}

// Grants returns a role's permissions by module, for an Actor.
func Grants(ctx context.Context, q db.Q, role id.ID) (actor.Grants, error) {
	rows, err := listPermissions(ctx, q, role)
	if err != nil {
		return nil, fmt.Errorf("read grants: %w", err)
	}
	return byKey(rows), nil
}

func byKey(table []Permission) actor.Grants {
	g := make(actor.Grants, len(table))
	for _, p := range table {
		if v := p.verbs(); v != 0 {
			g[p.Module] = v
		}
	}
	return g
}
