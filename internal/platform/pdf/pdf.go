// Package pdf makes printable pages: text in any script, lines, tables and images. All
// lengths are points; x grows right and y down from the top left corner of an A4 page.
// y of a text is its baseline.
//
//	d := pdf.New(fonts, pdf.About{Title: "Receipt 17", Created: now})
//	d.Text(pdf.At{X: 50, Y: 60}, pdf.Style{Size: 18, Bold: true}, "Receipt")
//	err := d.Write(w)
//
// Output is deterministic: the same calls give the same bytes, and only About sets
// metadata. Errors are kept and returned by Write.
//
// Latin, Greek and Cyrillic are drawn as text (plain.go). Other scripts are shaped
// (shape.go) and drawn as outlines, with the text underneath for search and copying
// (outline.go).
package pdf

import (
	"fmt"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// The page size, and one millimetre.
const (
	Width  = 595.28
	Height = 841.89
	MM     = 72 / 25.4
)

// family is the name of the plain faces within a document.
const family = "text"

// About is the metadata of a document.
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
	err    error
}

// New starts a document with its first page.
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

// Page starts another page.
func (d *Doc) Page() { d.f.AddPage() }

// Pages returns the number of pages.
func (d *Doc) Pages() int { return d.f.PageCount() }

// Write writes the document, or returns the first error of drawing.
func (d *Doc) Write(w io.Writer) error {
	if d.err != nil {
		return fmt.Errorf("draw pdf: %w", d.err)
	}
	if err := d.f.Output(w); err != nil {
		return fmt.Errorf("write pdf: %w", err)
	}
	return nil
}

// fail keeps the first error.
func (d *Doc) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// Color is red, green and blue, 0 to 255. The zero Color is black.
type Color struct{ R, G, B uint8 }

// Gray is a shade from 0, black, to 255, white.
func Gray(shade uint8) Color { return Color{shade, shade, shade} }

// Rule draws a line.
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
