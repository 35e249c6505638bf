package library

import (
	"strings"
)

// parseISBN parses an ISBN-10 or ISBN-13, with or without dashes and spaces, and
// returns it as ISBN-13. It returns false if the check digit is wrong.
func parseISBN(s string) (string, bool) {
	s = strings.NewReplacer("-", "", " ", "", "\u2010", "", "\u2011", "", "\u2013", "").Replace(strings.TrimSpace(s))
	switch {
	case len(s) == 10 && isDigits(s[:9]) && check10(s):
		body := "978" + s[:9]
		return body + string(digit13(body)), true
	case len(s) == 13 && isDigits(s) && (strings.HasPrefix(s, "978") || strings.HasPrefix(s, "979")) && digit13(s[:12]) == s[12]:
		return s, true
	}
	return "", false
}

// isbn10 is the ISBN-10 of an ISBN-13, as older books have it printed; "" if there is none.
func isbn10(isbn string) string {
	if len(isbn) != 13 || !strings.HasPrefix(isbn, "978") {
		return ""
	}
	for _, last := range "0123456789X" {
		if s := isbn[3:12] + string(last); check10(s) {
			return s
		}
	}
	return ""
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// check10 validates an ISBN-10: the sum with weights 10 to 1 is divisible by 11. The
// last digit may be X, for 10.
func check10(s string) bool {
	sum := 0
	for i := range 9 {
		sum += (10 - i) * int(s[i]-'0')
	}
	switch last := s[9]; {
	case last == 'X' || last == 'x':
		sum += 10
	case last >= '0' && last <= '9':
		sum += int(last - '0')
	default:
		return false
	}
	return sum%11 == 0
}

// digit13 is the ISBN-13 check digit of twelve digits, with weights 1 and 3.
func digit13(s string) byte {
	sum := 0
	for i := range 12 {
		weight := 1 + 2*(i%2)
		sum += weight * int(s[i]-'0')
	}
	return byte('0' + (10-sum%10)%10)
}
