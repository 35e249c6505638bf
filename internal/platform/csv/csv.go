// Package csv reads and writes CSV files of spreadsheets.
//
// A Reader accepts UTF-8 with or without a byte order mark; comma, semicolon or tab;
// quoted line breaks; columns in any order, named by field ("firstName") or in plain
// words ("First Name"). It holds one row in memory. An invalid row is reported by its
// spreadsheet row number, and reading continues.
//
// A Writer escapes cells that a spreadsheet would run as a formula (CSV injection); a
// Reader removes exactly that escape, so that values round-trip.
package csv

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Type is the media type of CSV files.
const Type = "text/csv"

// Column is a known column.
type Column struct {
	Name string   // field name; the header of a Writer
	Also []string // other names; case, spaces and punctuation are ignored
}

// Problem is an error in one row, or in the header (row 1). Message tells a person what
// to do.
type Problem struct {
	Row     int
	Column  string // "" for the whole row
	Message string
	Hints   []string // on the header: names that may be misspelt
	Last    bool     // the rest of the file can't be read
}

// Error implements error.
func (p *Problem) Error() string {
	if p.Column == "" {
		return fmt.Sprintf("row %d: %s", p.Row, p.Message)
	}
	return fmt.Sprintf("row %d, %s: %s", p.Row, p.Column, p.Message)
}

// word normalizes a header for comparison: lower-case letters and digits.
func word(header string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, header)
}

// escaped reports whether a cell would be a formula, or looks like a result of Escape.
func escaped(cell string) bool {
	for _, c := range cell {
		switch {
		case strings.ContainsRune("=+-@\t\r\n", c):
			return true
		case c != '\'' && !unicode.IsSpace(c): // cells are trimmed first
			return false
		}
	}
	return false
}

// negative matches a plain negative number, such as an amount.
var negative = regexp.MustCompile(`^-[0-9]+(\.[0-9]+)?$`)

// Escape prefixes an apostrophe to a cell that a spreadsheet would run as a formula. This
// includes +1555…: a spreadsheet would turn a phone into a number and lose the plus. A
// negative number stays a number.
func Escape(cell string) string {
	if escaped(cell) && !negative.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// Unescape undoes Escape.
func Unescape(cell string) string {
	if cell != "" && cell[0] == '\'' && escaped(cell) {
		return cell[1:]
	}
	return cell
}
