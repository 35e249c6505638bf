package people

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

const employeeColumns = `id, employee_code, first_name, last_name, designation, department, role_id,
	(SELECT type FROM roles r WHERE r.school_id = employees.school_id AND r.id = employees.role_id) AS type,
	user_id, phone, email, date_of_birth, gender, join_date, qualification, salary, license_no, status, version, created_at, updated_at`

func listEmployees(ctx context.Context, q db.Q, in page.Ask[employeeFilters]) (page.Of[ListedEmployee], error) {
	where, args := in.Filters.where()
	out, err := db.Page[ListedEmployee](ctx, q, db.List{
		Columns: listedEmployeeColumns,
		From:    `employees WHERE school_id = :school AND archived_at IS NULL` + where,
		Sorts: map[string]string{"firstName": "first_name", "lastName": "last_name",
			"employeeCode": "employee_code", "createdAt": "id"},
		Default: "firstName",
	}, in.Request, args)
	if err != nil {
		return out, fault.Wrap("list employees", err)
	}
	return out, showTeaching(ctx, q, out.Items)
}

// GetEmployee reads an employee of q's school, or ErrNoEmployee.
func GetEmployee(ctx context.Context, q db.Q, employee id.ID) (Employee, error) {
	e, err := db.One[Employee](ctx, q, `
		SELECT `+employeeColumns+` FROM employees
		WHERE school_id = :school AND id = :id AND archived_at IS NULL`, db.Args{"id": employee})
	return e, db.Found("read employee", err, ErrNoEmployee)
}

// LockEmployees lets nobody change or archive the employees until tx ends. Call it before
// GetEmployee to give them what a resigned or archived one must not have.
func LockEmployees(ctx context.Context, tx *db.Tx, employees ...id.ID) error {
	_, err := db.All[id.ID](ctx, tx, `SELECT id FROM employees WHERE school_id = :school AND id IN (:ids) ORDER BY id`+
		db.ForUpdate(tx), db.Args{"ids": employees})
	return fault.Wrap("lock employees", err)
}

// employeeRow is a row to insert.
type employeeRow struct {
	Employee
	Search string
}

func insertEmployees(ctx context.Context, tx *db.Tx, rows []employeeRow) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO employees (school_id, id, employee_code, first_name, last_name, designation, department, role_id, user_id,
			phone, email, date_of_birth, gender, join_date, qualification, salary, license_no, status, search,
			version, created_at, updated_at)
		VALUES (:school, :id, :employee_code, :first_name, :last_name, :designation, :department, :role_id, :user_id,
			:phone, :email, :date_of_birth, :gender, :join_date, :qualification, :salary, :license_no, :status, :search,
			:version, :created_at, :updated_at)`, rows)
	return employeeFault("add employees", err)
}

// updateEmployee writes the next version of e.
func updateEmployee(ctx context.Context, tx *db.Tx, e Employee) error {
	err := db.Update(ctx, tx, `
		UPDATE employees SET employee_code = :code, first_name = :first, last_name = :last, designation = :designation,
			department = :department, role_id = :role, user_id = :user, phone = :phone, email = :email, date_of_birth = :born,
			gender = :gender, join_date = :joined, qualification = :qualification, salary = :salary, license_no = :license,
			status = :status, search = :search, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id AND version = :version AND archived_at IS NULL`,
		db.Args{"id": e.ID, "code": e.EmployeeCode, "first": e.FirstName, "last": e.LastName, "designation": e.Designation,
			"department": e.Department, "role": e.RoleID, "user": e.UserID, "phone": e.Phone, "email": e.Email, "born": e.DateOfBirth,
			"gender": e.Gender, "joined": e.JoinDate, "qualification": e.Qualification, "salary": e.Salary, "license": e.LicenseNo,
			"status": e.Status, "search": e.search(), "now": e.UpdatedAt, "version": e.Version})
	return employeeFault("update employee", err)
}

// archiveEmployee archives e, unless it has changed since it was read: it may have an
// account by now.
func archiveEmployee(ctx context.Context, tx *db.Tx, e Employee, role id.ID, now time.Time) error {
	err := db.Update(ctx, tx, `
		UPDATE employees SET archived_at = :now, role_id = :role, updated_at = :now, version = version + 1
		WHERE school_id = :school AND id = :id AND version = :version AND archived_at IS NULL`,
		db.Args{"id": e.ID, "role": role, "version": e.Version, "now": now})
	return employeeFault("archive employee", err)
}

// FromThisYear selects the current and later academic years.
const FromThisYear = `SELECT id FROM academic_years WHERE school_id = :school AND start_date >= (
	SELECT start_date FROM academic_years WHERE school_id = :school AND is_current)`

// endAssignments deletes an employee's class assignments of the current and later
// academic years. Past years are kept as history.
func endAssignments(ctx context.Context, tx *db.Tx, employee id.ID) error {
	_, err := db.Exec(ctx, tx, `
		DELETE FROM teacher_assignments WHERE school_id = :school AND employee_id = :employee
			AND academic_year_id IN (`+FromThisYear+`)`, db.Args{"employee": employee})
	return fault.Wrap("end assignments", err)
}

// highestCode returns the highest number among generated codes (E0001, E0002 …).
func highestCode(ctx context.Context, q db.Q) (int, error) {
	n, err := db.One[int](ctx, q, `
		SELECT COALESCE(MAX(CAST(SUBSTR(employee_code, 2) AS BIGINT)), 0) FROM employees
		WHERE school_id = :school AND employee_code LIKE 'E%' AND LENGTH(employee_code) BETWEEN 2 AND 10
			AND TRIM(SUBSTR(employee_code, 2), '0123456789') = ''`, nil)
	if err != nil {
		return 0, fmt.Errorf("read the highest employee code: %w", err)
	}
	return n, nil
}

// codeNumber returns the number of a generated code, 0 for any other code.
func codeNumber(code string) int {
	digits, ok := strings.CutPrefix(strings.TrimSpace(code), "E")
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || len(digits) > 9 {
		return 0
	}
	return int(n)
}

// unlinkedAccount finds an account with the same role and login that has no
// employee record, such as that of a school's first administrator.
func unlinkedAccount(ctx context.Context, q db.Q, e Employee) (id.ID, error) {
	by := "phone"
	if e.Type == actor.SchoolAdmin {
		by = "email"
	}
	return db.One[id.ID](ctx, q, `
		SELECT id FROM users WHERE school_id = :school AND role = :role AND `+by+` = :by AND status <> 'DELETED'
			AND id NOT IN (SELECT user_id FROM employees WHERE school_id = :school AND user_id IS NOT NULL)`,
		db.Args{"role": e.Type, "by": e.signsInBy()})
}

// employeeFault turns a unique violation into a fault.
func employeeFault(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case db.IsDuplicate(err, "employees_code"):
		return errEmployeeCode.Because(err)
	case db.IsDuplicate(err, "employees_user"): // two employees were given a login at once
		return errEmployeeLogin.Because(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
