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

// Every way to make, change or delete an account ends in create, Update or
// Delete, which ask the rules of this file. So no feature can forget them.

// ErrLastAdmin is the fault of a change that leaves a school without an
// administrator who could give permissions back.
var ErrLastAdmin = fault.New(fault.Conflict, "", "This is the last active administrator with every permission. Make another one first.")

// Authority takes access.Lock and returns what the caller may give to
// administrators of tx's school: what the caller's role has by now.
func (s *Service) Authority(ctx context.Context, tx *db.Tx, who actor.Actor) (access.Authority, error) {
	if err := access.Lock(ctx, tx); err != nil {
		return access.Authority{}, err
	}
	return s.AuthorityNow(ctx, tx, who)
}

// AuthorityNow is Authority without the lock, for a look that changes nothing.
func (s *Service) AuthorityNow(ctx context.Context, q db.Q, who actor.Actor) (access.Authority, error) {
	if !ofSchool(who) {
		return access.Unbounded(), nil
	}
	role, err := getActiveRole(ctx, q, who.User)
	if err != nil {
		return access.Authority{}, db.Found("read the caller's role", err, access.ErrBeyond) // disabled or deleted since the call began
	}
	return access.AuthorityOf(ctx, q, role)
}

// MayAppoint refuses a caller who may not give or take these roles of administrators.
func (s *Service) MayAppoint(ctx context.Context, tx *db.Tx, who actor.Actor, roles ...id.ID) error {
	held, err := s.Authority(ctx, tx, who)
	if err != nil {
		return err
	}
	return held.Over(ctx, tx, roles...)
}

// ofSchool tells a school's own user from the service itself and the platform's
// administrators.
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
	if err := read(); err != nil { // again: someone may have had the lock
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
		after.HasPassword = false // whoever has the new address chooses one
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
	if u, err = s.Get(ctx, tx, user); err != nil { // again: someone may have had the lock
		return u, err
	}
	return u, held.Over(ctx, tx, adminRoles(u)...)
}

// adminRoles are those of the users' roles that are administrators'.
func adminRoles(users ...User) (roles []id.ID) {
	for _, u := range users {
		if u.Role == actor.SchoolAdmin {
			roles = append(roles, u.RoleID)
		}
	}
	return roles
}

// keeping runs a change of an account. The school of an administrator keeps one
// with every permission.
func (s *Service) keeping(ctx context.Context, tx *db.Tx, u User, change func() error) error {
	if u.Role != actor.SchoolAdmin {
		return change()
	}
	return s.KeepAdministrator(ctx, tx, change)
}

// KeepAdministrator refuses a change that takes from tx's school its last active
// administrator with every permission, unless the school is suspended. It needs
// access.Lock.
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
