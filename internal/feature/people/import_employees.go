package people

import (
	"context"
	"fmt"
	"io"
	"strings"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// The columns of a file of employees, in export order.
const (
	emCode = iota
	emFirstName
	emLastName
	emDesignation
	emDepartment
	emRole
	emPhone
	emEmail
	emDateOfBirth
	emGender
	emJoinDate
	emQualification
	emSalary
	emLicenseNo
	emStatus
)

var employeeColumnsCSV = []csv.Column{
	emCode:          {Name: "employeeCode", Also: []string{"Employee ID", "Employee No", "Employee Number", "Staff ID", "Staff No", "Code"}},
	emFirstName:     {Name: "firstName", Also: []string{"Given Name", "Forename"}},
	emLastName:      {Name: "lastName", Also: []string{"Surname", "Family Name"}},
	emDesignation:   {Name: "designation", Also: []string{"Title", "Job Title", "Position"}},
	emDepartment:    {Name: "department"},
	emRole:          {Name: "role", Also: []string{"Role Name", "Type"}},
	emPhone:         {Name: "phone", Also: []string{"Phone Number", "Mobile"}},
	emEmail:         {Name: "email", Also: []string{"E-mail", "E-mail Address"}},
	emDateOfBirth:   {Name: "dateOfBirth", Also: []string{"DOB", "Birth Date", "Birthday"}},
	emGender:        {Name: "gender", Also: []string{"Sex"}},
	emJoinDate:      {Name: "joinDate", Also: []string{"Joining Date", "Date of Joining", "Start Date"}},
	emQualification: {Name: "qualification", Also: []string{"Qualifications", "Degree"}},
	emSalary:        {Name: "salary"},
	emLicenseNo:     {Name: "licenseNo", Also: []string{"License Number", "Licence No", "Driving Licence"}},
	emStatus:        {Name: "status"},
}

// employeeLine is one row of a file.
type employeeLine struct {
	NewEmployee
	row  int
	role string // its name in the file
}

func parseEmployee(c *cells) employeeLine {
	return employeeLine{row: c.row, role: c.at[emRole], NewEmployee: NewEmployee{
		EmployeeCode: c.text(emCode, 50), FirstName: c.text(emFirstName, 100), LastName: c.text(emLastName, 100),
		Designation: c.text(emDesignation, 100), Department: c.text(emDepartment, 100), Phone: c.phone(emPhone), Email: c.email(emEmail),
		DateOfBirth: c.date(emDateOfBirth), Gender: c.gender(emGender), JoinDate: c.date(emJoinDate),
		Qualification: c.text(emQualification, 200), Salary: c.money(emSalary), LicenseNo: c.text(emLicenseNo, 50),
		Status: c.oneOf(emStatus, Working, OnLeave, Resigned)}}
}

// ImportEmployees adds the employees of a file and, with Upsert, updates existing
// ones. Empty cells change nothing.
func (s *Service) ImportEmployees(ctx context.Context, who actor.Actor, src io.ReadSeeker, o Import) (Imported, error) {
	return runImport(ctx, s, who, src, o, kind[employeeLine]{
		columns: employeeColumnsCSV,
		entity:  "employee",
		parse:   parseEmployee,
		checkHeader: func(has func(int) bool) string {
			switch {
			case o.Upsert && !has(emCode):
				return "must have the column employeeCode: mode=upsert finds employees by it"
			case !o.Upsert && !has(emFirstName):
				return "must have the column firstName (First Name)"
			}
			return ""
		},
		begin: func(ctx context.Context, tx *db.Tx, r *report) (pass[employeeLine], error) {
			p := &employeePass{report: r, s: s, who: who, o: o, tx: tx, q: s.DB.School(who.School), codes: map[string]int{},
				contacts: map[string]int{}}
			if err := p.readAuthority(ctx); err != nil {
				return nil, err
			}
			return p, p.readRoles(ctx)
		},
	})
}

// employeePass is one pass over a file of employees. It updates them one by one:
// schools have few, and the rules of a single update apply.
type employeePass struct {
	*report
	s         *Service
	who       actor.Actor
	o         Import
	q         db.Q
	tx        *db.Tx // nil: check only
	authority access.Authority
	roles     named[access.Role]
	codes     map[string]int // the row of each code
	contacts  map[string]int // the row of each login
}

func (p *employeePass) readRoles(ctx context.Context) error {
	all, err := db.All[access.Role](ctx, p.q, `
		SELECT id, name, type, is_system, version, created_at, updated_at FROM roles
		WHERE school_id = :school AND type IN (:types) ORDER BY is_system DESC, name`,
		db.Args{"types": []actor.Role{actor.Teacher, actor.Driver, actor.SchoolAdmin}})
	if err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	for i := range all {
		p.roles.add(all[i].Name, &all[i])
		if all[i].IsSystem && all[i].Name != string(all[i].Type) {
			p.roles.add(string(all[i].Type), &all[i])
		}
	}
	return nil
}

func (p *employeePass) wrong(l *employeeLine, column int, format string, a ...any) {
	p.fail(RowError{l.row, opt.Text(employeeColumnsCSV[column].Name), fmt.Sprintf(format, a...)})
}

// foundEmployees are the existing employees of a chunk, and the owners of logins.
type foundEmployees struct {
	byCode   map[string]Employee
	archived map[string]bool
	accounts map[string]id.ID // signIn → the employee
}

func (p *employeePass) lookup(ctx context.Context, lines []employeeLine) (foundEmployees, error) {
	f := foundEmployees{map[string]Employee{}, map[string]bool{}, map[string]id.ID{}}
	var codes, phones, emails []string
	for _, l := range lines {
		codes, phones, emails = append(codes, l.EmployeeCode), append(phones, l.Phone), append(emails, l.Email)
	}
	type row struct {
		Employee
		Archived bool
	}
	err := db.Each(ctx, p.q, `SELECT `+employeeColumns+`, archived_at IS NOT NULL AS archived FROM employees
		WHERE school_id = :school AND employee_code IN (:codes)`, db.Args{"codes": codes}, func(r row) error {
		f.byCode[r.EmployeeCode], f.archived[r.EmployeeCode] = r.Employee, r.Archived
		return nil
	})
	if err != nil {
		return f, fmt.Errorf("look up employees: %w", err)
	}
	type account struct {
		Phone, Email string
		Role         actor.Role
		Employee     id.ID
	}
	err = db.Each(ctx, p.q, `
		SELECT COALESCE(u.phone, '') AS phone, COALESCE(u.email, '') AS email, u.role, e.id AS employee
		FROM users u JOIN employees e ON e.school_id = u.school_id AND e.user_id = u.id
		WHERE u.school_id = :school AND u.status <> 'DELETED' AND (u.phone IN (:phones) OR u.email IN (:emails))`,
		db.Args{"phones": phones, "emails": emails}, func(a account) error {
			f.accounts[signIn(a.Role, a.Phone, a.Email)] = a.Employee
			return nil
		})
	if err != nil {
		return f, fmt.Errorf("look up accounts: %w", err)
	}
	return f, nil
}

// signIn is an account's key: role and login; "" without a login.
func signIn(role actor.Role, phone, email string) string {
	by := phone
	if role == actor.SchoolAdmin {
		by = email
	}
	if by == "" {
		return ""
	}
	return string(role) + " " + by
}

// take checks a chunk of lines and, in the second pass, writes it.
func (p *employeePass) take(ctx context.Context, lines []employeeLine) error {
	found, err := p.lookup(ctx, lines)
	if err != nil {
		return err
	}
	var fresh []NewEmployee
	for i := range lines {
		l := &lines[i]
		is, there := found.byCode[l.EmployeeCode]
		if !p.valid(l, is, there, found) {
			continue
		}
		if !there {
			if err := p.authority.Over(ctx, p.q, administrative(*p.role(l, is, there))...); err != nil {
				return err
			}
			p.Created++
			fresh = append(fresh, l.NewEmployee)
			continue
		}
		c, changed := l.change(is)
		if !changed {
			p.Unchanged++
			continue
		}
		if err := p.mayChange(ctx, is, *p.role(l, is, there), c); err != nil {
			return err
		}
		p.Updated++
		if p.tx != nil {
			if _, err := p.s.ChangeEmployee(ctx, p.tx, p.who, is.ID, c); err != nil {
				return writeFault(err)
			}
		}
	}
	if p.tx == nil || len(fresh) == 0 {
		return nil
	}
	return p.add(ctx, fresh)
}

// add adds employees, and keeps who was added. Accounts with ids from before existed
// already and were linked.
func (p *employeePass) add(ctx context.Context, fresh []NewEmployee) error {
	before := p.s.NewID()
	made, err := p.s.addEmployees(ctx, p.tx, p.who, fresh)
	if err != nil {
		return writeFault(err)
	}
	var ids, users, adopted []id.ID
	for _, e := range made {
		ids = append(ids, e.ID)
		switch {
		case e.UserID == nil:
		case *e.UserID > before:
			users = append(users, *e.UserID)
		default:
			adopted = append(adopted, *e.UserID)
		}
	}
	p.added.Add("employee", 1, ids...)
	p.added.Add("user", 1, users...)
	p.added.Add("adopted", 1, adopted...)
	return nil
}

// valid checks a line against earlier lines and existing employees.
func (p *employeePass) valid(l *employeeLine, is Employee, there bool, f foundEmployees) bool {
	role := p.role(l, is, there)
	switch {
	case role == nil && l.role != "":
		p.wrong(l, emRole, "is not a role for employees: %s", choices(p.roles.names, "create it first"))
	case role == nil:
		p.wrong(l, emRole, "is required: name one of %s", strings.Join(p.roles.names, ", "))
	case l.role != "":
		l.RoleID = role.ID
	}
	switch row := p.codes[l.EmployeeCode]; {
	case l.EmployeeCode == "" && p.o.Upsert:
		p.wrong(l, emCode, "is required with mode=upsert, to find the employee")
	case l.EmployeeCode == "":
	case row > 0:
		p.wrong(l, emCode, "is already used in row %d: each employee needs a different code", row)
	case there && f.archived[l.EmployeeCode]:
		p.wrong(l, emCode, "belonged to an employee who was removed: choose another code")
	case there && !p.o.Upsert:
		p.wrong(l, emCode, "belongs to %s already: choose another code, or use mode=upsert to update existing employees", is.Name())
	default:
		p.codes[l.EmployeeCode] = l.row
	}
	if !there && l.FirstName == "" {
		p.wrong(l, emFirstName, "is required")
	}
	if problem := birthProblem(l.DateOfBirth, clock.DateIn(p.s.Now(), p.who.Zone)); problem != "" {
		p.wrong(l, emDateOfBirth, "%s", problem)
	}
	if there && is.UserID != nil && *is.UserID == p.who.User && (l.RoleID != "" && l.RoleID != is.RoleID || l.Status == Resigned) {
		p.wrong(l, emRole, "would take your own access away: ask another administrator")
	}
	if role != nil { // it decides whether phone or e-mail is the login
		p.checkLogin(l, role.Type, is, f)
	}
	return !p.bad[l.row]
}

// checkLogin refuses a phone or e-mail with which another employee signs in.
func (p *employeePass) checkLogin(l *employeeLine, role actor.Role, is Employee, f foundEmployees) {
	key, column := signIn(role, l.Phone, l.Email), emPhone
	if key == "" {
		return
	}
	if role == actor.SchoolAdmin {
		column = emEmail
	}
	if row := p.contacts[key]; row > 0 {
		p.wrong(l, column, "is already used in row %d for the same role: each employee needs a different one to sign in", row)
		return
	}
	p.contacts[key] = l.row
	if whose, taken := f.accounts[key]; taken && whose != is.ID {
		p.wrong(l, column, "is another employee's login: use another one")
	}
}

// change returns the update that a line makes to an existing employee.
func (l *employeeLine) change(is Employee) (c EmployeeChange, changed bool) {
	text := func(to **string, was, now string) {
		if now != "" && now != plainText(was) {
			*to, changed = &now, true
		}
	}
	text(&c.FirstName, is.FirstName, l.FirstName)
	text(&c.LastName, string(is.LastName), l.LastName)
	text(&c.Designation, string(is.Designation), l.Designation)
	text(&c.Department, string(is.Department), l.Department)
	text(&c.Phone, string(is.Phone), l.Phone)
	text(&c.Email, string(is.Email), l.Email)
	text(&c.Gender, string(is.Gender), l.Gender)
	text(&c.Qualification, string(is.Qualification), l.Qualification)
	text(&c.LicenseNo, string(is.LicenseNo), l.LicenseNo)
	text(&c.Status, is.Status, l.Status)
	changed = set(&c.DateOfBirth, is.DateOfBirth, l.DateOfBirth) || changed
	changed = set(&c.JoinDate, is.JoinDate, l.JoinDate) || changed
	if l.Salary != nil && !same(is.Salary, l.Salary) {
		c.Salary, changed = web.Opt[money.Money]{Set: true, V: *l.Salary}, true
	}
	if l.RoleID != "" && l.RoleID != is.RoleID {
		c.RoleID, changed = &l.RoleID, true
	}
	return c, changed
}
