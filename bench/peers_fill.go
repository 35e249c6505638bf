package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kinds of ids. Both servers number their rows by school, kind and number.
const (
	classID = iota + 1
	divisionID
	studentID
)

func ourID(school, kind, n int) string {
	return fmt.Sprintf("%08x-0000-7000-8000-%012x", school+1, kind<<20|n)
}

func bareID(school, kind, n int) string { return fmt.Sprint(kind*1_000_000 + school*10_000 + n) }

// fastSQLite are the settings to fill a database that a crash may break.
var fastSQLite = []string{"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -400000"}

const peerAt = `'2026-01-01T00:00:00.000Z'`

// values returns n rows of SQL.
func values(n int, row func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = "(" + row(i) + ")"
	}
	return " VALUES " + strings.Join(all, ", ")
}

// moves are the statements that create the temporary table of charges and payments.
func (w *peerWorld) moves(date string) []string {
	return []string{`CREATE TEMP TABLE moves (i INTEGER, charged_on ` + date + `, paid_on ` + date + `)`,
		`INSERT INTO moves` + values(peerCharges, func(i int) string {
			row := fmt.Sprintf("%d, '%s', '%s'", i, w.days[6*i].Format(time.DateOnly), w.days[6*i+3].Format(time.DateOnly))
			if date == "INTEGER" { // the bare server's days
				row = strings.NewReplacer("-", "", "'", "").Replace(row)
			}
			return row
		})}
}

// moveSQL writes $names in statements about moves m of students s.
func moveSQL(renew func(n string) string) *strings.Replacer {
	return strings.NewReplacer("$at", peerAt, "$charge", renew("1000 + m.i"), "$receipt", renew("2000 + m.i"),
		"$amount", "(10025 + 100 * s.roll_no)", // as pupil.fee
		"$paid", fmt.Sprintf("(CASE m.i WHEN %d THEN %d ELSE 10025 + 100 * s.roll_no END)", peerCharges-1, peerPart),
		"$last", fmt.Sprint(peerCharges-1), "$n", "CAST(substr(s.admission_no, 4) AS INTEGER)",
		"$from", `FROM students s JOIN academic_years y ON y.school_id = s.school_id CROSS JOIN moves m
			WHERE s.admission_no LIKE 'PR-%' ORDER BY m.i, s.school_id, s.id`)
}

// fillOurs fills the schools PEERS-0 and so on, which have a year and a teacher.
func (w *peerWorld) fillOurs(ctx context.Context, t target) error {
	drop, again, err := t.indexes(ctx, "attendance", "fee_charges", "fee_receipts", "fee_receipt_lines", "fee_allocations",
		"ledger_transactions", "ledger_entries")
	if err != nil {
		return err
	}
	steps := append([]string{"PRAGMA foreign_keys = OFF"}, fastSQLite...)
	renew := func(n string) string { return `printf('%08x', ` + n + `) || substr(s.id, 9)` } // an id made of n and the student's
	if t.engine == "PostgreSQL" {
		steps = []string{"SET session_replication_role = replica", "SET work_mem = '256MB'", "SET maintenance_work_mem = '256MB'"}
		renew = func(n string) string {
			return `CAST(lpad(to_hex(` + n + `), 8, '0') || substr(CAST(s.id AS TEXT), 9) AS uuid)`
		}
	}
	err = t.each(ctx, `SELECT s.code || ' ' || CAST(s.id AS TEXT), CAST(y.id AS TEXT) FROM schools s
		JOIN academic_years y ON y.school_id = s.id WHERE s.code LIKE 'PEERS-%'`, func(name, year string) {
		var s int
		var school string
		if _, err := fmt.Sscanf(name, "PEERS-%d %s", &s, &school); err == nil {
			steps = append(steps, w.ourSchool(s, school, year)...)
		}
	})
	if err != nil {
		return err
	}
	steps = slices.Concat(steps, ourPeople, drop)
	for i, day := range w.days {
		steps = append(steps, fmt.Sprintf(`INSERT INTO attendance (school_id, id, student_id, date, period_no, class_id, division_id, status,
				half_day, minutes_late, remark, marked_at)
			SELECT s.school_id, %s, s.id, '%s', 0, s.class_id, s.division_id, %s, '', 0, '', %s
			FROM students s WHERE s.admission_no LIKE 'PR-%%' ORDER BY s.school_id, s.id`,
			renew(fmt.Sprint(i)), day.Format(time.DateOnly), statusSQL(i, "'ABSENT'", "'LATE'", "'PRESENT'"), peerAt))
	}
	steps = append(steps, w.moves("TEXT")...)
	write := moveSQL(renew)
	for _, s := range ourLedger {
		steps = append(steps, write.Replace(s))
	}
	return t.exec(ctx, append(append(steps, again...), "ANALYZE")...)
}

// ourSchool returns the statements for a school's classes and students.
func (w *peerWorld) ourSchool(s int, school, year string) []string {
	const at = peerAt + ", " + peerAt
	return []string{
		fmt.Sprintf(`UPDATE schools SET settings = '{"attendanceLockDays": 100000}' WHERE id = '%s'`, school),
		fmt.Sprintf(`UPDATE academic_years SET start_date = '%s' WHERE id = '%s'`, w.yearStart(), year),
		`INSERT INTO classes (school_id, id, academic_year_id, name, display_order, search, created_at, updated_at)` +
			values(peerClasses+1, func(i int) string {
				return fmt.Sprintf(`'%s', '%s', '%s', 'Class %d', %d, 'class %d', %s`, school, ourID(s, classID, i), year, i+1, i, i+1, at)
			}),
		`INSERT INTO divisions (school_id, id, class_id, name, created_at, updated_at)` +
			values(peerNewcomers+1, func(i int) string {
				return fmt.Sprintf(`'%s', '%s', '%s', 'Division %d', %s`, school, ourID(s, divisionID, i), ourID(s, classID, classOf(i)), i+1, at)
			}),
		`INSERT INTO students (school_id, id, admission_no, first_name, last_name, date_of_birth, gender, class_id, division_id, roll_no,
			phone, status, search, created_at, updated_at)` +
			values(peerStudents, func(i int) string {
				p := w.pupils[s][i]
				return fmt.Sprintf(`'%s', '%s', '%s', '%s', '%s', '2015-05-05', 'FEMALE', '%s', '%s', %d, '%s', 'ACTIVE', '%s', %s`,
					school, ourID(s, studentID, i), p.admissionNo(), p.first, p.last, ourID(s, classID, p.class()),
					ourID(s, divisionID, p.division()), p.roll(), p.phone(),
					p.nameKey()+"\n"+strings.ToLower(p.admissionNo())+"\n"+p.phone(), at)
			})}
}

// ourPeople are the enrolments, a guardian of each student, and the teacher of all classes.
var ourPeople = []string{
	`INSERT INTO enrolments (school_id, student_id, academic_year_id, class_id, division_id, roll_no, outcome, created_at, updated_at)
		SELECT s.school_id, s.id, c.academic_year_id, c.id, s.division_id, s.roll_no, 'ENROLLED', s.created_at, s.created_at
		FROM students s JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id WHERE s.admission_no LIKE 'PR-%'`,
	`INSERT INTO guardians (school_id, id, name, phone, search, created_at, updated_at)
		SELECT school_id, id, 'Parent ' || last_name, '+1666' || substr(phone, 6), 'parent ' || lower(last_name), created_at, created_at
		FROM students WHERE admission_no LIKE 'PR-%'`,
	`INSERT INTO student_guardians (school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at)
		SELECT school_id, id, id, 'MOTHER', TRUE, TRUE, TRUE, created_at FROM guardians WHERE phone LIKE '+1666%'`,
	`INSERT INTO teacher_assignments (school_id, id, employee_id, academic_year_id, class_id, is_class_teacher, created_at)
		SELECT c.school_id, c.id, e.id, c.academic_year_id, c.id, FALSE, c.created_at
		FROM classes c JOIN employees e ON e.school_id = c.school_id WHERE e.last_name = 'Peers'`,
}

// ourLedger are the fees: in every move a charge of one head, and its payment.
var ourLedger = []string{
	`INSERT INTO fee_heads (school_id, id, name, search, created_at, updated_at)
		SELECT y.school_id, y.id, 'Peers', 'peers', $at, $at FROM academic_years y JOIN schools s ON s.id = y.school_id
		WHERE s.code LIKE 'PEERS-%'`,
	`INSERT INTO fee_accounts (school_id, student_id, due, version, created_at, updated_at)
		SELECT s.school_id, s.id, $amount - $paid, 60, $at, $at FROM students s JOIN moves m ON m.i = $last WHERE s.admission_no LIKE 'PR-%'`,
	`INSERT INTO fee_charges (school_id, id, student_id, academic_year_id, head_id, title, amount, paid, conceded, due_date, charged_on,
			status, created_at, updated_at)
		SELECT s.school_id, $charge, s.id, y.id, y.id, 'Tuition', $amount, $paid, 0, CASE m.i WHEN $last THEN '2099-12-31' ELSE m.charged_on END,
			m.charged_on, CASE m.i WHEN $last THEN 'PARTIAL' ELSE 'PAID' END, $at, $at $from`,
	`INSERT INTO fee_receipts (school_id, id, academic_year_id, no, number, date, method, amount, status, created_at, updated_at)
		SELECT s.school_id, $receipt, y.id, m.i * 1000 + $n, 'Y-' || (m.i * 1000 + $n), m.paid_on, 'CASH', $paid, 'ISSUED', $at, $at $from`,
	`INSERT INTO fee_receipt_lines (school_id, receipt_id, student_id, amount, advance) SELECT s.school_id, $receipt, s.id, $paid, 0 $from`,
	`INSERT INTO ledger_transactions (school_id, seq, kind, date, narration, charge_id, created_at)
		SELECT s.school_id, m.i * 2000 + $n, 'CHARGE', m.charged_on, 'Tuition', $charge, $at $from`,
	`INSERT INTO ledger_transactions (school_id, seq, kind, date, narration, receipt_id, created_at)
		SELECT s.school_id, m.i * 2000 + 1000 + $n, 'PAYMENT', m.paid_on, 'Receipt Y-' || (m.i * 1000 + $n), $receipt, $at $from`,
	`INSERT INTO ledger_entries (school_id, seq, line, date, type, account, student_id, amount)
		SELECT s.school_id, m.i * 2000 + $n, 0, m.charged_on, 'DR', 'STUDENT', s.id, $amount $from`,
	`INSERT INTO ledger_entries (school_id, seq, line, date, type, account, head_id, amount)
		SELECT s.school_id, m.i * 2000 + $n, 1, m.charged_on, 'CR', 'INCOME', y.id, $amount $from`,
	`INSERT INTO ledger_entries (school_id, seq, line, date, type, account, method, amount)
		SELECT s.school_id, m.i * 2000 + 1000 + $n, 0, m.paid_on, 'DR', 'CASH', 'CASH', $paid $from`,
	`INSERT INTO ledger_entries (school_id, seq, line, date, type, account, student_id, amount)
		SELECT s.school_id, m.i * 2000 + 1000 + $n, 1, m.paid_on, 'CR', 'STUDENT', s.id, $paid $from`,
	`INSERT INTO fee_allocations (school_id, seq, line, date, source, student_id, charge_id, receipt_id, amount)
		SELECT s.school_id, m.i * 2000 + 1000 + $n, 0, m.paid_on, 'PAYMENT', s.id, $charge, $receipt, $paid $from`,
}
