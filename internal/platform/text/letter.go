package text

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Brand is the design of a school's e-mails.
type Brand struct {
	School string
	Color  string // #rrggbb; default: the service's own
	Footer string // the school's own footer
	Logo   string // image URL; "" shows only the name
}

// Letter is an e-mail, rendered as HTML and plain text.
type Letter struct {
	Brand
	Locale string
	Title  Text
	Name   string // for the greeting; may be empty
	Before []Text // paragraphs
	Button Text   // optional link
	URL    string
	After  []Text // paragraphs below the link
}

//go:embed letter.html
var letterHTML string

var letterTemplate = template.Must(template.New("letter").Parse(letterHTML))

// accent is the default colour: the brand of web/style/tokens.css. E-mail programs know
// no variables and no oklch, so letter.html repeats the tokens it needs as #rrggbb.
const accent = "#2f4db5"

// said is a letter in one language.
type said struct {
	Lang, School, Crest, Logo   string
	Title, Greeting             string
	Before, After, Footer       []string
	Button, URL, LinkHint, Sent string
	Color, Ink                  template.CSS // validated
}

func (c *Catalogue) letter(l Letter) said {
	say := func(t Text) string { return c.Say(l.Locale, t) }
	all := func(list []Text) (out []string) {
		for _, t := range list {
			out = append(out, lines(say(t))...)
		}
		return out
	}
	color := l.Color
	if !IsColor(color) {
		color = accent
	}
	s := said{Lang: c.Language(l.Locale), School: l.School, Crest: initial(l.School), Logo: l.Logo, Title: say(l.Title),
		Before: all(l.Before), After: all(l.After), Footer: lines(l.Footer), URL: l.URL,
		Sent: say(T("letter.sent", "school", l.School)), Color: template.CSS(color), Ink: template.CSS(ink(color))}
	if l.Name != "" {
		s.Greeting = say(T("letter.greeting", "name", l.Name))
	}
	if l.URL != "" {
		s.Button, s.LinkHint = say(l.Button), say(T("letter.link"))
	}
	return s
}

// initial returns the first letter of a name, for the square that stands for a logo.
func initial(name string) string {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "H"
}

// lines returns the non-blank lines of a text.
func lines(s string) (out []string) {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Write renders the letter as plain text and HTML, in its language.
func (c *Catalogue) Write(l Letter) (plain, html string) {
	s := c.letter(l)
	var b strings.Builder
	if err := letterTemplate.Execute(&b, s); err != nil {
		panic(fmt.Sprintf("letter: %v", err)) // can't fail: a test runs the template
	}
	return s.plain(), b.String()
}

func (s said) plain() string {
	var parts []string
	for _, p := range [][]string{{s.Greeting}, s.Before, {s.URL}, s.After, {"-- \n" + strings.Join(append(s.Footer, s.Sent), "\n")}} {
		for _, line := range p {
			if line != "" {
				parts = append(parts, line)
			}
		}
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// IsColor reports whether s is a colour as #rrggbb.
func IsColor(s string) bool {
	if len(s) != 7 || s[0] != '#' {
		return false
	}
	_, err := strconv.ParseUint(s[1:], 16, 32)
	return err == nil
}

// ink returns the text colour with more contrast on a background, white or near black.
// The contrast is at least 4.2 to 1.
func ink(color string) string {
	const white, black = "#ffffff", "#111111"
	if contrast(color, white) >= contrast(color, black) {
		return white
	}
	return black
}

// contrast is the WCAG contrast ratio, 1 to 21.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(color string) float64 {
	n, _ := strconv.ParseUint(color[1:], 16, 32) // validated by IsColor
	part := func(shift int) float64 {
		v := float64(n>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}
