package access

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// No privilege escalation: to create, change or delete an administrator's account or
// role, the caller needs every permission that the role has before and after. Other
// roles need no such rule: assignments and links limit what they see.

// ErrBeyond refuses a change that needs permissions the caller lacks.
var ErrBeyond = fault.Denied(
	"This concerns an administrator who may do more than you. Ask an administrator who has all of these permissions.")

var errLogins = fault.Denied("To change how an administrator signs in, you need write permission on roles.")

// Lock serializes changes of roles and of administrators' accounts of tx's school.
// What is read after it stays true until tx ends.
func Lock(ctx context.Context, tx *db.Tx) error {
	if err := tx.Lock(ctx, "administrators"); err != nil {
		return fmt.Errorf("lock administrators: %w", err)
	}
	return nil
}

// Authority is the permissions that a caller may give to or take from administrators:
// the caller's own. The zero Authority has none.
type Authority struct {
	all  bool
	held actor.Grants
}

// Unbounded is the authority of the service itself, and of super-administrators, who
// are limited by the permissions of their routes.
func Unbounded() Authority { return Authority{all: true} }

// AuthorityOf is the authority of those who hold a role of q's school.
func AuthorityOf(ctx context.Context, q db.Q, role id.ID) (Authority, error) {
	held, err := Grants(ctx, q, role)
	return Authority{held: held}, err
}

// Over fails unless the caller has every permission of each of the roles.
func (a Authority) Over(ctx context.Context, q db.Q, roles ...id.ID) error {
	for _, role := range roles {
		if a.all {
			return nil
		}
		g, err := Grants(ctx, q, role)
		if err != nil {
			return err
		}
		if err := a.covers(g); err != nil {
			return err
		}
	}
	return nil
}

// Logins fails unless the caller may change administrators' logins.
func (a Authority) Logins() error {
	if a.all || a.held["role"]&actor.Write != 0 {
		return nil
	}
	return errLogins
}

func (a Authority) covers(g actor.Grants) error {
	for module, verbs := range g {
		if !a.all && verbs&^a.held[module] != 0 {
			return ErrBeyond
		}
	}
	return nil
}
