package fee

import (
	"context"
	"io"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/pdf"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// receiptAs returns a receipt as JSON or PDF.
func (s *Service) receiptAs(ctx context.Context, who actor.Actor, r Receipt, format string) (web.Either[Receipt], error) {
	if format != "pdf" {
		return web.Either[Receipt]{JSON: r}, nil
	}
	file, err := s.printed(ctx, who, "receipt-"+r.Number, func(w io.Writer, h Letterhead) error { return h.Print(w, r) })
	return web.Either[Receipt]{File: file}, err
}

// Print writes a receipt as a PDF of one or more pages.
func (h Letterhead) Print(w io.Writer, r Receipt) error {
	p := h.sheet(text.T("print.receipt.title", "number", r.Number), r.UpdatedAt)
	alarm, void := "", ""
	if r.ReversedOn != nil {
		alarm = p.say(text.T("print.receipt.reversed", "date", p.day(*r.ReversedOn)))
	}
	if r.Status == receiptReversed {
		void = p.say(text.T("print.receipt.invalid"))
	}
	p.header(text.T("print.receipt.head"), r.Number, r.Date, alarm)
	p.facts(fact{text.T("print.receipt.payer"), string(r.Payer)},
		fact{text.T("print.receipt.method"), p.say(text.T("print.method." + r.Method))},
		fact{text.T("print.receipt.reference"), string(r.Reference)})
	p.lines(r)
	p.total(text.T("print.receipt.total"), r.Amount)
	p.note(string(r.Note))
	p.foot(void)
	return p.Write(w)
}

// lines draws what was paid for: each student, and under it each charge.
func (p *sheet) lines(r Receipt) {
	var rows []pdf.Row
	for _, st := range r.Students {
		rows = append(rows, pdf.Row{Bold: true, Cells: []string{string(st.Name), "", ""},
			Note: joined(st.AdmissionNo, strings.TrimSpace(string(st.ClassName+" "+st.Division)))})
		for _, c := range st.Charges {
			rows = append(rows, pdf.Row{Cells: []string{c.Title, c.Head, p.plain(c.Amount)}})
		}
		if st.Advance > 0 {
			rows = append(rows, pdf.Row{Cells: []string{p.say(text.T("print.receipt.advance")), "", p.plain(st.Advance)}})
		}
		if len(r.Students) > 1 {
			rows = append(rows, pdf.Row{Bold: true, Cells: []string{"", "", p.plain(st.Amount)}})
		}
	}
	p.table([]pdf.Column{{Head: p.say(text.T("print.receipt.for")), Width: pdf.Inner * 0.52},
		{Head: p.say(text.T("print.receipt.feehead")), Width: pdf.Inner * 0.26},
		{Head: p.say(text.T("print.receipt.amount")), Width: pdf.Inner * 0.22, Align: pdf.Right}}, rows)
}
