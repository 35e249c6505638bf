package identity

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Change is a partial update: nil fields stay.
type Change struct {
	Name    *string
	Phone   *string // "" = none
	Email   *string // "" = none
	RoleID  *id.ID  // may be of another type
	Status  *Status // ACTIVE or DISABLED
	Version *int    // the version that the caller has seen
}

// Update changes an account of tx's school, from the user's next request on every node.
// Disabling, or a new role, phone or login e-mail, ends all sessions and removes the PIN.
func (s *Service) Update(ctx context.Context, tx *db.Tx, who actor.Actor, user id.ID, c Change) (User, error) {
	before, after, err := s.change(ctx, tx, who, user, c)
	if err != nil {
		return after, err
	}
	after.UpdatedAt = s.Now()
	err = s.keepingAdmin(ctx, tx, before, func() error { return write(ctx, tx, after) })
	if err != nil {
		return after, err
	}
	after.Version++
	if err := s.afterChange(ctx, tx, who, before, after); err != nil {
		return after, err
	}
	if err := s.tellMoved(ctx, tx, before, after); err != nil {
		return after, err
	}
	if err := s.Audit.Record(ctx, tx, who, "user.update", "user", user, before, after); err != nil {
		return after, err
	}
	return after, announce(ctx, tx, user)
}

// write writes the next version of an account that was read in this transaction.
func write(ctx context.Context, tx *db.Tx, u User) error {
	if err := updateUser(ctx, tx, u); err != nil {
		return userFault("update account", err)
	}
	return nil
}

func (c Change) apply(ctx context.Context, tx *db.Tx, u User) (User, error) {
	if err := fault.SameVersion(c.Version, u.Version); err != nil {
		return u, err
	}
	if c.Name != nil {
		u.Name = strings.TrimSpace(*c.Name)
	}
	if c.Phone != nil {
		u.Phone = opt.Ptr(*c.Phone)
	}
	if c.Email != nil {
		u.Email = opt.Ptr(*c.Email)
	}
	if c.Status != nil {
		u.Status = *c.Status
	}
	if c.RoleID != nil && *c.RoleID != u.RoleID {
		role, err := access.Get(ctx, tx, *c.RoleID)
		if err != nil {
			return u, err
		}
		u.RoleID, u.Role = role.ID, role.Type
	}
	return u, u.check()
}

// afterChange updates the login and, unless role and login stay, ends all sessions.
func (s *Service) afterChange(ctx context.Context, tx *db.Tx, who actor.Actor, before, after User) error {
	if err := s.setLogin(ctx, tx, who, before, after); err != nil {
		return err
	}
	if reachedBy(before) == reachedBy(after) && before.RoleID == after.RoleID && after.Status == Active {
		return nil
	}
	return s.endAll(ctx, tx, after.ID, "")
}

// SetStatus enables an account, or disables it and ends its sessions.
func (s *Service) SetStatus(ctx context.Context, tx *db.Tx, who actor.Actor, user id.ID, st Status) error {
	_, err := s.Update(ctx, tx, who, user, Change{Status: &st})
	return err
}

// SetRole gives an account another role, of any type.
func (s *Service) SetRole(ctx context.Context, tx *db.Tx, who actor.Actor, user, role id.ID) error {
	_, err := s.Update(ctx, tx, who, user, Change{RoleID: &role})
	return err
}

// SetPhone gives an account another phone and removes the PIN.
func (s *Service) SetPhone(ctx context.Context, tx *db.Tx, who actor.Actor, user id.ID, phone string) error {
	_, err := s.Update(ctx, tx, who, user, Change{Phone: &phone})
	return err
}

// SetLanguage sets the language of an account's messages; nil is the school's.
func SetLanguage(ctx context.Context, tx *db.Tx, user id.ID, language *string) error {
	_, err := db.Exec(ctx, tx, `UPDATE users SET locale = :language WHERE school_id = :school AND id = :user`,
		db.Args{"user": user, "language": language})
	if err != nil {
		return fault.Wrap("set the language of an account", err)
	}
	return announce(ctx, tx, user)
}

// Delete blanks an account and ends its sessions. The row stays for foreign keys.
func (s *Service) Delete(ctx context.Context, tx *db.Tx, who actor.Actor, user id.ID) error {
	before, err := s.toDelete(ctx, tx, who, user)
	if err != nil {
		return err
	}
	role, err := access.System(ctx, tx, before.Role) // frees the old role for deletion
	if err != nil {
		return err
	}
	after := User{ID: user, Role: before.Role, RoleID: role.ID, Status: deleted, Version: before.Version, UpdatedAt: s.Now()}
	if err := s.keepingAdmin(ctx, tx, before, func() error { return write(ctx, tx, after) }); err != nil {
		return err
	}
	if err := blank(ctx, tx, user); err != nil {
		return fmt.Errorf("blank account: %w", err)
	}
	if err := s.afterChange(ctx, tx, who, before, after); err != nil {
		return err
	}
	if err := s.Audit.Record(ctx, tx, who, "user.delete", "user", user, before, nil); err != nil {
		return err
	}
	return announce(ctx, tx, user)
}
