package school

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

const yearColumns = `id, name, start_date, end_date, is_current, version, created_at, updated_at`

// GetYear returns an academic year of q's school, or ErrNoYear.
func GetYear(ctx context.Context, q db.Q, year id.ID) (Year, error) {
	y, err := db.One[Year](ctx, q, `SELECT `+yearColumns+` FROM academic_years WHERE school_id = :school AND id = :id`, db.Args{"id": year})
	if err != nil {
		return y, yearFault("read academic year", err)
	}
	return y, nil
}

// CurrentYear returns the current academic year of q's school, or ErrNoCurrentYear.
func CurrentYear(ctx context.Context, q db.Q) (Year, error) {
	y, err := db.One[Year](ctx, q, `SELECT `+yearColumns+` FROM academic_years WHERE school_id = :school AND is_current`, nil)
	return y, db.Found("read the current academic year", err, ErrNoCurrentYear)
}

// InYear is the condition that column is the year :year or, with nil, the current one.
// It begins with AND.
func InYear(column string, year *id.ID) string {
	if year != nil {
		return ` AND ` + column + ` = :year`
	}
	return ` AND ` + column + ` IN (SELECT id FROM academic_years WHERE school_id = :school AND is_current)`
}

func listYears(ctx context.Context, q db.Q, current *bool, search string, r page.Request) (page.Of[Year], error) {
	search = db.Contains(fold(search))
	a := db.Args{"search": search}
	if current != nil {
		a["current"] = *current
	}
	return db.Page[Year](ctx, q, db.List{
		Columns: yearColumns,
		From: `academic_years WHERE school_id = :school` +
			db.When(current != nil, ` AND is_current = :current`) +
			db.When(search != "", ` AND search LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"name": "search", "startDate": "start_date", "endDate": "end_date", "createdAt": "created_at"},
		Default: "-startDate",
	}, r, a)
}

// lockYears serialises changes of a school's years, because SQLite has no exclusion
// constraint against overlaps.
func lockYears(ctx context.Context, tx *db.Tx) error {
	if err := tx.Lock(ctx, "academic-years"); err != nil {
		return fmt.Errorf("lock academic years: %w", err)
	}
	return nil
}

// overlapping finds another year that shares a day with y.
func overlapping(ctx context.Context, tx *db.Tx, y Year) (Year, error) {
	return db.One[Year](ctx, tx, `SELECT `+yearColumns+` FROM academic_years
		WHERE school_id = :school AND id <> :id AND start_date <= :end AND end_date >= :start
		ORDER BY start_date LIMIT 1`, db.Args{"id": y.ID, "start": y.StartDate, "end": y.EndDate})
}

func yearArgs(y Year) db.Args {
	return db.Args{"id": y.ID, "name": y.Name, "search": fold(y.Name), "start": y.StartDate, "end": y.EndDate,
		"current": y.IsCurrent, "version": y.Version, "updated": y.UpdatedAt}
}

func putYear(ctx context.Context, tx *db.Tx, y Year) error {
	a := yearArgs(y)
	a["created"] = y.CreatedAt
	_, err := db.Exec(ctx, tx, `
		INSERT INTO academic_years (school_id, id, name, search, start_date, end_date, is_current, version, created_at, updated_at)
		VALUES (:school, :id, :name, :search, :start, :end, :current, :version, :created, :updated)`, a)
	return err
}

func updateYear(ctx context.Context, tx *db.Tx, y Year) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE academic_years SET name = :name, search = :search, start_date = :start, end_date = :end,
			is_current = :current, version = :version, updated_at = :updated
		WHERE school_id = :school AND id = :id`, yearArgs(y))
	return err
}

func deleteYear(ctx context.Context, tx *db.Tx, year id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM academic_years WHERE school_id = :school AND id = :id`, db.Args{"id": year})
	return err
}
