package people

import (
	"context"
	"errors"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
)

// readAuthority reads which permissions the caller may grant. In a transaction it
// also locks the administrators' accounts, which any line may need.
func (p *employeePass) readAuthority(ctx context.Context) (err error) {
	if p.tx == nil {
		p.authority, err = p.s.Accounts.AuthorityNow(ctx, p.q, p.who)
		return err
	}
	p.q = p.tx
	p.authority, err = p.s.Accounts.Authority(ctx, p.tx, p.who)
	return err
}

// writeFault is conflict, except for rules that are checked only on writing.
func writeFault(err error) error {
	if errors.Is(err, access.ErrBeyond) || errors.Is(err, identity.ErrLastAdmin) {
		return err
	}
	return conflict(err)
}

// mayChange refuses a line that changes or creates an administrator with more
// permissions than the caller has.
func (p *employeePass) mayChange(ctx context.Context, is Employee, to access.Role, c EmployeeChange) error {
	if c.FirstName == nil && c.LastName == nil && c.Phone == nil && c.Email == nil && c.RoleID == nil && c.Status == nil {
		return nil
	}
	if is.UserID != nil && is.Type == actor.SchoolAdmin && (c.Phone != nil || c.Email != nil) {
		if err := p.authority.Logins(); err != nil {
			return err
		}
	}
	return p.authority.Over(ctx, p.q, administrative(is.role(), to)...)
}

// role returns the employee's role after the line; nil if the school has no role of that name.
func (p *employeePass) role(l *employeeLine, is Employee, there bool) *access.Role {
	switch {
	case l.role != "":
		return p.roles.find(l.role)
	case there:
		return new(is.role())
	}
	return p.roles.find(string(actor.Teacher))
}
