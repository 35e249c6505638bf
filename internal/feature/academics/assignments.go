package academics

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Errors for teachers without an assignment.
var (
	ErrNotAssigned    = fault.Denied("You are not assigned to this class or division. Ask your school's administrator.")
	ErrNotSubject     = fault.Denied("You are not assigned to this subject in this class or division. Ask your school's administrator.")
	ErrNoClassTeacher = fault.Missing("class teacher")
)

// Assignment is a teacher's assignment. Without a division it is for the whole class,
// without a subject for all subjects.
type Assignment struct {
	EmployeeID     id.ID
	ClassID        id.ID
	DivisionID     *id.ID
	SubjectID      *id.ID
	IsClassTeacher bool
}

// Assign adds assignments, each in the academic year of its class.
func (s *Service) Assign(ctx context.Context, tx *db.Tx, in []Assignment) error {
	type row struct {
		Assignment
		ID, AcademicYearID id.ID
		CreatedAt          time.Time
	}
	classes := make([]id.ID, len(in))
	for i, a := range in {
		classes[i] = a.ClassID
	}
	years, err := people.ClassYears(ctx, tx, classes)
	if err != nil {
		return err
	}
	rows := make([]row, len(in))
	for i, a := range in {
		rows[i] = row{Assignment: a, ID: s.NewID(), AcademicYearID: years[a.ClassID], CreatedAt: s.Now()}
	}
	_, err = db.Insert(ctx, tx, `
		INSERT INTO teacher_assignments (school_id, id, employee_id, academic_year_id, class_id, division_id, subject_id, is_class_teacher,
			created_at)
		VALUES (:school, :id, :employee_id, :academic_year_id, :class_id, :division_id, :subject_id, :is_class_teacher, :created_at)`, rows)
	return writeFault("assign teachers", err, errNoPart)
}

// Caller is a teacher's account and the school's day. On the day of a lesson, its
// substitute has the rights of an assignment to the division and subject. With Day ""
// only assignments count.
type Caller struct {
	User id.ID
	Day  clock.Date
}

// TeachesDivision checks that the teacher has an assignment to the division or, with
// division "", to the whole class. It returns ErrNoClass, ErrNoDivision or
// ErrNotAssigned otherwise.
func TeachesDivision(ctx context.Context, q db.Q, who Caller, class, division id.ID) error {
	return teaches(ctx, q, who, class, division, "")
}

// TeachesSubject is TeachesDivision for one subject. It also returns ErrNoSubject and
// ErrNotSubject.
func TeachesSubject(ctx context.Context, q db.Q, who Caller, class, division, subject id.ID) error {
	return teaches(ctx, q, who, class, division, subject)
}

// TeachesStudent is TeachesDivision for the student's current division.
func TeachesStudent(ctx context.Context, q db.Q, who Caller, st people.Summary) error {
	if st.ClassID == nil {
		return ErrNotAssigned
	}
	var division id.ID
	if st.DivisionID != nil {
		division = *st.DivisionID
	}
	return TeachesDivision(ctx, q, who, *st.ClassID, division)
}

// SeenByTeachers selects (user_id, student_id) for the teachers :users and the students
// they are assigned to. Substitutes get no notifications about students.
const SeenByTeachers = `
	SELECT e.user_id, s.id AS student_id FROM employees e
	JOIN teacher_assignments a ON a.school_id = e.school_id AND a.employee_id = e.id
	JOIN students s ON s.school_id = a.school_id AND s.class_id = a.class_id AND (a.division_id IS NULL OR a.division_id = s.division_id)
		AND s.archived_at IS NULL
	WHERE e.school_id = :school AND e.user_id IN (:users) AND e.archived_at IS NULL AND e.status <> 'RESIGNED'`

// TeachesClass checks that the teacher has an assignment to the class or a part of
// it. It returns ErrNoClass or ErrNotAssigned otherwise.
func TeachesClass(ctx context.Context, q db.Q, who Caller, class id.ID) error {
	assigned, err := db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM `+ofTeacher+` WHERE a.school_id = :school AND a.class_id = :class) AS assigned
		FROM classes WHERE school_id = :school AND id = :class`, who.args(db.Args{"class": class}))
	switch {
	case err != nil:
		return db.Found("read assignments", err, ErrNoClass)
	case !assigned:
		return ErrNotAssigned
	}
	return nil
}

// ofTeacher has the assignments a of the user :user, while employed, and the lessons
// that the user substitutes on :day, as assignments.
const ofTeacher = `(
	SELECT t.school_id, t.academic_year_id, t.class_id, t.division_id, t.subject_id, t.is_class_teacher
	FROM employees e JOIN teacher_assignments t ON t.school_id = e.school_id AND t.employee_id = e.id
	WHERE e.school_id = :school AND e.user_id = :user AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
	UNION ALL
	SELECT o.school_id, o.academic_year_id, o.class_id, o.division_id, COALESCE(o.subject_id, p.subject_id), FALSE
	FROM employees e JOIN timetable_overrides o ON o.school_id = e.school_id AND o.employee_id = e.id AND o.date = :day
	JOIN timetable_periods p ON p.school_id = o.school_id AND p.division_id = o.division_id AND p.day_of_week = o.day_of_week
		AND p.period_no = o.period_no
	WHERE e.school_id = :school AND e.user_id = :user AND e.archived_at IS NULL AND e.status <> 'RESIGNED') a`

// args adds the arguments of ofTeacher.
func (c Caller) args(a db.Args) db.Args {
	a["user"], a["day"] = c.User, c.Day
	return a
}

const teachesSQL = `
	SELECT
		EXISTS (SELECT 1 FROM classes WHERE school_id = :school AND id = :class) AS class,
		EXISTS (SELECT 1 FROM divisions WHERE school_id = :school AND class_id = :class AND id = :division) AS division,
		EXISTS (SELECT 1 FROM subjects WHERE school_id = :school AND id = :subject) AS subject,
		EXISTS (SELECT 1 FROM ` + ofTeacher + `
			WHERE a.school_id = :school AND a.class_id = :class
			AND (a.division_id IS NULL OR a.division_id = :division)) AS assigned,
		EXISTS (SELECT 1 FROM ` + ofTeacher + `
			WHERE a.school_id = :school AND a.class_id = :class
			AND (a.division_id IS NULL OR a.division_id = :division)
			AND (a.subject_id IS NULL OR a.subject_id = :subject)) AS assigned_subject`

func teaches(ctx context.Context, q db.Q, who Caller, class, division, subject id.ID) error {
	type checks struct{ Class, Division, Subject, Assigned, AssignedSubject bool }
	is, err := db.One[checks](ctx, q, teachesSQL,
		who.args(db.Args{"class": class, "division": division, "subject": subject}))
	switch {
	case err != nil:
		return fmt.Errorf("read assignments: %w", err)
	case !is.Class:
		return ErrNoClass
	case division != "" && !is.Division:
		return ErrNoDivision
	case subject != "" && !is.Subject:
		return ErrNoSubject
	case !is.Assigned:
		return ErrNotAssigned
	case subject != "" && !is.AssignedSubject:
		return ErrNotSubject
	}
	return nil
}

// Taught is an assigned division, or an assigned class without divisions.
type Taught struct {
	ClassID        id.ID
	ClassName      string
	DivisionID     id.ID // "": the class has no divisions
	DivisionName   string
	Room           string
	IsClassTeacher bool
}

// AssignedDivisions lists the teacher's divisions in the current academic year, by
// class. An assignment to a whole class includes all of its divisions.
func AssignedDivisions(ctx context.Context, q db.Q, who Caller) ([]Taught, error) {
	taught, err := db.All[Taught](ctx, q, `
		SELECT c.id AS class_id, c.name AS class_name,
			d.id AS division_id, COALESCE(d.name, '') AS division_name, COALESCE(d.room, '') AS room,
			COUNT(CASE WHEN a.is_class_teacher THEN 1 END) > 0 AS is_class_teacher
		FROM `+ofTeacher+`
		JOIN classes c ON c.school_id = a.school_id AND c.id = a.class_id
		JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id AND y.is_current
		LEFT JOIN divisions d ON d.school_id = c.school_id AND d.class_id = c.id AND (a.division_id IS NULL OR d.id = a.division_id)
		WHERE a.school_id = :school
		GROUP BY c.id, c.name, c.display_order, d.id, d.name, d.room
		ORDER BY c.display_order, c.id, d.name`, who.args(db.Args{}))
	if err != nil {
		return nil, fmt.Errorf("list assigned divisions: %w", err)
	}
	return taught, nil
}

// isClassTeacher reports whether a user is class teacher of the student's division, or of
// the whole class.
func isClassTeacher(ctx context.Context, q db.Q, user id.ID, st people.Summary) (bool, error) {
	is, err := db.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM `+ofTeacher+`
		WHERE a.school_id = :school AND a.class_id = :class AND a.is_class_teacher
			AND (a.division_id IS NULL OR a.division_id = :division)) AS leads`,
		Caller{User: user}.args(db.Args{"class": st.ClassID, "division": st.DivisionID}))
	return is, fault.Wrap("read class teacher", err)
}

// Teacher is a teacher with the account to notify.
type Teacher struct {
	EmployeeID id.ID
	UserID     id.ID // "": without an account
	FirstName  string
	LastName   string
}

// ClassTeacher returns the class teacher of a division, else of its class, else
// ErrNoClassTeacher. With division "" it looks at the class only.
func ClassTeacher(ctx context.Context, q db.Q, class, division id.ID) (Teacher, error) {
	t, err := db.One[Teacher](ctx, q, `
		SELECT e.id AS employee_id, e.user_id, e.first_name, e.last_name
		FROM teacher_assignments a JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id
			AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
		WHERE a.school_id = :school AND a.class_id = :class AND a.is_class_teacher
			AND (a.division_id IS NULL OR a.division_id = :division)
		ORDER BY CASE WHEN a.division_id IS NULL THEN 1 ELSE 0 END LIMIT 1`,
		db.Args{"class": class, "division": division})
	return t, db.Found("read class teacher", err, ErrNoClassTeacher)
}
