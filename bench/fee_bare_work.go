package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"homeroom/internal/feature/fee"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// moment scans a timestamp of either engine.
type moment struct{ *time.Time }

// Scan implements sql.Scanner.
func (m moment) Scan(v any) (err error) {
	switch v := v.(type) {
	case time.Time:
		*m.Time = v.UTC()
	case string:
		*m.Time, err = time.Parse(time.RFC3339Nano, v)
	}
	return err
}

// statement reads a statement with the service's own SQL.
func (c *counter) statement(ctx context.Context, student string) (st fee.Statement, err error) {
	args := []any{c.school, student}
	s, version := &st.Student, int64(0)
	err = c.query(ctx, numbered(fee.HolderSQL), args, func(scan func(...any) error) error {
		return scan(&s.ID, &s.AdmissionNo, &s.FirstName, &s.LastName, &s.ClassID, &s.ClassName, &s.Division, &s.Status, &version)
	})
	if err != nil {
		return st, err
	}
	st.Charges, st.Receipts, st.Entries = []*fee.Charge{}, []fee.Receipted{}, []fee.Entry{}
	err = c.query(ctx, numbered(fee.ChargesSQL), args, func(scan func(...any) error) error {
		h := &fee.Charge{}
		st.Charges = append(st.Charges, h)
		err := scan(&h.ID, &h.StudentID, &h.AcademicYearID, &h.HeadID, &h.Head, &h.HeadSystem, &h.ItemID, &h.Period, &h.Reference, &h.FineOf,
			&h.Title, &h.Note,
			&h.Amount, &h.Paid, &h.Conceded, &h.DueDate, &h.ChargedOn, &h.FinedUntil, &h.Status, &h.VoidReason,
			moment{&h.CreatedAt}, moment{&h.UpdatedAt})
		if h.Status != "VOID" {
			h.Due = h.Amount - h.Paid - h.Conceded
		}
		return err
	})
	if err != nil {
		return st, err
	}
	err = c.query(ctx, numbered(fee.ReceiptsSQL), args, func(scan func(...any) error) error {
		st.Receipts = append(st.Receipts, fee.Receipted{})
		r := &st.Receipts[len(st.Receipts)-1]
		return scan(&r.ID, &r.Number, &r.Date, &r.Method, &r.Amount, &r.Advance, &r.Status)
	})
	if err != nil {
		return st, err
	}
	err = c.query(ctx, numbered(fee.EntriesSQL), args, func(scan func(...any) error) error {
		st.Entries = append(st.Entries, fee.Entry{})
		e := &st.Entries[len(st.Entries)-1]
		return scan(&e.Date, &e.Type, &e.Account, &e.Amount, &e.Narration, &e.Balance, &e.Version)
	})
	st.Totals = totals(st)
	return st, err
}

func totals(st fee.Statement) (t fee.Totals) {
	today := clock.DateIn(time.Now(), "America/New_York")
	for _, c := range st.Charges {
		switch {
		case c.Status == "VOID":
			continue
		case c.HeadSystem != "":
			t.Fine += c.Amount
		default:
			t.Charged += c.Amount
		}
		t.Concession += c.Conceded
		t.Due += c.Due
		if c.DueDate < today {
			t.Overdue += c.Due
		}
	}
	if n := len(st.Entries); n > 0 {
		t.Advance = max(0, -st.Entries[n-1].Balance)
	}
	t.Paid = t.Charged + t.Fine - t.Concession - t.Due + t.Advance
	return t
}

// paymentIn is the request body of the bare handler.
type paymentIn struct {
	Data struct {
		StudentID string
		Amount    json.Number
		Method    string
	}
}

// taken is a payment while take records it.
type taken struct {
	c                            *counter
	h                            querier
	now                          any
	day, student, charge, number string
	year, receipt, transaction   string
	amount                       money.Money
	no, seq                      int64
	due, paid                    money.Money
	parents                      []string
}

// take records a payment of at most what the student owes, with the same statements
// as the service.
func (c *counter) take(ctx context.Context, in paymentIn) (any, error) {
	amount, err := money.Parse(in.Data.Amount.String())
	if err != nil {
		return nil, err
	}
	at := time.Now().UTC().Truncate(time.Millisecond)
	t := taken{c: c, student: in.Data.StudentID, amount: amount, now: at.Format("2006-01-02T15:04:05.000Z"),
		day:     string(clock.DateIn(at, "America/New_York")),
		receipt: string(id.New()), transaction: string(id.New())}
	err = c.begin(ctx, func(h querier) error {
		t.h = h
		for _, step := range []func(context.Context) error{t.tell, t.read, t.receive, t.book} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return map[string]any{"id": t.receipt, "number": t.number, "academicYearId": t.year, "date": t.day, "method": in.Data.Method,
		"amount": amount, "status": "ISSUED",
		"students": []any{map[string]any{"studentId": t.student, "amount": amount,
			"allocations": []any{map[string]any{"chargeId": t.charge, "amount": amount}}}}}, err
}

// read locks the ledger and reads the account, the unpaid charge and the next numbers.
func (t *taken) read(ctx context.Context) error {
	args := []any{t.c.school, t.student}
	if err := t.c.lock(ctx, t.h); err != nil {
		return err
	}
	err := t.h.query(ctx, `SELECT due FROM fee_accounts WHERE school_id = $1 AND student_id = $2`, args,
		func(scan func(...any) error) error { return scan(&t.due) })
	if err != nil {
		return err
	}
	var status string
	err = t.h.query(ctx, `SELECT c.id, c.paid, c.status FROM fee_charges c JOIN fee_heads h ON h.school_id = c.school_id AND h.id = c.head_id
		LEFT JOIN fee_items i ON i.school_id = c.school_id AND i.id = c.item_id
		LEFT JOIN fee_structures f ON f.school_id = i.school_id AND f.id = i.structure_id
		WHERE c.school_id = $1 AND c.student_id = $2 AND c.status IN ('OPEN', 'PARTIAL')`, args, func(scan func(...any) error) error {
		return scan(&t.charge, &t.paid, &status)
	})
	if err != nil {
		return err
	}
	var name string
	err = t.h.query(ctx, `SELECT y.id, y.name,
			1 + COALESCE((SELECT r.no FROM fee_receipts r WHERE r.school_id = $1 AND r.academic_year_id = y.id ORDER BY r.no DESC LIMIT 1), 0),
			1 + COALESCE((SELECT seq FROM ledger_transactions WHERE school_id = $1 ORDER BY seq DESC LIMIT 1), 0)
		FROM academic_years y WHERE y.school_id = $1 AND (y.is_current OR y.start_date <= $2 AND y.end_date >= $2)
		ORDER BY CASE WHEN y.start_date <= $2 AND y.end_date >= $2 THEN 0 ELSE 1 END LIMIT 1`, []any{t.c.school, t.day},
		func(scan func(...any) error) error { return scan(&t.year, &name, &t.no, &t.seq) })
	t.number = fmt.Sprintf("%s-%06d", name, t.no)
	if err == nil && t.charge == "" {
		err = fmt.Errorf("student %s owes nothing", t.student)
	}
	return err
}

// receive writes the receipt and the charge.
func (t *taken) receive(ctx context.Context) error {
	err := t.h.exec(ctx, `INSERT INTO fee_receipts (school_id, id, academic_year_id, no, number, date, method, reference, payer, note,
			amount, status, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, 'CASH', '', '', '', $7, 'ISSUED', $8, $8)`,
		t.c.school, t.receipt, t.year, t.no, t.number, t.day, int64(t.amount), t.now)
	if err != nil {
		return err
	}
	err = t.h.exec(ctx, `INSERT INTO fee_receipt_lines (school_id, receipt_id, student_id, amount, advance) VALUES ($1, $2, $3, $4, 0)`,
		t.c.school, t.receipt, t.student, int64(t.amount))
	if err != nil {
		return err
	}
	return t.h.exec(ctx, `UPDATE fee_charges SET paid = $3, status = 'PARTIAL', updated_at = $4 WHERE school_id = $1 AND id = $2`,
		t.c.school, t.charge, int64(t.paid+t.amount), t.now)
}

// book writes the transaction, its entries and allocation, and the account.
func (t *taken) book(ctx context.Context) error {
	for _, w := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO ledger_transactions (school_id, id, seq, kind, date, narration, receipt_id, created_at)
			VALUES ($1, $2, $3, 'PAYMENT', $4, $5, $6, $7)`,
			[]any{t.c.school, t.transaction, t.seq, t.day, "Receipt " + t.number, t.receipt, t.now}},
		{`INSERT INTO ledger_entries (school_id, seq, line, date, type, account, student_id, method, amount)
			VALUES ($1, $2, 0, $3, 'DR', 'CASH', NULL, 'CASH', $5), ($1, $2, 1, $3, 'CR', 'STUDENT', $4, NULL, $5)`,
			[]any{t.c.school, t.seq, t.day, t.student, int64(t.amount)}},
		{`INSERT INTO fee_allocations (school_id, seq, line, date, source, student_id, charge_id, receipt_id, amount)
			VALUES ($1, $2, 0, $3, 'PAYMENT', $4, $5, $6, $7)`,
			[]any{t.c.school, t.seq, t.day, t.student, t.charge, t.receipt, int64(t.amount)}},
		{`UPDATE fee_accounts SET due = $3, version = version + 1, updated_at = $4 WHERE school_id = $1 AND student_id = $2`,
			[]any{t.c.school, t.student, int64(t.due - t.amount), t.now}},
	} {
		if err := t.h.exec(ctx, w.sql, w.args...); err != nil {
			return err
		}
	}
	return nil
}

// tell reads the student and writes the notifications, the push or its digest, and
// the audit log.
func (t *taken) tell(ctx context.Context) error {
	var skip any
	err := t.h.query(ctx, numbered(fee.HolderSQL), []any{t.c.school, t.student}, func(scan func(...any) error) error {
		return scan(&skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip)
	})
	if err != nil {
		return err
	}
	err = t.h.query(ctx, `SELECT g.user_id FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE l.school_id = $1 AND l.student_id = $2 AND l.can_view_data AND g.user_id IS NOT NULL`,
		[]any{t.c.school, t.student}, func(scan func(...any) error) error {
			t.parents = append(t.parents, "")
			return scan(&t.parents[len(t.parents)-1])
		})
	if err != nil {
		return err
	}
	if err := t.notify(ctx); err != nil {
		return err
	}
	if err := t.push(ctx); err != nil {
		return err
	}
	after := fmt.Sprintf(`{"amount":%s,"method":"CASH","date":%q,"students":[%q]}`, t.amount, t.day, t.student)
	return t.h.exec(ctx, `INSERT INTO audit_log (school_id, id, at, role, action, entity, entity_id, after, request_id, ip)
		VALUES ($1, $2, $3, 'SCHOOL_ADMIN', 'fee-receipt.issue', 'fee-receipt', $4, $5, '', '127.0.0.1')`,
		t.c.school, string(id.New()), t.now, t.receipt, after)
}

// notify asks what the parents want to hear, writes their logs, and counts what
// they have not read.
func (t *taken) notify(ctx context.Context) error {
	var skip any
	err := t.h.query(ctx, `SELECT name, timezone, currency, locale, settings FROM schools WHERE id = $1`, []any{t.c.school},
		func(scan func(...any) error) error { return scan(&skip, &skip, &skip, &skip, &skip) })
	if err != nil {
		return err
	}
	for _, user := range t.parents {
		err := t.h.query(ctx, `SELECT u.locale, p.quiet_from, p.quiet_to, p.channels FROM users u
			LEFT JOIN notification_preferences p ON p.school_id = u.school_id AND p.user_id = u.id WHERE u.school_id = $1 AND u.id = $2`,
			[]any{t.c.school, user}, func(scan func(...any) error) error { return scan(&skip, &skip, &skip, &skip) })
		if err != nil {
			return err
		}
		err = t.h.exec(ctx, `INSERT INTO notifications (school_id, id, user_id, type, title, body, record_id, student_id, created_at)
			VALUES ($1, $2, $3, 'FEE', 'Payment received', 'A payment was recorded. Open the app to see the receipt.', $4, $5, $6)`,
			t.c.school, string(id.New()), user, t.receipt, t.student, t.now)
		if err != nil {
			return err
		}
		err = t.h.query(ctx, `SELECT COUNT(*) FROM notifications WHERE school_id = $1 AND user_id = $2 AND read_at IS NULL`,
			[]any{t.c.school, user},
			func(scan func(...any) error) error { return scan(&skip) })
		if err != nil {
			return err
		}
	}
	return nil
}

// push queues a push, or adds it to a digest if one was sent shortly before.
func (t *taken) push(ctx context.Context) error {
	topic, waits := "student_"+t.student+"_fee", false
	until := time.Now().UTC().Truncate(time.Minute).Add(11 * time.Minute).Format("2006-01-02T15:04:05.000Z")
	err := t.h.query(ctx, `SELECT until FROM push_digests WHERE school_id = $1 AND topic = $2 AND (until > $3 OR gathered) LIMIT 1`,
		[]any{t.c.school, topic, t.now}, func(scan func(...any) error) error {
			var skip any
			waits = true
			return scan(&skip)
		})
	if err != nil {
		return err
	}
	err = t.h.exec(ctx, `INSERT INTO push_digests (school_id, id, topic, type, gathered, until, record_id, student_id, users)
		VALUES ($1, $2, $3, 'FEE', $4, $5, $6, $7, '[]')`, t.c.school, string(id.New()), topic, waits, until, t.receipt, t.student)
	if err != nil {
		return err
	}
	if err := t.job(ctx, "notification.digest", `{"until":"`+until+`"}`, until); err != nil || waits {
		return err
	}
	delivery := string(id.New())
	err = t.h.exec(ctx, `INSERT INTO deliveries (school_id, id, channel, to_addr, subject, body, html, data, sealed, status, created_at)
		VALUES ($1, $2, 'push', $3, 'Payment received', 'A payment was recorded. Open the app to see the receipt.', '', $4, FALSE, 'QUEUED', $5)`,
		t.c.school, delivery, topic, `{"type":"FEE","id":"`+t.receipt+`","studentId":"`+t.student+`"}`, t.now)
	if err != nil {
		return err
	}
	return t.job(ctx, "notify.deliver", `{"delivery":"`+delivery+`"}`, t.now)
}

func (t *taken) job(ctx context.Context, kind, payload string, at any) error {
	return t.h.exec(ctx, `INSERT INTO jobs (school_id, id, kind, payload, state, run_at, created_at)
		VALUES ($1, $2, $3, $4, 'waiting', $5, $6)`,
		t.c.school, string(id.New()), kind, payload, at, t.now)
}
