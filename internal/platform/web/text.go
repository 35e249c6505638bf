package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	errNUL   = errors.New("must not contain a NUL character")
	errUTF8  = errors.New("must be valid UTF-8")
	errLine  = errors.New("must be one line without control characters")
	errLines = errors.New("must not contain control characters other than line breaks and tabs")

	errNumber = errors.New("must not contain a number that is too large, too small or too long")
)

// Line validates a single-line string, such as a name. It rejects control characters,
// line separators and bidi controls, which can disguise text. The binder calls it for
// every string without the tag multiline.
func Line(s string) error {
	for _, c := range s {
		if !printable(c) {
			return reason(s, errLine)
		}
	}
	return valid(s)
}

// Lines validates a multi-line string and returns it with \n as line break. Bidi
// controls are common in pasted text and end with their line, so only overrides,
// which reverse letters, are rejected.
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

// isDirection reports whether c is a bidi control: an embedding, override or isolate.
func isDirection(c rune) bool {
	return '\u202a' <= c && c <= '\u202e' || '\u2066' <= c && c <= '\u2069'
}

// ordinary validates a number whose size a program or database may not bear: PostgreSQL's
// documents have at most 16383 decimals.
func ordinary(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	digits, _, _ := strings.Cut(strings.ToLower(s), "e")
	if err != nil || len(s) > maxNumber || f == 0 && strings.ContainsAny(digits, "123456789") {
		return errNumber
	}
	return nil
}

// maxNumber is the length of a number of any size.
const maxNumber = 64

// lineWithin validates every string and number in arbitrary JSON.
func lineWithin(v any) error {
	switch v := v.(type) {
	case string:
		return Line(v)
	case json.Number:
		return ordinary(v.String())
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

// Clean validates a string by a format and returns it normalized, for input that is
// not JSON.
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
