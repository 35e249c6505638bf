package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Size of the database. The largest school is the demo's.
const (
	listSchools   = 50
	listLargest   = 20_000 // students of the largest school
	listOthers    = 981    // students of each other school
	listClasses   = 20
	listDivisions = 80
	listWords     = 900
)

// fillLists creates the schools with plain SQL.
func fillLists(ctx context.Context, t target, largest int) error {
	d, err := t.open()
	if err != nil {
		return err
	}
	d.SetMaxOpenConns(1) // settings and temporary tables are per connection
	return errors.Join(fillListsIn(ctx, d, t.engine == "PostgreSQL", largest), d.Close())
}

func fillListsIn(ctx context.Context, d *sql.DB, pg bool, largest int) error {
	own, year, err := pair(ctx, d, yearSQL)
	if err != nil {
		return err
	}
	steps := []string{"PRAGMA foreign_keys = OFF", "PRAGMA synchronous = OFF"}
	if pg {
		steps = []string{"SET session_replication_role = replica", "SET synchronous_commit = off"}
	}
	steps = append(steps, listSteps(pg, own, year, largest)...)
	if pg {
		steps = append(steps, "VACUUM ANALYZE") // autovacuum is off in the temporary server
	} else {
		steps = append(steps, "ANALYZE")
	}
	for _, s := range steps {
		if _, err := d.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%w in: %.300s", err, s)
		}
	}
	return nil
}

// listSteps returns the statements, which differ between the engines only in ids.
func listSteps(pg bool, own, year string, largest int) []string {
	at := `'2026-01-01T00:00:00.000Z'`
	id := func(a, b string) string { return `printf('%08x-0000-7000-8000-%012x', ` + a + `, ` + b + `)` }
	if pg {
		at = `timestamptz ` + at
		id = func(a, b string) string {
			return `CAST(lpad(to_hex(` + a + `), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(` + b + `), 12, '0') AS uuid)`
		}
	}
	replace := strings.NewReplacer("$at", at, "$own", own, "$year", year, "$word", "(SELECT word FROM words WHERE i = ",
		"$school", id("s.n", "0"), "$class", id("s.n", fmt.Sprintf("1000 + m.i %% %d", listClasses)),
		"$division", id("s.n", fmt.Sprintf("2000 + m.i %% %d", listDivisions)),
		"$newYear", id("s.n", "1"), "$row", id("s.n", "10000 + m.i"))
	var out []string
	for _, s := range []string{
		`CREATE TEMP TABLE words (i INTEGER PRIMARY KEY, word TEXT)`,
		`INSERT INTO words (i, word) VALUES ` + listNames(),
		fmt.Sprintf(`CREATE TEMP TABLE numbers AS WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < %d)
			SELECT i FROM c`, listLargest-1),
		fmt.Sprintf(`CREATE TEMP TABLE s AS SELECT n, $school AS school, $newYear AS year, %d AS students FROM
			(SELECT i AS n FROM numbers WHERE i > 0 AND i < %d) AS s`, listOthers, listSchools),
		`INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
			SELECT school, 'School ' || n, 'LISTS-' || n, 'UTC', 'USD', 'en', 'ACTIVE', $at, $at FROM s`,
		`INSERT INTO academic_years (school_id, id, name, search, start_date, end_date, is_current, created_at, updated_at)
			SELECT school, year, 'Y', 'y', '2026-01-01', '2026-12-31', TRUE, $at, $at FROM s`,
		fmt.Sprintf(`INSERT INTO s (n, school, year, students) VALUES (0, '$own', '$year', %d)`, largest),
		fmt.Sprintf(`INSERT INTO classes (school_id, id, academic_year_id, name, display_order, search, created_at, updated_at)
			SELECT s.school, $class, s.year, 'Lists ' || m.i, m.i, 'lists ' || m.i, $at, $at FROM s, numbers m WHERE m.i < %d`, listClasses),
		fmt.Sprintf(`INSERT INTO divisions (school_id, id, class_id, name, created_at, updated_at)
			SELECT s.school, $division, $class, 'Lists ' || m.i, $at, $at FROM s, numbers m WHERE m.i < %d`, listDivisions),
		`INSERT INTO students (school_id, id, admission_no, first_name, last_name, class_id, division_id, roll_no, phone, address, email,
				status, archived_at, search, created_at, updated_at)
			SELECT p.school, p.id, p.number, p.first, p.last, p.class, p.division, p.roll, p.phone, '12 Long Street, Springfield',
				'student' || p.i || '@example.org', p.status, p.archived, lower(p.first) || ' ' || lower(p.last) || '
' || lower(p.number) || '
' || p.phone, $at, $at FROM (
			SELECT s.school, $row AS id, m.i, 'BN-' || (100000 + m.i) AS number,
				$word (m.i * 7919 + s.n) % 881) AS first, $word (m.i * 104729 + s.n) % 877) AS last,
				$class AS class, $division AS division, m.i / 80 AS roll, '+1555' || (1000000 + m.i) AS phone,
				CASE WHEN m.i % 25 = 3 THEN 'LEFT' ELSE 'ACTIVE' END AS status, CASE WHEN m.i % 100 = 7 THEN $at END AS archived
			FROM s CROSS JOIN numbers m WHERE m.i < s.students ORDER BY s.school, m.i) AS p`,
		`INSERT INTO enrolments (school_id, student_id, academic_year_id, class_id, division_id, roll_no, outcome, created_at, updated_at)
			SELECT s.school, t.id, s.year, t.class_id, t.division_id, t.roll_no, 'ENROLLED', $at, $at
			FROM s JOIN students t ON t.school_id = s.school WHERE t.admission_no LIKE 'BN-%' ORDER BY s.school, t.id`,
		`INSERT INTO users (school_id, id, role_id, role, name, phone, status, search, created_at, updated_at)
			SELECT t.school_id, t.id, r.id, 'PARENT', 'Parent ' || t.last_name, '+1666' || substr(t.phone, 6), 'ACTIVE',
				'parent ' || lower(t.last_name), $at, $at
			FROM students t JOIN roles r ON r.school_id = t.school_id AND r.type = 'PARENT' AND r.is_system
			WHERE t.school_id = '$own' AND t.admission_no LIKE 'BN-%'`,
		`INSERT INTO guardians (school_id, id, user_id, name, phone, created_at, updated_at)
			SELECT school_id, id, id, name, phone, $at, $at FROM users WHERE school_id = '$own' AND phone LIKE '+1666%'`,
		`INSERT INTO student_guardians (school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at)
			SELECT school_id, id, id, 'MOTHER', TRUE, TRUE, TRUE, $at FROM guardians WHERE school_id = '$own' AND phone LIKE '+1666%'`,
		`INSERT INTO employees (school_id, id, employee_code, first_name, last_name, role_id, status, search, created_at, updated_at)
			SELECT t.school_id, t.id, 'EM-' || t.admission_no, t.first_name, t.last_name, r.id, 'ACTIVE', t.search, $at, $at
			FROM students t JOIN roles r ON r.school_id = t.school_id AND r.type = 'TEACHER' AND r.is_system
			WHERE t.school_id = '$own' AND t.admission_no LIKE 'BN-100%'`,
		fmt.Sprintf(`INSERT INTO library_books (school_id, id, title, author, category, available, title_key, author_key, search,
				created_at, updated_at)
			SELECT p.school, p.id, p.title, p.author, 'Fiction', 1, lower(p.title), lower(p.author), lower(p.title) || '
' || lower(p.author), $at, $at FROM (
			SELECT s.school, $row AS id, $word (m.i * 7919 + s.n) %% 881) || ' and the ' || $word (m.i * 7907 + s.n) %% 863) AS title,
				$word (m.i * 104729 + s.n) %% 877) AS author
			FROM s CROSS JOIN numbers m WHERE m.i < CASE s.n WHEN 0 THEN %d ELSE 100 END) AS p`, largest),
	} {
		out = append(out, replace.Replace(s))
	}
	return out
}

// listNames returns numbered random names as SQL values.
func listNames() string {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("an ba ko ri mel sa to vi ne lu ger ha jo ka li ma ni os pe ro su ti ver wi ze den mar son ter")
	rows := make([]string, listWords)
	for i := range rows {
		word := ""
		for range 2 + r.IntN(2) {
			word += syllables[r.IntN(len(syllables))]
		}
		rows[i] = fmt.Sprintf("(%d, '%s')", i, string(word[0]-32)+word[1:])
	}
	return strings.Join(rows, ", ")
}
