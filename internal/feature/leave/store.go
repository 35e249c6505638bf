package leave

import (
	"context"
	"fmt"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

const columns = `
	l.id, CASE WHEN l.student_id IS NULL THEN 'EMPLOYEE' ELSE 'STUDENT' END AS applicant_type, l.student_id, l.employee_id,
	TRIM(COALESCE(s.first_name, e.first_name) || ' ' || COALESCE(s.last_name, e.last_name)) AS name,
	COALESCE(c.name, '') AS class_name, COALESCE(d.name, '') AS division_name, s.class_id, s.division_id, e.user_id,
	l.type, l.from_date, l.to_date, l.half IS NOT NULL AS is_half_day, l.half, l.reason, l.attachments, l.status, l.applied_by,
	l.decided_by, COALESCE(u.name, '') AS decided_by_name, l.decided_at, l.decision_note, l.cancelled_at, l.created_at, l.updated_at`

// leaveFrom excludes leave of archived people.
const leaveFrom = `leaves l
	LEFT JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id
	LEFT JOIN employees e ON e.school_id = l.school_id AND e.id = l.employee_id
	LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
	LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id
	LEFT JOIN users u ON u.school_id = l.school_id AND u.id = l.decided_by
	WHERE l.school_id = :school AND COALESCE(s.archived_at, e.archived_at) IS NULL`

// filter filters leaves; zero fields are ignored.
type filter struct {
	student, employee *id.ID
	class, division   *id.ID
	applicant         string
	typ               Type
	status            Status
	from, to          *clock.Date
	classTeacher      id.ID   // user id: students of this class teacher
	students          []id.ID // if not nil, only these
}

func (f filter) where() string {
	return db.When(f.student != nil, ` AND l.student_id = :student`) +
		db.When(f.employee != nil, ` AND l.employee_id = :employee`) +
		db.When(f.class != nil, ` AND s.class_id = :class`) +
		db.When(f.division != nil, ` AND s.division_id = :division`) +
		db.When(f.applicant == "STUDENT", ` AND l.student_id IS NOT NULL`) +
		db.When(f.applicant == "EMPLOYEE", ` AND l.employee_id IS NOT NULL`) +
		db.When(f.typ != "", ` AND l.type = :type`) +
		db.When(f.status != "", ` AND l.status = :status`) +
		db.When(f.from != nil, ` AND l.to_date >= :from`) +
		db.When(f.to != nil, ` AND l.from_date <= :to`) +
		db.When(f.classTeacher != "", ` AND l.student_id IN (`+pupilsOf+`)`) +
		db.When(f.students != nil, ` AND l.student_id IN (:students)`)
}

func (f filter) args() db.Args {
	return db.Args{"student": f.student, "employee": f.employee, "class": f.class, "division": f.division, "type": f.typ,
		"status": f.status, "from": f.from, "to": f.to, "user": f.classTeacher, "students": f.students}
}

// pupilsOf selects the students whose class teacher, of the division or of the class,
// is the user :user.
const pupilsOf = `
	SELECT p.id FROM employees t
	JOIN teacher_assignments a ON a.school_id = t.school_id AND a.employee_id = t.id AND a.is_class_teacher
	JOIN students p ON p.school_id = a.school_id AND p.class_id = a.class_id
		AND (a.division_id IS NULL OR a.division_id = p.division_id)
	WHERE t.school_id = :school AND t.user_id = :user AND t.archived_at IS NULL AND t.status <> 'RESIGNED'`

func pageLeaves(ctx context.Context, q db.Q, f filter, r page.Request) (page.Of[Leave], error) {
	out, err := db.Page[Leave](ctx, q, db.List{
		Columns: columns, From: leaveFrom + f.where(),
		// Ids sort by creation time.
		Sorts:   map[string]string{"createdAt": "l.id", "fromDate": "l.from_date", "id": "l.id"},
		Default: "-createdAt",
	}, r, f.args())
	if err != nil {
		return out, fmt.Errorf("list leaves: %w", err)
	}
	return out, count(ctx, q, out.Items)
}

func getLeave(ctx context.Context, q db.Q, leave id.ID) (Leave, error) {
	l, err := db.One[Leave](ctx, q, `SELECT `+columns+` FROM `+leaveFrom+` AND l.id = :id`, db.Args{"id": leave})
	if err != nil {
		return l, db.Found("read leave", err, errNoLeave)
	}
	one := []Leave{l}
	err = count(ctx, q, one)
	return one[0], err
}

// overlapping returns a pending or approved leave of the same person that overlaps l.
// Different halves of a day don't overlap.
func overlapping(ctx context.Context, q db.Q, l Leave) (Leave, error) {
	column := "employee_id"
	if l.StudentID != nil {
		column = "student_id"
	}
	return db.One[Leave](ctx, q, `
		SELECT id, from_date, to_date, half, status FROM leaves
		WHERE school_id = :school AND `+column+` = :person AND status IN ('PENDING', 'APPROVED')
			AND from_date <= :to AND to_date >= :from`+db.When(l.Half != nil, ` AND (half IS NULL OR half = :half)`)+`
		ORDER BY from_date, id LIMIT 1`,
		db.Args{"person": l.person(), "from": l.FromDate, "to": l.ToDate, "half": l.Half})
}

// otherHalf returns the approved leave of the other half of a student's day.
func otherHalf(ctx context.Context, q db.Q, l Leave) (Leave, error) {
	return db.One[Leave](ctx, q, `
		SELECT id, student_id, from_date, to_date, half FROM leaves
		WHERE school_id = :school AND student_id = :student AND status = 'APPROVED' AND from_date = :day AND half <> :half`,
		db.Args{"student": l.StudentID, "day": l.FromDate, "half": l.Half})
}

func putLeave(ctx context.Context, tx *db.Tx, l Leave) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO leaves (school_id, id, student_id, employee_id, type, from_date, to_date, half, reason, attachments, status,
			applied_by, created_at, updated_at)
		VALUES (:school, :id, :student, :employee, :type, :from, :to, :half, :reason, :attachments, :status, :by, :now, :now)`,
		db.Args{"id": l.ID, "student": l.StudentID, "employee": l.EmployeeID, "type": l.Type, "from": l.FromDate, "to": l.ToDate,
			"half": l.Half, "reason": l.Reason, "attachments": l.Attachments, "status": l.Status, "by": l.AppliedBy, "now": l.CreatedAt})
	if err != nil {
		return fmt.Errorf("write leave: %w", err)
	}
	return nil
}

// move writes the new status of a leave; false if its status is no longer was.
func move(ctx context.Context, tx *db.Tx, l Leave, was Status) (bool, error) {
	n, err := db.Exec(ctx, tx, `
		UPDATE leaves SET status = :status, decided_by = :by, decided_at = :decided, decision_note = :note, cancelled_at = :cancelled,
			updated_at = :now
		WHERE school_id = :school AND id = :id AND status = :was`,
		db.Args{"id": l.ID, "status": l.Status, "was": was, "by": l.DecidedBy, "decided": l.DecidedAt, "note": l.DecisionNote,
			"cancelled": l.CancelledAt, "now": l.UpdatedAt})
	if err != nil {
		return false, fmt.Errorf("update leave: %w", err)
	}
	return n == 1, nil
}

// lock locks the leaves of one person until tx ends, and keeps a student from being erased: what
// erases the texts would not see a new one.
func lock(ctx context.Context, tx *db.Tx, person id.ID) error {
	if err := tx.Lock(ctx, "leave of "+person.String()); err != nil {
		return fmt.Errorf("lock leaves: %w", err)
	}
	_, err := db.All[id.ID](ctx, tx, `SELECT id FROM students WHERE school_id = :school AND id = :person`+db.ForShare(tx),
		db.Args{"person": person})
	return fault.Wrap("lock the student on leave", err)
}
