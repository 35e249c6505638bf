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

// ParentsByPhone maps phones to the PARENT accounts of q's school, with one query.
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

// RemoveParents deletes PARENT accounts that nobody has ever used, as if they had never
// been. The caller checks that, and writes the audit entry.
func (s *Service) RemoveParents(ctx context.Context, tx *db.Tx, users []id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM users WHERE school_id = :school AND role = 'PARENT' AND last_seen_at IS NULL AND id IN (:users)`,
		db.Args{"users": users})
	if err != nil {
		return fmt.Errorf("remove parents' accounts: %w", err)
	}
	return nil
}

// userRow is a row to insert.
type userRow struct {
	User
	Search string
}

// CreateParents creates PARENT accounts for phones without one (see ParentsByPhone), in
// batches, and returns their ids in order. The caller writes one audit entry for all of
// them.
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
