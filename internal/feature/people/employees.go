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
)

// What an employee's status says.
const (
	Working  = "ACTIVE"
	OnLeave  = "ON_LEAVE" // away, and still signs in
	Resigned = "RESIGNED" // the account is disabled
)

// ErrNoEmployee is the fault of an employee whom this school does not have.
var ErrNoEmployee = fault.Missing("employee")

// Employee is someone who works for the school.
type Employee struct {
	ID            id.ID        `json:"id"`
	EmployeeCode  string       `json:"employeeCode"`
	FirstName     string       `json:"firstName"`
	LastName      string       `json:"lastName"`
	Designation   string       `json:"designation"`
	Department    string       `json:"department"`
	RoleID        id.ID        `json:"roleId"`
	Type          actor.Role   `json:"type" doc:"The type of the role." enum:"TEACHER,DRIVER,SCHOOL_ADMIN"`
	UserID        *id.ID       `json:"userId" doc:"The account, once there is a phone or an e-mail."`
	Phone         string       `json:"phone"`
	Email         string       `json:"email"`
	DateOfBirth   *clock.Date  `json:"dateOfBirth"`
	Gender        string       `json:"gender"`
	JoinDate      *clock.Date  `json:"joinDate"`
	Qualification string       `json:"qualification"`
	Salary        *money.Money `json:"salary" doc:"At most two decimals, in the school's currency."`
	LicenseNo     string       `json:"licenseNo"`
	Status        string       `json:"status" enum:"ACTIVE,ON_LEAVE,RESIGNED"`
	Version       int          `json:"version"`
	CreatedAt     time.Time    `json:"createdAt"`
	UpdatedAt     time.Time    `json:"updatedAt"`
}

// Name is how people call the employee.
func (e Employee) Name() string { return strings.TrimSpace(e.FirstName + " " + e.LastName) }

// signsInBy is what the account of the employee's role needs: an e-mail for
// administrators, a phone for the others.
func (e Employee) signsInBy() string {
	if e.Type == actor.SchoolAdmin {
		return e.Email
	}
	return e.Phone
}

func (e Employee) search() string { return SearchText(e.Name(), e.EmployeeCode, e.Phone) }

// NewEmployee is someone to be employed.
type NewEmployee struct {
	EmployeeCode  string // "" = the next of the school's own
	FirstName     string
	LastName      string
	Designation   string
	Department    string
	RoleID        id.ID  // "" = the school's teachers
	UserID        *id.ID // an account that is there already; else one is found or made
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

// AddEmployees employs people, with the account of each one's role, and returns
// the new ids in their order. The accounts are audited; the employees are the
// caller's to audit.
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
	for i, n := range in {
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
	return Employee{ID: at, EmployeeCode: strings.TrimSpace(n.EmployeeCode), FirstName: strings.TrimSpace(n.FirstName), LastName: strings.TrimSpace(n.LastName),
		Designation: n.Designation, Department: n.Department, RoleID: role.ID, Type: role.Type, UserID: n.UserID,
		Phone: n.Phone, Email: n.Email, DateOfBirth: n.DateOfBirth, Gender: n.Gender, JoinDate: n.JoinDate,
		Qualification: n.Qualification, Salary: n.Salary, LicenseNo: n.LicenseNo, Status: n.Status,
		Version: 1, CreatedAt: now, UpdatedAt: now}
}

// newCodes returns what gives the school's next employee codes, if any of the
// employees is without one: E0001, E0002 … after the highest there ever was.
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

// rolesOf reads the role of each.
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
