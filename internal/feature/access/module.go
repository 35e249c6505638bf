package access

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Module is a part of the service that permissions speak of.
type Module struct {
	ID          id.ID     `json:"id"`
	Name        string    `json:"name" doc:"The module's key." example:"attendance"`
	DisplayName string    `json:"displayName" example:"Attendance"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}

// NewModule is the input of CreateModule.
type NewModule struct {
	Name        string `json:"name" required:"true" pattern:"^[a-z][a-z0-9-]{1,31}$" patternHint:"must be 2 to 32 lower-case letters, digits and dashes, and start with a letter" example:"hostel"`
	DisplayName string `json:"displayName" required:"true" maxLength:"100" example:"Hostel"`
}

var errModuleName = fault.Duplicate("Another module has this name. Choose a different name.")

// CreateModule adds a module for all schools. The system roles of administrators and
// super-administrators, and administrator roles with every permission, get every
// permission on it; other roles get none.
func (s *Service) CreateModule(ctx context.Context, who actor.Actor, in NewModule) (Module, error) {
	now := s.Now()
	m := Module{ID: s.NewID(), Name: in.Name, DisplayName: strings.TrimSpace(in.DisplayName), CreatedAt: now, UpdatedAt: now}
	err := s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
		err := putModule(ctx, all, m)
		switch {
		case db.IsDuplicate(err, "modules_name"):
			return errModuleName.Because(err)
		case err != nil:
			return fmt.Errorf("create module: %w", err)
		}
		if err := s.grantAdministrators(ctx, all, m.ID); err != nil {
			return fmt.Errorf("grant module: %w", err)
		}
		if err := s.Audit.Record(ctx, all.School(who.School), who, "module.create", "module", m.ID, nil, m); err != nil {
			return err
		}
		return ChangedAll(ctx, all)
	})
	return m, err
}

func (s *Service) grantAdministrators(ctx context.Context, all *db.Tx, module id.ID) error {
	roles, err := listAdministrators(ctx, all, module)
	if err != nil {
		return err
	}
	rows := make([]granted, len(roles))
	for i, r := range roles {
		rows[i] = granted{SchoolID: r.SchoolID, ID: s.NewID(), RoleID: r.ID, ModuleID: module}
	}
	return grantAll(ctx, all, rows)
}
