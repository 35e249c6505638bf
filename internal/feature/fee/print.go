package fee

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/pdf"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

const pdfType = "application/pdf"

// bottom is the lower edge of the text area.
const bottom = pdf.Height - 16*pdf.MM

// Letterhead is what every printed page of a school has.
type Letterhead struct {
	Fonts  *pdf.Fonts
	School school.School
	Lang   string // of the reader
	Logo   []byte // may be nil
}

// printed returns a PDF file in the reader's language: the account's, else the school's.
func (s *Service) printed(ctx context.Context, who actor.Actor, name string, draw func(io.Writer, Letterhead) error) (*web.File, error) {
	sch, err := school.Get(ctx, s.DB.School(who.School))
	if err != nil {
		return nil, err
	}
	h := Letterhead{Fonts: s.Fonts, School: sch, Lang: cmp.Or(who.Language, sch.Locale)}
	name = strings.NewReplacer("/", "-", " ", "-").Replace(name) + ".pdf"
	return &web.File{Name: name, Type: pdfType, Inline: true, Write: func(ctx context.Context, w io.Writer) error {
		h.Logo = s.Files.Logo(ctx, sch.ID, sch.LogoFileID)
		return draw(w, h)
	}}, nil
}

// sheet is a document being drawn.
type sheet struct {
	*pdf.Doc
	Letterhead
	y float64
}

func (h Letterhead) sheet(title text.Text, created time.Time) *sheet {
	lang := text.Standard().Language(h.Lang)
	return &sheet{Letterhead: h, y: pdf.FromY, Doc: pdf.New(h.Fonts,
		pdf.About{Title: text.Standard().Say(lang, title), Author: h.School.Name, Lang: lang, Created: created})}
}

func (p *sheet) say(t text.Text) string { return text.Standard().Say(p.Lang, t) }

// plain formats an amount without the currency.
func (p *sheet) plain(m money.Money) string {
	return p.say(text.T("print.value", "value", text.Amount{Money: m}))
}

func (p *sheet) amount(m money.Money) text.Amount {
	return text.Amount{Money: m, Currency: p.School.Currency}
}

func (p *sheet) day(d clock.Date) string { return p.School.DateFormat.Format(d) }

// header draws the school on the left; on the right the kind of document, its number, its
// date and, in red, an alarm.
func (p *sheet) header(kind text.Text, number string, date clock.Date, alarm string) {
	const side = 190.0
	x := pdf.FromX
	if p.Logo != nil && p.Image(p.Logo, pdf.FromX, p.y, 46, 46) == nil {
		x += 58
	}
	room := pdf.ToX - x - side
	p.Text(pdf.At{X: x, Y: p.y + 17, W: room}, pdf.Style{Size: 19, Bold: true, Color: pdf.Ink}, p.School.Name)
	small := pdf.Style{Size: 8.5, Color: pdf.Quiet}
	p.Text(pdf.At{X: x, Y: p.y + 31, W: room}, small, strings.Join(strings.Fields(string(p.School.Address)), " "))
	p.Text(pdf.At{X: x, Y: p.y + 43, W: room}, small, joined(string(p.School.Phone), string(p.School.Email)))
	at := func(dy float64) pdf.At { return pdf.At{X: pdf.ToX - side, Y: p.y + dy, W: side, Align: pdf.Right} }
	p.Text(at(8), pdf.Style{Size: 8, Bold: true, Color: pdf.Accent}, p.say(kind))
	p.Text(at(25), pdf.Style{Size: 14, Bold: true, Color: pdf.Ink}, number)
	p.Text(at(39), small, p.day(date))
	p.Text(at(51), pdf.Style{Size: 7.5, Bold: true, Color: pdf.Alarm}, alarm)
	p.y += 58
	p.Rule(pdf.FromX, p.y, pdf.ToX, p.y, 1.4, pdf.Accent)
}

// fact is a value under a small label.
type fact struct {
	label text.Text
	value string
}

// facts draws facts side by side.
func (p *sheet) facts(facts ...fact) {
	p.y += 24
	w := pdf.Inner / float64(len(facts))
	for i, f := range facts {
		at := pdf.At{X: pdf.FromX + float64(i)*w, Y: p.y, W: w - 8}
		p.Text(at, pdf.Label, p.say(f.label))
		at.Y += 14
		p.Text(at, pdf.Value, cmp.Or(f.value, "–"))
	}
	p.y += 34
}

func (p *sheet) table(columns []pdf.Column, rows []pdf.Row) {
	p.y = p.Table(pdf.FromX, p.y, pdf.Table{Columns: columns, Rows: rows, Head: pdf.Style{Size: 8, Bold: true, Color: pdf.Accent},
		Body: pdf.Style{Size: 9.5, Color: pdf.Ink}, Leading: 21, Rule: pdf.Hair, Top: pdf.FromY, Bottom: bottom - 20})
}

// total draws an amount, large, and in words below.
func (p *sheet) total(label text.Text, m money.Money) {
	p.ensureSpace(170)
	p.y += 34
	p.Text(pdf.At{X: pdf.FromX, Y: p.y, W: pdf.Inner * 0.4}, pdf.Style{Size: 10, Bold: true, Color: pdf.Quiet}, p.say(label))
	p.Text(pdf.At{X: pdf.FromX + pdf.Inner*0.4, Y: p.y, W: pdf.Inner*0.6 - 4, Align: pdf.Right},
		pdf.Style{Size: 18, Bold: true, Color: pdf.Ink}, p.say(text.T("print.value", "value", p.amount(m))))
	p.y += 14
	p.Rule(pdf.FromX, p.y, pdf.ToX, p.y, 1.4, pdf.Accent)
	p.y = p.Lines(pdf.At{X: pdf.FromX, Y: p.y + 16, W: pdf.Inner}, pdf.Style{Size: 9, Color: pdf.Ink}, 13, 2,
		text.Standard().Spell(p.Lang, p.amount(m)))
}

// note draws small text below the total.
func (p *sheet) note(words string) {
	if words != "" {
		p.y = p.Lines(pdf.At{X: pdf.FromX, Y: p.y + 7, W: pdf.Inner}, pdf.Style{Size: 9, Color: pdf.Quiet}, 13, 4, words)
	}
}

// ensureSpace starts a new page if this one has too little space left.
func (p *sheet) ensureSpace(need float64) {
	if p.y+need > bottom {
		p.Page()
		p.y = pdf.FromY
	}
}

// foot draws the line for the school's signature and, in red, why the document is void.
func (p *sheet) foot(void string) {
	y := max(p.y+70, bottom-60)
	p.Text(pdf.At{X: pdf.FromX, Y: y - 16, W: pdf.Inner * 0.55}, pdf.Style{Size: 9, Bold: true, Color: pdf.Alarm}, void)
	p.sign(pdf.ToX-signature, y, p.say(text.T("print.from", "school", strings.ToUpper(p.School.Name))))
}

const signature = 170.0 // width

func (p *sheet) sign(x, y float64, who string) {
	p.Rule(x, y, x+signature, y, 0.6, pdf.Quiet)
	p.Text(pdf.At{X: x, Y: y + 12, W: signature, Align: pdf.Center}, pdf.Label, who)
}

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
