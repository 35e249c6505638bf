package web

import (
	"net/mail"
	"regexp"
	"strings"
	"testing"
)

// The pattern of a format must accept what its check accepts, and refuse what it refuses.
func TestFormatPatterns(t *testing.T) {
	t.Parallel()
	for format, tt := range map[string]struct{ good, bad []string }{
		"date":      {[]string{"1900-01-01", "2199-12-31"}, []string{"1899-12-31", "2200-01-01", "0001-01-01"}},
		"date-time": {[]string{"2026-11-15T08:05:00Z"}, []string{"2200-01-01T00:00:00Z", "1899-01-01T00:00:00Z"}},
		"time":      {[]string{"00:00", "08:05", "23:59"}, []string{"24:00", "8:05", "08:60", "08:05:00", "08:05Z"}},
		"phone": {[]string{"+15550100001", "+49 (30) 123-456", "(+49) 30 1234567"},
			[]string{"15550100001", "+123456", "+1234567890123456", "+4930x1234"}},
		"currency": {[]string{"EUR"}, []string{"eur", "EURO", "E1R"}},
		"uri":      {[]string{"https://example.org/a"}, []string{"ftp://example.org", "example.org"}},
	} {
		pattern := regexp.MustCompile(FormatPattern(format))
		for i, s := range append(tt.good, tt.bad...) {
			_, err := checks[format](s)
			if want := i < len(tt.good); pattern.MatchString(s) != want || (err == nil) != want {
				t.Errorf("%s %q: pattern %v, check %v, want %v", format, s, pattern.MatchString(s), err == nil, want)
			}
		}
	}
}

// Every address that isPlainEmail accepts is valid for net/mail too.
func FuzzPlainEmail(f *testing.F) {
	plain := []string{"a@b", "meera.nair@example.org", "meera_n+school@mail.example.co.uk", "1@2.3", "-a@-b"}
	other := []string{"", "@", "a@", "@b", "a.@b", ".a@b", "a..b@c", "a@b.", "a@.b",
		"a@b..c", "a@b@c", "a b@c", "a@b c", `"a"@b`, "a@b+c", "ä@b", "a,b@c", "<a@b>"}
	for _, s := range plain {
		if f.Add(s); !isPlainEmail(s) {
			f.Errorf("%q is not taken for plain", s)
		}
	}
	for _, s := range other {
		if f.Add(s); isPlainEmail(s) {
			f.Errorf("%q is taken for plain", s)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !isPlainEmail(s) {
			return
		}
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s || strings.ToLower(s) != s {
			t.Errorf("net/mail parses %q as %v, %v", s, a, err)
		}
	})
}
