package people

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
)

// Statuses of an employee.
const (
	Working  = "ACTIVE"
	OnLeave  = "ON_LEAVE" // can still sign in
	Resigned = "RESIGNED" // the account is disabled
)

// ErrNoEmployee means that this school has no such employee.
var ErrNoEmployee = fault.Missing("employee")

// Employee is someone who works for the school.
type Employee struct {
	ID            id.ID        `json:"id"`
	EmployeeCode  string       `json:"employeeCode"`
	FirstName     string       `json:"firstName"`
	LastName      opt.Text     `json:"lastName"`
	Designation   opt.Text     `json:"designation"`
	Department    opt.Text     `json:"department"`
	RoleID        id.ID        `json:"roleId"`
	Type          actor.Role   `json:"type" doc:"The type of the role." enum:"TEACHER,DRIVER,SCHOOL_ADMIN"`
	UserID        *id.ID       `json:"userId" doc:"The account; null without a phone or e-mail to sign in with."`
	Phone         opt.Text     `json:"phone"`
	Email         opt.Text     `json:"email"`
	DateOfBirth   *clock.Date  `json:"dateOfBirth"`
	Gender        opt.Text     `json:"gender"`
	JoinDate      *clock.Date  `json:"joinDate"`
	Qualification opt.Text     `json:"qualification"`
	Salary        *money.Money `json:"salary" doc:"At most two decimals, in the school's currency."`
	LicenseNo     opt.Text     `json:"licenseNo"`
	Status        string       `json:"status" enum:"ACTIVE,ON_LEAVE,RESIGNED"`
	Version       int          `json:"version"`
	CreatedAt     time.Time    `json:"createdAt"`
	UpdatedAt     time.Time    `json:"updatedAt"`
}

// Name is the full name.
func (e Employee) Name() string { return strings.TrimSpace(e.FirstName + " " + string(e.LastName)) }

// signsInBy returns the login of the employee's role: the e-mail for
// administrators, the phone for others.
func (e Employee) signsInBy() string {
	if e.Type == actor.SchoolAdmin {
		return string(e.Email)
	}
	return string(e.Phone)
}

func (e Employee) search() string { return SearchText(e.Name(), e.EmployeeCode, string(e.Phone)) }

// NewEmployee is the input of AddEmployees.
type NewEmployee struct {
	EmployeeCode  string // "" = the school's next code
	FirstName     string
	LastName      string
	Designation   string
	Department    string
	RoleID        id.ID  // "" = the TEACHER system role
	UserID        *id.ID // an existing account; nil = find or create one
	Phone         string
	Email         string
	DateOfBirth   *clock.Date
	Gender        string
	JoinDate      *clock.Date
	Qualification string
	Salary        *money.Money
	LicenseNo     string
	Status        string // "" = ACTIVE
}

// AddEmployees inserts employees with their accounts and returns the new ids in
// order. It audits the accounts; the caller audits the employees.
func (s *Service) AddEmployees(ctx context.Context, tx *db.Tx, who actor.Actor, in []NewEmployee) ([]id.ID, error) {
	made, err := s.addEmployees(ctx, tx, who, in)
	ids := make([]id.ID, len(made))
	for i, e := range made {
		ids[i] = e.ID
	}
	return ids, err
}

func (s *Service) addEmployees(ctx context.Context, tx *db.Tx, who actor.Actor, in []NewEmployee) ([]Employee, error) {
	roles, err := rolesOf(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	if err := s.mayAppoint(ctx, tx, who, roles...); err != nil {
		return nil, err
	}
	codes, err := newCodes(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	rows, made, now := make([]employeeRow, len(in)), make([]Employee, len(in)), s.Now()
	today := clock.DateIn(now, who.Zone)
	for i, n := range in {
		if err := checkBirth(n.DateOfBirth, today); err != nil {
			return nil, err
		}
		e := n.employee(s.NewID(), roles[i], now)
		if e.EmployeeCode == "" {
			e.EmployeeCode = codes()
		}
		if e.UserID == nil {
			if e.UserID, err = s.openAccount(ctx, tx, who, e); err != nil {
				return nil, err
			}
		}
		made[i], rows[i] = e, employeeRow{Employee: e, Search: e.search()}
	}
	return made, insertEmployees(ctx, tx, rows)
}

func (n NewEmployee) employee(at id.ID, role access.Role, now time.Time) Employee {
	if n.Status == "" {
		n.Status = Working
	}
	return Employee{ID: at, EmployeeCode: strings.TrimSpace(n.EmployeeCode),
		FirstName: strings.TrimSpace(n.FirstName), LastName: opt.Text(strings.TrimSpace(n.LastName)),
		Designation: opt.Text(n.Designation), Department: opt.Text(n.Department), RoleID: role.ID, Type: role.Type, UserID: n.UserID,
		Phone: opt.Text(n.Phone), Email: opt.Text(n.Email), DateOfBirth: n.DateOfBirth, Gender: opt.Text(n.Gender), JoinDate: n.JoinDate,
		Qualification: opt.Text(n.Qualification), Salary: n.Salary, LicenseNo: opt.Text(n.LicenseNo), Status: n.Status,
		Version: 1, CreatedAt: now, UpdatedAt: now}
}

// newCodes returns a generator of employee codes: E0001, E0002 … after the highest
// ever used. It locks the codes if any employee needs one.
func newCodes(ctx context.Context, tx *db.Tx, in []NewEmployee) (next func() string, err error) {
	last, missing := 0, false
	for _, n := range in {
		missing = missing || strings.TrimSpace(n.EmployeeCode) == ""
		last = max(last, codeNumber(n.EmployeeCode))
	}
	if missing {
		if err := tx.Lock(ctx, "employee-codes"); err != nil {
			return nil, fmt.Errorf("lock employee codes: %w", err)
		}
		given, err := highestCode(ctx, tx)
		if err != nil {
			return nil, err
		}
		last = max(last, given)
	}
	return func() string { last++; return fmt.Sprintf("E%04d", last) }, nil
}

// rolesOf reads each employee's role.
func rolesOf(ctx context.Context, q db.Q, in []NewEmployee) ([]access.Role, error) {
	roles, seen := make([]access.Role, len(in)), map[id.ID]access.Role{}
	for i, n := range in {
		r, err := roleOf(ctx, q, seen, n.RoleID)
		if err != nil {
			return nil, err
		}
		roles[i] = r
	}
	return roles, nil
}

// roleOf reads a role that an employee may have; seen caches the roles read.
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
