package timetable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// getWeek returns the timetable of a division, which may be empty, or ErrNoClass or
// ErrNoDivision.
func getWeek(ctx context.Context, q db.Q, class, division id.ID) (Week, error) {
	w, err := db.One[Week](ctx, q, `
		SELECT c.id AS class_id, c.academic_year_id, d.id AS division_id, COALESCE(t.version, 0) AS version, t.updated_at
		FROM classes c
		LEFT JOIN divisions d ON d.school_id = c.school_id AND d.class_id = c.id AND d.id = :division
		LEFT JOIN timetables t ON t.school_id = d.school_id AND t.division_id = d.id
		WHERE c.school_id = :school AND c.id = :class`, db.Args{"class": class, "division": division})
	switch {
	case err != nil:
		return w, db.Found("read timetable", err, academics.ErrNoClass)
	case w.DivisionID == "":
		return w, academics.ErrNoDivision
	}
	w.Periods, err = listPeriods(ctx, q, periodFilter{year: w.AcademicYearID, division: division})
	return w, err
}

// periodFilter selects periods; zero fields match all.
type periodFilter struct {
	year     id.ID
	day      int
	division id.ID
	teacher  id.ID
	instead  bool       // also lessons that the teacher substitutes,
	date     clock.Date // on this day; "" is any day
}

// name is SQL for an employee's full name; "" for none.
func name(e string) string {
	return `COALESCE(TRIM(` + e + `.first_name || ' ' || ` + e + `.last_name), '')`
}

// listPeriods reads periods by day and time.
func listPeriods(ctx context.Context, q db.Q, f periodFilter) ([]Period, error) {
	list, err := db.All[Period](ctx, q, `
		SELECT p.id, p.class_id, c.name AS class_name, p.division_id, d.name AS division_name, d.room AS home_room,
			p.day_of_week, p.period_no, p.start_time, p.end_time, p.subject_id, s.name AS subject_name,
			p.employee_id AS teacher_id, `+name("e")+` AS teacher_name, p.room
		FROM timetable_periods p
		JOIN classes c ON c.school_id = p.school_id AND c.id = p.class_id
		JOIN divisions d ON d.school_id = p.school_id AND d.id = p.division_id
		JOIN subjects s ON s.school_id = p.school_id AND s.id = p.subject_id
		LEFT JOIN employees e ON e.school_id = p.school_id AND e.id = p.employee_id
		WHERE p.school_id = :school AND p.academic_year_id = :year`+
		db.When(f.day != 0, ` AND p.day_of_week = :day`)+
		db.When(f.division != "", ` AND p.division_id = :division`)+
		db.When(f.teacher != "" && !f.instead, ` AND p.employee_id = :teacher`)+
		db.When(f.teacher != "" && f.instead, ` AND (p.employee_id = :teacher OR EXISTS (
			SELECT 1 FROM timetable_overrides o WHERE o.school_id = p.school_id AND o.employee_id = :teacher
				AND o.division_id = p.division_id AND o.day_of_week = p.day_of_week AND o.period_no = p.period_no`+
			db.When(f.date != "", ` AND o.date = :date`)+`))`)+`
		ORDER BY p.day_of_week, p.start_time, c.display_order, d.name, p.id`,
		db.Args{"year": f.year, "day": f.day, "division": f.division, "teacher": f.teacher, "date": f.date})
	if err != nil {
		return nil, fmt.Errorf("read periods: %w", err)
	}
	return list, nil
}

// periodRow is a row of timetable_periods.
type periodRow struct {
	NewPeriod
	ID, AcademicYearID, ClassID, DivisionID id.ID
}

func putPeriods(ctx context.Context, tx *db.Tx, w Week, rows []periodRow, now time.Time) error {
	a := db.Args{"class": w.ClassID, "division": w.DivisionID, "year": w.AcademicYearID, "now": now}
	_, err := db.Exec(ctx, tx, `
		INSERT INTO timetables (school_id, division_id, class_id, academic_year_id, version, created_at, updated_at)
		VALUES (:school, :division, :class, :year, 1, :now, :now)
		ON CONFLICT (school_id, division_id) DO UPDATE SET version = timetables.version + 1, updated_at = :now`, a)
	if err != nil {
		return fmt.Errorf("write timetable: %w", err)
	}
	_, err = db.Exec(ctx, tx, `DELETE FROM timetable_periods WHERE school_id = :school AND division_id = :division`,
		db.Args{"division": w.DivisionID})
	if err != nil {
		return fmt.Errorf("clear timetable: %w", err)
	}
	_, err = db.Insert(ctx, tx, `
		INSERT INTO timetable_periods (school_id, id, academic_year_id, class_id, division_id, day_of_week, period_no,
			start_time, end_time, subject_id, employee_id, room)
		VALUES (:school, :id, :academic_year_id, :class_id, :division_id, :day_of_week, :period_no,
			:start_time, :end_time, :subject_id, :teacher_id, :room)`, rows)
	if err != nil {
		return fmt.Errorf("write periods: %w", err)
	}
	return nil
}

const overrideFrom = `timetable_overrides o
	JOIN classes c ON c.school_id = o.school_id AND c.id = o.class_id
	JOIN divisions d ON d.school_id = o.school_id AND d.id = o.division_id
	LEFT JOIN subjects s ON s.school_id = o.school_id AND s.id = o.subject_id
	LEFT JOIN employees e ON e.school_id = o.school_id AND e.id = o.employee_id
	LEFT JOIN timetable_periods p ON p.school_id = o.school_id AND p.division_id = o.division_id
		AND p.day_of_week = o.day_of_week AND p.period_no = o.period_no
	LEFT JOIN employees r ON r.school_id = p.school_id AND r.id = p.employee_id
	WHERE o.school_id = :school`

func overrideColumns() string {
	return `o.id, o.date, o.class_id, c.name AS class_name, o.division_id, d.name AS division_name, o.day_of_week, o.period_no,
		p.start_time, p.end_time, o.employee_id AS teacher_id, ` + name("e") + ` AS teacher_name,
		p.employee_id AS regular_teacher_id, ` + name("r") + ` AS regular_teacher_name,
		o.subject_id, COALESCE(s.name, '') AS subject_name, o.room, o.is_cancelled, o.note, o.created_at, o.updated_at`
}

// overrideFilter selects overrides; zero fields match all. The teacher is the
// substitute or the replaced one.
type overrideFilter struct {
	year, division, teacher, class, id id.ID
	date, from, to                     clock.Date
}

func (f overrideFilter) where() string {
	return overrideFrom +
		db.When(f.id != "", ` AND o.id = :id`) +
		db.When(f.year != "", ` AND o.academic_year_id = :year`) +
		db.When(f.class != "", ` AND o.class_id = :class`) +
		db.When(f.division != "", ` AND o.division_id = :division`) +
		db.When(f.teacher != "", ` AND (o.employee_id = :teacher OR p.employee_id = :teacher)`) +
		db.When(f.date != "", ` AND o.date = :date`) +
		db.When(f.from != "", ` AND o.date >= :from`) +
		db.When(f.to != "", ` AND o.date <= :to`)
}

func (f overrideFilter) args() db.Args {
	return db.Args{"id": f.id, "year": f.year, "class": f.class, "division": f.division, "teacher": f.teacher,
		"date": f.date, "from": f.from, "to": f.to}
}

// listOverrides reads overrides by date.
func listOverrides(ctx context.Context, q db.Q, f overrideFilter) ([]Override, error) {
	list, err := db.All[Override](ctx, q, `SELECT `+overrideColumns()+` FROM `+f.where()+`
		ORDER BY o.date, p.start_time, o.period_no, o.id`, f.args())
	if err != nil {
		return nil, fmt.Errorf("read overrides: %w", err)
	}
	return list, nil
}

func pageOverrides(ctx context.Context, q db.Q, f overrideFilter, r page.Request) (page.Of[Override], error) {
	return db.Page[Override](ctx, q, db.List{
		Columns: overrideColumns(),
		From:    f.where(),
		Sorts:   map[string]string{"date": "o.date, o.period_no", "createdAt": "o.id", "id": "o.id"},
		Default: "date",
	}, r, f.args())
}

func getOverride(ctx context.Context, q db.Q, override id.ID) (Override, error) {
	f := overrideFilter{id: override}
	o, err := db.One[Override](ctx, q, `SELECT `+overrideColumns()+` FROM `+f.where(), f.args())
	return o, db.Found("read override", err, errNoOverride)
}

// overrideRow is a row of timetable_overrides.
type overrideRow struct {
	ID, AcademicYearID, ClassID, DivisionID id.ID
	Date                                    clock.Date
	DayOfWeek, PeriodNo                     int
	TeacherID, SubjectID                    *id.ID
	Room                                    *string
	IsCancelled                             bool
	Note                                    string
	Now                                     time.Time
}

// putOverride writes an override and replaces an earlier one of the same period and day. One with
// another substitute counts as created now: Release ends what was arranged after a time.
func putOverride(ctx context.Context, tx *db.Tx, o overrideRow) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO timetable_overrides (school_id, id, academic_year_id, class_id, division_id, date, day_of_week, period_no,
			employee_id, subject_id, room, is_cancelled, note, created_at, updated_at)
		VALUES (:school, :id, :academic_year_id, :class_id, :division_id, :date, :day_of_week, :period_no,
			:teacher_id, :subject_id, :room, :is_cancelled, :note, :now, :now)
		ON CONFLICT (school_id, division_id, date, period_no) DO UPDATE SET employee_id = excluded.employee_id,
			subject_id = excluded.subject_id, room = excluded.room, is_cancelled = excluded.is_cancelled,
			note = excluded.note, updated_at = excluded.updated_at,
			created_at = CASE WHEN timetable_overrides.employee_id IS NOT DISTINCT FROM excluded.employee_id
				THEN timetable_overrides.created_at ELSE excluded.created_at END`, []overrideRow{o})
	if err != nil {
		return fmt.Errorf("write override: %w", err)
	}
	return nil
}

func deleteOverride(ctx context.Context, tx *db.Tx, override id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM timetable_overrides WHERE school_id = :school AND id = :id`, db.Args{"id": override})
	if err != nil {
		return fmt.Errorf("delete override: %w", err)
	}
	return nil
}

// yearOf returns the academic year of a day; "" for none.
func yearOf(ctx context.Context, q db.Q, date clock.Date) (id.ID, error) {
	year, err := db.One[id.ID](ctx, q, `SELECT id FROM academic_years
		WHERE school_id = :school AND start_date <= :date AND end_date >= :date`, db.Args{"date": date})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read academic year: %w", err)
	}
	return year, nil
}
