package people

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/web"
)

var (
	errOwnAccess = fault.New(fault.Conflict, "", "You can't take your own role or access away. Ask another administrator to do it.")
)

// EmployeeChange is a partial update: unset fields stay.
type EmployeeChange struct {
	EmployeeCode  *string              `json:"employeeCode" maxLength:"50" pattern:"\\S" patternHint:"must not be blank"`
	FirstName     *string              `json:"firstName" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	LastName      *string              `json:"lastName" maxLength:"100"`
	Designation   *string              `json:"designation" maxLength:"100"`
	Department    *string              `json:"department" maxLength:"100"`
	RoleID        *id.ID               `json:"roleId" doc:"A new role ends all sessions. An employee who stops being a teacher loses the class assignments."`
	Phone         *string              `json:"phone" format:"phone" doc:"A new phone ends the sessions of the old one."`
	Email         *string              `json:"email" format:"email"`
	DateOfBirth   web.Opt[clock.Date]  `json:"dateOfBirth"`
	Gender        *string              `json:"gender" enum:"MALE,FEMALE,OTHER" alias:"m=MALE,boy=MALE,f=FEMALE,girl=FEMALE" doc:"Read in any case, and as m, f, boy or girl."`
	JoinDate      web.Opt[clock.Date]  `json:"joinDate"`
	Qualification *string              `json:"qualification" maxLength:"200"`
	Salary        web.Opt[money.Money] `json:"salary" minimum:"0" maximum:"9999999999.99"`
	LicenseNo     *string              `json:"licenseNo" maxLength:"50"`
	Status        *string              `json:"status" enum:"ACTIVE,ON_LEAVE,RESIGNED" doc:"RESIGNED disables the account and ends its sessions; ACTIVE enables it again."`
	Version       *int                 `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

// ChangeEmployee updates an employee and its account. A new role, phone or status
// applies from the account's next request on every node.
func (s *Service) ChangeEmployee(ctx context.Context, tx *db.Tx, who actor.Actor, employee id.ID, c EmployeeChange) (Employee, error) {
	before, err := GetEmployee(ctx, tx, employee)
	if err != nil {
		return before, err
	}
	after, err := c.apply(ctx, tx, before)
	if err != nil || reflect.DeepEqual(before, after) {
		return after, err
	}
	if err := s.mayChange(ctx, tx, who, before, after); err != nil {
		return after, err
	}
	if err := checkBirth(after.DateOfBirth, clock.DateIn(s.Now(), who.Zone)); err != nil {
		return after, err
	}
	if after.UserID, err = s.updateAccount(ctx, tx, who, before, after); err != nil {
		return after, err
	}
	after.UpdatedAt = s.Now()
	if err := updateEmployee(ctx, tx, after); err != nil {
		return after, err
	}
	after.Version++
	if before.Type == actor.Teacher && after.Type != actor.Teacher {
		if err := endAssignments(ctx, tx, employee); err != nil {
			return after, err
		}
	}
	return after, s.Accounts.Audit.Record(ctx, tx, who, "employee.update", "employee", employee, before, after)
}

func (c EmployeeChange) apply(ctx context.Context, q db.Q, e Employee) (Employee, error) {
	if err := fault.SameVersion(c.Version, e.Version); err != nil {
		return e, err
	}
	for at, sent := range map[*string]*string{&e.EmployeeCode: c.EmployeeCode, &e.FirstName: c.FirstName, (*string)(&e.LastName): c.LastName,
		(*string)(&e.Designation): c.Designation, (*string)(&e.Department): c.Department, (*string)(&e.Phone): c.Phone,
		(*string)(&e.Email): c.Email, (*string)(&e.Gender): c.Gender,
		(*string)(&e.Qualification): c.Qualification, (*string)(&e.LicenseNo): c.LicenseNo, &e.Status: c.Status} {
		if sent != nil {
			*at = strings.TrimSpace(*sent)
		}
	}
	if c.DateOfBirth.Set {
		e.DateOfBirth = unlessNull(c.DateOfBirth)
	}
	if c.JoinDate.Set {
		e.JoinDate = unlessNull(c.JoinDate)
	}
	if c.Salary.Set {
		e.Salary = unlessNull(c.Salary)
	}
	if c.RoleID == nil || *c.RoleID == e.RoleID {
		return e, nil
	}
	role, err := roleOf(ctx, q, map[id.ID]access.Role{}, *c.RoleID)
	e.RoleID, e.Type = role.ID, role.Type
	return e, err
}

func unlessNull[T any](o web.Opt[T]) *T {
	if o.Null {
		return nil
	}
	return &o.V
}

// mayChange refuses a change that takes the caller's own access away, or that gives
// or takes an administrator role with more permissions than the caller has.
func (s *Service) mayChange(ctx context.Context, tx *db.Tx, who actor.Actor, before, after Employee) error {
	if before.UserID != nil && *before.UserID == who.User && (leaves(before, after) || after.RoleID != before.RoleID) {
		return errOwnAccess
	}
	if before.RoleID == after.RoleID {
		return nil // updating the account checks the rest
	}
	return s.mayAppoint(ctx, tx, who, before.role(), after.role())
}

func leaves(before, after Employee) bool {
	return after.Status == Resigned && before.Status != Resigned
}

// role returns the employee's role with only ID and Type set.
func (e Employee) role() access.Role { return access.Role{ID: e.RoleID, Type: e.Type} }

// mayAppoint refuses a caller who may not give or take the administrator roles
// among roles, even if there is no account yet.
func (s *Service) mayAppoint(ctx context.Context, tx *db.Tx, who actor.Actor, roles ...access.Role) error {
	admins := administrative(roles...)
	if len(admins) == 0 {
		return nil
	}
	return s.Accounts.MayAppoint(ctx, tx, who, admins...)
}

// administrative returns the distinct ids of the administrator roles.
func administrative(roles ...access.Role) (ids []id.ID) {
	for _, r := range roles {
		if r.Type == actor.SchoolAdmin && !slices.Contains(ids, r.ID) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// updateAccount applies an employee's change to its account, or creates the
// account once the employee has a login.
func (s *Service) updateAccount(ctx context.Context, tx *db.Tx, who actor.Actor, before, after Employee) (*id.ID, error) {
	if before.UserID == nil {
		return s.openAccount(ctx, tx, who, after)
	}
	var c identity.Change
	if name := after.Name(); name != before.Name() {
		c.Name = &name
	}
	if after.Phone != before.Phone {
		c.Phone = (*string)(&after.Phone)
	}
	if after.Email != before.Email {
		c.Email = (*string)(&after.Email)
	}
	if after.RoleID != before.RoleID {
		c.RoleID = &after.RoleID
	}
	if was, is := before.Status == Resigned, after.Status == Resigned; was != is {
		c.Status = new(identity.Active)
		if is {
			c.Status = new(identity.Disabled)
		}
	}
	if c == (identity.Change{}) {
		return before.UserID, nil
	}
	_, err := s.Accounts.Update(ctx, tx, who, *before.UserID, c)
	if errors.Is(err, identity.ErrNoUser) { // deleted by the platform's administrators
		return s.openAccount(ctx, tx, who, after)
	}
	return before.UserID, err
}

// openAccount creates an account for an employee who has a login, or links an
// existing account that has no employee.
func (s *Service) openAccount(ctx context.Context, tx *db.Tx, who actor.Actor, e Employee) (*id.ID, error) {
	if e.signsInBy() == "" || e.Status == Resigned {
		return e.UserID, nil
	}
	spare, err := unlinkedAccount(ctx, tx, e)
	switch {
	case errors.Is(err, db.ErrNotFound):
		user, err := s.Accounts.CreateAccount(ctx, tx, who, identity.NewAccount{
			Role: e.Type, RoleID: e.RoleID, Name: e.Name(), Phone: string(e.Phone), Email: string(e.Email)})
		if err != nil {
			return nil, fmt.Errorf("create an employee's account: %w", err)
		}
		return &user, nil
	case err != nil:
		return nil, fmt.Errorf("find an employee's account: %w", err)
	}
	u, err := s.Accounts.Get(ctx, tx, spare)
	switch {
	case err != nil:
		return nil, err
	case spare == who.User && u.RoleID != e.RoleID:
		return nil, errOwnAccess
	}
	name := e.Name()
	_, err = s.Accounts.Update(ctx, tx, who, spare, identity.Change{Name: &name, RoleID: &e.RoleID})
	return &spare, err
}

// deleteAndArchive deletes an employee's account and current class assignments and
// archives the record: it leaves every list, and its history keeps the name.
func (s *Service) deleteAndArchive(ctx context.Context, tx *db.Tx, who actor.Actor, employee id.ID) error {
	e, err := GetEmployee(ctx, tx, employee)
	if err != nil {
		return err
	}
	if e.UserID != nil && *e.UserID == who.User {
		return errOwnAccess
	}
	if e.UserID != nil { // deleted rather than disabled: frees the phone for another account
		if err := s.Accounts.Delete(ctx, tx, who, *e.UserID); err != nil && !errors.Is(err, identity.ErrNoUser) {
			return err
		}
	}
	role, err := access.System(ctx, tx, e.Type) // frees the old role for deletion
	if err != nil {
		return err
	}
	if err := archiveEmployee(ctx, tx, e, role.ID, s.Now()); err != nil {
		return err
	}
	if err := endAssignments(ctx, tx, employee); err != nil { // after it: see LockEmployees
		return err
	}
	return s.Accounts.Audit.Record(ctx, tx, who, "employee.delete", "employee", employee, e, nil)
}
