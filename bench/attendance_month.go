package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"homeroom/internal/platform/id"
)

const (
	monthDivisions = 25 // of each school, with 40 students each
	monthDays      = 180
	reportPath     = "/school-admin/attendance/report"
)

// month measures the monthly report of divisions of one school, alternately in a
// database of a tenth of the rows and of all of them.
func month(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Schools | Rows | Reports/s | p50 | p99 | p50, of a tenth |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	var plans []string
	for _, t := range l.targets {
		schools := 100
		if t.engine == "SQLite" {
			schools = 10
		}
		plan, err := monthOn(ctx, l, t, schools)
		if err != nil {
			return err
		}
		plans = append(plans, "\n"+t.engine+":\n\n```\n"+plan+"```\n")
	}
	fmt.Println(strings.Join(plans, ""))
	return nil
}

func monthOn(ctx context.Context, l *lab, t target, schools int) (plan string, err error) {
	var sides [2]side
	for i, n := range []int{schools / 10, schools} {
		if sides[i], err = newSide(ctx, l, t, n); err != nil {
			return "", err
		}
		defer sides[i].stop()
	}
	var loads [2][]load
	for range rounds {
		for i, s := range sides {
			one, err := hammerEach(ctx, s.addr, s.next, 2, perRound)
			if err != nil {
				return "", err
			}
			loads[i] = append(loads[i], one)
		}
	}
	small := median(loads[0])
	for i, s := range sides {
		m := median(loads[i])
		fmt.Printf("| %s | %d | %d | %.0f | %s | %s | %.2f |\n", t.engine, s.schools, s.schools*monthDivisions*markStudents*monthDays,
			m.perSecond, short(m.p50), short(m.p99), float64(m.p50)/float64(small.p50))
	}
	return sides[1].explain(ctx)
}

// side is a service on a database with a number of schools.
type side struct {
	target
	schools int
	addr    string
	next    func() []byte
	stop    func()
}

func newSide(ctx context.Context, l *lab, t target, schools int) (side, error) {
	name := fmt.Sprintf("month%d", schools)
	data := l.dir + "/" + t.engine + name // two services run at the same time
	t, err := l.emptyDatabase(ctx, t, name)
	if err != nil {
		return side{}, err
	}
	if t.engine == "SQLite" {
		t.url = "sqlite:" + data + "/homeroom.db"
	}
	s, err := l.serve(ctx, t, "--data", data) // creates the tables
	if err != nil {
		return side{}, err
	}
	s.Kill()
	if err := fill(ctx, t, schools); err != nil {
		return side{}, fmt.Errorf("fill: %w", err)
	}
	if err := l.analyze(ctx, t); err != nil {
		return side{}, err
	}
	if s, err = l.serve(ctx, t, "--data", data); err != nil {
		return side{}, err
	}
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return side{}, err
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return side{}, err
	}
	var asks [][]byte
	err = t.each(ctx, monthDivisionSQL, func(class, division string) {
		for back := 1; back <= 4; back++ {
			month := monthDay(monthDays - 30*back).Format("2006-01")
			asks = append(asks, get(reportPath+"?classId="+class+"&divisionId="+division+"&month="+month, token))
		}
	})
	var n atomic.Int64
	return side{t, schools, u.Host, func() []byte { return asks[int(n.Add(1))%len(asks)] }, s.Kill}, err
}

// monthDivisionSQL selects class and id of the filled divisions of the demo school.
const monthDivisionSQL = `SELECT CAST(class_id AS TEXT), CAST(id AS TEXT) FROM divisions
	WHERE name = 'Month' AND school_id = (` + schoolSQL + `)`

// monthDay is the n-th day with marks.
func monthDay(n int) time.Time {
	return time.Now().UTC().AddDate(0, 0, n-monthDays)
}

// fill creates schools with divisions, students and marks on every day, with plain
// SQL: one statement per day for the marks.
func fill(ctx context.Context, t target, schools int) error {
	own, year, err := t.pair(ctx, yearSQL)
	if err != nil {
		return err
	}
	drop, again, err := t.indexes(ctx, "attendance")
	if err != nil {
		return err
	}
	steps := []string{"PRAGMA foreign_keys = OFF", "PRAGMA synchronous = OFF"}
	if t.engine == "PostgreSQL" {
		steps = []string{"SET session_replication_role = replica", "SET maintenance_work_mem = '1GB'"}
	}
	steps = slices.Concat(steps, monthSchools(own, year, schools), drop)
	for n := range monthDays {
		steps = append(steps, monthMarks(t.engine == "PostgreSQL", n))
	}
	return t.exec(ctx, append(append(steps, again...), "ANALYZE")...)
}

// indexes returns the statements that drop the indexes of tables, except those of
// constraints, and those that create them again.
func (t target) indexes(ctx context.Context, tables ...string) (drop, again []string, err error) {
	query := `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('%s')`
	if t.engine == "PostgreSQL" {
		query = `SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('%s')
			AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = CAST(indexname AS regclass))`
	}
	err = t.each(ctx, fmt.Sprintf(query, strings.Join(tables, "', '")), func(name, def string) {
		drop, again = append(drop, "DROP INDEX "+name), append(again, def)
	})
	return drop, again, err
}

func pair(ctx context.Context, d *sql.DB, query string) (a, b string, err error) {
	err = d.QueryRowContext(ctx, query).Scan(&a, &b)
	return a, b, err
}

// monthSchools returns statements that create schools, of which the first exists,
// with divisions and students.
func monthSchools(school, year string, schools int) (steps []string) {
	const at = `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`
	for i := range schools {
		if i > 0 {
			school, year = string(id.New()), string(id.New())
			steps = append(steps,
				fmt.Sprintf(`INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
					VALUES ('%s', 'Month %d', 'MONTH-%d', 'UTC', 'USD', 'en', 'ACTIVE', `+at, school, i, i),
				fmt.Sprintf(`INSERT INTO academic_years (school_id, id, name, search, start_date, end_date, is_current, created_at, updated_at)
					VALUES ('%s', '%s', 'Y', 'y', '2026-01-01', '2026-12-31', TRUE, `+at, school, year))
		}
		var students []string
		for c := range monthDivisions {
			class, division := id.New(), id.New()
			steps = append(steps,
				fmt.Sprintf(`INSERT INTO classes (school_id, id, academic_year_id, name, display_order, search, created_at, updated_at)
					VALUES ('%s', '%s', '%s', 'Month %d', %d, '', `+at, school, class, year, c, c),
				fmt.Sprintf(`INSERT INTO divisions (school_id, id, class_id, name, created_at, updated_at)
					VALUES ('%s', '%s', '%s', 'Month', `+at, school, division, class))
			for n := range markStudents {
				students = append(students, fmt.Sprintf(`('%s', '%s', 'M%d-%d', 'S%d', 'Month', '%s', '%s', %d, 'ACTIVE', '', `+at,
					school, id.New(), c, n, n, class, division, n+1))
			}
		}
		steps = append(steps, `INSERT INTO students (school_id, id, admission_no, first_name, last_name, class_id, division_id, roll_no,
			status, search, created_at, updated_at) VALUES `+strings.Join(students, ", "))
	}
	return steps
}

// monthMarks returns the statement that marks every student on the n-th day.
func monthMarks(pg bool, n int) string {
	mark := fmt.Sprintf(`'%08x-0000-7000-8000-' || substr(CAST(id AS TEXT), 25, 12)`, n)
	if pg {
		mark = `CAST(` + mark + ` AS uuid)`
	}
	day := monthDay(n).Format(time.DateOnly)
	return `INSERT INTO attendance (school_id, id, student_id, date, period_no, class_id, division_id, status,
			half_day, minutes_late, remark, marked_at)
		SELECT school_id, ` + mark + `, id, '` + day + `', 0, class_id, division_id,
			CASE substr(CAST(id AS TEXT), 36, 1) WHEN 'a' THEN 'ABSENT' WHEN 'b' THEN 'LATE' ELSE 'PRESENT' END,
			'', 0, '', '` + day + `T08:00:00.000Z'
		FROM students WHERE last_name = 'Month'`
}

// monthSQL is the statement that reads the marks of a report, as the service sends it.
const monthSQL = `SELECT a.student_id, a.date, a.status, a.half_day, a.minutes_late FROM attendance a
	WHERE a.school_id = $1 AND a.date %s AND a.class_id = $3 AND a.division_id = $4 AND a.period_no = 0`

// explain returns the query plan of the report.
func (s side) explain(ctx context.Context) (string, error) {
	d, err := s.open()
	if err != nil {
		return "", err
	}
	defer func() { _ = d.Close() }() // nothing was written
	d.SetMaxOpenConns(1)             // settings are per connection
	class, division, err := pair(ctx, d, monthDivisionSQL)
	if err != nil {
		return "", err
	}
	var school string
	if err := d.QueryRowContext(ctx, schoolSQL).Scan(&school); err != nil {
		return "", err
	}
	var dates []string
	for n := range 30 {
		dates = append(dates, monthDay(n).Format(time.DateOnly))
	}
	if s.engine == "SQLite" {
		return lines(ctx, d, 3, `EXPLAIN QUERY PLAN `+fmt.Sprintf(monthSQL, `IN (SELECT value FROM json_each($2))`),
			school, `["`+strings.Join(dates, `","`)+`"]`, class, division)
	}
	for _, set := range []string{"SET ROLE homeroom_app", "SET homeroom.school = '" + school + "'", "SET plan_cache_mode = force_generic_plan",
		"PREPARE report (uuid, text[], uuid, uuid) AS " + fmt.Sprintf(monthSQL, "= ANY($2)")} {
		if _, err := d.ExecContext(ctx, set); err != nil {
			return "", err
		}
	}
	return lines(ctx, d, 0, fmt.Sprintf(`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) EXECUTE report ('%s', '{%s}', '%s', '%s')`,
		school, strings.Join(dates, ","), class, division))
}

// lines returns one column of the rows, one line per row.
func lines(ctx context.Context, d *sql.DB, column int, query string, args ...any) (string, error) {
	rows, err := d.QueryContext(ctx, query, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values := make([]any, len(names))
	for i := range values {
		values[i] = new(string)
	}
	var b strings.Builder
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return "", err
		}
		b.WriteString(*values[column].(*string) + "\n")
	}
	return b.String(), rows.Err()
}
