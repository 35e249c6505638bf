package people

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// NewEmployee is someone to be employed.
type NewEmployee struct {
	EmployeeCode  string
	FirstName     string
	LastName      string
	Designation   string
	Department    string
	RoleID        id.ID  // "" = the school's teachers
	UserID        *id.ID // an account that is there already; else one is made
	Phone         string
	Email         string
	DateOfBirth   *clock.Date
	Gender        string
	JoinDate      *clock.Date
	Qualification string
	LicenseNo     string
}

// employeeRow is an employee as it is inserted.
type employeeRow struct {
	NewEmployee
	ID     id.ID
	Search string
	Now    time.Time
}

const insertEmployee = `
	INSERT INTO employees (school_id, id, employee_code, first_name, last_name, designation, department, role_id, user_id,
		phone, email, date_of_birth, gender, join_date, qualification, license_no, status, search, created_at, updated_at)
	VALUES (:school, :id, :employee_code, :first_name, :last_name, :designation, :department, :role_id, :user_id,
		:phone, :email, :date_of_birth, :gender, :join_date, :qualification, :license_no, 'ACTIVE', :search, :now, :now)`

// AddEmployees employs people, with the account of each one's role, and returns
// the new ids in their order.
func (s *Service) AddEmployees(ctx context.Context, tx *db.Tx, who actor.Actor, in []NewEmployee) ([]id.ID, error) {
	ids, rows := make([]id.ID, len(in)), make([]employeeRow, len(in))
	roles := map[id.ID]access.Role{}
	for i, n := range in {
		role, err := roleOf(ctx, tx, roles, n.RoleID)
		if err != nil {
			return nil, err
		}
		if n, err = s.withAccount(ctx, tx, who, n, role); err != nil {
			return nil, err
		}
		ids[i] = s.NewID()
		rows[i] = employeeRow{NewEmployee: n, ID: ids[i], Now: s.Now(),
			Search: SearchText(n.FirstName+" "+n.LastName, n.EmployeeCode, n.Phone)}
	}
	_, err := db.Insert(ctx, tx, insertEmployee, rows)
	switch {
	case db.IsDuplicate(err, "employees_code"):
		return nil, errEmployeeCode.Because(err)
	case err != nil:
		return nil, fmt.Errorf("add employees: %w", err)
	}
	return ids, nil
}

// roleOf reads a role that an employee may have, each once.
func roleOf(ctx context.Context, q db.Q, seen map[id.ID]access.Role, role id.ID) (access.Role, error) {
	if r, ok := seen[role]; ok {
		return r, nil
	}
	var r access.Role
	var err error
	if role == "" {
		r, err = access.System(ctx, q, actor.Teacher)
	} else {
		r, err = access.Get(ctx, q, role)
	}
	switch {
	case err != nil:
		return r, err
	case r.Type != actor.Teacher && r.Type != actor.Driver && r.Type != actor.SchoolAdmin:
		return r, fault.OnField("roleId", "must be a role for teachers, drivers or administrators")
	}
	seen[role] = r
	return r, nil
}

// withAccount gives an employee an account, if it has what its role signs in
// by: an e-mail for administrators, a phone for the others.
func (s *Service) withAccount(ctx context.Context, tx *db.Tx, who actor.Actor, n NewEmployee, role access.Role) (NewEmployee, error) {
	n.RoleID = role.ID
	by := n.Phone
	if role.Type == actor.SchoolAdmin {
		by = n.Email
	}
	if n.UserID != nil || by == "" {
		return n, nil
	}
	user, err := s.Accounts.CreateAccount(ctx, tx, who, identity.NewAccount{
		Role: role.Type, RoleID: role.ID, Name: strings.TrimSpace(n.FirstName + " " + n.LastName), Phone: n.Phone, Email: n.Email})
	if err != nil {
		return n, fmt.Errorf("make an employee's account: %w", err)
	}
	n.UserID = &user
	return n, nil
}
