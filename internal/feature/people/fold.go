package people

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"homeroom/internal/platform/db"
)

// Fold normalizes text for searching: case folding, no accents, Unicode NFKC.
// Done here because the databases fold ASCII only.
func Fold(s string) string {
	if isASCII(s) { // fast path
		return strings.ToLower(s)
	}
	bare, _, err := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn))), s)
	if err != nil {
		bare = s // invalid UTF-8; web refuses it
	}
	return norm.NFKC.String(cases.Fold().String(bare))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// SearchText is the content of a search column. A match can't span two lines.
func SearchText(lines ...string) string {
	return Fold(strings.Join(lines, "\n"))
}

// Pattern is the LIKE pattern that finds s in a search column; "" for no s.
func Pattern(s string) string {
	return db.Contains(strings.Join(strings.Fields(Fold(s)), " "))
}
