package pdf

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/go-text/typesetting/font"

	"homeroom/internal/platform/pdf/pdftest"
)

var samples = map[string]string{
	"Arabic": "محمد عبد الله", "Urdu": "ڈاکٹر ٹیپو", "Hebrew": "שלום כהן", "Hindi": "अनुष्का श्रीवास्तव", "Bengali": "রবীন্দ্রনাথ ঠাকুর",
	"Punjabi": "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", "Gujarati": "કૃષ્ણ", "Oriya": "ଜଗନ୍ନାଥ",
	"Tamil": "தமிழ்ச்செல்வி", "Telugu": "శ్రీనివాస్", "Kannada": "ಶ್ರೀನಿವಾಸ",
	"Malayalam": "ശ്രീകുമാർ", "Sinhala": "ශ්\u200dරී ලංකා", "Thai": "สมชาย น้ำ",
	"Lao": "ພາສາລາວ", "Khmer": "ភាសាខ្មែរ", "Burmese": "မြန်မာ", "Tibetan": "བོད་སྐད",
	"Georgian": "ქართული", "Armenian": "Հայերեն", "Amharic": "አማርኛ",
	"Dhivehi": "ދިވެހި", "Mongolian": "ᠮᠣᠩᠭᠣᠯ", "Manipuri": "ꯃꯩꯇꯩ", "Santali": "ᱥᱟᱱᱛᱟᱲᱤ",
	"Cherokee": "ᏣᎳᎩ", "Berber": "ⵜⴰⵎⴰⵣⵉⵖⵜ", "Mandinka": "ߒߞߏ", "Fulani": "𞤆𞤵𞤤𞤢𞤪", "Inuktitut": "ᐃᓄᒃᑎᑐᑦ",
	"Chinese": "李小龍 张伟", "Japanese": "山田 太郎 やまだ・カナ", "Korean": "김철수", "mixed": "محمد Ali (5) अनु",
}

// Every script has a face with all letters of a name, and the name is on the page.
func TestScripts(t *testing.T) {
	t.Parallel()
	fonts := &Fonts{}
	d := New(fonts, About{Created: time.Unix(0, 0)})
	var sh shaper
	y := 40.0
	for _, script := range slices.Sorted(maps.Keys(samples)) {
		name := samples[script]
		runes := []rune(name)
		faces, err := sh.choose(fonts, runes, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range faces {
			if !f.has(runes[i]) && runes[i] != '\u200d' {
				t.Errorf("%s: no face has %q (%U)", script, runes[i], runes[i])
			}
		}
		d.Text(At{X: 40, Y: y}, Style{Size: 14, Bold: true}, name)
		if w := d.Measure(Style{Size: 14}, name); w < 20 || w > 200 {
			t.Errorf("width of %s: %v", script, w)
		}
		y += 22
	}
	var out bytes.Buffer
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
	pages, text, err := pdftest.Read(out.Bytes())
	if err != nil || pages != 1 {
		t.Fatalf("read: %d pages, %v", pages, err)
	}
	for script, name := range samples {
		if !strings.Contains(text, tidy(name)) {
			t.Errorf("%s is not on the page", script)
		}
	}
}

func TestShaping(t *testing.T) {
	t.Parallel()
	fonts := &Fonts{}
	shapedAs := func(t *testing.T, s string) run {
		t.Helper()
		var sh shaper
		r, err := sh.shape(fonts, s, false)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	// Joined letters are narrower than separate ones, and have other shapes.
	joined, apart := shapedAs(t, "محمد"), shapedAs(t, "م ح م د")
	if joined.advance >= apart.advance || slices.ContainsFunc(joined.glyphs, func(g glyph) bool { return g.path == apart.glyphs[0].path }) {
		t.Error("Arabic letters are not joined")
	}
	// Right to left: the first letter is right of the last.
	alef, bet := shapedAs(t, "א").glyphs[0].path, shapedAs(t, "ב").glyphs[0].path
	where := func(r run, path string) float64 {
		for _, g := range r.glyphs {
			if g.path == path {
				return g.x
			}
		}
		t.Fatal("a letter is missing")
		return 0
	}
	if r := shapedAs(t, "אב"); where(r, alef) <= where(r, bet) {
		t.Error("Hebrew runs from left to right")
	}
	// Digits run left to right within it.
	one, two := shapedAs(t, "1א").glyphs, shapedAs(t, "א12")
	digit := one[slices.IndexFunc(one, func(g glyph) bool { return g.path != alef })].path
	if x := where(two, digit); x >= where(two, alef) {
		t.Error("a number after Hebrew is right of it")
	}
	// A conjunct is one glyph, and a vowel sign moves before its letter.
	if r := shapedAs(t, "क्ष"); len(r.glyphs) != 1 {
		t.Errorf("glyphs of क्ष: got %d, want 1", len(r.glyphs))
	}
	ka, i := shapedAs(t, "क").glyphs[0].path, shapedAs(t, "कि")
	if where(i, ka) <= i.glyphs[0].x {
		t.Error("the sign of कि is after its letter")
	}
	if m := shapedAs(t, "न้ำ"); m.advance <= 0 {
		t.Error("no glyph")
	}
}

// The plain faces have all plain characters.
func TestPlainRunes(t *testing.T) {
	t.Parallel()
	fonts := &Fonts{}
	for _, name := range []string{regular, bold} {
		read, err := fonts.font(name)
		if err != nil {
			t.Fatal(err)
		}
		f := font.NewFace(read)
		for r := rune(0); r <= 0xffff; r++ {
			if unicode.Is(plainRunes, r) && (!(&face{Face: f}).has(r) || unicode.Is(unicode.Mn, r)) {
				t.Errorf("%s lacks %U", name, r)
			}
		}
	}
}

// A character without a face is drawn as a box, and the text is still there.
func TestUnknownRunes(t *testing.T) {
	t.Parallel()
	d := New(&Fonts{}, About{})
	d.Text(At{X: 10, Y: 10}, Style{Size: 10}, "🙂\u202e\x00 smile")
	var out bytes.Buffer
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
	if _, text, err := pdftest.Read(out.Bytes()); err != nil || text != "🙂  smile" {
		t.Errorf("text of an unknown character: %q, %v", text, err)
	}
}

func TestWrapWithoutBlanks(t *testing.T) {
	t.Parallel()
	d := New(&Fonts{}, About{})
	st := Style{Size: 12}
	lines := d.wrap(100, st, strings.Repeat("山田太郎", 20))
	for _, l := range lines {
		if w := d.Measure(st, l); w > 100 {
			t.Errorf("line %q is %v wide", l, w)
		}
	}
	if len(lines) < 8 {
		t.Errorf("wrapped lines: %q", lines)
	}
}

func BenchmarkShaped(b *testing.B) {
	fonts := &Fonts{}
	b.ReportAllocs()
	for b.Loop() {
		d := New(fonts, About{})
		for i, s := range []string{"محمد عبد الله", "अनुष्का श्रीवास्तव", "李小龍 张伟"} {
			d.Text(At{X: 40, Y: 40 + 20*float64(i)}, Style{Size: 14}, s)
		}
		if err := d.Write(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
