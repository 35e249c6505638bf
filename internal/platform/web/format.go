package web

import (
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
)

// checks validate the formats of strings. A check returns the normalized value, or
// an error with the expected format.
var checks = map[string]func(string) (string, error){
	"uuid":      checkUUID,
	"date":      checkDate,
	"time":      checkTime,
	"date-time": checkDateTime,
	"email":     checkEmail,
	"phone":     checkPhone,
	"timezone":  checkTimezone,
	"currency":  checkCurrency,
	"uri":       checkURI,
	"password":  func(s string) (string, error) { return s, nil },
}

// patterns describe, for the API documentation, what a check accepts and JSON Schema's
// format of that name does not say.
var patterns = map[string]string{
	"date":      `^(19|20|21)[0-9]{2}-`,
	"date-time": `^(19|20|21)[0-9]{2}-`,
	"time":      `^([01][0-9]|2[0-3]):[0-5][0-9]$`,
	"phone":     `^[ ()\[\]-]*\+([ ()\[\]-]*[0-9]){7,15}[ ()\[\]-]*$`,
	"currency":  `^[A-Z]{3}$`,
	"uri":       `^https?://`,
}

// FormatPattern returns the pattern of the values of a format that an input accepts, or "".
func FormatPattern(format string) string { return patterns[format] }

func checkUUID(s string) (string, error) {
	v, err := id.Parse(s)
	if err != nil {
		return "", fmt.Errorf("must be a valid id (a UUID)")
	}
	return string(v), nil
}

func checkDate(s string) (string, error) {
	if _, err := clock.ParseDate(s); err != nil {
		return "", fmt.Errorf("must be a date as YYYY-MM-DD")
	}
	return s, nil
}

func checkTime(s string) (string, error) {
	if _, err := clock.ParseTimeOfDay(s); err != nil {
		return "", fmt.Errorf("must be a time in the format HH:MM, 00:00 to 23:59")
	}
	return s, nil
}

func checkDateTime(s string) (string, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.Year() < 1900 || t.Year() > 2199 {
		return "", fmt.Errorf("must be a date and time such as 2026-11-15T08:05:00Z")
	}
	return t.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano), nil
}

func checkEmail(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if isPlainEmail(s) {
		return s, nil
	}
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || strings.ContainsAny(s, " \"\r\n") {
		return "", fmt.Errorf("must be an e-mail address, as name@example.org")
	}
	return s, nil
}

// isPlainEmail is the fast path for common addresses: ASCII words separated by
// single dots, before and after the @.
func isPlainEmail(s string) bool {
	at, before := false, byte('.')
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_', c == '+' && !at:
		case c == '.' && before != '.' && before != '@':
		case c == '@' && before != '.' && !at:
			at = true
		default:
			return false
		}
		before = c
	}
	return at && before != '.' && before != '@'
}

// checkPhone removes spaces, dashes and brackets.
func checkPhone(s string) (string, error) {
	bad := fmt.Errorf("must be a phone number with + and country code, such as +15550100001")
	s = strings.NewReplacer(" ", "", "-", "", "(", "", ")", "", "[", "", "]", "", "\u00a0", "").Replace(s)
	digits, ok := strings.CutPrefix(s, "+")
	if !ok || len(digits) < 7 || len(digits) > 15 {
		return "", bad
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return "", bad
		}
	}
	return s, nil
}

func checkTimezone(s string) (string, error) {
	if _, err := time.LoadLocation(s); err != nil || s == "" || s == "Local" {
		return "", fmt.Errorf("must be the name of a time zone, such as Europe/Berlin")
	}
	return s, nil
}

func checkCurrency(s string) (string, error) {
	bad := fmt.Errorf("must be a currency code of three letters, such as EUR")
	if len(s) != 3 {
		return "", bad
	}
	for _, c := range []byte(s) {
		if c < 'A' || c > 'Z' {
			return "", bad
		}
	}
	return s, nil
}

func checkURI(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", fmt.Errorf("must be a web address, such as https://example.org/page")
	}
	return s, nil
}
