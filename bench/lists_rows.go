package main

// listRows are the statements that fill a database, the same for both engines:
// 20 classes and 80 divisions in every school, a hundred books in most. Parents
// and employees are those of the largest school alone.
var listRows = []string{
	`CREATE TEMP TABLE words (i INTEGER PRIMARY KEY, word TEXT)`,
	`INSERT INTO words (i, word) VALUES $words`,
	`CREATE TEMP TABLE numbers AS
		WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < $numbers - 1) SELECT i FROM c`,
	`CREATE TEMP TABLE s AS SELECT n, $school AS school, $year AS year, $others AS students
		FROM (SELECT i AS n FROM numbers WHERE i > 0 AND i < $count) AS s`,
	`INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
		SELECT school, 'School ' || n, 'LISTS-' || n, 'UTC', 'USD', 'en', 'ACTIVE', $at, $at FROM s`,
	`INSERT INTO academic_years (school_id, id, name, search, start_date, end_date, is_current, created_at, updated_at)
		SELECT school, year, 'Y', 'y', '2026-01-01', '2026-12-31', TRUE, $at, $at FROM s`,
	`INSERT INTO s (n, school, year, students) VALUES (0, $ownSchool, $ownYear, $largest)`,
	`INSERT INTO classes (school_id, id, academic_year_id, name, display_order, search, created_at, updated_at)
		SELECT s.school, $class, s.year, 'Lists ' || m.i, m.i, 'lists ' || m.i, $at, $at FROM s, numbers m WHERE m.i < 20`,
	`INSERT INTO divisions (school_id, id, class_id, name, created_at, updated_at)
		SELECT s.school, $division, $class, 'Lists ' || m.i, $at, $at FROM s, numbers m WHERE m.i < 80`,
	`INSERT INTO students (school_id, id, admission_no, first_name, last_name, class_id, division_id, roll_no, phone, address, email,
			status, archived_at, search, created_at, updated_at)
		SELECT school, id, number, first, last, class, division, roll, phone, '12 Long Street, Springfield', 'student' || i || '@example.org',
			status, archived, lower(first) || ' ' || lower(last) || '
' || lower(number) || '
' || phone, $at, $at FROM (
		SELECT s.school, $row AS id, m.i, 'BN-' || (100000 + m.i) AS number, $class AS class, $division AS division, m.i / 80 AS roll,
			$word((m.i * 7919 + s.n) % 881) AS first, $word((m.i * 104729 + s.n) % 877) AS last, '+1555' || (1000000 + m.i) AS phone,
			CASE WHEN m.i % 25 = 3 THEN 'LEFT' ELSE 'ACTIVE' END AS status, CASE WHEN m.i % 100 = 7 THEN $at END AS archived
		FROM s CROSS JOIN numbers m WHERE m.i < s.students ORDER BY s.school, m.i) AS p`,
	`INSERT INTO enrolments (school_id, student_id, academic_year_id, class_id, division_id, roll_no, outcome, created_at, updated_at)
		SELECT s.school, t.id, s.year, t.class_id, t.division_id, t.roll_no, 'ENROLLED', $at, $at
		FROM s JOIN students t ON t.school_id = s.school WHERE t.admission_no LIKE 'BN-%' ORDER BY s.school, t.id`,
	`INSERT INTO users (school_id, id, role_id, role, name, phone, status, search, created_at, updated_at)
		SELECT t.school_id, t.id, r.id, 'PARENT', 'Parent ' || t.last_name, '+1666' || substr(t.phone, 6), 'ACTIVE',
			'parent ' || lower(t.last_name), $at, $at
		FROM students t JOIN roles r ON r.school_id = t.school_id AND r.type = 'PARENT' AND r.is_system
		WHERE t.school_id = $ownSchool AND t.admission_no LIKE 'BN-%'`,
	`INSERT INTO guardians (school_id, id, user_id, name, phone, created_at, updated_at)
		SELECT school_id, id, id, name, phone, $at, $at FROM users WHERE school_id = $ownSchool AND phone LIKE '+1666%'`,
	`INSERT INTO student_guardians (school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at)
		SELECT school_id, id, id, 'MOTHER', TRUE, TRUE, TRUE, $at FROM guardians WHERE school_id = $ownSchool AND phone LIKE '+1666%'`,
	`INSERT INTO employees (school_id, id, employee_code, first_name, last_name, role_id, status, search, created_at, updated_at)
		SELECT t.school_id, t.id, 'EM-' || t.admission_no, t.first_name, t.last_name, r.id, 'ACTIVE', t.search, $at, $at
		FROM students t JOIN roles r ON r.school_id = t.school_id AND r.type = 'TEACHER' AND r.is_system
		WHERE t.school_id = $ownSchool AND t.admission_no LIKE 'BN-100%'`,
	`INSERT INTO library_books (school_id, id, title, author, category, available, title_key, author_key, search, created_at, updated_at)
		SELECT school, id, title, author, 'Fiction', 1, lower(title), lower(author), lower(title) || '
' || lower(author), $at, $at FROM (
		SELECT s.school, $row AS id, $word((m.i * 7919 + s.n) % 881) || ' and the ' || $word((m.i * 7907 + s.n) % 863) AS title,
			$word((m.i * 104729 + s.n) % 877) AS author
		FROM s CROSS JOIN numbers m WHERE m.i < CASE s.n WHEN 0 THEN $largest ELSE 100 END) AS p`,
}
