package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/pdf"
	"homeroom/internal/platform/pdf/pdftest"
)

var (
	about = pdf.About{Title: "Test", Author: "Zoë", Lang: "en", Created: time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)}
	style = pdf.Style{Size: 12}
)

// read writes a document and parses it.
func read(t *testing.T, d *pdf.Doc) (pages int, lines []string) {
	t.Helper()
	var out bytes.Buffer
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
	pages, text, err := pdftest.Read(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return pages, strings.Split(text, "\n")
}

func TestText(t *testing.T) {
	t.Parallel()
	d := pdf.New(&pdf.Fonts{}, about)
	names := []string{"Zoë Müller", "Nguyễn Thị Ánh", "Ωμέγα", "Иван Ёлкин", `“(5½ %)” \ 12 ₹`}
	for i, s := range names {
		d.Text(pdf.At{X: 50, Y: 50 + 20*float64(i)}, style, s)
	}
	d.Text(pdf.At{X: 50, Y: 300}, style, "Ama\u0301lia\tx") // a combining accent and a tab
	if pages, got := read(t, d); pages != 1 || !slices.Equal(got, append(names, "Amália x")) {
		t.Errorf("pages %d, text %q", pages, got)
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	fonts := &pdf.Fonts{}
	long := strings.Repeat("Averylongname ", 20)
	for _, tt := range []struct {
		width float64
		s     string
		cut   bool
	}{{200, "Short", false}, {60, "A bit too long", false}, {100, long, true}, {3, "Nothing fits", true}} {
		d := pdf.New(fonts, about)
		d.Text(pdf.At{X: 50, Y: 50, W: tt.width}, style, tt.s)
		_, got := read(t, d)
		if cut := strings.HasSuffix(got[0], "…"); cut != tt.cut || !cut && got[0] != tt.s {
			t.Errorf("%q fitted into %v points: %q", tt.s, tt.width, got)
		}
		small := pdf.Style{Size: style.Size * 0.75}
		if w := d.Measure(small, got[0]); w > tt.width && tt.width > 10 {
			t.Errorf("%q is %v wide, limit %v", got[0], w, tt.width)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	d := pdf.New(&pdf.Fonts{}, about)
	text := "The quick brown fox jumps over the lazy dog, and again over the dog.\nA line of its own."
	end := d.Lines(pdf.At{X: 50, Y: 100, W: 150}, style, 14, 10, text)
	_, got := read(t, d)
	if strings.Join(got, " ") != strings.ReplaceAll(text, "\n", " ") || len(got) < 4 || end != 100+14*float64(len(got)) {
		t.Errorf("wrapped lines: %q, end %v", got, end)
	}
	for _, line := range got {
		if w := d.Measure(style, line); w > 150 {
			t.Errorf("line %q is %v wide", line, w)
		}
	}
	d = pdf.New(&pdf.Fonts{}, about)
	d.Lines(pdf.At{X: 50, Y: 100, W: 150}, style, 14, 2, text)
	if _, got := read(t, d); len(got) != 2 || !strings.HasSuffix(got[1], "…") {
		t.Errorf("wrapped text: %q", got)
	}
}

func table(rows int) pdf.Table {
	t := pdf.Table{Columns: []pdf.Column{{Head: "What", Width: 300}, {Head: "Amount", Width: 100, Align: pdf.Right}},
		Head: style, Body: style, Leading: 20, Rule: pdf.Gray(200), Bottom: 800, Top: 40}
	for i := range rows {
		t.Rows = append(t.Rows, pdf.Row{Cells: []string{fmt.Sprint("Row ", i), "1.00"}, Note: "a note"})
	}
	return t
}

func TestTable(t *testing.T) {
	t.Parallel()
	for rows, pages := range map[int]int{0: 1, 10: 1, 60: 2, 100: 3} {
		d := pdf.New(&pdf.Fonts{}, about)
		d.Table(50, 60, table(rows))
		n, got := read(t, d)
		heads, cells, notes := 0, 0, 0
		for _, s := range got {
			switch {
			case s == "What":
				heads++
			case strings.HasPrefix(s, "Row "):
				cells++
			case s == "a note":
				notes++
			}
		}
		if n != pages || d.Pages() != pages || heads != pages || cells != rows || notes != rows {
			t.Errorf("%d rows: %d pages with %d heads, %d cells, %d notes, want %d pages", rows, n, heads, cells, notes, pages)
		}
	}
}

func TestImage(t *testing.T) {
	t.Parallel()
	img := image.NewPaletted(image.Rect(0, 0, 8, 4), color.Palette{color.Black, color.White})
	kinds := map[string]func(io.Writer) error{
		"png":  func(w io.Writer) error { return png.Encode(w, img) },
		"jpeg": func(w io.Writer) error { return jpeg.Encode(w, img, nil) },
		"gif":  func(w io.Writer) error { return gif.Encode(w, img, nil) },
	}
	for kind, encode := range kinds {
		var raw bytes.Buffer
		if err := encode(&raw); err != nil {
			t.Fatal(err)
		}
		d := pdf.New(&pdf.Fonts{}, about)
		if err := d.Image(raw.Bytes(), 10, 10, 50, 50); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		for cut := 0; cut < raw.Len(); cut += 11 { // an invalid image is an error and leaves the page unchanged
			if err := d.Image(raw.Bytes()[:cut], 10, 10, 50, 50); err == nil && cut < 20 {
				t.Errorf("the first %d bytes of a %s were accepted", cut, kind)
			}
		}
		d.Text(pdf.At{X: 50, Y: 50}, style, "after")
		if _, got := read(t, d); !slices.Contains(got, "after") {
			t.Errorf("page with a %s: %q", kind, got)
		}
	}
}

// page is a typical page: some facts and a table of 20 rows.
func page(fonts *pdf.Fonts, name string) *pdf.Doc {
	d := pdf.New(fonts, about)
	d.Text(pdf.At{X: 50, Y: 50, W: 300}, pdf.Style{Size: 19, Bold: true}, "Greenfield School")
	d.Text(pdf.At{X: 50, Y: 80, W: 300}, pdf.Style{Size: 17, Bold: true}, name)
	d.Rule(50, 90, 500, 90, 1, pdf.Gray(100))
	d.Box(50, 600, 400, 40, pdf.Gray(240))
	d.Table(50, 100, table(20))
	return d
}

// Output is deterministic, also concurrently.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	fonts := &pdf.Fonts{}
	var all sync.WaitGroup
	out := make([]bytes.Buffer, 8)
	for i := range out {
		all.Go(func() {
			if err := page(fonts, "Zoë Müller").Write(&out[i]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range out {
		if !bytes.Equal(out[i].Bytes(), out[0].Bytes()) {
			t.Errorf("document %d differs", i)
		}
	}
	if out[0].Len() > 40<<10 {
		t.Errorf("size of a page: %d bytes", out[0].Len())
	}
}

func BenchmarkPage(b *testing.B) {
	fonts := &pdf.Fonts{}
	b.ReportAllocs()
	for b.Loop() {
		if err := page(fonts, "Zoë Müller").Write(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
