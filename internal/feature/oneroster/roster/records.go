// Package roster has a school year as OneRoster 1.2 sees it: its records (records.go),
// written as CSV files (csv.go) and as JSON (json.go).
//
// A class of the school is a OneRoster course, and each of its divisions a class of type
// homeroom. A subject is a course, too, and each division has a class of type scheduled
// for it.
package roster

import (
	"context"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Year is an academic year.
type Year struct {
	ID        id.ID
	Name      string
	StartDate clock.Date
	EndDate   clock.Date
	UpdatedAt time.Time
}

// GetYear returns an academic year, or with nil the current one.
func GetYear(ctx context.Context, q db.Q, one *id.ID) (Year, error) {
	return db.One[Year](ctx, q, `SELECT `+yearColumns+` FROM academic_years WHERE school_id = :school AND `+
		db.When(one == nil, `is_current`)+db.When(one != nil, `id = :year`), db.Args{"year": one})
}

// end is the day after the last one, as the format wants.
func (y Year) end() clock.Date { return y.EndDate.AddDays(1) }

// named is the year in which it ends.
func (y Year) named() string { return string(y.EndDate)[:4] }

const yearColumns = `id, name, start_date, end_date, updated_at`

// The records of a school in an academic year, each a SELECT with the parameters :school
// and, but for Orgs, :year. Without a year there are neither classes nor students.
const (
	Orgs     = `SELECT id, name, code, updated_at FROM schools WHERE id = :school`
	Sessions = `SELECT ` + yearColumns + ` FROM academic_years WHERE school_id = :school AND id = :year`

	// Courses are the classes of the year, and the subjects that they have. A course needs a code.
	Courses = `
		SELECT c.id, c.name AS title, c.name AS course_code, '' AS subject, '' AS subject_code, c.updated_at FROM classes c
		WHERE c.school_id = :school AND c.academic_year_id = :year
		UNION ALL
		SELECT s.id, s.name, CASE WHEN s.code = '' THEN s.name ELSE s.code END, s.name, s.code, s.updated_at FROM subjects s
		WHERE s.school_id = :school AND EXISTS (SELECT 1 FROM class_subjects k
			JOIN classes c ON c.school_id = k.school_id AND c.id = k.class_id AND c.academic_year_id = :year
			WHERE k.school_id = s.school_id AND k.subject_id = s.id)`

	// Classes are the rooms, and a lesson per room and subject. The subject of a homeroom is the room itself.
	Classes = `
		SELECT r.room_id, r.room_id AS subject_id, r.class_id AS course_id, r.class_id, r.display_order, r.title, r.room, '' AS subject,
			'' AS subject_code, r.updated_at FROM (` + rooms + `) AS r
		UNION ALL
		SELECT r.room_id, s.id, s.id, r.class_id, r.display_order, r.title || ' ' || s.name, '', s.name, s.code,
			CASE WHEN s.updated_at > r.updated_at THEN s.updated_at ELSE r.updated_at END
		FROM (` + rooms + `) AS r JOIN class_subjects k ON k.school_id = :school AND k.class_id = r.class_id
		JOIN subjects s ON s.school_id = k.school_id AND s.id = k.subject_id`

	// Users are the students of the year, their guardians, teachers and administrators.
	Users = `
		SELECT s.id, s.admission_no AS code, s.first_name, s.last_name, s.email, s.phone, 'student' AS role, s.status = 'ACTIVE' AS enabled,
			CASE WHEN s.updated_at > e.updated_at THEN s.updated_at ELSE e.updated_at END AS updated_at
		` + seated + ` WHERE e.school_id = :school
		UNION ALL
		SELECT e.id, e.employee_code, e.first_name, e.last_name, e.email, e.phone,
			CASE r.type WHEN 'TEACHER' THEN 'teacher' ELSE 'siteAdministrator' END, e.status = 'ACTIVE', e.updated_at
		` + employed + ` WHERE e.school_id = :school
		UNION ALL
		SELECT g.id, '', g.name, '', g.email, g.phone, CASE WHEN g.id IN (SELECT guardian_id FROM student_guardians
				WHERE school_id = :school AND relation IN ('FATHER', 'MOTHER')) THEN 'parent' ELSE 'guardian' END,
			TRUE, g.updated_at
		FROM guardians g WHERE g.school_id = :school AND g.id IN (SELECT l.guardian_id ` + linked + ` WHERE e.school_id = :school)`

	// Enrollments are who is in which class: students in their homeroom and the subjects that
	// they take, teachers in what they are assigned to.
	Enrollments = `
		SELECT e.student_id AS user_id, COALESCE(e.division_id, e.class_id) AS room_id, COALESCE(e.division_id, e.class_id) AS subject_id,
			e.class_id, 'student' AS role, FALSE AS is_primary, e.updated_at
		` + seated + ` WHERE e.school_id = :school
		UNION ALL
		SELECT e.student_id, COALESCE(e.division_id, e.class_id), k.subject_id, e.class_id, 'student', FALSE, e.updated_at
		` + seated + ` JOIN class_subjects k ON k.school_id = e.school_id AND k.class_id = e.class_id
		LEFT JOIN electives x ON x.school_id = k.school_id AND x.class_id = k.class_id AND x.subject_id = k.subject_id
		WHERE e.school_id = :school AND (x.subject_id IS NULL OR EXISTS (SELECT 1 FROM elective_students y WHERE y.school_id = x.school_id
			AND y.class_id = x.class_id AND y.subject_id = x.subject_id AND y.student_id = e.student_id))
		UNION ALL
		` + teachers

	// Holders are the students and teachers with the number of their enrolments, without
	// making the enrolments: a large school has 200,000.
	Holders = `
		SELECT e.student_id AS user_id, 'student' AS role, e.updated_at, 1 + COALESCE(k.n, 0) + COALESCE(y.n, 0) AS n
		` + seated + ` LEFT JOIN (SELECT k.class_id, COUNT(*) AS n FROM class_subjects k
			LEFT JOIN electives x ON x.school_id = k.school_id AND x.class_id = k.class_id AND x.subject_id = k.subject_id
			WHERE k.school_id = :school AND x.subject_id IS NULL GROUP BY k.class_id) AS k ON k.class_id = e.class_id
		LEFT JOIN (SELECT class_id, student_id, COUNT(*) AS n FROM elective_students WHERE school_id = :school
			GROUP BY class_id, student_id) AS y ON y.class_id = e.class_id AND y.student_id = e.student_id
		WHERE e.school_id = :school
		UNION ALL
		SELECT user_id, role, updated_at, 1 FROM (` + teachers + `) AS t`
)

const (
	// rooms are the divisions, and a class as a whole if it has none, or students without one.
	rooms = `
		SELECT d.id AS room_id, c.id AS class_id, d.id AS division_id, c.name || ' ' || d.name AS title, d.room, d.updated_at, c.display_order
		FROM divisions d JOIN classes c ON c.school_id = d.school_id AND c.id = d.class_id
		WHERE d.school_id = :school AND c.academic_year_id = :year
		UNION ALL
		SELECT c.id, c.id, NULL, c.name, '', c.updated_at, c.display_order FROM classes c
		WHERE c.school_id = :school AND c.academic_year_id = :year AND (
			c.id NOT IN (SELECT class_id FROM divisions WHERE school_id = :school)
			OR c.id IN (SELECT e.class_id ` + seated + ` WHERE e.school_id = :school AND e.division_id IS NULL))`

	// seated are the students e of the year that have not left it.
	seated = `FROM enrolments e JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id AND s.archived_at IS NULL
		AND s.erased_at IS NULL AND e.academic_year_id = :year AND e.outcome <> 'LEFT'`

	// linked are the guardians' links l to them.
	linked = seated + ` JOIN student_guardians l ON l.school_id = e.school_id AND l.student_id = e.student_id`

	// employed are the teachers and administrators e with their roles.
	employed = `FROM employees e JOIN roles r ON r.school_id = e.school_id AND r.id = e.role_id AND r.type IN ('TEACHER', 'SCHOOL_ADMIN')
		AND e.archived_at IS NULL AND e.status <> 'RESIGNED'`

	// teachings are the assignments of teachers to classes. Without a division or a subject
	// they teach in all, and in the homeroom. A class has at most one who leads it first.
	teachings = `
		SELECT t.employee_id AS user_id, m.room_id, m.room_id AS subject_id, m.class_id, t.is_class_teacher AS leads, t.is_class_teacher, t.id,
			t.created_at AS updated_at
		` + assigned + ` WHERE t.school_id = :school AND t.academic_year_id = :year AND (t.subject_id IS NULL OR t.is_class_teacher)
		UNION ALL
		SELECT t.employee_id, m.room_id, k.subject_id, m.class_id, TRUE, t.is_class_teacher, t.id, t.created_at
		` + assigned + ` JOIN class_subjects k ON k.school_id = t.school_id AND k.class_id = t.class_id
			AND (t.subject_id IS NULL OR k.subject_id = t.subject_id)
		WHERE t.school_id = :school AND t.academic_year_id = :year`

	// teachers are their enrolments.
	teachers = `
		SELECT user_id, room_id, subject_id, class_id, 'teacher' AS role, leads AND place = 1 AS is_primary, updated_at FROM (
			SELECT user_id, room_id, subject_id, class_id, leads, updated_at,
				ROW_NUMBER() OVER (PARTITION BY room_id, subject_id, leads ORDER BY is_class_teacher DESC, id) AS place,
				ROW_NUMBER() OVER (PARTITION BY room_id, subject_id, user_id ORDER BY is_class_teacher DESC, id) AS nth
			FROM (` + teachings + `) AS t) AS t WHERE nth = 1`

	assigned = employed + ` JOIN teacher_assignments t ON t.school_id = e.school_id AND t.employee_id = e.id
		JOIN (` + rooms + `) AS m ON m.class_id = t.class_id AND (t.division_id IS NULL OR m.division_id = t.division_id)`
)

// Org is a school.
type Org struct {
	ID        id.ID
	Name      string
	Code      string
	UpdatedAt time.Time
}

// Course is a class or a subject of the year.
type Course struct {
	ID          id.ID
	Title       string
	CourseCode  string
	Subject     string // "" of a class
	SubjectCode string
	UpdatedAt   time.Time
}

// Class is a homeroom, or a subject's lessons of one room.
type Class struct {
	RoomID      id.ID
	SubjectID   id.ID // the room, if it is a homeroom
	CourseID    id.ID
	ClassID     id.ID
	Title       string
	Room        string
	Subject     string
	SubjectCode string
	UpdatedAt   time.Time
}

// SourcedID is the id of a class: the room's, with that of the subject.
func (c Class) SourcedID() string { return classID(c.RoomID, c.SubjectID) }

func (c Class) kind() string {
	if c.RoomID == c.SubjectID {
		return "homeroom"
	}
	return "scheduled"
}

func classID(room, subject id.ID) string {
	if room == subject {
		return room.String()
	}
	return room.String() + "." + subject.String()
}

// User is a student, an employee or a guardian.
type User struct {
	ID        id.ID
	Code      string // "" of a guardian
	FirstName string
	LastName  string
	Email     string
	Phone     string
	Role      string // as OneRoster names it
	Enabled   bool
	UpdatedAt time.Time
	Agents    []id.ID `db:"-"` // the guardians of a student, the students of a guardian
}

// names returns the given and the family name, which the format requires. The name of a
// guardian is one text, split at its last space.
func (u User) names() (given, family string) {
	given, family = u.FirstName, u.LastName
	if at := strings.LastIndexByte(given, ' '); at > 0 && (u.Role == "parent" || u.Role == "guardian") {
		given, family = given[:at], given[at+1:]
	}
	if family == "" {
		family = "-"
	}
	return given, family
}

// username is the code, or the id of a guardian.
func (u User) username() string {
	if u.Code == "" {
		return u.ID.String()
	}
	return u.Code
}

// Enrollment is a student or a teacher in a class.
type Enrollment struct {
	UserID    id.ID
	RoomID    id.ID
	SubjectID id.ID // the room, if it is a homeroom
	Role      string
	IsPrimary bool
	UpdatedAt time.Time
}

// SourcedID is the id of an enrolment: the user's and that of the class.
func (e Enrollment) SourcedID() string { return e.UserID.String() + "." + e.class() }

func (e Enrollment) class() string { return classID(e.RoomID, e.SubjectID) }

// agents is who is connected with the users :ids: guardians with students of the year.
const agents = `
	SELECT l.student_id AS user_id, l.guardian_id AS agent_id ` + linked + ` WHERE l.school_id = :school AND l.student_id IN (:ids)
	UNION ALL
	SELECT l.guardian_id, l.student_id ` + linked + ` WHERE l.school_id = :school AND l.guardian_id IN (:ids)
	ORDER BY 1, 2`

// ClassColumns and EnrollmentColumns are those of a Class and an Enrollment.
const (
	ClassColumns      = `room_id, subject_id, course_id, class_id, title, room, subject, subject_code, updated_at`
	EnrollmentColumns = `user_id, room_id, subject_id, role, is_primary, updated_at`
)

// AddAgents reads the agents of users.
func AddAgents(ctx context.Context, q db.Q, year id.ID, users []User) error {
	if len(users) == 0 {
		return nil
	}
	ids, at := make([]id.ID, len(users)), map[id.ID]int{}
	for i, u := range users {
		ids[i], at[u.ID] = u.ID, i
	}
	rows, err := db.All[struct{ UserID, AgentID id.ID }](ctx, q, agents, db.Args{"year": year, "ids": ids})
	for _, r := range rows {
		users[at[r.UserID]].Agents = append(users[at[r.UserID]].Agents, r.AgentID)
	}
	return err
}
