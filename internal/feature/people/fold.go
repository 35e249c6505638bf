package people

import (
	"strconv"
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

// maxWords bounds the conditions of a search. The last word is the rest of the text.
const maxWords = 6

// Matches is the condition that a search column contains every word of s, in any order;
// "" without words. Its arguments are added to a.
func Matches(a db.Args, column, s string) string {
	return eachWord(a, s, func(word string) string { return contains(column, word) })
}

// StudentMatches is Matches for the students of a table or alias. Each word is part of the
// student's data or of a guardian's.
func StudentMatches(a db.Args, of, s string) string {
	return eachWord(a, s, func(word string) string {
		return `(` + contains(of+".search", word) + ` OR ` + of + `.id IN (
			SELECT l.student_id FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
			WHERE l.school_id = :school AND ` + contains("g.search", word) + `))`
	})
}

// contains casts the pattern: SQLite plans a statement again for every new pattern that is a
// bare parameter, and PostgreSQL evaluates a concatenation for every row.
func contains(column, word string) string {
	return column + ` LIKE CAST(` + word + ` AS TEXT) ESCAPE '\'`
}

// eachWord joins a condition on each word, which it names as a parameter.
func eachWord(a db.Args, s string, condition func(word string) string) string {
	sql := ""
	for i, word := range strings.SplitN(strings.Join(strings.Fields(Fold(s)), " "), " ", maxWords) {
		if word != "" {
			name := "word" + strconv.Itoa(i)
			a[name] = db.Contains(word)
			sql += ` AND ` + condition(":"+name)
		}
	}
	return sql
}
