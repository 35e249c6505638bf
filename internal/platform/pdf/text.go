package pdf

import (
	"strings"

	"github.com/go-text/typesetting/segmenter"
)

// Style is the style of a text.
type Style struct {
	Size  float64
	Bold  bool
	Color Color
}

// Align is the horizontal alignment of a text.
type Align int

// Alignments.
const (
	Left Align = iota
	Center
	Right
)

// At is a position for text. With a width, text is fitted between X and X+W; without
// one, X is its start, end or middle.
type At struct {
	X, Y, W float64
	Align   Align
}

// smallest is how much text is scaled down to fit, before it is truncated.
const smallest = 0.75

// Text draws one line.
func (d *Doc) Text(at At, st Style, s string) {
	s = tidy(s)
	if at.W > 0 {
		st, s = d.fit(at.W, st, s)
	}
	if s == "" {
		return
	}
	x, room := at.X, at.W-d.Measure(st, s)
	switch at.Align {
	case Center:
		x += room / 2
	case Right:
		x += room
	}
	if isPlain(s) {
		d.plain(x, at.Y, st, s)
		return
	}
	d.outlines(x, at.Y, st, s)
}

// Measure returns the width of a line.
func (d *Doc) Measure(st Style, s string) float64 {
	if s = tidy(s); isPlain(s) {
		d.use(st)
		return d.f.GetStringWidth(s)
	}
	return d.shape(s, st.Bold).advance * st.Size
}

// fit scales a line down until it fits, then truncates it.
func (d *Doc) fit(w float64, st Style, s string) (Style, string) {
	is := d.Measure(st, s)
	if is <= w {
		return st, s
	}
	st.Size *= max(smallest, w/is)
	if is = d.Measure(st, s); is <= w*1.001 {
		return st, s
	}
	letters := graphemes(s)
	low, high := 0, len(letters)
	for low < high { // binary search for the most letters that fit
		mid := (low + high + 1) / 2
		if d.Measure(st, cut(letters, mid)) <= w {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return st, cut(letters, low)
}

func cut(letters []string, n int) string {
	return strings.TrimSpace(strings.Join(letters[:n], "")) + "…"
}

// Lines draws text in at most so many lines of its width, and returns the baseline after
// it. Truncated text ends in "…".
func (d *Doc) Lines(at At, st Style, leading float64, most int, s string) float64 {
	lines := d.wrap(at.W, st, s)
	for i, line := range lines {
		if i == most-1 && len(lines) > most {
			line = strings.Join(lines[i:], " ")
		}
		d.Text(at, st, line)
		at.Y += leading
		if i == most-1 {
			break
		}
	}
	return at.Y
}

// wrap breaks text where its script allows.
func (d *Doc) wrap(w float64, st Style, s string) []string {
	var lines []string
	for part := range strings.SplitSeq(s, "\n") {
		line := ""
		for _, piece := range pieces(tidy(part)) {
			if line != "" && d.Measure(st, strings.TrimRight(line+piece, " ")) > w {
				lines, line = append(lines, strings.TrimSpace(line)), ""
			}
			line += piece
		}
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// pieces splits text at possible line breaks.
func pieces(s string) []string {
	var seg segmenter.Segmenter
	seg.Init([]rune(s))
	var out []string
	for it := seg.LineIterator(); it.Next(); {
		out = append(out, string(it.Line().Text))
	}
	return out
}

// graphemes splits text into grapheme clusters.
func graphemes(s string) []string {
	var seg segmenter.Segmenter
	seg.Init([]rune(s))
	var out []string
	for it := seg.GraphemeIterator(); it.Next(); {
		out = append(out, string(it.Grapheme().Text))
	}
	return out
}
