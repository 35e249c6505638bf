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
	"homeroom/internal/platform/opt"
)

const (
	chargeColumns = `c.id, c.student_id, c.academic_year_id, c.head_id, h.name AS head, h.system AS head_system, c.item_id, c.period,
		c.reference,
		c.fine_of, c.title, c.note, c.amount, c.paid, c.conceded, c.due_date, c.charged_on, c.fined_until, c.status, c.void_reason, c.created_at,
		c.updated_at`
	chargeFrom = `fee_charges c JOIN fee_heads h ON h.school_id = c.school_id AND h.id = c.head_id`
	// The late fine of the structure that a charge came from.
	ruleColumns = `, f.fine_per_day, f.fine_flat, COALESCE(f.grace_days, 0) AS grace_days`
	ruleJoins   = ` LEFT JOIN fee_items i ON i.school_id = c.school_id AND i.id = c.item_id
		LEFT JOIN fee_structures f ON f.school_id = i.school_id AND f.id = i.structure_id`
	isUnpaid = `c.status IN ('OPEN', 'PARTIAL')` // the condition of the partial index fee_charges_open
)

// payer names the student of a record in a list.
type payer struct {
	StudentName *string `json:"studentName" doc:"Null once the student's data has been erased."`
	ClassName   *string `json:"className" doc:"The student's class today; null without one."`
}

// payerColumns are the columns of payer for the table or alias of a record.
func payerColumns(of string) string {
	const student = `FROM students s LEFT JOIN classes y ON y.school_id = s.school_id AND y.id = s.class_id WHERE s.school_id = `
	from := student + of + `.school_id AND s.id = ` + of + `.student_id`
	return `, (SELECT NULLIF(TRIM(s.first_name || ' ' || s.last_name), '') ` + from + `) AS student_name, (SELECT y.name ` + from +
		`) AS class_name`
}

// listUnpaid lists the unpaid charges of students, the oldest due date first.
func listUnpaid(ctx context.Context, q db.Q, students []id.ID) ([]*Charge, error) {
	return listCharges(ctx, q, ` AND c.student_id IN (:ids) AND `+isUnpaid, students)
}

// listCharges lists charges by a condition on :ids, the oldest due date first.
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
		all[i].setStatus()
		out[i] = &all[i]
	}
	slices.SortFunc(out, byAge) // with ORDER BY, SQLite would scan the index of all students' charges
	return out, nil
}

// unindexed keeps SQLite from using an index to sort by a text column. For a few
// rows a sort is cheaper than scanning the whole index in order.
func unindexed(column string) string { return column + ` || ''` }

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

// putCharges inserts or updates charges.
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
			fined_until = excluded.fined_until, status = excluded.status, void_reason = excluded.void_reason, updated_at = excluded.updated_at`,
		rows)
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

// putAllocations writes the allocations of each transaction.
func putAllocations(ctx context.Context, tx *db.Tx, posts []*posting) error {
	type row struct {
		allocation
		Seq  int64
		Line int
		Date clock.Date
	}
	var rows []row
	for _, p := range posts {
		for i, s := range p.allocations {
			rows = append(rows, row{s, p.Seq, i, p.Date})
		}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_allocations (school_id, seq, line, date, source, student_id, charge_id, receipt_id, amount)
		VALUES (:school, :seq, :line, :date, :source, :student_id, :charge_id, :receipt_id, :amount)`, rows)
	return fault.Wrap("write allocations", err)
}

// listAllocations sums the allocations to charges, without those taken back, by a
// condition on :ids, the latest first.
func listAllocations(ctx context.Context, q db.Q, where string, ids []id.ID) ([]allocation, error) {
	type row struct {
		allocation
		Seq int64
	}
	rows, err := db.All[row](ctx, q, `
		SELECT seq, source, student_id, charge_id, receipt_id, amount FROM fee_allocations WHERE school_id = :school`+where, db.Args{"ids": ids})
	if err != nil {
		return nil, fault.Wrap("read allocations", err)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.Seq, a.Seq) })
	var out []allocation
	at := map[allocation]int{}
	for _, r := range rows {
		key := r.allocation
		key.Amount = 0
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, key)
		}
		out[at[key]].Amount += r.allocation.Amount
	}
	return slices.DeleteFunc(out, func(s allocation) bool { return s.Amount == 0 }), nil
}

// student is a student with class and division.
type student struct {
	ID          id.ID    `json:"id"`
	AdmissionNo string   `json:"admissionNo"`
	FirstName   opt.Text `json:"firstName"`
	LastName    opt.Text `json:"lastName"`
	ClassID     *id.ID   `json:"classId"`
	ClassName   opt.Text `json:"className"`
	Division    opt.Text `json:"divisionName"`
	Status      string   `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,LEFT"`
}

func (s student) name() string { return strings.TrimSpace(string(s.FirstName + " " + s.LastName)) }

const (
	studentColumns = `s.id, s.admission_no, s.first_name, s.last_name, s.class_id, COALESCE(k.name, '') AS class_name, COALESCE(d.name,
		'') AS division, s.status`
	studentFrom = `students s ` + seatJoins
	seatJoins   = `LEFT JOIN classes k ON k.school_id = s.school_id AND k.id = s.class_id
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id`
)

// getStudents gets students by id, in the order of the ids. A missing or archived
// student is an error.
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
