package pdf

// Table is rows of cells under a header.
type Table struct {
	Columns []Column
	Rows    []Row
	Head    Style
	Body    Style
	Leading float64 // row height
	Rule    Color   // of the line under each row
	Bottom  float64 // page break; the table continues at Top of the next page
	Top     float64
}

// Column is a column of a Table.
type Column struct {
	Head  string
	Width float64
	Align Align
	Bold  bool
}

// Row is a row of a Table.
type Row struct {
	Cells  []string
	Bold   bool          // for totals
	Colors map[int]Color // by column, overriding the body's
	Note   string        // small, next to the first cell
}

// gap is the horizontal padding of a cell, and baseline the position of its text in a
// row.
const (
	gap      = 4
	baseline = 0.66
)

// Table draws a table and returns its bottom.
func (d *Doc) Table(x, y float64, t Table) float64 {
	y = d.head(x, y, t)
	for _, row := range t.Rows {
		if t.Bottom > 0 && y+t.Leading > t.Bottom {
			d.Page()
			y = d.head(x, t.Top, t)
		}
		d.row(x, y, t, row)
		y += t.Leading
		d.Rule(x, y, x+t.width(), y, 0.4, t.Rule)
	}
	return y
}

func (t Table) width() (sum float64) {
	for _, c := range t.Columns {
		sum += c.Width
	}
	return sum
}

func (d *Doc) head(x, y float64, t Table) float64 {
	height := t.Head.Size * 2.2
	at := x
	for _, c := range t.Columns {
		d.Text(At{X: at + gap, Y: y + height*baseline, W: c.Width - 2*gap, Align: c.Align}, t.Head, c.Head)
		at += c.Width
	}
	y += height
	d.Rule(x, y, x+t.width(), y, 0.8, t.Head.Color)
	return y
}

func (d *Doc) row(x, y float64, t Table, r Row) {
	for i, c := range t.Columns {
		if i >= len(r.Cells) {
			break
		}
		st := t.Body
		st.Bold = st.Bold || c.Bold || r.Bold
		if color, ok := r.Colors[i]; ok {
			st.Color = color
		}
		at := At{X: x + gap, Y: y + t.Leading*baseline, W: c.Width - 2*gap, Align: c.Align}
		if i == 0 && r.Note != "" {
			at.W = d.note(at, st, r)
		}
		d.Text(at, st, r.Cells[i])
		x += c.Width
	}
}

// note draws the note of a row and returns the width left for the first cell, more than
// half.
func (d *Doc) note(at At, st Style, r Row) float64 {
	room := min(d.Measure(st, r.Cells[0]), at.W*0.55)
	at.X, at.W = at.X+room+2*gap, at.W-room-2*gap
	d.Text(at, Style{Size: st.Size * 0.8, Color: Gray(120)}, r.Note)
	return room
}
