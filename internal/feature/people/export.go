package people

import (
	"context"
	"fmt"
	"strconv"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// exportChunk is the page size, so that a slow client doesn't keep a query open.
const exportChunk = 1000

// getStudents exports the filtered students, sorted by admission number. It leaves
// out classes of other years, so that importing the file again changes nothing.
func (s *Service) getStudents(ctx context.Context, who actor.Actor, f studentFilters) (web.File, error) {
	q := s.DB.School(who.School)
	err := MustExist(ctx, q, Ref{"classes", f.ClassID, errNoClass}, Ref{"divisions", f.DivisionID, errNoDivision},
		Ref{"academic_years", f.AcademicYearID, errNoYear})
	if err != nil {
		return web.File{}, err
	}
	if err := s.auditExport(ctx, who, "student", f.withoutSearch()); err != nil {
		return web.File{}, err
	}
	return csvFile("students.csv", studentColumnsCSV, func(ctx context.Context, write func([]string) error) error {
		return eachStudent(ctx, q, f, write)
	}), nil
}

// withoutSearch is for the audit log: a search may hold personal data, which erasure can't remove from there.
func (f studentFilters) withoutSearch() studentFilters {
	f.Search = ""
	return f
}

func (f employeeFilters) withoutSearch() employeeFilters {
	f.Search = ""
	return f
}

// auditExport records who exported which records.
func (s *Service) auditExport(ctx context.Context, who actor.Actor, entity string, filters any) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.Accounts.Audit.Record(ctx, tx, who, entity+".export", entity, "", nil, filters)
	})
}

// exportRow is a student with the names of class and division.
type exportRow struct {
	foundStudent
	Class    string
	Division string
}

func eachStudent(ctx context.Context, q db.Q, f studentFilters, write func([]string) error) error {
	where, args := f.where()
	seat := `s.class_id, s.division_id, s.roll_no`
	year := `(SELECT id FROM academic_years WHERE school_id = :school AND is_current)`
	join := ``
	if f.AcademicYearID != nil {
		seat, year = `e.class_id, e.division_id, e.roll_no`, `:year`
		join = `JOIN enrolments e ON e.school_id = s.school_id AND e.student_id = s.id AND e.academic_year_id = :year`
	}
	sql := `
		SELECT s.id, s.admission_no, s.first_name, s.last_name, s.date_of_birth, s.gender, s.blood_group, ` + seat + `,
			s.admission_date, s.address, s.phone, s.email, s.medical_notes, s.ride_notes, s.status, s.leaving_date, s.leaving_reason,
			FALSE AS archived, COALESCE(c.name, '') AS class, COALESCE(d.name, '') AS division
		FROM (SELECT * FROM students WHERE ` + where + ` AND admission_no > :after ORDER BY admission_no LIMIT :limit) s ` + join + `
		LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = ` + seat[:2] + `class_id AND c.academic_year_id = ` + year + `
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = ` + seat[:2] + `division_id AND d.class_id = c.id
		ORDER BY s.admission_no`
	args["limit"], args["after"] = exportChunk, ""
	for {
		rows, err := db.All[exportRow](ctx, q, sql, args)
		if err != nil {
			return fmt.Errorf("read students: %w", err)
		}
		guardians, err := exportGuardians(ctx, q, rows)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := write(r.cells(guardians[r.ID])); err != nil {
				return err
			}
		}
		if len(rows) < exportChunk {
			return nil
		}
		args["after"] = rows[len(rows)-1].AdmissionNo
	}
}

// exportGuardians maps students to their guardians, the primary one first.
func exportGuardians(ctx context.Context, q db.Q, rows []exportRow) (map[id.ID][]Guardian, error) {
	out, ids := map[id.ID][]Guardian{}, make([]id.ID, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	type link struct {
		StudentID, GuardianID        id.ID
		Name, Relation, Phone, Email string
	}
	err := db.Each(ctx, q, `
		SELECT l.student_id, l.guardian_id, g.name, l.relation, g.phone, g.email
		FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE l.school_id = :school AND l.student_id IN (:ids)
		ORDER BY l.student_id, l.is_primary DESC, g.id`, db.Args{"ids": ids}, func(l link) error {
		out[l.StudentID] = append(out[l.StudentID], Guardian{
			ID: l.GuardianID, Name: l.Name, Relation: l.Relation, Phone: opt.Text(l.Phone), Email: opt.Text(l.Email)})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read guardians: %w", err)
	}
	return out, nil
}

// cells returns the row of the file.
func (r exportRow) cells(guardians []Guardian) []string {
	out := make([]string, len(studentColumnsCSV))
	copy(out, []string{r.AdmissionNo, r.FirstName, r.LastName, dateText(r.DateOfBirth), r.Gender, r.BloodGroup, r.Class, r.Division, "",
		dateText(r.AdmissionDate), r.Address, r.Phone, r.Email, r.MedicalNotes, r.RideNotes, r.Status, dateText(r.LeavingDate), r.LeavingReason})
	if r.RollNo != nil {
		out[stRollNo] = strconv.Itoa(*r.RollNo)
	}
	for i, g := range guardians[:min(len(guardians), importGuardians)] {
		copy(out[stGuardian+i*gdColumns:], []string{g.Name, g.Relation, string(g.Phone), string(g.Email)})
	}
	return out
}

func dateText(d *clock.Date) string {
	if d == nil {
		return ""
	}
	return string(*d)
}

// getEmployees exports the filtered employees.
func (s *Service) getEmployees(ctx context.Context, who actor.Actor, f employeeFilters) (web.File, error) {
	q := s.DB.School(who.School)
	if err := MustExist(ctx, q, Ref{"roles", f.RoleID, access.ErrNoRole}); err != nil {
		return web.File{}, err
	}
	if err := s.auditExport(ctx, who, "employee", f.withoutSearch()); err != nil {
		return web.File{}, err
	}
	return csvFile("employees.csv", employeeColumnsCSV, func(ctx context.Context, write func([]string) error) error {
		return eachEmployee(ctx, q, f, write)
	}), nil
}

func eachEmployee(ctx context.Context, q db.Q, f employeeFilters, write func([]string) error) error {
	type row struct {
		Employee
		Role string
	}
	where, args := f.where()
	sql := `
		SELECT ` + employeeColumns + `, (SELECT name FROM roles r WHERE r.school_id = employees.school_id AND r.id = employees.role_id) AS role
		FROM employees WHERE school_id = :school AND archived_at IS NULL AND employee_code > :after` + where + `
		ORDER BY employee_code LIMIT :limit`
	args["limit"], args["after"] = exportChunk, ""
	for {
		rows, err := db.All[row](ctx, q, sql, args)
		if err != nil {
			return fmt.Errorf("read employees: %w", err)
		}
		for _, r := range rows {
			err := write([]string{r.EmployeeCode, r.FirstName, string(r.LastName), string(r.Designation), string(r.Department), r.Role,
				string(r.Phone), string(r.Email),
				dateText(r.DateOfBirth), string(r.Gender), dateText(r.JoinDate), string(r.Qualification), moneyText(r.Salary),
				string(r.LicenseNo), r.Status})
			if err != nil {
				return err
			}
		}
		if len(rows) < exportChunk {
			return nil
		}
		args["after"] = rows[len(rows)-1].EmployeeCode
	}
}

// where is the condition on employees that the filters stand for.
func (f employeeFilters) where() (string, db.Args) {
	args := db.Args{"role": f.RoleID, "type": f.Type, "department": f.Department, "status": f.Status}
	return db.When(f.RoleID != nil, ` AND role_id = :role`) +
		db.When(f.Type != "", ` AND role_id IN (SELECT id FROM roles WHERE school_id = :school AND type = :type)`) +
		db.When(f.Department != "", ` AND department = :department`) +
		db.When(f.Status != "", ` AND status = :status`) +
		Matches(args, "search", f.Search), args
}

func moneyText(m *money.Money) string {
	if m == nil {
		return ""
	}
	return m.String()
}
