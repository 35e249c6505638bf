package attendance

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

const stateColumns = `status, half_day, minutes_late, remark, leave_id, marked_by, marked_at`

// lock serializes changes to the marks of a class. The class is the students' current
// class; see addMoved for those who were elsewhere.
func lock(ctx context.Context, tx *db.Tx, class id.ID) error {
	if err := tx.Lock(ctx, "attendance/"+string(class)); err != nil {
		return fmt.Errorf("lock attendance: %w", err)
	}
	return nil
}

// line is a student with the existing mark.
type line struct {
	mark           // ID is empty if not marked
	FirstName      string
	LastName       string
	AdmissionDate  clock.Date // empty: unknown
	SeatDivisionID id.ID
	Told           string // the last alert of this day; empty for none
	ToldPeriod     int
	Takes          bool       // the lesson of the period
	TakenBackAt    *time.Time // when somebody else took a mark back; nil: never, or nobody asked
	classDay       `db:"-"`
	other          mark `db:"-"` // see readOthers; ID is empty for none
}

// classDay is what all students of a class have in common on one day.
type classDay struct {
	enrolled
	Holiday string
}

// getLines reads the students of a class or division with their marks and alerts. A
// mark of this day may be from another class, which the student has left. by is who marks.
func getLines(ctx context.Context, q db.Q, by id.ID, in NewMarks) (map[id.ID]line, error) {
	return readLines(ctx, q, by, in, nil, ` AND s.class_id = :class`+db.When(in.DivisionID != nil, ` AND s.division_id = :division`)+`
		AND s.status = 'ACTIVE'`)
}

// addMoved adds the students who have left the class, but have a mark that was made there: it can be
// corrected. It locks the marks of the classes that they are in now.
func (in NewMarks) addMoved(ctx context.Context, tx *db.Tx, by id.ID, lines map[id.ID]line) error {
	var moved []id.ID
	for _, r := range in.Records {
		if _, ok := lines[r.StudentID]; !ok {
			moved = append(moved, r.StudentID)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	classes, err := db.All[id.ID](ctx, tx, `SELECT DISTINCT class_id FROM students
		WHERE school_id = :school AND id IN (:students) AND class_id IS NOT NULL ORDER BY class_id`, db.Args{"students": moved})
	if err != nil {
		return fmt.Errorf("read classes of students: %w", err)
	}
	for _, class := range classes {
		if err := lock(ctx, tx, class); err != nil {
			return err
		}
	}
	more, err := readLines(ctx, tx, by, in, moved, ` AND s.id IN (:students) AND a.class_id = :class`+
		db.When(in.DivisionID != nil, ` AND a.division_id = :division`))
	for student, l := range more {
		l.SeatDivisionID = l.DivisionID
		lines[student] = l
	}
	return err
}

// readLines reads lines; whose is an SQL condition for students s and their marks a.
func readLines(ctx context.Context, q db.Q, by id.ID, in NewMarks, students []id.ID, whose string) (map[id.ID]line, error) {
	lesson, weekday := `TRUE`, 0
	if in.PeriodNo != nil {
		lesson, weekday = takes, in.Date.Weekday()
	}
	a := db.Args{"date": in.Date, "period": in.period(), "class": in.ClassID, "division": in.DivisionID, "weekday": weekday,
		"students": students}
	if in.older() {
		a["by"] = by
	}
	var days []classDay
	var found []line
	err := db.Read(ctx, q, db.Into(&days, `
		SELECT y.start_date AS "from", y.end_date AS "to", COALESCE((
			SELECT MIN(h.name) FROM holidays h WHERE h.school_id = :school AND h.date <= :date AND h.end_date >= :date), '') AS holiday
		FROM classes c JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id
		WHERE c.school_id = :school AND c.id = :class`, db.Args{"date": in.Date, "class": in.ClassID}),
		db.Into(&found, `
		SELECT s.id AS student_id, s.first_name, s.last_name, COALESCE(s.admission_date, '') AS admission_date,
			s.division_id AS seat_division_id,
			a.id, a.class_id, a.division_id, COALESCE(a.status, '') AS status, COALESCE(a.half_day, '') AS half_day,
			COALESCE(a.minutes_late, 0) AS minutes_late, COALESCE(a.remark, '') AS remark, a.leave_id, a.marked_by, a.marked_at,
			COALESCE(t.told, '') AS told, COALESCE(t.period_no, 0) AS told_period, `+lesson+` AS takes`+
			db.When(in.older(), `, (SELECT MAX(r.ended_at) FROM attendance_revisions r
				WHERE r.school_id = s.school_id AND r.student_id = s.id AND r.date = :date AND r.period_no = :period
					AND r.is_removed AND NOT r.is_void AND r.ended_by <> :by) AS taken_back_at`)+`
		FROM students s
		LEFT JOIN attendance a ON a.school_id = s.school_id AND a.student_id = s.id AND a.date = :date AND a.period_no = :period
		LEFT JOIN attendance_alerts t ON t.school_id = s.school_id AND t.date = :date AND t.student_id = s.id
		WHERE s.school_id = :school AND s.archived_at IS NULL`+whose, a))
	if err != nil {
		return nil, fmt.Errorf("read students and marks: %w", err)
	}
	lines := make(map[id.ID]line, len(found))
	for _, l := range found {
		l.classDay = days[0] // every student's class has a year
		l.From = max(l.From, l.AdmissionDate)
		lines[l.StudentID] = l
	}
	return lines, nil
}

// sits is a student's actual class and division, for error messages.
type sits struct {
	ID, ClassID, DivisionID id.ID
	Status                  string
}

func listSeats(ctx context.Context, q db.Q, students []id.ID) (map[id.ID]sits, error) {
	out := map[id.ID]sits{}
	err := db.Each(ctx, q, `SELECT id, class_id, division_id, status FROM students
		WHERE school_id = :school AND id IN (:students) AND archived_at IS NULL`, db.Args{"students": students}, func(s sits) error {
		out[s.ID] = s
		return nil
	})
	return out, fault.Wrap("read classes of students", err)
}

const insertMark = `
	INSERT INTO attendance (school_id, id, student_id, date, period_no, class_id, division_id,
		` + stateColumns + `)
	VALUES (:school, :id, :student_id, :date, :period_no, :class_id, :division_id,
		:status, :half_day, :minutes_late, :remark, :leave_id, :marked_by, :marked_at)
	ON CONFLICT (school_id, student_id, date, period_no) DO UPDATE SET class_id = excluded.class_id,
		division_id = excluded.division_id, status = excluded.status, half_day = excluded.half_day,
		minutes_late = excluded.minutes_late, remark = excluded.remark, leave_id = excluded.leave_id,
		marked_by = excluded.marked_by, marked_at = excluded.marked_at
	WHERE attendance.id = excluded.id`

var errMeanwhile = fault.New(fault.Conflict, "", "Someone else marked one of these students at the same moment. Load the list again.")

// putMarks inserts marks, or replaces those with the same id.
func putMarks(ctx context.Context, tx *db.Tx, rows []mark) error {
	n, err := db.Insert(ctx, tx, insertMark, rows)
	if err == nil && n < int64(len(rows)) {
		return errMeanwhile
	}
	return fault.Wrap("write marks", err)
}

// deleteMarks deletes marks of one student or of one day.
func deleteMarks(ctx context.Context, tx *db.Tx, marks []mark) error {
	if len(marks) == 0 {
		return nil
	}
	var ids, students []id.ID
	var dates []clock.Date
	for _, m := range marks {
		ids, students, dates = append(ids, m.ID), append(students, m.StudentID), append(dates, m.Date)
	}
	_, err := db.Exec(ctx, tx, `DELETE FROM attendance WHERE school_id = :school AND student_id IN (:students) AND date IN (:dates)
		AND id IN (:ids)`, db.Args{"students": students, "dates": dates, "ids": ids})
	return fault.Wrap("delete marks", err)
}

// putRevisions writes earlier versions of marks.
func putRevisions(ctx context.Context, tx *db.Tx, rows []revision) error {
	_, err := db.Insert(ctx, tx.Later(), `
		INSERT INTO attendance_revisions (school_id, id, student_id, date, period_no, `+stateColumns+`, ended_by, ended_at, is_removed, is_void)
		VALUES (:school, :id, :student_id, :date, :period_no, :status, :half_day, :minutes_late, :remark, :leave_id, :marked_by, :marked_at,
			:ended_by, :ended_at, :is_removed, :is_void)`, rows)
	if err != nil {
		return fmt.Errorf("write revisions: %w", err)
	}
	return nil
}

// alert is the last alert to parents about a child's day.
type alert struct {
	StudentID id.ID
	Date      clock.Date
	PeriodNo  int
	Told      string
	UpdatedAt time.Time
}

func putAlerts(ctx context.Context, tx *db.Tx, rows []alert) error {
	_, err := db.Insert(ctx, tx.Later(), `
		INSERT INTO attendance_alerts (school_id, student_id, date, period_no, told, updated_at)
		VALUES (:school, :student_id, :date, :period_no, :told, :updated_at)
		ON CONFLICT (school_id, date, student_id) DO UPDATE SET
			period_no = excluded.period_no, told = excluded.told, updated_at = excluded.updated_at`, rows)
	if err != nil {
		return fmt.Errorf("write alerts: %w", err)
	}
	return nil
}

// listRevisions lists the revisions of a student's marks on some days, the latest
// first.
func listRevisions(ctx context.Context, q db.Q, student id.ID, period int, dates []clock.Date) ([]revision, error) {
	list, err := db.All[revision](ctx, q, `
		SELECT id, student_id, date, period_no, `+stateColumns+`, ended_by, ended_at, is_removed, is_void
		FROM attendance_revisions
		WHERE school_id = :school AND student_id = :student AND date IN (:dates) AND period_no = :period
		ORDER BY ended_at DESC, id DESC`, db.Args{"student": student, "dates": dates, "period": period})
	if err != nil {
		return nil, fmt.Errorf("read revisions: %w", err)
	}
	return list, nil
}
