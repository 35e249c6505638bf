package fee

import (
	"context"
	"slices"

	"homeroom/internal/feature/people"
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

// children returns one child, which must be linked to the parent, or all of them.
func (s *Service) children(ctx context.Context, who actor.Actor, one *id.ID) ([]id.ID, error) {
	q := s.DB.School(who.School)
	if one != nil {
		return []id.ID{*one}, people.MustBeLinked(ctx, q, who.User, *one)
	}
	return people.ChildrenOf(ctx, q, who.User)
}

type childFilters struct {
	StudentID *id.ID `json:"studentId,omitempty" doc:"One child. Default: all children of the caller."`
	Status    string `json:"status,omitempty" enum:"OPEN,PARTIAL,PAID,WAIVED,VOID"`
}

func (s *Service) childCharges(ctx context.Context, who actor.Actor, in page.Ask[childFilters]) (page.Of[listedCharge], error) {
	children, err := s.children(ctx, who, in.Filters.StudentID)
	if err != nil {
		return page.Of[listedCharge]{}, err
	}
	out, err := pageCharges(ctx, s.DB.School(who.School), chargeFrom+` WHERE c.school_id = :school AND c.student_id IN (:children)`+
		db.When(in.Filters.Status != "", ` AND c.status = :status`), unindexed("c.due_date"), in.Request,
		db.Args{"children": children, "status": in.Filters.Status})
	for i := range out.Items {
		out.Items[i].VoidReason = "" // internal to the school office
	}
	return out, err
}

type childReceiptFilters struct {
	StudentID *id.ID `json:"studentId,omitempty" doc:"One child. Default: all children of the caller."`
}

func (s *Service) childReceipts(ctx context.Context, who actor.Actor, in page.Ask[childReceiptFilters]) (page.Of[Receipt], error) {
	children, err := s.children(ctx, who, in.Filters.StudentID)
	if err != nil {
		return page.Of[Receipt]{}, err
	}
	out, err := pageReceipts(ctx, s.DB.School(who.School), ` AND r.id IN (
		SELECT l.receipt_id FROM fee_receipt_lines l WHERE l.school_id = :school AND l.student_id IN (:children))`, unindexed("r.date"),
		in.Request, db.Args{"children": children})
	if err != nil {
		return out, err
	}
	linked, err := s.children(ctx, who, nil)
	for i := range out.Items {
		out.Items[i] = out.Items[i].only(linked)
	}
	return out, err
}

type childReceiptIn struct {
	ID        id.ID  `path:"id"`
	StudentID *id.ID `json:"studentId" doc:"Shows only this child. Default: all of the caller's children."`
	Format    string `json:"format" enum:"json,pdf" default:"json"`
}

// childReceipt shows a parent a receipt that paid for one of its children.
func (s *Service) childReceipt(ctx context.Context, who actor.Actor, in childReceiptIn) (web.Either[Receipt], error) {
	children, err := s.children(ctx, who, in.StudentID)
	if err != nil {
		return web.Either[Receipt]{}, err
	}
	r, err := getReceipt(ctx, s.DB.School(who.School), in.ID)
	if err != nil {
		return web.Either[Receipt]{}, err
	}
	if r = r.only(children); len(r.Students) == 0 {
		return web.Either[Receipt]{}, errNoReceipt // the same as if it didn't exist
	}
	return s.receiptAs(ctx, who, r, in.Format)
}

// only removes the lines of other students. If any is removed, the payer and all that
// the office wrote are hidden too.
func (r Receipt) only(children []id.ID) Receipt {
	all := r.Students
	r.Students = slices.DeleteFunc(slices.Clone(all), func(p PaidFor) bool { return !slices.Contains(children, p.StudentID) })
	if len(r.Students) == len(all) {
		return r
	}
	r.Amount, r.Payer, r.Reference, r.Note, r.ReversalReason = 0, "", "", "", ""
	for _, p := range r.Students {
		r.Amount += p.Amount
	}
	return r
}

type summaryIn struct {
	StudentID *id.ID `json:"studentId" doc:"One child. Default: all children of the caller."`
}

type summaryOut struct {
	Currency string         `json:"currency"`
	Due      money.Money    `json:"due"`
	Overdue  money.Money    `json:"overdue"`
	Advance  money.Money    `json:"advance"`
	Students []childSummary `json:"students"`
}

type childSummary struct {
	StudentID   id.ID       `json:"studentId"`
	FirstName   string      `json:"firstName"`
	LastName    opt.Text    `json:"lastName"`
	Due         money.Money `json:"due"`
	Overdue     money.Money `json:"overdue" doc:"The part past its due date."`
	Advance     money.Money `json:"advance"`
	NextDueDate *clock.Date `json:"nextDueDate" doc:"Due date of the oldest unpaid charge."`
}

func (s *Service) summary(ctx context.Context, who actor.Actor, in summaryIn) (out summaryOut, err error) {
	children, err := s.children(ctx, who, in.StudentID)
	if err != nil {
		return out, err
	}
	q := s.DB.School(who.School)
	unpaid := func(what, where string) string {
		return `(SELECT ` + what + ` FROM fee_charges c WHERE c.school_id = s.school_id AND c.student_id = s.id AND ` + isUnpaid + where + `)`
	}
	out.Students, err = db.All[childSummary](ctx, q, `
		SELECT s.id AS student_id, s.first_name, s.last_name, COALESCE(a.due, 0) AS due, COALESCE(a.advance, 0) AS advance,
			`+unpaid(`CAST(COALESCE(SUM(c.amount - c.paid - c.conceded), 0) AS BIGINT)`, ` AND c.due_date < :today`)+` AS overdue,
			`+unpaid(`MIN(c.due_date)`, ``)+` AS next_due_date
		FROM students s LEFT JOIN fee_accounts a ON a.school_id = s.school_id AND a.student_id = s.id
		WHERE s.school_id = :school AND s.id IN (:children) ORDER BY s.first_name, s.id`, db.Args{"children": children, "today": s.today(who)})
	if err != nil {
		return out, fault.Wrap("read fees of children", err)
	}
	for _, c := range out.Students {
		out.Due, out.Overdue, out.Advance = out.Due+c.Due, out.Overdue+c.Overdue, out.Advance+c.Advance
	}
	out.Currency, err = db.One[string](ctx, q, `SELECT currency FROM schools WHERE id = :school`, nil)
	return out, fault.Wrap("read currency", err)
}
