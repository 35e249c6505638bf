// Package feetest tests a school's ledger: Check runs consistency checks on the
// database, and Play makes random transactions over HTTP from concurrent workers.
package feetest

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
)

// rule is an invariant with a query for its violations. It is one query, so that it
// reads one snapshot even while others write.
type rule struct{ name, broken string }

const signed = `CASE e.type WHEN 'DR' THEN e.amount ELSE -e.amount END`

var rules = []rule{
	{"debits equal credits in every transaction", `
		SELECT 'transaction ' || CAST(e.seq AS TEXT) FROM ledger_entries e WHERE e.school_id = :school
		GROUP BY e.seq HAVING SUM(` + signed + `) <> 0 OR COUNT(*) < 2`},
	{"every transaction has entries, and its number is the next", `
		SELECT 'transaction ' || CAST(t.seq AS TEXT) FROM ledger_transactions t WHERE t.school_id = :school AND (
			NOT EXISTS (SELECT 1 FROM ledger_entries e WHERE e.school_id = :school AND e.seq = t.seq)
			OR t.seq > 1 AND NOT EXISTS (SELECT 1 FROM ledger_transactions b WHERE b.school_id = :school AND b.seq = t.seq - 1))`},
	{"a student owes what its account says, and what its charges do", `
		SELECT 'student ' || CAST(a.student_id AS TEXT) FROM fee_accounts a WHERE a.school_id = :school AND (
			a.due <> (SELECT CAST(COALESCE(SUM(` + signed + `), 0) AS BIGINT) FROM ledger_entries e
				WHERE e.school_id = :school AND e.student_id = a.student_id AND e.account = 'STUDENT')
			OR a.due <> (SELECT CAST(COALESCE(SUM(c.amount - c.paid - c.conceded), 0) AS BIGINT) FROM fee_charges c
				WHERE c.school_id = :school AND c.student_id = a.student_id AND c.status <> 'VOID')
			OR a.advance <> (SELECT CAST(COALESCE(-SUM(` + signed + `), 0) AS BIGINT) FROM ledger_entries e
				WHERE e.school_id = :school AND e.student_id = a.student_id AND e.account = 'ADVANCE'))`},
	{"every student in the books has an account", `
		SELECT DISTINCT 'student ' || CAST(e.student_id AS TEXT) FROM ledger_entries e WHERE e.school_id = :school AND e.student_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM fee_accounts a WHERE a.school_id = :school AND a.student_id = e.student_id)`},
	{"a charge is paid and conceded what was allocated to it", `
		SELECT 'charge ' || CAST(c.id AS TEXT) FROM fee_charges c WHERE c.school_id = :school AND (
			c.paid <> (SELECT CAST(COALESCE(SUM(a.amount), 0) AS BIGINT) FROM fee_allocations a
				WHERE a.school_id = :school AND a.charge_id = c.id AND a.source <> 'CONCESSION')
			OR c.conceded <> (SELECT CAST(COALESCE(SUM(a.amount), 0) AS BIGINT) FROM fee_allocations a
				WHERE a.school_id = :school AND a.charge_id = c.id AND a.source = 'CONCESSION'))`},
	{"a charge is what was booked for it, and nothing if it is void", `
		SELECT 'charge ' || CAST(c.id AS TEXT) FROM fee_charges c WHERE c.school_id = :school
			AND CASE WHEN c.status = 'VOID' THEN 0 ELSE c.amount END <> (
				SELECT CAST(COALESCE(SUM(CASE e.type WHEN 'DR' THEN -e.amount ELSE e.amount END), 0) AS BIGINT)
				FROM ledger_transactions t JOIN ledger_entries e ON e.school_id = t.school_id AND e.seq = t.seq
				WHERE t.school_id = :school AND t.charge_id = c.id AND e.account IN ('INCOME', 'FINE', 'OPENING'))`},
	{"nothing is taken from a charge that it was not given", `
		SELECT 'charge ' || CAST(a.charge_id AS TEXT) FROM fee_allocations a WHERE a.school_id = :school
		GROUP BY a.charge_id, a.source, a.receipt_id HAVING SUM(a.amount) < 0`},
	{"a receipt is what was booked for it, and its lines add up", `
		SELECT 'receipt ' || r.number FROM fee_receipts r
		LEFT JOIN (SELECT l.receipt_id, SUM(l.amount) AS amount FROM fee_receipt_lines l WHERE l.school_id = :school
			GROUP BY l.receipt_id) l ON l.receipt_id = r.id
		LEFT JOIN (SELECT t.receipt_id, SUM(` + signed + `) AS amount FROM ledger_transactions t
			JOIN ledger_entries e ON e.school_id = t.school_id AND e.seq = t.seq
			WHERE t.school_id = :school AND t.receipt_id IS NOT NULL AND e.account IN ('CASH', 'BANK')
				GROUP BY t.receipt_id) b ON b.receipt_id = r.id
		WHERE r.school_id = :school AND (r.amount <> COALESCE(l.amount, 0)
		OR CASE r.status WHEN 'REVERSED' THEN 0 ELSE r.amount END <> COALESCE(b.amount, 0)
			OR r.status = 'REVERSED' AND EXISTS (SELECT 1 FROM fee_allocations a WHERE a.school_id = :school AND a.receipt_id = r.id
				GROUP BY a.charge_id HAVING SUM(a.amount) <> 0))`},
	{"receipt numbers have no gap and no twin", `
		SELECT 'year ' || CAST(r.academic_year_id AS TEXT) FROM fee_receipts r WHERE r.school_id = :school
		GROUP BY r.academic_year_id HAVING MIN(r.no) <> 1 OR MAX(r.no) <> COUNT(*) OR COUNT(DISTINCT r.no) <> COUNT(*)
			OR COUNT(DISTINCT r.number) <> COUNT(*)`},
	{"refund numbers have no gap and no twin", `
		SELECT 'year ' || CAST(r.academic_year_id AS TEXT) FROM fee_refunds r WHERE r.school_id = :school
		GROUP BY r.academic_year_id HAVING MIN(r.no) <> 1 OR MAX(r.no) <> COUNT(*) OR COUNT(DISTINCT r.number) <> COUNT(*)`},
	{"a concession has given what was booked for it", `
		SELECT 'concession ' || CAST(k.id AS TEXT) FROM fee_concessions k WHERE k.school_id = :school AND (
			k.given <> (SELECT CAST(COALESCE(SUM(` + signed + `), 0) AS BIGINT)
				FROM ledger_transactions t JOIN ledger_entries e ON e.school_id = t.school_id AND e.seq = t.seq
				WHERE t.school_id = :school AND t.concession_id = k.id AND e.account = 'CONCESSION')
			OR k.status = 'REVOKED' AND k.given <> 0)`},
	{"a reversal mirrors what it reverses", `
		SELECT 'transaction ' || CAST(t.seq AS TEXT) FROM ledger_transactions t
		JOIN ledger_transactions o ON o.school_id = t.school_id AND o.seq = t.reverses
		WHERE t.school_id = :school AND (
			SELECT COUNT(*) FROM ledger_entries e JOIN ledger_entries m ON m.school_id = e.school_id AND m.seq = o.seq AND m.line = e.line
				AND m.type <> e.type AND m.account = e.account AND m.amount = e.amount AND COALESCE(m.method, '') = COALESCE(e.method, '')
				AND COALESCE(CAST(m.student_id AS TEXT), '') = COALESCE(CAST(e.student_id AS TEXT), '')
				AND COALESCE(CAST(m.head_id AS TEXT), '') = COALESCE(CAST(e.head_id AS TEXT), '')
			WHERE e.school_id = :school AND e.seq = t.seq) <> (SELECT COUNT(*) FROM ledger_entries e WHERE e.school_id = :school
				AND e.seq = o.seq)`},
	{"opening balances are what was booked for them", `
		SELECT 'opening balances' FROM schools s WHERE s.id = :school AND
			(SELECT CAST(COALESCE(-SUM(` + signed + `), 0) AS BIGINT) FROM ledger_entries e WHERE e.school_id = :school AND e.account = 'OPENING')
			<> (SELECT CAST(COALESCE(SUM(o.owed - o.advance), 0) AS BIGINT) FROM fee_openings o WHERE o.school_id = :school
				AND o.status = 'ACTIVE')`},
	{"what is paid to charges and to advances is what came in, or was paid ahead", `
		SELECT 'cash and bank' FROM schools s WHERE s.id = :school AND
			(SELECT CAST(COALESCE(SUM(` + signed + `), 0) AS BIGINT) FROM ledger_entries e WHERE e.school_id = :school
				AND e.account IN ('CASH', 'BANK'))
			+ (SELECT CAST(COALESCE(SUM(o.advance), 0) AS BIGINT) FROM fee_openings o WHERE o.school_id = :school AND o.status = 'ACTIVE')
			<> (SELECT CAST(COALESCE(SUM(c.paid), 0) AS BIGINT) FROM fee_charges c WHERE c.school_id = :school)
			+ (SELECT CAST(COALESCE(SUM(a.advance), 0) AS BIGINT) FROM fee_accounts a WHERE a.school_id = :school)`},
}

// Check returns the violations in the ledger of q's school.
func Check(ctx context.Context, q db.Q) ([]string, error) {
	var broken []string
	for _, r := range rules {
		found, err := db.All[string](ctx, q, r.broken, nil)
		if err != nil {
			return nil, fmt.Errorf("check whether %s: %w", r.name, err)
		}
		for _, what := range found {
			broken = append(broken, r.name+": violated by "+what)
		}
	}
	return broken, nil
}
