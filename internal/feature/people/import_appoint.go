package people

import (
	"context"
	"errors"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
)

// readAuthority finds out what the caller may give. Before anything is written it
// also takes the lock of administrators' accounts, which any line may need.
func (p *employeePass) readAuthority(ctx context.Context) (err error) {
	if p.tx == nil {
		p.held, err = p.s.Accounts.AuthorityNow(ctx, p.q, p.who)
		return err
	}
	p.q = p.tx
	p.held, err = p.s.Accounts.Authority(ctx, p.tx, p.who)
	return err
}

// refused is raced, but for the rules that only writing asks.
func refused(err error) error {
	if errors.Is(err, access.ErrBeyond) || errors.Is(err, identity.ErrLastAdmin) {
		return err
	}
	return raced(err)
}

// mayChange refuses what a line does to an administrator's account, or makes one
// of it, beyond what the caller may.
func (p *employeePass) mayChange(ctx context.Context, is Employee, to access.Role, c EmployeeChange) error {
	if c.FirstName == nil && c.LastName == nil && c.Phone == nil && c.Email == nil && c.RoleID == nil && c.Status == nil {
		return nil
	}
	if is.UserID != nil && is.Type == actor.SchoolAdmin && (c.Phone != nil || c.Email != nil) {
		if err := p.held.Logins(); err != nil {
			return err
		}
	}
	return p.held.Over(ctx, p.q, administrative(is.role(), to)...)
}

// role is the role that a line gives or leaves; nil if the file names one that is not here.
func (p *employeePass) role(l *employeeLine, is Employee, there bool) *access.Role {
	switch {
	case l.role != "":
		return p.roles.find(l.role)
	case there:
		return new(is.role())
	}
	return p.roles.find(string(actor.Teacher))
}
