package oneroster

import (
	"context"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// year is an academic year.
type year struct {
	ID        id.ID
	Name      string
	StartDate clock.Date
	EndDate   clock.Date
	UpdatedAt time.Time
}

// getYear returns an academic year, or with nil the current one.
func getYear(ctx context.Context, q db.Q, one *id.ID) (year, error) {
	return db.One[year](ctx, q, `SELECT id, name, start_date, end_date, updated_at FROM academic_years WHERE school_id = :school AND `+
		db.When(one == nil, `is_current`)+db.When(one != nil, `id = :year`), db.Args{"year": one})
}

// class is a class of the year.
type class struct {
	ID        id.ID
	Name      string
	UpdatedAt time.Time
}

// subject is a subject of a class.
type subject struct {
	ID         id.ID
	ClassID    id.ID
	Name       string
	Code       string
	UpdatedAt  time.Time
	IsElective bool
}

// room is a division, or a class as a whole if some of its students have no division.
type room struct {
	ID         id.ID
	ClassID    id.ID
	DivisionID *id.ID
	Title      string
	Room       string
	UpdatedAt  time.Time

	DisplayOrder int // of the class
}

// lesson is the id of a room's class in a subject.
func (r room) lesson(subject id.ID) string { return r.ID.String() + "." + subject.String() }

// plan has the classes of a year.
type plan struct {
	classes  []class
	subjects []subject
	rooms    []room
}

func readPlan(ctx context.Context, tx *db.Tx, y year) (p plan, err error) {
	a := db.Args{"year": y.ID}
	err = db.Read(ctx, tx, db.Into(&p.classes, `
		SELECT id, name, updated_at FROM classes WHERE school_id = :school AND academic_year_id = :year ORDER BY display_order, id`, a),
		db.Into(&p.subjects, `
		SELECT s.id, k.class_id, s.name, s.code, s.updated_at, e.subject_id IS NOT NULL AS is_elective
		FROM class_subjects k JOIN classes c ON c.school_id = k.school_id AND c.id = k.class_id AND c.academic_year_id = :year
		JOIN subjects s ON s.school_id = k.school_id AND s.id = k.subject_id
		LEFT JOIN electives e ON e.school_id = k.school_id AND e.class_id = k.class_id AND e.subject_id = k.subject_id
		WHERE k.school_id = :school ORDER BY s.name, s.id, k.class_id`, a),
		db.Into(&p.rooms, `
		SELECT d.id, c.id AS class_id, d.id AS division_id, c.name || ' ' || d.name AS title, d.room, d.updated_at, c.display_order
		FROM divisions d JOIN classes c ON c.school_id = d.school_id AND c.id = d.class_id
		WHERE d.school_id = :school AND c.academic_year_id = :year
		UNION ALL
		SELECT c.id, c.id, NULL, c.name, '', c.updated_at, c.display_order FROM classes c
		WHERE c.school_id = :school AND c.academic_year_id = :year AND (
			NOT EXISTS (SELECT 1 FROM divisions d WHERE d.school_id = c.school_id AND d.class_id = c.id)
			OR EXISTS (SELECT 1 FROM enrolments e WHERE e.school_id = c.school_id AND e.class_id = c.id AND e.division_id IS NULL
				AND e.outcome <> 'LEFT'))
		ORDER BY 7, 4, 1`, a))
	return p, fault.Wrap("read classes", err)
}

// person is a student, an employee or a guardian.
type person struct {
	ID         id.ID
	Code       string
	FirstName  string
	LastName   string
	Email      string
	Phone      string
	Role       string // as OneRoster names it
	Enabled    bool
	UpdatedAt  time.Time
	Connected  []id.ID `db:"-"` // the guardians of a student, the students of a guardian
	DivisionID *id.ID
}

// seated are the students of the year that have not left it.
const seated = `enrolments e JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id
		AND s.archived_at IS NULL AND s.erased_at IS NULL
	WHERE e.school_id = :school AND e.academic_year_id = :year AND e.outcome <> 'LEFT'`

func students(ctx context.Context, tx *db.Tx, y year, class id.ID) ([]person, error) {
	out, err := db.All[person](ctx, tx, `
		SELECT s.id, s.admission_no AS code, s.first_name, s.last_name, s.email, s.phone, 'student' AS role, s.status = 'ACTIVE' AS enabled,
			CASE WHEN s.updated_at > e.updated_at THEN s.updated_at ELSE e.updated_at END AS updated_at, e.division_id
		FROM `+seated+` AND e.class_id = :class ORDER BY s.admission_no`, db.Args{"year": y.ID, "class": class})
	return out, fault.Wrap("read students", err)
}

// staff are the teachers and administrators.
func staff(ctx context.Context, tx *db.Tx) ([]person, error) {
	out, err := db.All[person](ctx, tx, `
		SELECT e.id, e.employee_code AS code, e.first_name, e.last_name, e.email, e.phone,
			CASE r.type WHEN 'TEACHER' THEN 'teacher' ELSE 'siteAdministrator' END AS role, e.status = 'ACTIVE' AS enabled, e.updated_at,
			NULL AS division_id
		FROM employees e JOIN roles r ON r.school_id = e.school_id AND r.id = e.role_id AND r.type IN ('TEACHER', 'SCHOOL_ADMIN')
		WHERE e.school_id = :school AND e.archived_at IS NULL AND e.status <> 'RESIGNED' ORDER BY e.employee_code`, nil)
	return out, fault.Wrap("read staff", err)
}

// link connects a student with a guardian.
type link struct{ StudentID, GuardianID id.ID }

// guardians are those of the year's students. A name is split at its last space.
func guardians(ctx context.Context, tx *db.Tx, y year) (people []person, links []link, err error) {
	a := db.Args{"year": y.ID}
	err = db.Read(ctx, tx, db.Into(&people, `
		SELECT g.id, '' AS code, g.name AS first_name, '' AS last_name, g.email, g.phone, TRUE AS enabled, g.updated_at, NULL AS division_id,
			CASE WHEN EXISTS (SELECT 1 FROM student_guardians l WHERE l.school_id = g.school_id AND l.guardian_id = g.id
				AND l.relation IN ('FATHER', 'MOTHER')) THEN 'parent' ELSE 'guardian' END AS role
		FROM guardians g WHERE g.school_id = :school AND EXISTS (SELECT 1 FROM student_guardians l WHERE l.school_id = g.school_id
			AND l.guardian_id = g.id AND l.student_id IN (SELECT s.id FROM `+seated+`)) ORDER BY g.id`, a),
		db.Into(&links, `SELECT student_id, guardian_id FROM student_guardians
			WHERE school_id = :school AND student_id IN (SELECT s.id FROM `+seated+`) ORDER BY student_id, guardian_id`, a))
	for i, g := range people {
		if at := strings.LastIndexByte(g.FirstName, ' '); at > 0 {
			people[i].FirstName, people[i].LastName = g.FirstName[:at], g.FirstName[at+1:]
		}
	}
	return people, links, fault.Wrap("read guardians", err)
}

// teaching is an assignment of a teacher.
type teaching struct {
	EmployeeID     id.ID
	ClassID        id.ID
	DivisionID     *id.ID
	SubjectID      *id.ID
	IsClassTeacher bool
	CreatedAt      time.Time
}

func teachings(ctx context.Context, tx *db.Tx, y year) ([]teaching, error) {
	out, err := db.All[teaching](ctx, tx, `
		SELECT t.employee_id, t.class_id, t.division_id, t.subject_id, t.is_class_teacher, t.created_at FROM teacher_assignments t
		JOIN employees e ON e.school_id = t.school_id AND e.id = t.employee_id AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
		JOIN roles r ON r.school_id = e.school_id AND r.id = e.role_id AND r.type IN ('TEACHER', 'SCHOOL_ADMIN')
		WHERE t.school_id = :school AND t.academic_year_id = :year ORDER BY t.is_class_teacher DESC, t.id`, db.Args{"year": y.ID})
	return out, fault.Wrap("read assignments", err)
}

// chosen is who takes the electives of a class.
func chosen(ctx context.Context, tx *db.Tx, class id.ID) (map[[2]id.ID]bool, error) {
	rows, err := db.All[struct{ SubjectID, StudentID id.ID }](ctx, tx,
		`SELECT subject_id, student_id FROM elective_students WHERE school_id = :school AND class_id = :class`, db.Args{"class": class})
	out := map[[2]id.ID]bool{}
	for _, r := range rows {
		out[[2]id.ID{r.SubjectID, r.StudentID}] = true
	}
	return out, fault.Wrap("read electives", err)
}
