package fee

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/text"
)

// Refund is an advance paid back to a family.
type Refund struct {
	ID             id.ID       `json:"id"`
	Number         string      `json:"number" example:"2026/27-R000042" doc:"Consecutive in each academic year, without gaps."`
	AcademicYearID id.ID       `json:"academicYearId"`
	StudentID      id.ID       `json:"studentId"`
	Date           clock.Date  `json:"date"`
	Method         string      `json:"method" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Reference      opt.Text    `json:"reference"`
	Reason         opt.Text    `json:"reason"`
	Amount         money.Money `json:"amount"`
	Status         string      `json:"status" enum:"PAID,REVERSED"`
	ReversedOn     *clock.Date `json:"reversedOn"`
	ReversalReason opt.Text    `json:"reversalReason"`
	CreatedAt      time.Time   `json:"createdAt"`
	UpdatedAt      time.Time   `json:"updatedAt"`

	No int64 `json:"-"`
}

type refundIn struct {
	StudentID id.ID           `json:"studentId" required:"true"`
	Amount    *money.Positive `json:"amount" minimum:"0.01" maximum:"9999999999.99" doc:"Default: the whole advance."`
	Method    string          `json:"method" required:"true" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Reference string          `json:"reference" maxLength:"100"`
	Reason    string          `json:"reason" maxLength:"500" multiline:"true"`
}

func (s *Service) refund(ctx context.Context, who actor.Actor, in refundIn) (out Refund, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		if _, err := getStudents(ctx, tx, []id.ID{in.StudentID}); err != nil {
			return err
		}
		if err := b.load(ctx, in.StudentID); err != nil {
			return err
		}
		a := b.account(in.StudentID)
		amount := a.Advance
		if in.Amount != nil {
			amount = money.Money(*in.Amount)
		}
		if amount == 0 || amount > a.Advance {
			return errNoAdvance.Saying("The student has %s in advance. Only that can be refunded.", a.Advance)
		}
		year, err := b.number(ctx, "fee_refunds", "-R")
		if err != nil {
			return err
		}
		out = Refund{ID: s.NewID(), AcademicYearID: year.ID, No: year.Next, Number: year.Number,
			StudentID: in.StudentID, Date: b.date, Method: in.Method, Reference: opt.Text(in.Reference),
			Reason: opt.Text(in.Reason), Amount: amount, Status: "PAID", CreatedAt: b.now, UpdatedAt: b.now}
		if err := putRefund(ctx, tx, out); err != nil {
			return err
		}
		p := b.post(ledger.Refund, text.T("fee.entry.refund", "number", out.Number), ledger.About{RefundID: out.ID})
		p.Debit(ledger.Advance(in.StudentID), amount)
		p.Credit(ledger.Cash(in.Method), amount)
		a.Advance -= amount
		if err := b.write(ctx); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-refund.create", "fee-refund", out.ID, nil,
			map[string]any{"number": out.Number, "studentId": out.StudentID, "amount": amount, "method": out.Method})
	})
	return out, err
}

// reverseRefund reverses a refund, such as a cheque that was never cashed.
func (s *Service) reverseRefund(ctx context.Context, who actor.Actor, in Undo) (out Refund, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		r, err := getRefund(ctx, tx, in.ID)
		switch {
		case err != nil:
			return err
		case r.Status == receiptReversed:
			return errReversed
		}
		if err := b.load(ctx, r.StudentID); err != nil {
			return err
		}
		standing, err := ledger.Standing(ctx, tx, ledger.Refund, "refund_id", []id.ID{r.ID})
		switch {
		case err != nil:
			return err
		case len(standing) != 1:
			return fmt.Errorf("fee: refund %s has %d transactions that are not reversed, want 1", r.ID, len(standing))
		}
		b.reverse(standing[0])
		b.account(r.StudentID).Advance += r.Amount
		b.useAdvance(r.StudentID)
		if err := b.write(ctx); err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `
			UPDATE fee_refunds SET status = 'REVERSED', reversed_on = :day, reversal_reason = :reason, updated_at = :now
			WHERE school_id = :school AND id = :id`, db.Args{"id": r.ID, "day": b.date, "reason": in.Reason, "now": b.now})
		if err != nil {
			return fault.Wrap("reverse refund", err)
		}
		if out, err = getRefund(ctx, tx, r.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-refund.reverse", "fee-refund", r.ID, map[string]any{"status": r.Status},
			map[string]any{"status": out.Status})
	})
	return out, err
}

const refundColumns = `id, number, no, academic_year_id, student_id, date, method, reference, reason, amount, status, reversed_on,
	reversal_reason, created_at, updated_at`

func getRefund(ctx context.Context, q db.Q, refund id.ID) (Refund, error) {
	r, err := db.One[Refund](ctx, q, `SELECT `+refundColumns+` FROM fee_refunds WHERE school_id = :school AND id = :id`, db.Args{"id": refund})
	return r, db.Found("read refund", err, errNoRefund)
}

func putRefund(ctx context.Context, tx *db.Tx, r Refund) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_refunds (school_id, id, academic_year_id, no, number, student_id, date, method, reference, reason, amount, status,
			created_at, updated_at)
		VALUES (:school, :id, :academic_year_id, :no, :number, :student_id, :date, :method, :reference, :reason, :amount, :status,
			:created_at, :updated_at)`, []Refund{r})
	return fault.Wrap("write refund", err)
}

type refundFilters struct {
	StudentID *id.ID `json:"studentId,omitempty"`
	Status    string `json:"status,omitempty" enum:"PAID,REVERSED"`
	Search    string `json:"search,omitempty" doc:"Any part of the number or the reference."`
}

// listedRefund is a refund in a list.
type listedRefund struct {
	Refund
	payer
}

func (s *Service) listRefunds(ctx context.Context, who actor.Actor, in page.Ask[refundFilters]) (page.Of[listedRefund], error) {
	q, f := s.DB.School(who.School), in.Filters
	out, err := db.Page[listedRefund](ctx, q, db.List{Columns: refundColumns + payerColumns("fee_refunds"),
		From: `fee_refunds WHERE school_id = :school` + db.When(f.StudentID != nil, ` AND student_id = :student`) +
			db.When(f.Status != "", ` AND status = :status`) +
			db.When(f.Search != "", ` AND (lower(number) LIKE :search ESCAPE '\' OR lower(reference) LIKE :search ESCAPE '\')`),
		Sorts: map[string]string{"date": "date", "number": "academic_year_id, no", "createdAt": "id"}, Default: "-date"}, in.Request,
		db.Args{"student": f.StudentID, "status": f.Status, "search": db.Contains(strings.ToLower(f.Search))})
	if err != nil || out.Total > 0 {
		return out, fault.Wrap("list refunds", err)
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "students", ID: f.StudentID, Missing: people.ErrNoStudent})
}
