package web

import (
	"net/mail"
	"strings"
	"testing"
)

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
