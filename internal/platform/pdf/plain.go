package pdf

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// plainRunes are the characters of the plain faces that need no shaping: Latin, Greek and
// Cyrillic, with punctuation.
var plainRunes = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0020, Hi: 0x007e, Stride: 1}, {Lo: 0x00a0, Hi: 0x00ac, Stride: 1}, {Lo: 0x00ae, Hi: 0x024f, Stride: 1},
	{Lo: 0x0370, Hi: 0x0377, Stride: 1}, {Lo: 0x037a, Hi: 0x037f, Stride: 1}, {Lo: 0x0384, Hi: 0x038a, Stride: 1},
	{Lo: 0x038c, Hi: 0x038c, Stride: 1}, {Lo: 0x038e, Hi: 0x03a1, Stride: 1}, {Lo: 0x03a3, Hi: 0x03e1, Stride: 1},
	{Lo: 0x0400, Hi: 0x0482, Stride: 1}, {Lo: 0x048a, Hi: 0x052f, Stride: 1}, {Lo: 0x1e00, Hi: 0x1eff, Stride: 1},
	{Lo: 0x2010, Hi: 0x2027, Stride: 1}, {Lo: 0x2030, Hi: 0x203a, Stride: 1}, {Lo: 0x20a0, Hi: 0x20bf, Stride: 1},
	{Lo: 0x2116, Hi: 0x2116, Stride: 1}, {Lo: 0x2122, Hi: 0x2122, Stride: 1},
}}

// plainText returns all plain characters.
func plainText() string {
	var b strings.Builder
	for _, r := range plainRunes.R16 {
		for c := r.Lo; c <= r.Hi; c++ {
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

// isPlain reports whether the plain faces can draw the text without shaping.
func isPlain(s string) bool {
	for _, r := range s {
		if !unicode.Is(plainRunes, r) {
			return false
		}
	}
	return true
}

// tidy composes letters with their accents (NFC) and replaces control characters by
// spaces.
func tidy(s string) string {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = ' ' <= s[i] && s[i] <= '~'
	}
	if ascii {
		return s
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\u200c' || r == '\u200d': // joiner and non-joiner
			return r
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(s)
}

// use selects the face and the colour of plain text.
func (d *Doc) use(st Style) {
	style := ""
	if st.Bold {
		style = "B"
	}
	d.f.SetFont(family, style, st.Size)
	d.f.SetTextColor(int(st.Color.R), int(st.Color.G), int(st.Color.B))
}

func (d *Doc) plain(x, y float64, st Style, s string) {
	d.use(st)
	d.f.Text(x, y, s)
}
