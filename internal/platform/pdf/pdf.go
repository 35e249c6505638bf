// Package pdf makes pages for people to print: text in any script, rules,
// tables and images. All measures are points; x grows to the right and y down,
// from the top left corner of an A4 page, and text stands on its y.
//
//	d := pdf.New(fonts, pdf.About{Title: "Receipt 17", Created: now})
//	d.Text(pdf.At{X: 50, Y: 60}, pdf.Style{Size: 18, Bold: true}, "Receipt")
//	err := d.Write(w)
//
// The same calls make the same bytes: a document says nothing of when or where
// it was made but About. Mistakes are kept, and returned by Write.
//
// Latin, Greek and Cyrillic are set as text (plain.go). Every other script needs
// shaping, which joins and reorders its letters (shape.go), and is drawn as
// outlines with the text itself beneath, so that it can be found and copied
// (outline.go).
package pdf

import (
	"fmt"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// The page, and what a millimetre is.
const (
	Width  = 595.28
	Height = 841.89
	MM     = 72 / 25.4
)

// family is what the plain faces are called within a document.
const family = "text"

// About is what a document says of itself.
type About struct {
	Title   string
	Author  string
	Lang    string // "en", "pt-BR"
	Created time.Time
}

// Doc is a document that is being drawn. It is not safe for concurrent use.
type Doc struct {
	f      *fpdf.Fpdf
	fonts  *Fonts
	shaper shaper
	shaped map[shapeKey]run
	images int
	err    error
}

// New begins a document, on its first page.
func New(fonts *Fonts, a About) *Doc {
	d := &Doc{f: fpdf.New("P", "pt", "A4", ""), fonts: fonts, shaped: map[shapeKey]run{}}
	d.f.SetCatalogSort(true)
	d.f.SetProducer("Homeroom", false)
	d.f.SetTitle(a.Title, true)
	d.f.SetAuthor(a.Author, true)
	d.f.SetLang(a.Lang)
	d.f.SetCreationDate(a.Created.UTC())
	d.f.SetModificationDate(a.Created.UTC())
	d.f.SetMargins(0, 0, 0)
	d.f.SetAutoPageBreak(false, 0)
	d.face("", regular)
	d.face("B", bold)
	d.Page()
	return d
}

func (d *Doc) face(style, name string) {
	raw, err := d.fonts.plain(name)
	if err != nil {
		d.fail(err)
		return
	}
	d.f.AddUTF8FontFromBytes(family, style, raw)
}

// Page begins another page.
func (d *Doc) Page() { d.f.AddPage() }

// Pages is how many there are.
func (d *Doc) Pages() int { return d.f.PageCount() }

// Write writes the document, or says what went wrong while it was drawn.
func (d *Doc) Write(w io.Writer) error {
	if d.err != nil {
		return fmt.Errorf("draw pdf: %w", d.err)
	}
	if err := d.f.Output(w); err != nil {
		return fmt.Errorf("write pdf: %w", err)
	}
	return nil
}

// fail keeps the first mistake.
func (d *Doc) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// Color is red, green and blue, 0 to 255. The zero Color is black.
type Color struct{ R, G, B uint8 }

// Gray is a shade from 0, black, to 255, white.
func Gray(shade uint8) Color { return Color{shade, shade, shade} }

// Rule draws a line of a weight from one point to another.
func (d *Doc) Rule(x1, y1, x2, y2, weight float64, c Color) {
	d.f.SetLineWidth(weight)
	d.f.SetDrawColor(int(c.R), int(c.G), int(c.B))
	d.f.Line(x1, y1, x2, y2)
}

// Box fills a rectangle.
func (d *Doc) Box(x, y, w, h float64, c Color) {
	d.f.SetFillColor(int(c.R), int(c.G), int(c.B))
	d.f.Rect(x, y, w, h, "F")
}
