// Package csv reads and writes tables as people make them in spreadsheets.
//
// A Reader takes what comes: UTF-8 with or without a byte order mark; comma,
// semicolon or tab; quoted line breaks; columns in any order, named as in the
// records ("firstName") or in plain words ("First Name"). It keeps one row in
// memory. A row that is wrong is reported by the number that a spreadsheet shows
// for it, and reading goes on.
//
// A Writer escapes what a spreadsheet would run as a formula; a Reader takes
// exactly that escape away, so that what was written comes back as it was.
package csv

import (
	"fmt"
	"strings"
	"unicode"
)

// Column is a column that a file may have.
type Column struct {
	Name string   // as records call it; the columns of a Writer's header
	Also []string // what people call it; case, blanks and punctuation don't matter
}

// Problem is what is wrong with one row, or with the header (row 1). Message
// tells a person what to do.
type Problem struct {
	Row     int
	Column  string // "" for the row as a whole
	Message string
	Last    bool // nothing after it can be read
}

// Error implements error.
func (p *Problem) Error() string {
	if p.Column == "" {
		return fmt.Sprintf("row %d: %s", p.Row, p.Message)
	}
	return fmt.Sprintf("row %d, %s: %s", p.Row, p.Column, p.Message)
}

// word is a header as it is compared: letters and digits, small.
func word(header string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, header)
}

// escaped holds for what a spreadsheet would take for a formula, and for what
// looks as if Escape had made it.
func escaped(cell string) bool {
	for _, c := range cell {
		switch {
		case strings.ContainsRune("=+-@\t\r\n", c):
			return true
		case c != '\'' && !unicode.IsSpace(c): // readers trim a cell first
			return false
		}
	}
	return false
}

// Escape puts an apostrophe before what a spreadsheet would run as a formula, as
// people do by hand. That goes for +1555… too: without it a spreadsheet would
// make a phone a number and lose the plus.
func Escape(cell string) string {
	if escaped(cell) {
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
