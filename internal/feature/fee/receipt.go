package fee

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

const (
	receiptIssued   = "ISSUED"
	receiptReversed = "REVERSED"
)

// Receipt is a recorded payment.
type Receipt struct {
	ID             id.ID       `json:"id"`
	Number         string      `json:"number" example:"2026/27-000042" doc:"Consecutive in each academic year, without gaps."`
	AcademicYearID id.ID       `json:"academicYearId"`
	Date           clock.Date  `json:"date"`
	Method         string      `json:"method" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Reference      opt.Text    `json:"reference"`
	Payer          opt.Text    `json:"payer"`
	Note           opt.Text    `json:"note"`
	Amount         money.Money `json:"amount"`
	Status         string      `json:"status" enum:"ISSUED,REVERSED"`
	ReversedOn     *clock.Date `json:"reversedOn"`
	ReversalReason opt.Text    `json:"reversalReason"`
	Students       []PaidFor   `json:"students" db:"-"`
	ReceivedBy     *id.ID      `json:"receivedBy" doc:"The user who recorded it."`
	CreatedAt      time.Time   `json:"createdAt"`
	UpdatedAt      time.Time   `json:"updatedAt"`

	No          int64 `json:"-"`
	lines       []receiptLine
	allocations []allocation
}

// PaidFor is one student's part of a receipt.
type PaidFor struct {
	StudentID   id.ID       `json:"studentId"`
	AdmissionNo string      `json:"admissionNo"`
	Name        opt.Text    `json:"name"`
	ClassName   opt.Text    `json:"className"`
	Division    opt.Text    `json:"divisionName"`
	Amount      money.Money `json:"amount"`
	Advance     money.Money `json:"advance" doc:"The part that was not due yet."`
	Charges     []PaidOff   `json:"allocations"`
}

// PaidOff is a receipt's allocation to one charge.
type PaidOff struct {
	ChargeID id.ID       `json:"chargeId"`
	Title    string      `json:"title"`
	Head     string      `json:"feeHead"`
	Amount   money.Money `json:"amount"`
}

// receiptLine is a row of fee_receipt_lines.
type receiptLine struct {
	ReceiptID id.ID
	StudentID id.ID
	Amount    money.Money
	Advance   money.Money
}

// show fills the students of a receipt from the book, without reading it back.
func (r Receipt) show(students []student, b *book) Receipt {
	r.Students = make([]PaidFor, len(r.lines))
	for i, l := range r.lines {
		st := students[i]
		r.Students[i] = PaidFor{StudentID: st.ID, AdmissionNo: st.AdmissionNo, Name: opt.Text(st.name()), ClassName: st.ClassName,
			Division: st.Division, Amount: l.Amount, Advance: l.Advance, Charges: []PaidOff{}}
		for _, sh := range r.allocations {
			if sh.StudentID == st.ID {
				c := b.find(sh.StudentID, sh.ChargeID)
				r.Students[i].Charges = append(r.Students[i].Charges, PaidOff{c.ID, c.Title, c.Head, sh.Amount})
			}
		}
	}
	return r
}

func (b *book) find(student, charge id.ID) *Charge {
	for _, c := range b.unpaid[student] {
		if c.ID == charge {
			return c
		}
	}
	return &Charge{ID: charge}
}

const (
	receiptColumns = `r.id, r.number, r.no, r.academic_year_id, r.date, r.method, r.reference, r.payer, r.note, r.amount, r.status,
		r.reversed_on, r.reversal_reason, r.received_by, r.created_at, r.updated_at`
	receiptFrom = `fee_receipts r WHERE r.school_id = :school`
)

// nextNumber is the next number of receipts or refunds in an academic year.
type nextNumber struct {
	ID     id.ID
	Next   int64
	Number string
	Twins  int   // numbers like it of other years, from when they had this year's name
	Last   int64 // number of the last ledger transaction
}

// number reads the next number of a table, fee_receipts or fee_refunds, in the academic
// year of the book's date, or in the current year: the year's name, the mark and six
// digits. The ledger lock makes it unique.
func (b *book) number(ctx context.Context, table, mark string) (nextNumber, error) {
	n, err := db.One[nextNumber](ctx, b.tx, `
		SELECT n.id, n.next, n.number, n.last, (SELECT COUNT(*) FROM `+table+` r
			WHERE r.school_id = :school AND r.number >= n.number AND r.number < n.number || '.') AS twins
		FROM (SELECT x.id, x.next, x.last,
				x.name || :mark || SUBSTR('000000', 1 + LENGTH(CAST(x.next AS TEXT))) || CAST(x.next AS TEXT) AS number
			FROM (SELECT y.id, y.name, 1 + COALESCE((SELECT r.no FROM `+table+` r WHERE r.school_id = :school AND r.academic_year_id = y.id
					ORDER BY r.no DESC LIMIT 1), 0) AS next, `+ledger.LastSQL+` AS last
				FROM academic_years y WHERE y.school_id = :school AND (y.is_current OR y.start_date <= :day AND y.end_date >= :day)
				ORDER BY CASE WHEN y.start_date <= :day AND y.end_date >= :day THEN 0 ELSE 1 END LIMIT 1) x) n`,
		db.Args{"day": b.date, "mark": mark})
	b.last = n.Last
	if n.Twins > 0 {
		n.Number += fmt.Sprintf("-%d", n.Twins+1)
	}
	return n, db.Found("number "+table, err, school.ErrNoCurrentYear)
}

func putReceipt(ctx context.Context, tx *db.Tx, r Receipt) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_receipts (school_id, id, academic_year_id, no, number, date, method, reference, payer, note, amount, status, received_by,
			created_at, updated_at)
		VALUES (:school, :id, :academic_year_id, :no, :number, :date, :method, :reference, :payer, :note, :amount, :status, :received_by,
			:created_at, :updated_at)`,
		[]Receipt{r})
	return fault.Wrap("write receipt", err)
}

func putLines(ctx context.Context, tx *db.Tx, r Receipt) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_receipt_lines (school_id, receipt_id, student_id, amount, advance)
		VALUES (:school, :receipt_id, :student_id, :amount, :advance)`, r.lines)
	return fault.Wrap("write receipt", err)
}

func getReceipt(ctx context.Context, q db.Q, receipt id.ID) (Receipt, error) {
	r, err := db.One[Receipt](ctx, q, `SELECT `+receiptColumns+` FROM `+receiptFrom+` AND r.id = :id`, db.Args{"id": receipt})
	if err != nil {
		return r, db.Found("read receipt", err, errNoReceipt)
	}
	list := []Receipt{r}
	err = fillReceipts(ctx, q, list)
	return list[0], err
}

// fillReceipts sets the students of receipts and their allocations.
func fillReceipts(ctx context.Context, q db.Q, list []Receipt) error {
	ids := make([]id.ID, len(list))
	at := map[id.ID]*Receipt{}
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
		list[i].Students = []PaidFor{}
	}
	a := db.Args{"receipts": ids}
	type line struct {
		student
		receiptLine
	}
	err := db.Each(ctx, q, `
		SELECT l.receipt_id, l.student_id, l.amount, l.advance, `+studentColumns+`
		FROM fee_receipt_lines l JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id `+seatJoins+`
		WHERE l.school_id = :school AND l.receipt_id IN (:receipts)
		ORDER BY l.receipt_id, s.first_name, s.id`, a, func(l line) error {
		r := at[l.ReceiptID]
		r.Students = append(r.Students, PaidFor{StudentID: l.StudentID, AdmissionNo: l.AdmissionNo, Name: opt.Text(l.name()),
			ClassName: l.ClassName, Division: l.Division, Amount: l.receiptLine.Amount, Advance: l.Advance, Charges: []PaidOff{}})
		return nil
	})
	if err != nil {
		return fault.Wrap("read receipts", err)
	}
	return fillPaidOff(ctx, q, at, a)
}

// fillPaidOff sets the original allocations of receipts.
func fillPaidOff(ctx context.Context, q db.Q, at map[id.ID]*Receipt, a db.Args) error {
	type part struct {
		PaidOff
		ReceiptID, StudentID id.ID
	}
	err := db.Each(ctx, q, `
		SELECT t.receipt_id, a.student_id, a.charge_id, c.title, h.name AS head, a.amount
		FROM ledger_transactions t CROSS JOIN fee_allocations a
		JOIN fee_charges c ON c.school_id = a.school_id AND c.id = a.charge_id
		JOIN fee_heads h ON h.school_id = c.school_id AND h.id = c.head_id
		WHERE a.school_id = t.school_id AND a.seq = t.seq AND t.school_id = :school AND t.receipt_id IN (:receipts) AND t.reverses IS NULL
		ORDER BY a.seq, a.line`, a, func(p part) error {
		students := at[p.ReceiptID].Students
		for i := range students {
			if students[i].StudentID == p.StudentID {
				students[i].Charges = append(students[i].Charges, p.PaidOff)
			}
		}
		return nil
	})
	return fault.Wrap("read allocations of receipts", err)
}

type receiptFilters struct {
	StudentID *id.ID     `json:"studentId,omitempty"`
	Method    string     `json:"method,omitempty" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Status    string     `json:"status,omitempty" enum:"ISSUED,REVERSED"`
	From      clock.Date `json:"from,omitempty"`
	To        clock.Date `json:"to,omitempty"`
	Search    string     `json:"search,omitempty" doc:"Any part of the number or the reference."`
}

func (f receiptFilters) where() string {
	return db.When(f.StudentID != nil, ` AND r.id IN (SELECT l.receipt_id FROM fee_receipt_lines l WHERE l.school_id = :school
		AND l.student_id = :student)`) +
		db.When(f.Method != "", ` AND r.method = :method`) +
		db.When(f.Status != "", ` AND r.status = :status`) +
		db.When(f.From != "", ` AND r.date >= :from`) +
		db.When(f.To != "", ` AND r.date <= :to`) +
		db.When(f.Search != "", ` AND (lower(r.number) LIKE :search ESCAPE '\' OR lower(r.reference) LIKE :search ESCAPE '\')`)
}

func (f receiptFilters) args() db.Args {
	return db.Args{"student": f.StudentID, "method": f.Method, "status": f.Status, "from": f.From, "to": f.To,
		"search": db.Contains(strings.ToLower(f.Search))}
}

func (s *Service) listReceipts(ctx context.Context, who actor.Actor, in page.Ask[receiptFilters]) (page.Of[Receipt], error) {
	q := s.DB.School(who.School)
	date := "r.date"
	if in.Filters.StudentID != nil {
		date = unindexed(date)
	}
	out, err := pageReceipts(ctx, q, in.Filters.where(), date, in.Request, in.Filters.args())
	if err != nil || out.Total > 0 {
		return out, err
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "students", ID: in.Filters.StudentID, Missing: people.ErrNoStudent})
}

func pageReceipts(ctx context.Context, q db.Q, where, date string, r page.Request, a db.Args) (page.Of[Receipt], error) {
	out, err := db.Page[Receipt](ctx, q, db.List{Columns: receiptColumns, From: receiptFrom + where,
		Sorts: map[string]string{"date": date, "number": "r.academic_year_id, r.no", "createdAt": "r.id", "id": "r.id"}, Default: "-date"}, r, a)
	if err != nil || len(out.Items) == 0 {
		return out, fault.Wrap("list receipts", err)
	}
	return out, fillReceipts(ctx, q, out.Items)
}

type receiptIn struct {
	ID     id.ID  `path:"id"`
	Format string `json:"format" enum:"json,pdf" default:"json"`
}

func (s *Service) oneReceipt(ctx context.Context, who actor.Actor, in receiptIn) (web.Either[officeReceipt], error) {
	q := s.DB.School(who.School)
	r, err := getReceipt(ctx, q, in.ID)
	if err != nil {
		return web.Either[officeReceipt]{}, err
	}
	if in.Format == "pdf" {
		file, err := s.receiptAs(ctx, who, r, in.Format)
		return web.Either[officeReceipt]{File: file.File}, err
	}
	out, err := s.forOffice(ctx, q, who, r)
	return web.Either[officeReceipt]{JSON: out}, err
}
