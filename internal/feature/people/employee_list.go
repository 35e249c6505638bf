package people

import (
	"context"
	"slices"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// ListedEmployee is an employee with the names that a screen shows.
type ListedEmployee struct {
	Employee
	RoleName       string          `json:"roleName"`
	Subjects       []TaughtSubject `json:"subjects" db:"-" doc:"The subjects taught this academic year."`
	ClassTeacherOf []LedClass      `json:"classTeacherOf" db:"-" doc:"The classes and divisions with this class teacher, this academic year."`
}

// TaughtSubject is a subject that an employee teaches.
type TaughtSubject struct {
	ID   id.ID  `json:"id"`
	Name string `json:"name"`
}

// LedClass is a division, or a whole class, with its class teacher.
type LedClass struct {
	ClassID      id.ID   `json:"classId"`
	ClassName    string  `json:"className"`
	DivisionID   *id.ID  `json:"divisionId" doc:"Null: the whole class."`
	DivisionName *string `json:"divisionName"`
}

const listedEmployeeColumns = employeeColumns + `,
	(SELECT r.name FROM roles r WHERE r.school_id = employees.school_id AND r.id = employees.role_id) AS role_name`

// showEmployee reads an employee as lists show it.
func showEmployee(ctx context.Context, q db.Q, employee id.ID) (ListedEmployee, error) {
	e, err := db.One[ListedEmployee](ctx, q, `
		SELECT `+listedEmployeeColumns+` FROM employees
		WHERE school_id = :school AND id = :id AND archived_at IS NULL`, db.Args{"id": employee})
	if err != nil {
		return e, db.Found("read employee", err, ErrNoEmployee)
	}
	one := []ListedEmployee{e}
	err = showTeaching(ctx, q, one)
	return one[0], err
}

// showTeaching sets what employees teach in the current academic year.
func showTeaching(ctx context.Context, q db.Q, employees []ListedEmployee) error {
	at, ids := map[id.ID]*ListedEmployee{}, make([]id.ID, len(employees))
	for i := range employees {
		e := &employees[i]
		ids[i], at[e.ID], e.Subjects, e.ClassTeacherOf = e.ID, e, []TaughtSubject{}, []LedClass{}
	}
	if len(ids) == 0 {
		return nil
	}
	type assignment struct {
		EmployeeID     id.ID
		IsClassTeacher bool
		SubjectID      *id.ID
		SubjectName    *string
		LedClass
	}
	err := db.Each(ctx, q, `
		SELECT a.employee_id, a.is_class_teacher, a.subject_id, s.name AS subject_name, a.class_id, c.name AS class_name,
			a.division_id, d.name AS division_name
		FROM teacher_assignments a
		JOIN academic_years y ON y.school_id = a.school_id AND y.id = a.academic_year_id AND y.is_current
		JOIN classes c ON c.school_id = a.school_id AND c.id = a.class_id
		LEFT JOIN divisions d ON d.school_id = a.school_id AND d.id = a.division_id
		LEFT JOIN subjects s ON s.school_id = a.school_id AND s.id = a.subject_id
		WHERE a.school_id = :school AND a.employee_id IN (:ids)
		ORDER BY s.name, c.display_order, c.name, d.name, a.id`, db.Args{"ids": ids}, func(a assignment) error {
		e := at[a.EmployeeID]
		if a.SubjectID != nil && !slices.ContainsFunc(e.Subjects, func(s TaughtSubject) bool { return s.ID == *a.SubjectID }) {
			e.Subjects = append(e.Subjects, TaughtSubject{*a.SubjectID, *a.SubjectName})
		}
		if a.IsClassTeacher {
			e.ClassTeacherOf = append(e.ClassTeacherOf, a.LedClass)
		}
		return nil
	})
	return fault.Wrap("read what employees teach", err)
}
