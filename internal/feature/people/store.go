package people

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

func listStudents(ctx context.Context, q db.Q, in page.Ask[studentFilters]) (page.Of[Summary], error) {
	f, search := in.Filters, Pattern(in.Filters.Search)
	seat := db.When(f.ClassID != nil, ` AND class_id = :class`) + db.When(f.DivisionID != nil, ` AND division_id = :division`)
	if f.AcademicYearID != nil {
		seat = ` AND id IN (SELECT student_id FROM enrolments WHERE school_id = :school AND academic_year_id = :year` + seat + `)`
	}
	return db.Page[Summary](ctx, q, db.List{
		Columns: SummaryColumns,
		From: `students WHERE school_id = :school AND archived_at IS NULL` + seat +
			db.When(f.Status != "", ` AND status = :status`) +
			db.When(search != "", ` AND search LIKE :search ESCAPE '\'`),
		Sorts:   StudentSorts,
		Default: "firstName",
	}, in.Request, db.Args{"class": f.ClassID, "division": f.DivisionID, "year": f.AcademicYearID,
		"status": f.Status, "search": search})
}

// StudentSorts are the fields that lists of students sort by. Ids grow with the
// time of their making, so that they stand for createdAt.
var StudentSorts = map[string]string{
	"firstName":   "first_name",
	"lastName":    "last_name",
	"admissionNo": "admission_no",
	"rollNo":      "COALESCE(roll_no, 2147483647)",
	"createdAt":   "id",
}

const studentColumns = SummaryColumns + `, blood_group, address, medical_notes, emergency_contacts, custom_fields, leaving_date, leaving_reason`

func getStudent(ctx context.Context, q db.Q, student id.ID) (Student, error) {
	st, err := db.One[Student](ctx, q, `
		SELECT `+studentColumns+` FROM students
		WHERE school_id = :school AND id = :id AND archived_at IS NULL`, db.Args{"id": student})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return st, ErrNoStudent
	case err != nil:
		return st, fmt.Errorf("read student: %w", err)
	}
	return st, nil
}

// GetRecord reads a student with its guardians, the primary one first.
func GetRecord(ctx context.Context, q db.Q, student id.ID) (Record, error) {
	st, err := getStudent(ctx, q, student)
	if err != nil {
		return Record{}, err
	}
	guardians, err := db.All[Guardian](ctx, q, `
		SELECT g.id, g.name, l.relation, g.phone, g.email, l.is_primary, l.can_view_data, l.can_pick_up
		FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE l.school_id = :school AND l.student_id = :student
		ORDER BY l.is_primary DESC, g.id`, db.Args{"student": student})
	if err != nil {
		return Record{}, fmt.Errorf("read guardians: %w", err)
	}
	return Record{Student: st, Guardians: guardians}, nil
}

// Child is a student as its parents see it in a list.
type Child struct {
	Summary
	ClassName    string `json:"className"`
	DivisionName string `json:"divisionName"`
}

// listChildren reads where the account's children sit: now, or in one year.
func listChildren(ctx context.Context, q db.Q, parentUser id.ID, year *id.ID) ([]Child, error) {
	seat, join := "s", ""
	if year != nil {
		seat = "e"
		join = `JOIN enrolments e ON e.school_id = s.school_id AND e.student_id = s.id AND e.academic_year_id = :year`
	}
	children, err := db.All[Child](ctx, q, `
		SELECT s.id, s.admission_no, s.first_name, s.last_name, s.date_of_birth, s.gender,
			`+seat+`.class_id, `+seat+`.division_id, `+seat+`.roll_no,
			s.admission_date, s.phone, s.email, s.photo_file_id, s.status, s.version, s.created_at, s.updated_at,
			COALESCE(c.name, '') AS class_name, COALESCE(d.name, '') AS division_name
		FROM students s `+join+`
		LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = `+seat+`.class_id
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = `+seat+`.division_id
		WHERE s.school_id = :school AND s.archived_at IS NULL AND s.id IN (`+childrenOfUser+`)
		ORDER BY s.first_name, s.id`, db.Args{"user": parentUser, "year": year})
	if err != nil {
		return nil, fmt.Errorf("list children: %w", err)
	}
	return children, nil
}

const employeeColumns = `id, employee_code, first_name, last_name, designation, department, role_id,
	(SELECT type FROM roles r WHERE r.school_id = employees.school_id AND r.id = employees.role_id) AS type,
	user_id, phone, email, date_of_birth, gender, join_date, qualification, license_no, status, version, created_at, updated_at`

func listEmployees(ctx context.Context, q db.Q, in page.Ask[employeeFilters]) (page.Of[Employee], error) {
	f, search := in.Filters, Pattern(in.Filters.Search)
	return db.Page[Employee](ctx, q, db.List{
		Columns: employeeColumns,
		From: `employees WHERE school_id = :school AND archived_at IS NULL` +
			db.When(f.RoleID != nil, ` AND role_id = :role`) +
			db.When(f.Type != "", ` AND role_id IN (SELECT id FROM roles WHERE school_id = :school AND type = :type)`) +
			db.When(f.Department != "", ` AND department = :department`) +
			db.When(f.Status != "", ` AND status = :status`) +
			db.When(search != "", ` AND search LIKE :search ESCAPE '\'`),
		Sorts: map[string]string{"firstName": "first_name", "lastName": "last_name",
			"employeeCode": "employee_code", "createdAt": "id"},
		Default: "firstName",
	}, in.Request, db.Args{"role": f.RoleID, "type": f.Type, "department": f.Department, "status": f.Status, "search": search})
}

// Ref is a record that a filter names, if it does.
type Ref struct {
	Table   string
	ID      *id.ID
	Missing *fault.Fault
}

// MustExist returns the Missing of the first Ref that is no record of the school.
func MustExist(ctx context.Context, q db.Q, refs ...Ref) error {
	for _, r := range refs {
		if r.ID == nil {
			continue
		}
		_, err := db.One[id.ID](ctx, q, `SELECT id FROM `+r.Table+` WHERE school_id = :school AND id = :id`, db.Args{"id": *r.ID})
		switch {
		case errors.Is(err, db.ErrNotFound):
			return r.Missing
		case err != nil:
			return fmt.Errorf("look up %s: %w", r.Table, err)
		}
	}
	return nil
}
