package web

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	errNUL   = errors.New("must not contain a NUL character")
	errUTF8  = errors.New("must be valid UTF-8")
	errLine  = errors.New("must be one line without control characters")
	errLines = errors.New("must not contain control characters other than line breaks and tabs")
)

// Line checks a text of one line, such as a name. Control characters, line
// separators and direction marks are refused: they make a text look like another.
// The binding calls it for every string that is not tagged multiline.
func Line(s string) error {
	for _, c := range s {
		if !printable(c) {
			return reason(s, errLine)
		}
	}
	return valid(s)
}

// Lines checks a text of several lines and returns it with \n for every line end.
// Direction marks come along with pasted text and end with their line, so that
// only those that turn letters around are refused.
func Lines(s string) (string, error) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for _, c := range s {
		if !printable(c) && c != '\n' && c != '\t' && !(isDirection(c) && c != '\u202d' && c != '\u202e') {
			return "", reason(s, errLines)
		}
	}
	return s, valid(s)
}

func reason(s string, otherwise error) error {
	if strings.ContainsRune(s, 0) {
		return errNUL
	}
	return otherwise
}

func valid(s string) error {
	if !utf8.ValidString(s) {
		return errUTF8
	}
	return nil
}

func printable(c rune) bool {
	switch {
	case c < ' ':
		return false
	case c < utf8.RuneSelf-1: // before DEL
		return true
	}
	return !unicode.IsControl(c) && c != '\u2028' && c != '\u2029' && !isDirection(c)
}

// isDirection holds for the embeddings, overrides and isolates of bidirectional text.
func isDirection(c rune) bool {
	return '\u202a' <= c && c <= '\u202e' || '\u2066' <= c && c <= '\u2069'
}

// lineWithin checks every text in a value of no fixed shape.
func lineWithin(v any) error {
	switch v := v.(type) {
	case string:
		return Line(v)
	case []any:
		for _, x := range v {
			if err := lineWithin(x); err != nil {
				return err
			}
		}
	case map[string]any:
		for k, x := range v {
			if err := errors.Join(Line(k), lineWithin(x)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Clean checks a text by the rule of a format tag and returns it as it is kept
// and compared, for input that does not come as JSON.
func Clean(format, s string) (string, error) {
	if err := Line(s); err != nil {
		return "", err
	}
	check, ok := checks[format]
	if !ok {
		return "", fmt.Errorf("web: unknown format %s", format)
	}
	return check(strings.TrimSpace(s))
}
