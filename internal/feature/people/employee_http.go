package people

import (
	"context"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

func (s *Service) employeeRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/employee/create", s.createEmployee, web.Write("employee"), web.Created(),
			web.Doc("Create an employee. The account is created once there is a phone (for administrators, an e-mail).")),
		web.Handle("GET /school-admin/employee/list", s.employees, web.Read("employee"),
			web.List("firstName", "lastName", "employeeCode", "createdAt"), web.Doc("Employees of this school.")),
		web.Handle("GET /school-admin/employee/{id}", s.employee, web.Read("employee"), web.Doc("One employee.")),
		web.Handle("PUT /school-admin/employee/{id}", s.updateEmployee, web.Write("employee"),
			web.Doc("Update an employee and the account.")),
		web.Handle("DELETE /school-admin/employee/{id}", s.deleteEmployee, web.Delete("employee"),
			web.Doc("Archive an employee: deletes the account and this academic year's class assignments.")),
	}
}

type createEmployeeIn struct {
	EmployeeCode  string       `json:"employeeCode" maxLength:"50" doc:"Default: the school's next code, such as E0012."`
	FirstName     string       `json:"firstName" required:"true" maxLength:"100" example:"Zoë"`
	LastName      string       `json:"lastName" maxLength:"100"`
	Designation   string       `json:"designation" maxLength:"100" example:"Head of science"`
	Department    string       `json:"department" maxLength:"100"`
	RoleID        id.ID        `json:"roleId" doc:"A role for teachers, drivers or administrators. Default: the TEACHER system role."`
	Phone         string       `json:"phone" format:"phone" doc:"The login of teachers and drivers. Without it there is no account."`
	Email         string       `json:"email" format:"email" doc:"The login of administrators. Without it there is no account."`
	DateOfBirth   *clock.Date  `json:"dateOfBirth"`
	Gender        string       `json:"gender" enum:"MALE,FEMALE,OTHER" alias:"m=MALE,boy=MALE,f=FEMALE,girl=FEMALE" doc:"Read in any case, and as m, f, boy or girl."`
	JoinDate      *clock.Date  `json:"joinDate"`
	Qualification string       `json:"qualification" maxLength:"200"`
	Salary        *money.Money `json:"salary" minimum:"0" maximum:"9999999999.99" doc:"At most two decimals, in the school's currency."`
	LicenseNo     string       `json:"licenseNo" maxLength:"50" doc:"A driver's licence number."`
	Status        string       `json:"status" enum:"ACTIVE,ON_LEAVE,RESIGNED" default:"ACTIVE"`
}

func (s *Service) createEmployee(ctx context.Context, who actor.Actor, in createEmployeeIn) (out Employee, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		made, err := s.addEmployees(ctx, tx, who, []NewEmployee{{
			EmployeeCode: in.EmployeeCode, FirstName: in.FirstName, LastName: in.LastName, Designation: in.Designation,
			Department: in.Department, RoleID: in.RoleID, Phone: in.Phone, Email: in.Email, DateOfBirth: in.DateOfBirth,
			Gender: in.Gender, JoinDate: in.JoinDate, Qualification: in.Qualification, Salary: in.Salary,
			LicenseNo: in.LicenseNo, Status: in.Status}})
		if err != nil {
			return err
		}
		out = made[0]
		return s.Accounts.Audit.Record(ctx, tx, who, "employee.create", "employee", out.ID, nil, out)
	})
	return out, err
}

type employeeFilters struct {
	RoleID     *id.ID `json:"roleId,omitempty"`
	Type       string `json:"type,omitempty" enum:"TEACHER,DRIVER,SCHOOL_ADMIN" doc:"The type of the role."`
	Department string `json:"department,omitempty"`
	Status     string `json:"status,omitempty" enum:"ACTIVE,ON_LEAVE,RESIGNED"`
	Search     string `json:"search,omitempty" doc:"Words in any order, each any part of the name, employee code or phone."`
}

func (s *Service) employees(ctx context.Context, who actor.Actor, in page.Ask[employeeFilters]) (page.Of[ListedEmployee], error) {
	q := s.DB.School(who.School)
	out, err := listEmployees(ctx, q, in)
	if err != nil || out.Total > 0 {
		return out, err
	}
	return out, MustExist(ctx, q, Ref{"roles", in.Filters.RoleID, access.ErrNoRole})
}

func (s *Service) employee(ctx context.Context, who actor.Actor, in idIn) (ListedEmployee, error) {
	return showEmployee(ctx, s.DB.School(who.School), in.ID)
}

type updateEmployeeIn struct {
	ID         id.ID  `path:"id"`
	HandOverTo *id.ID `json:"handOverTo" doc:"Only with status RESIGNED: the employee who takes over, as with hand-over."`
	EmployeeChange
}

// Check validates the fields together.
func (in *updateEmployeeIn) Check() error {
	if in.HandOverTo != nil && opt.Value(in.Status) != Resigned {
		return fault.OnField("handOverTo", "is only allowed with status RESIGNED")
	}
	return nil
}

func (s *Service) updateEmployee(ctx context.Context, who actor.Actor, in updateEmployeeIn) (out Employee, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if in.HandOverTo != nil {
			if _, err := s.handOver(ctx, tx, who, in.ID, *in.HandOverTo); err != nil {
				return err
			}
		}
		out, err = s.ChangeEmployee(ctx, tx, who, in.ID, in.EmployeeChange)
		return err
	})
	return out, err
}

type deleteEmployeeIn struct {
	ID         id.ID  `path:"id"`
	HandOverTo *id.ID `json:"handOverTo" doc:"The employee who takes over, as with hand-over."`
}

func (s *Service) deleteEmployee(ctx context.Context, who actor.Actor, in deleteEmployeeIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if in.HandOverTo != nil {
			if _, err := s.handOver(ctx, tx, who, in.ID, *in.HandOverTo); err != nil {
				return err
			}
		}
		return s.deleteAndArchive(ctx, tx, who, in.ID)
	})
}
