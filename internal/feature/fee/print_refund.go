package fee

import (
	"context"
	"io"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/pdf"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// oneRefund returns a refund as JSON, or as a voucher that the family signs.
func (s *Service) oneRefund(ctx context.Context, who actor.Actor, in receiptIn) (web.Either[Refund], error) {
	q := s.DB.School(who.School)
	r, err := getRefund(ctx, q, in.ID)
	if err != nil || in.Format != "pdf" {
		return web.Either[Refund]{JSON: r}, err
	}
	of, err := refundedStudent(ctx, q, r.StudentID)
	if err != nil {
		return web.Either[Refund]{}, err
	}
	file, err := s.printed(ctx, who, "refund-"+r.Number,
		func(w io.Writer, h Letterhead) error { return h.printRefund(w, r, of) })
	return web.Either[Refund]{File: file}, err
}

// refundedStudent reads a student, removed or not: the voucher stays.
func refundedStudent(ctx context.Context, q db.Q, of id.ID) (student, error) {
	st, err := db.One[student](ctx, q, `SELECT `+studentColumns+` FROM `+studentFrom+` WHERE s.school_id = :school AND s.id = :student`,
		db.Args{"student": of})
	return st, fault.Wrap("read student of a refund", err)
}

func (h Letterhead) printRefund(w io.Writer, r Refund, of student) error {
	p := h.sheet(text.T("print.refund.title", "number", r.Number), r.UpdatedAt)
	alarm, void := "", ""
	if r.ReversedOn != nil {
		alarm = p.say(text.T("print.receipt.reversed", "date", p.day(*r.ReversedOn)))
		void = p.say(text.T("print.refund.invalid"))
	}
	p.header(text.T("print.refund.head"), r.Number, r.Date, alarm)
	p.facts(fact{text.T("print.refund.student"), of.name()},
		fact{text.T("print.statement.admission"), joined(of.AdmissionNo, strings.TrimSpace(string(of.ClassName+" "+of.Division)))},
		fact{text.T("print.receipt.method"), p.say(text.T("print.method." + r.Method))},
		fact{text.T("print.receipt.reference"), string(r.Reference)})
	p.table([]pdf.Column{{Head: p.say(text.T("print.refund.reason")), Width: pdf.Inner * 0.78},
		{Head: p.say(text.T("print.receipt.amount")), Width: pdf.Inner * 0.22, Align: pdf.Right}},
		[]pdf.Row{{Cells: []string{p.say(text.T("print.refund.what")), p.plain(r.Amount)}}})
	p.total(text.T("print.refund.total"), r.Amount)
	p.note(string(r.Reason))
	y := max(p.y+70, bottom-60)
	p.foot(void)
	p.sign(pdf.FromX, y, p.say(text.T("print.refund.received")))
	return p.Write(w)
}
