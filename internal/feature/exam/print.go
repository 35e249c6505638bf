package exam

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/pdf"
	"homeroom/internal/platform/text"
)

// bottom is the lower edge of the text area.
const bottom = pdf.Height - 14*pdf.MM

// printed is a report card being drawn.
type printed struct {
	*pdf.Doc
	card Card
	y    float64
}

// print writes report cards of one school and language, each as one A4 page.
func (s *Service) print(ctx context.Context, w io.Writer, school id.ID, title text.Text, cards ...Card) error {
	first := cards[0]
	lang := text.Standard().Language(first.lang)
	doc := pdf.New(s.Fonts, pdf.About{Title: text.Standard().Say(lang, title), Author: first.School.Name, Lang: lang, Created: s.Now()})
	logo := s.Files.Logo(ctx, school, first.logo)
	for i, c := range cards {
		if i > 0 {
			doc.Page()
		}
		p := &printed{card: c, y: pdf.FromY, Doc: doc}
		p.page(logo)
	}
	return doc.Write(w)
}

// page draws the card; many subjects get smaller rows.
func (p *printed) page(logo []byte) {
	p.header(logo)
	p.student()
	if p.card.Exam == nil {
		p.Text(pdf.At{X: pdf.FromX, Y: p.y + 24}, pdf.Value, p.say(text.T("print.card.none")))
		return
	}
	p.subjects()
	p.summary()
	p.remarks()
	p.foot()
}

func (p *printed) say(t text.Text) string { return text.Standard().Say(p.card.lang, t) }

func (p *printed) day(d clock.Date) string { return p.card.dates.Format(d) }

func (p *printed) header(logo []byte) {
	x := pdf.FromX
	if logo != nil && p.Image(logo, pdf.FromX, p.y, 46, 46) == nil {
		x += 58
	}
	side := 180.0
	room, small := pdf.ToX-x-side, pdf.Style{Size: 8.5, Color: pdf.Quiet}
	name, y := pdf.Style{Size: 19, Bold: true, Color: pdf.Ink}, p.y+31
	if p.Measure(name, p.card.School.Name) <= room {
		p.Text(pdf.At{X: x, Y: p.y + 17}, name, p.card.School.Name)
	} else { // in two lines
		name.Size = 13
		y = p.Lines(pdf.At{X: x, Y: p.y + 10, W: room}, name, 15, 2, p.card.School.Name) - 1
	}
	p.Text(pdf.At{X: x, Y: y, W: room}, small, oneLine(string(p.card.School.Address)))
	p.Text(pdf.At{X: x, Y: y + 11.5, W: room}, small, joined("  ·  ", string(p.card.School.Phone), string(p.card.School.Email)))
	at := func(dy float64) pdf.At {
		return pdf.At{X: pdf.ToX - side, Y: p.y + dy, W: side, Align: pdf.Right}
	}
	p.Text(at(8), pdf.Style{Size: 8, Bold: true, Color: pdf.Accent}, p.say(text.T("print.card.head")))
	if e := p.card.Exam; e != nil {
		p.Text(at(25), pdf.Style{Size: 14, Bold: true, Color: pdf.Ink}, e.Name)
		p.Text(at(39), small, joined("  ·  ", e.AcademicYearName, p.span(e.StartDate, e.EndDate)))
		if e.Status != Published {
			p.Text(at(51), pdf.Style{Size: 7.5, Bold: true, Color: pdf.Alarm}, p.say(text.T("print.card.provisional")))
		}
	}
	p.y += 58
	p.Rule(pdf.FromX, p.y, pdf.ToX, p.y, 1.4, pdf.Accent)
}

// student draws the student's name, class and numbers.
func (p *printed) student() {
	st := p.card.Student
	p.y += 30
	p.Text(pdf.At{X: pdf.FromX, Y: p.y, W: pdf.Inner}, pdf.Style{Size: 17, Bold: true, Color: pdf.Ink},
		fullName(string(st.FirstName), string(st.LastName)))
	p.y += 20
	facts := [][2]string{{p.say(text.T("print.card.class")), joined("  ", st.ClassName, string(st.DivisionName))},
		{p.say(text.T("print.card.roll")), ""}, {p.say(text.T("print.card.admission")), st.AdmissionNo}, {p.say(text.T("print.card.birth")), ""}}
	if st.RollNo != nil {
		facts[1][1] = fmt.Sprint(*st.RollNo)
	}
	if st.DateOfBirth != nil {
		facts[3][1] = p.day(*st.DateOfBirth)
	}
	p.row(facts)
	p.y += 14
}

// row draws facts side by side.
func (p *printed) row(facts [][2]string) {
	w := pdf.Inner / float64(len(facts))
	for i, f := range facts {
		x := pdf.FromX + float64(i)*w
		p.Text(pdf.At{X: x, Y: p.y, W: w - 8}, pdf.Label, f[0])
		p.Text(pdf.At{X: x, Y: p.y + 13, W: w - 8}, pdf.Value, cmp.Or(f[1], "–"))
	}
	p.y += 20
}

// The height reserved below the table, and the largest row height.
const (
	below      = 236
	maxLeading = 25
)

func (p *printed) subjects() {
	t := p.card.Total
	rows, places := make([]pdf.Row, 0, len(p.card.Subjects)+1), t.Marks.places()
	for _, l := range p.card.Subjects {
		if l.Marks != nil {
			places = max(places, l.Marks.places())
		}
	}
	for _, l := range p.card.Subjects {
		rows = append(rows, p.line(l, places))
	}
	rows = append(rows, pdf.Row{Bold: true, Colors: inAlarm(t.Passed, 5),
		Cells: []string{p.say(text.T("print.card.total")), t.Marks.fixed(places), t.MaxMarks.String(), percentText(t.Percent),
			string(t.Grade.Grade), p.verdict(t.Passed)}})
	leading := min(maxLeading, (bottom-below-p.y-18)/float64(len(rows)))
	size := min(9.5, leading*0.6)
	p.y = p.Table(pdf.FromX, p.y, pdf.Table{
		Columns: []pdf.Column{{Head: p.say(text.T("print.card.subject")), Width: pdf.Inner - 294},
			{Head: p.say(text.T("print.card.marks")), Width: 62, Align: pdf.Right},
			{Head: p.say(text.T("print.card.most")), Width: 62, Align: pdf.Right},
			{Head: p.say(text.T("print.card.percent")), Width: 62, Align: pdf.Right},
			{Head: p.say(text.T("print.card.grade")), Width: 54, Align: pdf.Center},
			{Head: p.say(text.T("print.card.result")), Width: 54, Align: pdf.Center}},
		Rows: rows, Head: pdf.Style{Size: 8, Bold: true, Color: pdf.Accent}, Body: pdf.Style{Size: size, Color: pdf.Ink}, Leading: leading,
		Rule: pdf.Hair,
	})
}

// line is the table row of a subject, with its components as a note. An exempt subject
// shows no maximum.
func (p *printed) line(l Line, places int) pdf.Row {
	var parts []string
	for _, c := range l.Components {
		if c.Marks != nil {
			parts = append(parts, fmt.Sprintf("%s %s/%s", c.Name, *c.Marks, c.MaxMarks))
		}
	}
	r := pdf.Row{Note: strings.Join(parts, "   "), Colors: inAlarm(l.Passed, 1, 5),
		Cells: []string{l.SubjectName, "–", "", percentText(l.Percent), string(l.Grade.Grade), p.verdict(l.Passed)}}
	switch l.Outcome {
	case Scored:
		r.Cells[1], r.Cells[2] = l.Marks.fixed(places), l.MaxMarks.String()
	case Absent:
		r.Cells[1], r.Cells[2] = p.say(text.T("print.card.absent")), l.MaxMarks.String()
	case Exempt:
		r.Cells[1] = p.say(text.T("print.card.exempt"))
	}
	return r
}

// inAlarm returns the alarm color for these columns if the subject was failed.
func inAlarm(passed *bool, columns ...int) map[int]pdf.Color {
	out := map[int]pdf.Color{}
	for _, c := range columns {
		if passed != nil && !*passed {
			out[c] = pdf.Alarm
		}
	}
	return out
}

// summary draws percent, grade, result, ranks and attendance.
func (p *printed) summary() {
	t := p.card.Total
	facts := [][2]string{{p.say(text.T("print.card.sum.percent")), percentText(t.Percent)},
		{p.say(text.T("print.card.sum.grade")), string(t.Grade.Grade)}, {p.say(text.T("print.card.sum.result")), p.verdict(t.Passed)},
		{p.say(text.T("print.card.sum.division")), p.place(t.RankInDivision, t.DivisionSize)},
		{p.say(text.T("print.card.sum.class")), p.place(t.RankInClass, t.ClassSize)}}
	if a := p.card.Attendance; a != nil {
		facts = append(facts, [2]string{p.say(text.T("print.card.sum.present")),
			p.say(text.T("print.card.of", "some", a.PresentDays, "all", a.SchoolDays))})
	}
	p.y += 16
	p.Box(pdf.FromX, p.y, pdf.Inner, 44, pdf.Color{R: 243, G: 246, B: 250})
	w := pdf.Inner / float64(len(facts))
	for i, f := range facts {
		x := pdf.FromX + float64(i)*w + 9
		p.Text(pdf.At{X: x, Y: p.y + 15, W: w - 12}, pdf.Label, f[0])
		st := pdf.Style{Size: 13, Bold: true, Color: pdf.Ink}
		if i == 2 && t.Passed != nil && !*t.Passed {
			st.Color = pdf.Alarm
		}
		p.Text(pdf.At{X: x, Y: p.y + 33, W: w - 16}, st, cmp.Or(f[1], "–"))
	}
	p.y += 44
}

// blankLines is the number of blank lines for handwriting.
const blankLines = 3

// remarks draws the teachers' remarks, one per line or, if there are too many, in
// one paragraph, and blank lines for handwriting.
func (p *printed) remarks() {
	const leading = 12
	p.y += 22
	p.Text(pdf.At{X: pdf.FromX, Y: p.y}, pdf.Label, p.say(text.T("print.card.remarks")))
	p.y += 14
	end := bottom - 74.0
	var said []string
	for _, l := range p.card.Subjects {
		if l.Remark != "" {
			said = append(said, l.SubjectName+": "+oneLine(string(l.Remark)))
		}
	}
	room := int((end-p.y)/leading) + 1
	if 2*len(said) > room {
		said = []string{strings.Join(said, "   ·   ")}
	}
	for _, s := range said {
		p.y = p.Lines(pdf.At{X: pdf.FromX, Y: p.y, W: pdf.Inner}, pdf.Style{Size: 9, Color: pdf.Ink}, leading, room/len(said), s)
	}
	p.y += 8
	for i := 0; i < blankLines && p.y <= end; i++ {
		p.Rule(pdf.FromX, p.y, pdf.ToX, p.y, 0.4, pdf.Hair)
		p.y += 20
	}
}

// foot draws the signature lines and the grade scale.
func (p *printed) foot() {
	const between = 24
	y, w := bottom-22, (pdf.Inner-2*between)/3
	for i, who := range []text.Text{text.T("print.card.sign.teacher"), text.T("print.card.sign.principal"), text.T("print.card.sign.parent")} {
		x := pdf.FromX + float64(i)*(w+between)
		p.Rule(x, y-12, x+w, y-12, 0.6, pdf.Quiet)
		p.Text(pdf.At{X: x, Y: y}, pdf.Style{Size: 8, Color: pdf.Quiet}, p.say(who))
	}
	var grades []string
	for _, b := range p.card.bands {
		grades = append(grades, p.say(text.T("print.card.band", "grade", b.Grade, "percent", b.MinPercent)))
	}
	p.Text(pdf.At{X: pdf.FromX, Y: bottom, W: pdf.Inner}, pdf.Style{Size: 7, Color: pdf.Quiet}, joined("   ", grades...))
}
