package fee

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

const (
	chargeColumns = `c.id, c.student_id, c.academic_year_id, c.head_id, h.name AS head, h.system AS head_system, c.item_id, c.period, c.reference,
		c.fine_of, c.title, c.note, c.amount, c.paid, c.conceded, c.due_date, c.charged_on, c.fined_until, c.status, c.void_reason, c.created_at, c.updated_at`
	chargeFrom = `fee_charges c JOIN fee_heads h ON h.school_id = c.school_id AND h.id = c.head_id`
	// The rule for charges that are late, of the structure that made them.
	ruleColumns = `, f.fine_per_day, f.fine_flat, COALESCE(f.grace_days, 0) AS grace_days`
	ruleJoins   = ` LEFT JOIN fee_items i ON i.school_id = c.school_id AND i.id = c.item_id
		LEFT JOIN fee_structures f ON f.school_id = i.school_id AND f.id = i.structure_id`
	isUnpaid = `c.status IN ('OPEN', 'PARTIAL')` // as fee_charges_open has it
)

// listUnpaid reads what students have not paid, the oldest due first.
func listUnpaid(ctx context.Context, q db.Q, students []id.ID) ([]*Charge, error) {
	return listCharges(ctx, q, ` AND c.student_id IN (:ids) AND `+isUnpaid, students)
}

// listCharges reads charges by a condition on :ids, the oldest due first.
func listCharges(ctx context.Context, q db.Q, where string, ids []id.ID) ([]*Charge, error) {
	if len(ids) == 0 {
		return []*Charge{}, nil
	}
	return chargesWhere(ctx, q, where, db.Args{"ids": ids})
}

func chargesWhere(ctx context.Context, q db.Q, where string, a db.Args) ([]*Charge, error) {
	all, err := db.All[Charge](ctx, q, `
		SELECT `+chargeColumns+ruleColumns+` FROM `+chargeFrom+ruleJoins+` WHERE c.school_id = :school`+where, a)
	if err != nil {
		return nil, fmt.Errorf("read charges: %w", err)
	}
	out := make([]*Charge, len(all))
	for i := range all {
		all[i].settle()
		out[i] = &all[i]
	}
	slices.SortFunc(out, byAge) // not by SQL: SQLite would walk through the charges of all students in that order
	return out, nil
}

// few orders by a text column without an index: for lists of so few rows that
// sorting them costs less than walking through all others in that order, which is
// what SQLite does if it can.
func few(column string) string { return column + ` || ''` }

func getCharge(ctx context.Context, q db.Q, charge id.ID) (*Charge, error) {
	all, err := listCharges(ctx, q, ` AND c.id IN (:ids)`, []id.ID{charge})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errNoCharge
	}
	return all[0], nil
}

// putCharges writes new charges, and what has changed of others.
func putCharges(ctx context.Context, tx *db.Tx, charges []*Charge) error {
	rows := make([]Charge, len(charges))
	for i, c := range charges {
		rows[i] = *c
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_charges (school_id, id, student_id, academic_year_id, head_id, item_id, period, reference, fine_of, title, note,
			amount, paid, conceded, due_date, charged_on, fined_until, status, void_reason, created_at, updated_at)
		VALUES (:school, :id, :student_id, :academic_year_id, :head_id, :item_id, :period, :reference, :fine_of, :title, :note,
			:amount, :paid, :conceded, :due_date, :charged_on, :fined_until, :status, :void_reason, :created_at, :updated_at)
		ON CONFLICT (school_id, id) DO UPDATE SET amount = excluded.amount, paid = excluded.paid, conceded = excluded.conceded,
			fined_until = excluded.fined_until, status = excluded.status, void_reason = excluded.void_reason, updated_at = excluded.updated_at`, rows)
	return fault.Wrap("write charges", err)
}

func listAccounts(ctx context.Context, q db.Q, students []id.ID) ([]account, error) {
	all, err := db.All[account](ctx, q, `
		SELECT student_id, due, advance, category FROM fee_accounts WHERE school_id = :school AND student_id IN (:students)`,
		db.Args{"students": students})
	return all, fault.Wrap("read accounts", err)
}

func putAccounts(ctx context.Context, tx *db.Tx, accounts map[id.ID]*account, now time.Time) error {
	type row struct {
		StudentID    id.ID
		Due, Advance money.Money
		Now          time.Time
	}
	var rows []row
	for _, a := range accounts {
		if a.touched {
			rows = append(rows, row{a.StudentID, a.Due, a.Advance, now})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(string(a.StudentID), string(b.StudentID)) })
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_accounts (school_id, student_id, due, advance, created_at, updated_at)
		VALUES (:school, :student_id, :due, :advance, :now, :now)
		ON CONFLICT (school_id, student_id) DO UPDATE SET due = excluded.due, advance = excluded.advance,
			version = fee_accounts.version + 1, updated_at = excluded.updated_at`, rows)
	return fault.Wrap("write accounts", err)
}

// putShares writes what of each transaction went to which charge.
func putShares(ctx context.Context, tx *db.Tx, posts []*posting) error {
	type row struct {
		share
		Seq  int64
		Line int
		Date clock.Date
	}
	var rows []row
	for _, p := range posts {
		for i, s := range p.shares {
			rows = append(rows, row{s, p.Seq, i, p.Date})
		}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_allocations (school_id, seq, line, date, source, student_id, charge_id, receipt_id, amount)
		VALUES (:school, :seq, :line, :date, :source, :student_id, :charge_id, :receipt_id, :amount)`, rows)
	return fault.Wrap("write allocations", err)
}

// listShares adds up what charges have been covered with and not given back, by
// a condition on :ids, what came last first.
func listShares(ctx context.Context, q db.Q, where string, ids []id.ID) ([]share, error) {
	type row struct {
		share
		Seq int64
	}
	rows, err := db.All[row](ctx, q, `
		SELECT seq, source, student_id, charge_id, receipt_id, amount FROM fee_allocations WHERE school_id = :school`+where, db.Args{"ids": ids})
	if err != nil {
		return nil, fault.Wrap("read allocations", err)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.Seq, a.Seq) })
	var out []share
	at := map[share]int{}
	for _, r := range rows {
		key := r.share
		key.Amount = 0
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, key)
		}
		out[at[key]].Amount += r.share.Amount
	}
	return slices.DeleteFunc(out, func(s share) bool { return s.Amount == 0 }), nil
}

// student is who is charged or pays.
type student struct {
	ID          id.ID  `json:"id"`
	AdmissionNo string `json:"admissionNo"`
	FirstName   string `json:"firstName"`
	LastName    string `json:"lastName"`
	ClassID     *id.ID `json:"classId"`
	ClassName   string `json:"className"`
	Division    string `json:"divisionName"`
	Status      string `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,LEFT"`
}

func (s student) name() string { return strings.TrimSpace(s.FirstName + " " + s.LastName) }

const (
	studentColumns = `s.id, s.admission_no, s.first_name, s.last_name, s.class_id, COALESCE(k.name, '') AS class_name, COALESCE(d.name, '') AS division, s.status`
	studentFrom    = `students s ` + seatJoins
	seatJoins      = `LEFT JOIN classes k ON k.school_id = s.school_id AND k.id = s.class_id
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id`
)

// getStudents reads the students of these ids, in their order. One that the
// school does not have, or has archived, is a fault.
func getStudents(ctx context.Context, q db.Q, ids []id.ID) ([]student, error) {
	found, err := db.All[student](ctx, q, `
		SELECT `+studentColumns+` FROM `+studentFrom+`
		WHERE s.school_id = :school AND s.id IN (:ids) AND s.archived_at IS NULL`, db.Args{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read students: %w", err)
	}
	at := map[id.ID]student{}
	for _, s := range found {
		at[s.ID] = s
	}
	out := make([]student, len(ids))
	for i, wanted := range ids {
		s, ok := at[wanted]
		if !ok {
			return nil, people.ErrNoStudent
		}
		out[i] = s
	}
	return out, nil
}
