package pdf

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"sync"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
)

//go:embed fonts/*.gz
var files embed.FS

// The two faces for plain text.
const (
	regular = "NotoSans-Regular"
	bold    = "NotoSans-Bold"
)

// scripts lists the face of every script that is shaped and drawn as outlines.
var scripts = []struct {
	face   string
	tables []*unicode.RangeTable
}{
	{"NotoSansArabic-Regular", []*unicode.RangeTable{unicode.Arabic}},
	{"NotoSansHebrew-Regular", []*unicode.RangeTable{unicode.Hebrew}},
	{"NotoSansDevanagari-Regular", []*unicode.RangeTable{unicode.Devanagari}},
	{"NotoSansBengali-Regular", []*unicode.RangeTable{unicode.Bengali}},
	{"NotoSansGurmukhi-Regular", []*unicode.RangeTable{unicode.Gurmukhi}},
	{"NotoSansGujarati-Regular", []*unicode.RangeTable{unicode.Gujarati}},
	{"NotoSansOriya-Regular", []*unicode.RangeTable{unicode.Oriya}},
	{"NotoSansTamil-Regular", []*unicode.RangeTable{unicode.Tamil}},
	{"NotoSansTelugu-Regular", []*unicode.RangeTable{unicode.Telugu}},
	{"NotoSansKannada-Regular", []*unicode.RangeTable{unicode.Kannada}},
	{"NotoSansMalayalam-Regular", []*unicode.RangeTable{unicode.Malayalam}},
	{"NotoSansSinhala-Regular", []*unicode.RangeTable{unicode.Sinhala}},
	{"NotoSansThai-Regular", []*unicode.RangeTable{unicode.Thai}},
	{"NotoSansLao-Regular", []*unicode.RangeTable{unicode.Lao}},
	{"NotoSansKhmer-Regular", []*unicode.RangeTable{unicode.Khmer}},
	{"NotoSansMyanmar-Regular", []*unicode.RangeTable{unicode.Myanmar}},
	{"NotoSerifTibetan-Regular", []*unicode.RangeTable{unicode.Tibetan}},
	{"NotoSansGeorgian-Regular", []*unicode.RangeTable{unicode.Georgian}},
	{"NotoSansArmenian-Regular", []*unicode.RangeTable{unicode.Armenian}},
	{"NotoSansEthiopic-Regular", []*unicode.RangeTable{unicode.Ethiopic}},
	{"NotoSansThaana-Regular", []*unicode.RangeTable{unicode.Thaana}},
	{"NotoSansMongolian-Regular", []*unicode.RangeTable{unicode.Mongolian}},
	{"NotoSansMeeteiMayek-Regular", []*unicode.RangeTable{unicode.Meetei_Mayek}},
	{"NotoSansOlChiki-Regular", []*unicode.RangeTable{unicode.Ol_Chiki}},
	{"NotoSansCherokee-Regular", []*unicode.RangeTable{unicode.Cherokee}},
	{"NotoSansTifinagh-Regular", []*unicode.RangeTable{unicode.Tifinagh}},
	{"NotoSansNKo-Regular", []*unicode.RangeTable{unicode.Nko}},
	{"NotoSansAdlam-Regular", []*unicode.RangeTable{unicode.Adlam}},
	{"NotoSansCanadianAboriginal-Regular", []*unicode.RangeTable{unicode.Canadian_Aboriginal}},
	{"DroidSansFallback", []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, wide}},
}

// wide is CJK punctuation.
var wide = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3000, Hi: 0x303f, Stride: 1}, {Lo: 0xff00, Hi: 0xffef, Stride: 1}}}

// faceOf returns the face of a character's script, or "" for the plain ones.
func faceOf(r rune) string {
	for _, s := range scripts {
		if unicode.In(r, s.tables...) {
			return s.face
		}
	}
	return ""
}

// Fonts loads typefaces on first use and keeps them. The zero value is ready to use, and
// documents share one.
type Fonts struct {
	mu     sync.Mutex
	cut    map[string][]byte // plain faces, subset to plain text
	parsed parsed
}

// plain returns the font file of a plain face, subset to plain text: a document embeds it
// whole before it knows what it needs.
func (f *Fonts) plain(face string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cut, ok := f.cut[face]; ok {
		return cut, nil
	}
	raw, err := unpack(face)
	if err != nil {
		return nil, err
	}
	if f.cut == nil {
		f.cut = map[string][]byte{}
	}
	f.cut[face] = fpdf.UTF8CutFont(raw, plainText())
	return f.cut[face], nil
}

// unpack decompresses the font file of a face.
func unpack(face string) ([]byte, error) {
	packed, err := files.ReadFile("fonts/" + face + ".ttf.gz")
	if err != nil {
		return nil, fmt.Errorf("open font: %w", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack font %s: %w", face, err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("unpack font %s: %w", face, err)
	}
	return raw, nil
}
