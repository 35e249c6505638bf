package fee

import (
	"context"
	"io"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/pdf"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

type statementFileIn struct {
	StudentID id.ID  `path:"studentId"`
	Format    string `json:"format" enum:"json,pdf" default:"json"`
}

func (s *Service) oneStatement(ctx context.Context, who actor.Actor, in statementFileIn) (web.Either[Statement], error) {
	st, err := s.statement(ctx, who, statementIn{in.StudentID})
	if err != nil {
		return web.Either[Statement]{}, err
	}
	return s.statementAs(ctx, who, st, in.Format)
}

type childStatementIn struct {
	StudentID id.ID  `json:"studentId" required:"true" doc:"The child's student id."`
	Format    string `json:"format" enum:"json,pdf" default:"json"`
}

// childStatement is a statement without the school office's internal notes.
func (s *Service) childStatement(ctx context.Context, who actor.Actor, in childStatementIn) (web.Either[Statement], error) {
	if err := people.MustBeLinked(ctx, s.DB.School(who.School), who.User, in.StudentID); err != nil {
		return web.Either[Statement]{}, err
	}
	st, err := s.statement(ctx, who, statementIn{in.StudentID})
	if err != nil {
		return web.Either[Statement]{}, err
	}
	for _, c := range st.Charges {
		c.VoidReason = ""
	}
	return s.statementAs(ctx, who, st, in.Format)
}

// statementAs returns a statement as JSON or PDF.
func (s *Service) statementAs(ctx context.Context, who actor.Actor, st Statement, format string) (web.Either[Statement], error) {
	if format != "pdf" {
		return web.Either[Statement]{JSON: st}, nil
	}
	today := s.today(who)
	file, err := s.printed(ctx, who, "statement-"+st.Student.AdmissionNo, func(w io.Writer, h Letterhead) error {
		return h.printStatement(w, st, today)
	})
	return web.Either[Statement]{File: file}, err
}

// printStatement writes a student's entries with a running balance, and what is due.
func (h Letterhead) printStatement(w io.Writer, st Statement, today clock.Date) error {
	of := st.Student
	p := h.sheet(text.T("print.statement.title", "student", of.name()), today.Time())
	p.header(text.T("print.statement.head"), of.AdmissionNo, today, "")
	p.facts(fact{text.T("print.statement.student"), of.name()}, fact{text.T("print.statement.admission"), of.AdmissionNo},
		fact{text.T("print.statement.class"), strings.TrimSpace(string(of.ClassName + " " + of.Division))})
	rows := []pdf.Row{}
	for _, e := range st.Entries {
		debit, credit := p.plain(e.Amount), ""
		if e.Type == "CR" {
			debit, credit = credit, debit
		}
		rows = append(rows, pdf.Row{Cells: []string{p.day(e.Date), e.Narration, debit, credit, p.plain(e.Balance)}})
	}
	if len(rows) == 0 {
		rows = append(rows, pdf.Row{Cells: []string{"", p.say(text.T("print.statement.none"))}})
	}
	p.table([]pdf.Column{{Head: p.say(text.T("print.statement.date")), Width: pdf.Inner * 0.14},
		{Head: p.say(text.T("print.statement.entry")), Width: pdf.Inner * 0.38},
		{Head: p.say(text.T("print.statement.debit")), Width: pdf.Inner * 0.16, Align: pdf.Right},
		{Head: p.say(text.T("print.statement.credit")), Width: pdf.Inner * 0.16, Align: pdf.Right},
		{Head: p.say(text.T("print.statement.balance")), Width: pdf.Inner * 0.16, Align: pdf.Right}}, rows)
	switch t := st.Totals; {
	case t.Advance > 0:
		p.total(text.T("print.statement.advance"), t.Advance)
	default:
		p.total(text.T("print.statement.due"), t.Due)
		if t.Overdue > 0 {
			p.note(p.say(text.T("print.statement.overdue", "amount", p.amount(t.Overdue))))
		}
	}
	p.foot("")
	return p.Write(w)
}
