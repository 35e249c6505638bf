package pdf

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// run is a line of shaped text. Lengths are in ems: at size 10 an advance of 2 is 20 points.
type run struct {
	glyphs  []glyph
	advance float64
}

// glyph is one outline. Its path is in font units, scaled by unit; x and y are its
// position in the line.
type glyph struct {
	path    string // PDF operators
	x, y    float64
	unit    float64
	thicken bool // emulates bold
}

// shapeKey is the cache key of shaped text.
type shapeKey struct {
	text string
	bold bool
}

// shape returns the run of a text, cached per document.
func (d *Doc) shape(s string, bold bool) run {
	key := shapeKey{s, bold}
	r, ok := d.shaped[key]
	if !ok {
		var err error
		if r, err = d.shaper.shape(d.fonts, s, bold); err != nil {
			d.fail(fmt.Errorf("shape text: %w", err))
		}
		d.shaped[key] = r
	}
	return r
}

// thick is the extra stroke width, in ems, that emulates bold.
const thick = 0.035

// outlines draws shaped text. An invisible blank of the same width carries the text for
// search and copying (ActualText).
func (d *Doc) outlines(x, y float64, st Style, s string) {
	r := d.shape(s, st.Bold)
	d.f.RawWriteStr(" /Span <</ActualText " + utf16Hex(s) + ">> BDC ")
	d.beneath(x, y, st, r.advance)
	color := func(op string) string {
		return fmt.Sprintf("%.3f %.3f %.3f %s ", float64(st.Color.R)/255, float64(st.Color.G)/255, float64(st.Color.B)/255, op)
	}
	var b strings.Builder
	b.WriteString("q " + color("rg") + color("RG") + "1 j ")
	for _, g := range r.glyphs {
		scale := st.Size * g.unit
		fmt.Fprintf(&b, "q %s 0 0 %s %s %s cm ", number(scale, 6), number(scale, 6),
			number(x+g.x*st.Size, 3), number(Height-y+g.y*st.Size, 3))
		if g.thicken {
			b.WriteString(number(thick/g.unit, 1) + " w " + g.path + "B Q ")
		} else {
			b.WriteString(g.path + "f Q ")
		}
	}
	b.WriteString("Q EMC ")
	d.f.RawWriteStr(b.String())
}

// beneath draws the invisible blank.
func (d *Doc) beneath(x, y float64, st Style, advance float64) {
	d.use(st)
	blank := d.f.GetStringWidth(" ")
	d.f.RawWriteStr("q 3 Tr " + number(100*advance*st.Size/blank, 2) + " Tz ")
	d.f.Text(x, y, " ")
	d.f.RawWriteStr("Q ")
}

func number(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// utf16Hex encodes text as a PDF hexadecimal string.
func utf16Hex(s string) string {
	var b strings.Builder
	b.WriteString("<FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	return b.String() + ">"
}
