package elective

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// Takes is SQL that is true if a student takes a subject of a class: it is not an
// elective, or one that the student has chosen. The arguments are SQL, such as "p.class_id".
func Takes(class, subject, student string) string {
	return `(NOT EXISTS (SELECT 1 FROM electives xe WHERE xe.school_id = :school AND xe.class_id = ` + class + `
			AND xe.subject_id = ` + subject + `)
		OR EXISTS (SELECT 1 FROM elective_students xs WHERE xs.school_id = :school AND xs.class_id = ` + class + `
			AND xs.subject_id = ` + subject + ` AND xs.student_id = ` + student + `))`
}

// NotTaken returns the electives of the class that the student does not take.
func NotTaken(ctx context.Context, q db.Q, class, student id.ID) ([]id.ID, error) {
	out, err := db.All[id.ID](ctx, q, `
		SELECT e.subject_id FROM electives e WHERE e.school_id = :school AND e.class_id = :class AND NOT EXISTS (
			SELECT 1 FROM elective_students x WHERE x.school_id = e.school_id AND x.class_id = e.class_id AND x.subject_id = e.subject_id
				AND x.student_id = :student)`, db.Args{"class": class, "student": student})
	return out, fault.Wrap("read electives of a student", err)
}

const columns = `e.class_id, c.name AS class_name, e.subject_id, u.name AS subject_name,
	(SELECT COUNT(*) FROM elective_students s
		JOIN students p ON p.school_id = s.school_id AND p.id = s.student_id AND p.archived_at IS NULL AND p.status = 'ACTIVE'
		WHERE s.school_id = e.school_id AND s.class_id = e.class_id AND s.subject_id = e.subject_id) AS students`

const from = `electives e
	JOIN classes c ON c.school_id = e.school_id AND c.id = e.class_id
	JOIN subjects u ON u.school_id = e.school_id AND u.id = e.subject_id
	WHERE e.school_id = :school`

func pageElectives(ctx context.Context, q db.Q, f filters, r page.Request) (page.Of[Elective], error) {
	year := ` AND c.academic_year_id = (SELECT id FROM academic_years WHERE school_id = :school AND is_current)`
	if f.AcademicYearID != nil {
		year = ` AND c.academic_year_id = :year`
	}
	out, err := db.Page[Elective](ctx, q, db.List{
		Columns: columns,
		From: from + year + db.When(f.ClassID != nil, ` AND e.class_id = :class`) +
			db.When(f.SubjectID != nil, ` AND e.subject_id = :subject`) +
			db.When(f.StudentID != nil, ` AND EXISTS (SELECT 1 FROM elective_students x WHERE x.school_id = e.school_id
				AND x.class_id = e.class_id AND x.subject_id = e.subject_id AND x.student_id = :student)`),
		Sorts:   map[string]string{"className": "c.name", "subjectName": "u.name", "id": "e.subject_id, e.class_id"},
		Default: "className",
	}, r, db.Args{"class": f.ClassID, "subject": f.SubjectID, "student": f.StudentID, "year": f.AcademicYearID})
	return out, fault.Wrap("list electives", err)
}

func getWhole(ctx context.Context, q db.Q, at place) (out Whole, err error) {
	args := db.Args{"class": at.ClassID, "subject": at.SubjectID}
	out.Elective, err = db.One[Elective](ctx, q, `SELECT `+columns+` FROM `+from+` AND e.class_id = :class AND e.subject_id = :subject`, args)
	if err != nil {
		return out, db.Found("read elective", err, errNoElective)
	}
	out.Taken, err = db.All[Student](ctx, q, `
		SELECT s.id AS student_id, TRIM(s.first_name || ' ' || s.last_name) AS name, n.roll_no, COALESCE(d.name, '') AS division_name
		FROM elective_students x
		JOIN classes c ON c.school_id = x.school_id AND c.id = x.class_id
		JOIN students s ON s.school_id = x.school_id AND s.id = x.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'
		LEFT JOIN enrolments n ON n.school_id = x.school_id AND n.student_id = x.student_id AND n.academic_year_id = c.academic_year_id
		LEFT JOIN divisions d ON d.school_id = n.school_id AND d.id = n.division_id
		WHERE x.school_id = :school AND x.class_id = :class AND x.subject_id = :subject ORDER BY s.first_name, s.last_name, s.id`, args)
	return out, fault.Wrap("read students of an elective", err)
}

// lock is the lock of changes to students' classes, after which Follow ends electives.
func lock(ctx context.Context, tx *db.Tx) error {
	return fault.Wrap("lock students", tx.Lock(ctx, "students"))
}

// takers returns the ids of the students of an elective.
func takers(ctx context.Context, q db.Q, at place) ([]id.ID, error) {
	ids, err := db.All[id.ID](ctx, q, `
		SELECT student_id FROM elective_students WHERE school_id = :school AND class_id = :class AND subject_id = :subject
		ORDER BY student_id`, db.Args{"class": at.ClassID, "subject": at.SubjectID})
	return ids, fault.Wrap("read students of an elective", err)
}

func mustBeTaught(ctx context.Context, q db.Q, at place) error {
	_, err := db.One[id.ID](ctx, q, `SELECT subject_id FROM class_subjects WHERE school_id = :school AND class_id = :class
		AND subject_id = :subject`, db.Args{"class": at.ClassID, "subject": at.SubjectID})
	return db.Found("look up a subject of a class", err, errNoSubject)
}

// mustBeInClass checks that every student is enrolled in the class.
func mustBeInClass(ctx context.Context, q db.Q, in Choice) error {
	if len(in.StudentIDs) == 0 {
		return nil
	}
	enrolled := make(map[id.ID]bool, len(in.StudentIDs))
	type found struct {
		ID       id.ID
		Enrolled bool
	}
	err := db.Each(ctx, q, `
		SELECT s.id, EXISTS (SELECT 1 FROM enrolments n WHERE n.school_id = s.school_id AND n.student_id = s.id
			AND n.class_id = :class) AS enrolled
		FROM students s WHERE s.school_id = :school AND s.archived_at IS NULL AND s.id IN (:ids)`,
		db.Args{"class": in.ClassID, "ids": in.StudentIDs}, func(f found) error {
			enrolled[f.ID] = f.Enrolled
			return nil
		})
	if err != nil {
		return fmt.Errorf("look up students of a class: %w", err)
	}
	var bad []fault.Field
	for i, student := range in.StudentIDs {
		here, known := enrolled[student]
		switch {
		case !known:
			return people.ErrNoStudent
		case !here:
			bad = append(bad, fault.Field{Field: fmt.Sprintf("studentIds[%d]", i), Message: "is not in this class"})
		case slices.Contains(in.StudentIDs[:i], student):
			bad = append(bad, fault.Field{Field: fmt.Sprintf("studentIds[%d]", i), Message: "is a duplicate"})
		}
	}
	if bad != nil {
		return fault.Fields(bad...)
	}
	return nil
}

// write replaces the students of an elective. A subject that the class has lost in the
// meantime is errNoSubject.
func (s *Service) write(ctx context.Context, tx *db.Tx, in Choice) error {
	args := db.Args{"class": in.ClassID, "subject": in.SubjectID, "now": s.Now()}
	_, err := db.Exec(ctx, tx, `
		INSERT INTO electives (school_id, class_id, subject_id, created_at) VALUES (:school, :class, :subject, :now)
		ON CONFLICT (school_id, class_id, subject_id) DO UPDATE SET created_at = electives.created_at`, args)
	if db.IsReference(err) {
		return errNoSubject.Because(err)
	}
	if err != nil {
		return fmt.Errorf("write elective: %w", err)
	}
	delete(args, "now")
	_, err = db.Exec(ctx, tx, `DELETE FROM elective_students WHERE school_id = :school AND class_id = :class AND subject_id = :subject`, args)
	if err != nil {
		return fmt.Errorf("remove students of an elective: %w", err)
	}
	type row struct{ ClassID, SubjectID, StudentID id.ID }
	rows := make([]row, len(in.StudentIDs))
	for i, student := range in.StudentIDs {
		rows[i] = row{in.ClassID, in.SubjectID, student}
	}
	_, err = db.Insert(ctx, tx, `
		INSERT INTO elective_students (school_id, class_id, subject_id, student_id)
		VALUES (:school, :class_id, :subject_id, :student_id)`, rows)
	return fault.Wrap("add students to an elective", err)
}

func remove(ctx context.Context, tx *db.Tx, at place) error {
	n, err := db.Exec(ctx, tx, `DELETE FROM electives WHERE school_id = :school AND class_id = :class AND subject_id = :subject`,
		db.Args{"class": at.ClassID, "subject": at.SubjectID})
	if err == nil && n == 0 {
		return errNoElective
	}
	return fault.Wrap("delete elective", err)
}
