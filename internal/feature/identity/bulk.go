package identity

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// ParentsByPhone maps those of the phones that are PARENT accounts of q's school
// to the accounts, in one statement.
func (s *Service) ParentsByPhone(ctx context.Context, q db.Q, phones []string) (map[string]id.ID, error) {
	out := map[string]id.ID{}
	if len(phones) == 0 {
		return out, nil
	}
	type parent struct {
		ID    id.ID
		Phone string
	}
	err := db.Each(ctx, q, `SELECT id, phone FROM users WHERE school_id = :school AND role = 'PARENT' AND phone IN (:phones)`,
		db.Args{"phones": phones}, func(p parent) error {
			out[p.Phone] = p.ID
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("find parents' accounts: %w", err)
	}
	return out, nil
}

// userRow is an account as it is inserted among many.
type userRow struct {
	User
	Search string
}

// CreateParents makes accounts with the school's PARENT role of phones that have
// none (see ParentsByPhone), in few statements, and returns their ids in the same order.
// What was done is one entry of the audit log, and the caller's to write: for
// thousands of accounts that one import makes, an entry each would say nothing.
func (s *Service) CreateParents(ctx context.Context, tx *db.Tx, in []NewAccount) ([]id.ID, error) {
	if len(in) == 0 {
		return []id.ID{}, nil
	}
	parent, err := access.System(ctx, tx, actor.Parent)
	if err != nil {
		return nil, err
	}
	ids, rows, now := make([]id.ID, len(in)), make([]userRow, len(in)), s.Now()
	for i, n := range in {
		u := User{ID: s.NewID(), Role: actor.Parent, RoleID: parent.ID, Name: strings.TrimSpace(n.Name),
			Phone: opt.Ptr(n.Phone), Email: opt.Ptr(n.Email), Status: Active, Version: 1, CreatedAt: now, UpdatedAt: now}
		if err := u.check(); err != nil {
			return nil, err
		}
		ids[i], rows[i] = u.ID, userRow{u, u.search()}
	}
	_, err = db.Insert(ctx, tx, `
		INSERT INTO users (school_id, id, role, role_id, name, phone, email, status, search, version, created_at, updated_at)
		VALUES (:school, :id, :role, :role_id, :name, :phone, :email, :status, :search, :version, :created_at, :updated_at)`, rows)
	if err != nil {
		return nil, userFault("create parents' accounts", err)
	}
	return ids, nil
}
