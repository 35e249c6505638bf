package identity

import (
	"context"
	"fmt"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// create, Update and Delete are the only ways to change accounts, and all check the
// rules of this file. So no feature can bypass them.

// ErrLastAdmin refuses a change that leaves a school without an administrator who
// could restore permissions.
var ErrLastAdmin = fault.New(fault.Conflict, "", "This is the last active administrator with every permission. Make another one first.")

// Authority takes access.Lock and returns the permissions that the caller may grant to
// administrators of tx's school: the current ones of the caller's role.
func (s *Service) Authority(ctx context.Context, tx *db.Tx, who actor.Actor) (access.Authority, error) {
	if err := access.Lock(ctx, tx); err != nil {
		return access.Authority{}, err
	}
	return s.AuthorityNow(ctx, tx, who)
}

// AuthorityNow is Authority without the lock, for reads.
func (s *Service) AuthorityNow(ctx context.Context, q db.Q, who actor.Actor) (access.Authority, error) {
	if !ofSchool(who) {
		return access.Unbounded(), nil
	}
	role, err := getActiveRole(ctx, q, who.User)
	if err != nil {
		return access.Authority{}, db.Found("read the caller's role", err, access.ErrBeyond) // disabled or deleted since the request began
	}
	return access.AuthorityOf(ctx, q, role)
}

// MayAppoint refuses a caller who may not give or take these administrator roles.
func (s *Service) MayAppoint(ctx context.Context, tx *db.Tx, who actor.Actor, roles ...id.ID) error {
	held, err := s.Authority(ctx, tx, who)
	if err != nil {
		return err
	}
	return held.Over(ctx, tx, roles...)
}

// ofSchool reports whether the caller is a school's user, not the service itself or a
// super-administrator.
func ofSchool(who actor.Actor) bool { return who.User != "" && who.Role != actor.SuperAdmin }

// change reads an account and applies a change to it, if the caller may make it.
func (s *Service) change(ctx context.Context, tx *db.Tx, who actor.Actor, user id.ID, c Change) (before, after User, err error) {
	read := func() error {
		if before, err = s.Get(ctx, tx, user); err == nil {
			after, err = c.apply(ctx, tx, before)
		}
		return err
	}
	if err := read(); err != nil || before.Role != actor.SchoolAdmin && after.Role != actor.SchoolAdmin {
		return before, after, err
	}
	held, err := s.Authority(ctx, tx, who)
	if err != nil {
		return before, after, err
	}
	if err := read(); err != nil { // again, now under the lock
		return before, after, err
	}
	if err := held.Over(ctx, tx, adminRoles(before, after)...); err != nil {
		return before, after, err
	}
	if before.Role == actor.SchoolAdmin && moved(before, after) {
		if err := held.Logins(); err != nil {
			return before, after, err
		}
	}
	if ofSchool(who) && newLogin(before, after) {
		after.HasPassword = false // the owner of the new address sets one
	}
	return before, after, nil
}

// toDelete reads an account that the caller may delete.
func (s *Service) toDelete(ctx context.Context, tx *db.Tx, who actor.Actor, user id.ID) (User, error) {
	u, err := s.Get(ctx, tx, user)
	if err != nil || u.Role != actor.SchoolAdmin {
		return u, err
	}
	held, err := s.Authority(ctx, tx, who)
	if err != nil {
		return u, err
	}
	if u, err = s.Get(ctx, tx, user); err != nil { // again, now under the lock
		return u, err
	}
	return u, held.Over(ctx, tx, adminRoles(u)...)
}

// adminRoles returns the users' administrator roles.
func adminRoles(users ...User) (roles []id.ID) {
	for _, u := range users {
		if u.Role == actor.SchoolAdmin {
			roles = append(roles, u.RoleID)
		}
	}
	return roles
}

// keepingAdmin runs a change of an account and, for an administrator, checks that the
// school keeps one with every permission.
func (s *Service) keepingAdmin(ctx context.Context, tx *db.Tx, u User, change func() error) error {
	if u.Role != actor.SchoolAdmin {
		return change()
	}
	return s.KeepAdministrator(ctx, tx, change)
}

// KeepAdministrator fails if tx's school has no active administrator with every
// permission, unless the school is suspended. The caller holds access.Lock.
func (s *Service) KeepAdministrator(ctx context.Context, tx *db.Tx, change func() error) error {
	before, err := countFull(ctx, tx)
	if err != nil {
		return fmt.Errorf("count administrators: %w", err)
	}
	if err := change(); err != nil || before == 0 {
		return err
	}
	after, err := countFull(ctx, tx)
	if err != nil {
		return fmt.Errorf("count administrators: %w", err)
	}
	if after > 0 {
		return nil
	}
	at, err := school.Get(ctx, tx)
	if err == nil && at.Status == school.Active {
		err = ErrLastAdmin
	}
	return err
}

func getActiveRole(ctx context.Context, q db.Q, user id.ID) (id.ID, error) {
	return db.One[id.ID](ctx, q, `SELECT role_id FROM users WHERE school_id = :school AND id = :id AND status = 'ACTIVE'`, db.Args{"id": user})
}

// countFull counts the active administrators with every permission on every module.
func countFull(ctx context.Context, tx *db.Tx) (int, error) {
	return db.One[int](ctx, tx, `
		SELECT COUNT(*) FROM users u WHERE u.school_id = :school AND u.role = 'SCHOOL_ADMIN' AND u.status = 'ACTIVE'
			AND NOT EXISTS (SELECT 1 FROM modules m WHERE NOT EXISTS (
				SELECT 1 FROM role_permissions p WHERE p.school_id = :school AND p.role_id = u.role_id AND p.module_id = m.id
					AND p.can_read AND p.can_write AND p.can_delete))`, nil)
}
