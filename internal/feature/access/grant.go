package access

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Nobody gives what they don't have. Whoever creates, changes or deletes an
// administrator's account, or the role of one, needs every permission that the
// role has before and after. Teachers, drivers and parents are bounded by
// assignment and link, so that their roles ask for nothing of the kind.

// ErrBeyond is the fault of a change that needs permissions the caller lacks.
var ErrBeyond = fault.Denied("This concerns an administrator who may do more than you. Ask an administrator who has all of these permissions.")

var errLogins = fault.Denied("To change how an administrator signs in, you need write permission on roles.")

// Lock keeps changes of roles and of administrators' accounts of tx's school
// apart. What is read after it stays true until tx ends.
func Lock(ctx context.Context, tx *db.Tx) error {
	if err := tx.Lock(ctx, "administrators"); err != nil {
		return fmt.Errorf("lock administrators: %w", err)
	}
	return nil
}

// Authority is what a caller may give to administrators or take from them: what
// the caller has. The zero Authority has nothing.
type Authority struct {
	all  bool
	held actor.Grants
}

// Unbounded is the authority of the service itself, and of the platform's
// administrators, whom the permission of their route binds.
func Unbounded() Authority { return Authority{all: true} }

// AuthorityOf is the authority of those who hold a role of q's school.
func AuthorityOf(ctx context.Context, q db.Q, role id.ID) (Authority, error) {
	held, err := Grants(ctx, q, role)
	return Authority{held: held}, err
}

// Over refuses the caller unless it has every permission of each of the roles.
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

// Logins refuses a caller who may not change what administrators sign in by.
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
