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

// Fold is the form in which text is searched: neither case nor accents nor the
// way an accent was typed make a difference. The databases can't do that: both
// know the case of ASCII alone.
func Fold(s string) string {
	if isASCII(s) { // most names, and a hundred times as fast
		return strings.ToLower(s)
	}
	bare, _, err := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn))), s)
	if err != nil {
		bare = s // not UTF-8, which web lets nobody send
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

// SearchText is the folded text of a record's search column. What is looked for
// may span the fields of one line, but not two lines.
func SearchText(lines ...string) string {
	return Fold(strings.Join(lines, "\n"))
}

// Pattern is the LIKE pattern that finds s in a search column; "" for no s.
func Pattern(s string) string {
	return db.Contains(strings.Join(strings.Fields(Fold(s)), " "))
}
