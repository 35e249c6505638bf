package search

import (
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
)

// kinds are the kinds of records in the order of the reply, each with the module whose
// read permission its own list needs.
var kinds = []kind{
	{name: "STUDENT", module: "student", sql: `
		SELECT s.id, TRIM(s.first_name || ' ' || s.last_name) AS title, c.name || COALESCE(' ' || d.name, '') AS first,
			s.admission_no AS second, CASE WHEN s.status <> 'ACTIVE' THEN s.status END AS last
		FROM students s LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id
		WHERE s.school_id = :school AND s.archived_at IS NULL`,
		match: func(a db.Args, q string) string { return people.StudentMatches(a, "s", q) },
		order: `CASE WHEN s.status = 'ACTIVE' THEN 0 ELSE 1 END, s.first_name, s.last_name, s.id`},
	{name: "GUARDIAN", module: "student", sql: `
		SELECT g.id, g.name AS title, g.phone AS first, g.email AS second, NULL AS last FROM guardians g
		WHERE g.school_id = :school AND g.name <> ''`, // blank: erased
		match: matches("g.search"), order: `g.name, g.id`},
	{name: "EMPLOYEE", module: "employee", sql: `
		SELECT e.id, TRIM(e.first_name || ' ' || e.last_name) AS title, COALESCE(NULLIF(e.designation, ''), r.name) AS first,
			e.employee_code AS second, e.phone AS last
		FROM employees e JOIN roles r ON r.school_id = e.school_id AND r.id = e.role_id
		WHERE e.school_id = :school AND e.archived_at IS NULL`,
		match: matches("e.search"), order: `e.first_name, e.last_name, e.id`},
	{name: "RECEIPT", module: "fee", sql: `
		SELECT r.id, r.number AS title, r.date AS first, CASE WHEN r.status = 'REVERSED' THEN r.status END AS second, (
			SELECT TRIM(s.first_name || ' ' || s.last_name) FROM fee_receipt_lines l
			JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id
			WHERE l.school_id = r.school_id AND l.receipt_id = r.id ORDER BY s.first_name, s.id LIMIT 1) AS last
		FROM fee_receipts r WHERE r.school_id = :school`,
		match: matches("LOWER(r.number)"), order: `r.id DESC`},
	{name: "REFUND", module: "fee", sql: `
		SELECT r.id, r.number AS title, r.date AS first, CASE WHEN r.status = 'REVERSED' THEN r.status END AS second,
			TRIM(s.first_name || ' ' || s.last_name) AS last
		FROM fee_refunds r JOIN students s ON s.school_id = r.school_id AND s.id = r.student_id WHERE r.school_id = :school`,
		match: matches("LOWER(r.number)"), order: `r.id DESC`},
	{name: "BOOK", module: "library", sql: `
		SELECT b.id, b.title, b.author AS first, b.isbn AS second, NULL AS last FROM library_books b
		WHERE b.school_id = :school AND b.archived_at IS NULL`,
		match: bookMatches, order: `b.title_key, b.id`},
}

// bookMatches ignores dashes, so that an ISBN is found as it is printed, 0-14-036446-5.
func bookMatches(a db.Args, q string) string {
	column := "b.search"
	for _, dash := range dashes {
		column = `REPLACE(` + column + `, '` + dash + `', '')`
		q = strings.ReplaceAll(q, dash, "")
	}
	if strings.TrimSpace(q) == "" { // dashes alone are in no title
		q = dashes[0]
	}
	return people.Matches(a, column, q)
}

var dashes = []string{"-", "\u2010", "\u2011", "\u2013"} // the last is an en dash
