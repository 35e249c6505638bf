package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"
)

// parsed are the parsed fonts, shared by documents.
type parsed map[string]*font.Font

func (f *Fonts) font(face string) (*font.Font, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.parsed[face]; ok {
		return known, nil
	}
	raw, err := unpack(face)
	if err != nil {
		return nil, err
	}
	read, err := font.ParseTTF(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read font %s: %w", face, err)
	}
	if f.parsed == nil {
		f.parsed = parsed{}
	}
	f.parsed[face] = read.Font
	return read.Font, nil
}

// shaper shapes the text of one document.
type shaper struct {
	faces     map[string]*face
	paragraph bidi.Paragraph
	buffer    *harfbuzz.Buffer
}

// face is a font in one document.
type face struct {
	*font.Face
	hb      *harfbuzz.Font
	thicken bool // emulate bold
	paths   map[font.GID]string
}

func (s *shaper) face(fonts *Fonts, name string) (*face, error) {
	if f, ok := s.faces[name]; ok {
		return f, nil
	}
	read, err := fonts.font(name)
	if err != nil {
		return nil, err
	}
	own := font.NewFace(read)
	f := &face{Face: own, hb: harfbuzz.NewFont(own), thicken: name != regular && name != bold, paths: map[font.GID]string{}}
	if s.faces == nil {
		s.faces = map[string]*face{}
	}
	s.faces[name] = f
	return f, nil
}

// shape lays out a line: by direction, then by script and face.
func (s *shaper) shape(fonts *Fonts, text string, isBold bool) (run, error) {
	runes := []rune(text)
	faces, err := s.choose(fonts, runes, isBold)
	if err != nil {
		return run{}, err
	}
	writing := scriptsOf(runes)
	runs := s.paragraph.Segment(runes, bidi.Neutral)
	var out run
	for _, part := range visual(&runs) {
		for _, piece := range split(part, faces, writing) {
			s.add(&out, runes, piece, faces[piece.Start], writing[piece.Start], isBold)
		}
	}
	return out, nil
}

// choose selects a face for every character: that of its script, else that of the
// previous character, so that common characters stay with their neighbours, else any
// face of the text that has it.
func (s *shaper) choose(fonts *Fonts, runes []rune, isBold bool) ([]*face, error) {
	name := regular
	if isBold {
		name = bold
	}
	usual, err := s.face(fonts, name)
	if err != nil {
		return nil, err
	}
	own := make([]*face, len(runes))
	var all []*face
	for i, r := range runes {
		if name := faceOf(r); name != "" {
			if own[i], err = s.face(fonts, name); err != nil {
				return nil, err
			}
			all = append(all, own[i])
		}
	}
	out := make([]*face, len(runes))
	for i, r := range runes {
		candidates := append([]*face{own[i], usual}, all...)
		if i > 0 {
			candidates = append([]*face{own[i], out[i-1], usual}, all...)
		}
		out[i] = usual
		if at := slices.IndexFunc(candidates, func(f *face) bool { return f != nil && f.has(r) }); at >= 0 {
			out[i] = candidates[at]
		}
	}
	return out, nil
}

func (f *face) has(r rune) bool {
	_, ok := f.NominalGlyph(r)
	return ok
}

// scriptsOf returns the script of every character; common characters get that of their
// neighbour.
func scriptsOf(runes []rune) []language.Script {
	out := make([]language.Script, len(runes))
	for i, r := range runes {
		out[i] = language.LookupScript(r)
		if i > 0 && neutral(out[i]) {
			out[i] = out[i-1]
		}
	}
	for i := len(out) - 2; i >= 0; i-- {
		if neutral(out[i]) {
			out[i] = out[i+1]
		}
	}
	return out
}

func neutral(s language.Script) bool {
	return s == language.Common || s == language.Inherited || s == language.Unknown
}

// visual orders the runs of a line from left to right (rule L2 of the Unicode
// bidirectional algorithm).
func visual(runs *bidi.Runs) []bidi.Run {
	var out []bidi.Run
	var deepest bidi.Level
	for i := range runs.NumRuns() {
		out = append(out, runs.Run(i))
		deepest = max(deepest, out[i].Level)
	}
	for level := deepest; level > 0; level-- {
		for i := 0; i < len(out); i++ {
			j := i
			for j < len(out) && out[j].Level >= level {
				j++
			}
			slices.Reverse(out[i:j])
			i = j
		}
	}
	return out
}

// split splits a run where the face or the script changes, in visual order.
func split(r bidi.Run, faces []*face, writing []language.Script) []bidi.Run {
	var out []bidi.Run
	for i := r.Start; i < r.End; i++ {
		if i > r.Start && faces[i] == faces[i-1] && writing[i] == writing[i-1] {
			out[len(out)-1].End++
			continue
		}
		out = append(out, bidi.Run{Start: i, End: i + 1, Level: r.Level})
	}
	if !r.IsLeftToRight() {
		slices.Reverse(out)
	}
	return out
}

// add shapes one piece and appends its glyphs to the line.
func (s *shaper) add(out *run, runes []rune, piece bidi.Run, f *face, script language.Script, isBold bool) {
	if s.buffer == nil {
		s.buffer = harfbuzz.NewBuffer()
	}
	b := s.buffer
	b.Clear()
	b.Props = harfbuzz.SegmentProperties{Direction: harfbuzz.LeftToRight, Script: script}
	if !piece.IsLeftToRight() {
		b.Props.Direction = harfbuzz.RightToLeft
	}
	b.AddRunes(runes, piece.Start, piece.End-piece.Start)
	b.Shape(f.hb, nil)
	unit := 1 / float64(f.Upem())
	for i, info := range b.Info {
		at := b.Pos[i]
		if path := f.path(info.Glyph); path != "" {
			out.glyphs = append(out.glyphs, glyph{path: path, unit: unit, thicken: isBold && f.thicken,
				x: out.advance + float64(at.XOffset)*unit, y: float64(at.YOffset) * unit})
		}
		out.advance += float64(at.XAdvance) * unit
	}
}

// path returns a glyph's outline as PDF operators, in font units.
func (f *face) path(g font.GID) string {
	if p, ok := f.paths[g]; ok {
		return p
	}
	var b strings.Builder
	outline, _ := f.GlyphDataOutline(g)
	var at opentype.SegmentPoint
	for i, seg := range outline.Segments {
		if seg.Op == opentype.SegmentOpMoveTo && i > 0 {
			b.WriteString("h ")
		}
		at = appendSegment(&b, at, seg)
	}
	if b.Len() > 0 {
		b.WriteString("h ")
	}
	f.paths[g] = b.String()
	return b.String()
}

// appendSegment appends a segment and returns its end. Quadratic curves are converted to
// cubic ones.
func appendSegment(b *strings.Builder, from opentype.SegmentPoint, seg opentype.Segment) opentype.SegmentPoint {
	a := seg.Args
	switch seg.Op {
	case opentype.SegmentOpMoveTo:
		return appendPoints(b, "m", a[0])
	case opentype.SegmentOpLineTo:
		return appendPoints(b, "l", a[0])
	case opentype.SegmentOpQuadTo:
		toward := func(p opentype.SegmentPoint) opentype.SegmentPoint {
			return opentype.SegmentPoint{X: p.X + (a[0].X-p.X)*2/3, Y: p.Y + (a[0].Y-p.Y)*2/3}
		}
		return appendPoints(b, "c", toward(from), toward(a[1]), a[1])
	default:
		return appendPoints(b, "c", a[0], a[1], a[2])
	}
}

func appendPoints(b *strings.Builder, op string, points ...opentype.SegmentPoint) opentype.SegmentPoint {
	for _, p := range points {
		b.WriteString(number(float64(p.X), 1) + " " + number(float64(p.Y), 1) + " ")
	}
	b.WriteString(op + " ")
	return points[len(points)-1]
}
