package fee

import (
	"context"
	"io"
	"strings"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/pdf"
	"homeroom/internal/platform/web"
)

const pdfType = "application/pdf"

// bottom is the lower edge of the text area.
const bottom = pdf.Height - 16*pdf.MM

// methodNames are the display names of payment methods.
var methodNames = map[string]string{"CASH": "Cash", "CHEQUE": "Cheque", "CARD": "Card", "UPI": "UPI", "BANK_TRANSFER": "Bank transfer",
	"ONLINE": "Online payment"}

// receiptAs returns a receipt as JSON or PDF.
func (s *Service) receiptAs(ctx context.Context, who actor.Actor, r Receipt, format string) (web.Either[Receipt], error) {
	if format != "pdf" {
		return web.Either[Receipt]{JSON: r}, nil
	}
	sch, err := school.Get(ctx, s.DB.School(who.School))
	if err != nil {
		return web.Either[Receipt]{}, err
	}
	name := "receipt-" + strings.NewReplacer("/", "-", " ", "-").Replace(r.Number) + ".pdf"
	return web.Either[Receipt]{File: &web.File{Name: name, Type: pdfType, Inline: true, Write: func(ctx context.Context, w io.Writer) error {
		return Print(w, s.Fonts, sch, s.Files.Logo(ctx, sch.ID, sch.LogoFileID), r)
	}}}, nil
}

// printed is a receipt being drawn.
type printed struct {
	*pdf.Doc
	school  school.School
	receipt Receipt
	y       float64
}

// Print writes a receipt as a PDF of one or more pages. logo may be nil.
func Print(w io.Writer, fonts *pdf.Fonts, sch school.School, logo []byte, r Receipt) error {
	p := &printed{school: sch, receipt: r, y: pdf.FromY, Doc: pdf.New(fonts,
		pdf.About{Title: "Receipt " + r.Number, Author: sch.Name, Lang: sch.Locale, Created: r.UpdatedAt})}
	p.header(logo)
	p.facts()
	p.lines()
	p.total()
	p.foot()
	return p.Write(w)
}

func (p *printed) header(logo []byte) {
	const side = 190.0
	x := pdf.FromX
	if logo != nil && p.Image(logo, pdf.FromX, p.y, 46, 46) == nil {
		x += 58
	}
	room := pdf.ToX - x - side
	p.Text(pdf.At{X: x, Y: p.y + 17, W: room}, pdf.Style{Size: 19, Bold: true, Color: pdf.Ink}, p.school.Name)
	small := pdf.Style{Size: 8.5, Color: pdf.Quiet}
	p.Text(pdf.At{X: x, Y: p.y + 31, W: room}, small, strings.Join(strings.Fields(p.school.Address), " "))
	p.Text(pdf.At{X: x, Y: p.y + 43, W: room}, small, joined(p.school.Phone, p.school.Email))
	at := func(dy float64) pdf.At { return pdf.At{X: pdf.ToX - side, Y: p.y + dy, W: side, Align: pdf.Right} }
	p.Text(at(8), pdf.Style{Size: 8, Bold: true, Color: pdf.Accent}, "RECEIPT")
	p.Text(at(25), pdf.Style{Size: 14, Bold: true, Color: pdf.Ink}, p.receipt.Number)
	p.Text(at(39), small, day(p.receipt.Date))
	if p.receipt.ReversedOn != nil {
		p.Text(at(51), pdf.Style{Size: 7.5, Bold: true, Color: pdf.Alarm}, "REVERSED ON "+strings.ToUpper(day(*p.receipt.ReversedOn)))
	}
	p.y += 58
	p.Rule(pdf.FromX, p.y, pdf.ToX, p.y, 1.4, pdf.Accent)
}

// facts draws who paid and how, side by side under small labels.
func (p *printed) facts() {
	r := p.receipt
	p.y += 24
	facts := [][2]string{{"RECEIVED FROM", r.Payer}, {"PAID BY", methodNames[r.Method]}, {"REFERENCE", r.Reference}}
	w := pdf.Inner / float64(len(facts))
	for i, f := range facts {
		at := pdf.At{X: pdf.FromX + float64(i)*w, Y: p.y, W: w - 8}
		p.Text(at, pdf.Label, f[0])
		at.Y += 14
		if f[1] == "" {
			f[1] = "–"
		}
		p.Text(at, pdf.Value, f[1])
	}
	p.y += 34
}

// lines draws what was paid for: each student, and under it each charge.
func (p *printed) lines() {
	t := pdf.Table{Columns: []pdf.Column{{Head: "Paid for", Width: pdf.Inner * 0.52}, {Head: "Fee head", Width: pdf.Inner * 0.26},
		{Head: "Amount", Width: pdf.Inner * 0.22, Align: pdf.Right}},
		Head: pdf.Style{Size: 8, Bold: true, Color: pdf.Accent}, Body: pdf.Style{Size: 9.5, Color: pdf.Ink}, Leading: 21, Rule: pdf.Hair,
		Top: pdf.FromY, Bottom: bottom - 20}
	for _, st := range p.receipt.Students {
		t.Rows = append(t.Rows, pdf.Row{Bold: true, Cells: []string{st.Name, "", ""},
			Note: joined(st.AdmissionNo, strings.TrimSpace(st.ClassName+" "+st.Division))})
		for _, c := range st.Charges {
			t.Rows = append(t.Rows, pdf.Row{Cells: []string{c.Title, c.Head, plain(c.Amount)}})
		}
		if st.Advance > 0 {
			t.Rows = append(t.Rows, pdf.Row{Cells: []string{"Advance for future charges", "", plain(st.Advance)}})
		}
		if len(p.receipt.Students) > 1 {
			t.Rows = append(t.Rows, pdf.Row{Bold: true, Cells: []string{"", "", plain(st.Amount)}})
		}
	}
	p.y = p.Table(pdf.FromX, p.y, t)
}

// total draws the amount, large.
func (p *printed) total() {
	p.ensureSpace(150)
	p.y += 34
	p.Text(pdf.At{X: pdf.FromX, Y: p.y, W: pdf.Inner * 0.4}, pdf.Style{Size: 10, Bold: true, Color: pdf.Quiet}, "TOTAL RECEIVED")
	p.Text(pdf.At{X: pdf.FromX + pdf.Inner*0.4, Y: p.y, W: pdf.Inner*0.6 - 4, Align: pdf.Right},
		pdf.Style{Size: 18, Bold: true, Color: pdf.Ink}, p.receipt.Amount.In(p.school.Currency))
	p.y += 14
	p.Rule(pdf.FromX, p.y, pdf.ToX, p.y, 1.4, pdf.Accent)
	if p.receipt.Note != "" {
		p.y = p.Lines(pdf.At{X: pdf.FromX, Y: p.y + 20, W: pdf.Inner}, pdf.Style{Size: 9, Color: pdf.Quiet}, 13, 4, p.receipt.Note)
	}
}

// ensureSpace starts a new page if this one has too little space left.
func (p *printed) ensureSpace(need float64) {
	if p.y+need > bottom {
		p.Page()
		p.y = pdf.FromY
	}
}

func (p *printed) foot() {
	y := max(p.y+70, bottom-60)
	if p.receipt.Status == receiptReversed {
		p.Text(pdf.At{X: pdf.FromX, Y: y, W: pdf.Inner * 0.55}, pdf.Style{Size: 9, Bold: true, Color: pdf.Alarm},
			"This receipt was reversed and is not proof of payment.")
	}
	p.Rule(pdf.ToX-170, y, pdf.ToX, y, 0.6, pdf.Quiet)
	p.Text(pdf.At{X: pdf.ToX - 170, Y: y + 12, W: 170, Align: pdf.Center}, pdf.Label, "FOR "+strings.ToUpper(p.school.Name))
}

// plain formats an amount without the currency.
func plain(m money.Money) string { return m.In("") }

// joined joins the parts that are not empty.
func joined(parts ...string) string {
	var out []string
	for _, s := range parts {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "  ·  ")
}

func day(d clock.Date) string { return d.Time().Format("2 January 2006") }
