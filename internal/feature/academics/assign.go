package academics

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

var (
	errNotTeacher = fault.New(fault.Conflict, "", "Only teachers can be assigned to classes.")
	errNotTaught  = fault.New(fault.Conflict, "", "The subject is not taught in this class.")
)

func (s *Service) assignmentRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/employee/{id}/assignments", s.assignments, web.Read("employee"),
			web.Doc("List a teacher's assignments in an academic year.")),
		web.Handle("POST /school-admin/employee/{id}/assignments", s.assign, web.Write("employee"), web.Says("Saved."),
			web.Doc("Replace a teacher's assignments in an academic year.")),
	}
}

type assignmentsIn struct {
	ID             id.ID  `path:"id"`
	AcademicYearID *id.ID `json:"academicYearId" doc:"Default: the current academic year."`
}

type assignIn struct {
	ID             id.ID          `path:"id"`
	AcademicYearID *id.ID         `json:"academicYearId" doc:"Default: the current academic year."`
	Assignments    []assignmentIn `json:"assignments" required:"true" maxItems:"500"`
}

type assignmentIn struct {
	ClassID        id.ID  `json:"classId" required:"true"`
	DivisionID     *id.ID `json:"divisionId" doc:"Default: every division of the class."`
	SubjectID      *id.ID `json:"subjectId" doc:"Default: every subject of the class."`
	IsClassTeacher bool   `json:"isClassTeacher" doc:"A division has one class teacher, and so has a class as a whole."`
}

// Check validates the fields together.
func (in *assignIn) Check() error {
	type place struct{ class, division, subject id.ID }
	seen, leads := map[place]bool{}, map[place]bool{}
	for i, a := range in.Assignments {
		at := place{a.ClassID, opt.Value(a.DivisionID), opt.Value(a.SubjectID)}
		if seen[at] {
			return fault.OnField(fmt.Sprintf("assignments[%d]", i), "is a duplicate")
		}
		seen[at] = true
		at.subject = ""
		if a.IsClassTeacher && leads[at] {
			return fault.OnField(fmt.Sprintf("assignments[%d].isClassTeacher", i), "is already set for this division")
		}
		leads[at] = leads[at] || a.IsClassTeacher
	}
	return nil
}

// assigned is an assignment with the names of class, division and subject.
type assigned struct {
	ID             id.ID    `json:"id"`
	ClassID        id.ID    `json:"classId"`
	ClassName      string   `json:"className"`
	DivisionID     *id.ID   `json:"divisionId"`
	DivisionName   opt.Text `json:"divisionName"`
	SubjectID      *id.ID   `json:"subjectId"`
	SubjectName    opt.Text `json:"subjectName"`
	IsClassTeacher bool     `json:"isClassTeacher"`
}

type assignmentsOut struct {
	EmployeeID     id.ID      `json:"employeeId"`
	AcademicYearID id.ID      `json:"academicYearId"`
	Assignments    []assigned `json:"assignments"`
}

func (s *Service) assignments(ctx context.Context, who actor.Actor, in assignmentsIn) (assignmentsOut, error) {
	q := s.DB.School(who.School)
	e, err := people.GetEmployee(ctx, q, in.ID)
	if err != nil {
		return assignmentsOut{}, err
	}
	year, err := yearOrCurrent(ctx, q, in.AcademicYearID)
	if err != nil {
		return assignmentsOut{}, err
	}
	return listAssignments(ctx, q, e.ID, year.ID)
}

func (s *Service) assign(ctx context.Context, who actor.Actor, in assignIn) (out assignmentsOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := people.LockEmployees(ctx, tx, in.ID); err != nil {
			return err
		}
		e, err := people.GetEmployee(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		year, err := yearOrCurrent(ctx, tx, in.AcademicYearID)
		if err != nil {
			return err
		}
		if err := checkParts(ctx, tx, year, in.Assignments); err != nil {
			return err
		}
		if err := mustTeach(e); err != nil {
			return err
		}
		before, err := listAssignments(ctx, tx, e.ID, year.ID)
		if err != nil {
			return err
		}
		if err := s.replace(ctx, tx, e.ID, year.ID, in.Assignments); err != nil {
			return err
		}
		if out, err = listAssignments(ctx, tx, e.ID, year.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "employee.assign", "employee", e.ID, before, out)
	})
	return out, err
}

// replace replaces an employee's assignments of a year.
func (s *Service) replace(ctx context.Context, tx *db.Tx, employee, year id.ID, in []assignmentIn) error {
	_, err := db.Exec(ctx, tx, `
		DELETE FROM teacher_assignments WHERE school_id = :school AND employee_id = :employee AND academic_year_id = :year`,
		db.Args{"employee": employee, "year": year})
	if err != nil {
		return fmt.Errorf("delete assignments: %w", err)
	}
	list := make([]Assignment, len(in))
	for i, a := range in {
		list[i] = Assignment{employee, a.ClassID, a.DivisionID, a.SubjectID, a.IsClassTeacher}
		if a.IsClassTeacher {
			if err := checkClassTeacher(ctx, tx, list[i]); err != nil {
				return err
			}
		}
	}
	return s.Assign(ctx, tx, list)
}

// checkClassTeacher refuses a second class teacher, and names the first. One who has
// resigned is replaced.
func checkClassTeacher(ctx context.Context, tx *db.Tx, a Assignment) error {
	type present struct {
		ID                             id.ID
		FirstName, LastName, ClassName string
		DivisionName                   string
		Gone                           bool
	}
	p, err := db.One[present](ctx, tx, `
		SELECT a.id, e.first_name, e.last_name, c.name AS class_name, COALESCE(d.name, '') AS division_name,
			e.archived_at IS NOT NULL OR e.status = 'RESIGNED' AS gone
		FROM teacher_assignments a
		JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id
		JOIN classes c ON c.school_id = a.school_id AND c.id = a.class_id
		LEFT JOIN divisions d ON d.school_id = a.school_id AND d.id = a.division_id
		WHERE a.school_id = :school AND a.class_id = :class AND a.is_class_teacher`+
		db.When(a.DivisionID == nil, ` AND a.division_id IS NULL`)+
		db.When(a.DivisionID != nil, ` AND a.division_id = :division`), db.Args{"class": a.ClassID, "division": a.DivisionID})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("read class teacher: %w", err)
	case !p.Gone:
		return errClassTeacher.Saying("%s is the class teacher of %s. Remove that assignment first.",
			strings.TrimSpace(p.FirstName+" "+p.LastName), strings.TrimSpace(p.ClassName+" "+p.DivisionName))
	}
	_, err = db.Exec(ctx, tx, `UPDATE teacher_assignments SET is_class_teacher = FALSE WHERE school_id = :school AND id = :id`,
		db.Args{"id": p.ID})
	if err != nil {
		return fmt.Errorf("unset former class teacher: %w", err)
	}
	return nil
}

// setClassTeacher sets or removes the class teacher of a division. An assignment of
// the former one without a subject is deleted.
func (s *Service) setClassTeacher(ctx context.Context, tx *db.Tx, d Division, teacher *id.ID) error {
	if teacher != nil {
		if err := people.LockEmployees(ctx, tx, *teacher); err != nil {
			return err
		}
		e, err := people.GetEmployee(ctx, tx, *teacher)
		if err != nil {
			return err
		}
		if err := mustTeach(e); err != nil {
			return err
		}
	}
	present := ` WHERE school_id = :school AND division_id = :division AND is_class_teacher` +
		db.When(teacher != nil, ` AND employee_id <> :teacher`)
	args := db.Args{"division": d.ID, "teacher": teacher}
	for _, sql := range []string{
		`DELETE FROM teacher_assignments` + present + ` AND subject_id IS NULL`,
		`UPDATE teacher_assignments SET is_class_teacher = FALSE` + present,
	} {
		if _, err := db.Exec(ctx, tx, sql, args); err != nil {
			return fmt.Errorf("remove class teacher: %w", err)
		}
	}
	if teacher == nil {
		return nil
	}
	return s.makeClassTeacher(ctx, tx, d, *teacher)
}

// makeClassTeacher marks an existing assignment, or adds one for all subjects. The
// division must have no class teacher.
func (s *Service) makeClassTeacher(ctx context.Context, tx *db.Tx, d Division, teacher id.ID) error {
	n, err := db.Exec(ctx, tx, `
		UPDATE teacher_assignments SET is_class_teacher = TRUE WHERE school_id = :school AND id = (
			SELECT id FROM teacher_assignments WHERE school_id = :school AND division_id = :division AND employee_id = :teacher
			ORDER BY CASE WHEN is_class_teacher THEN 0 ELSE 1 END, id LIMIT 1)`, db.Args{"division": d.ID, "teacher": teacher})
	if err != nil || n > 0 {
		return writeFault("set class teacher", err, errNoPart)
	}
	return s.Assign(ctx, tx, []Assignment{{EmployeeID: teacher, ClassID: d.ClassID, DivisionID: &d.ID, IsClassTeacher: true}})
}

func mustTeach(e people.Employee) error {
	switch {
	case e.Type != actor.Teacher:
		return errNotTeacher.Saying("Only teachers can be assigned to classes, and %s is not a teacher. "+
			"Give the employee a teacher's role first.", e.Name())
	case e.Status == people.Resigned:
		return errNotTeacher.Saying("%s has resigned. Set the status to ACTIVE first.", e.Name())
	}
	return nil
}
