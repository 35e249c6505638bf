package pdf

import (
	"strings"

	"github.com/go-text/typesetting/segmenter"
)

// Style is how text looks.
type Style struct {
	Size  float64
	Bold  bool
	Color Color
}

// Align says on which side of its place a text stands.
type Align int

// The sides.
const (
	Left Align = iota
	Center
	Right
)

// At is a place for text. With a width it is the room from X to X+W, into which
// the text is made to fit; without one, X is where it starts, ends or has its
// middle.
type At struct {
	X, Y, W float64
	Align   Align
}

// smallest is how far text is made smaller to fit before its end is left out.
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

// Measure is how wide a line is.
func (d *Doc) Measure(st Style, s string) float64 {
	if s = tidy(s); isPlain(s) {
		d.use(st)
		return d.f.GetStringWidth(s)
	}
	return d.shape(s, st.Bold).advance * st.Size
}

// fit makes a line smaller until it fits, and then leaves its end out.
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
	for low < high { // the most letters that fit
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

// Lines draws text within its width, broken into at most so many lines, and
// returns where the line after it would stand. What is left over ends in "…".
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

// wrap breaks text where its script allows it.
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

// pieces cuts text where a line may end.
func pieces(s string) []string {
	var seg segmenter.Segmenter
	seg.Init([]rune(s))
	var out []string
	for it := seg.LineIterator(); it.Next(); {
		out = append(out, string(it.Line().Text))
	}
	return out
}

// graphemes cuts text into what people take for one letter.
func graphemes(s string) []string {
	var seg segmenter.Segmenter
	seg.Init([]rune(s))
	var out []string
	for it := seg.GraphemeIterator(); it.Next(); {
		out = append(out, string(it.Grapheme().Text))
	}
	return out
}
