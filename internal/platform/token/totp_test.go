package token

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"
)

// TestTOTP uses the test vectors of RFC 6238, appendix B, shortened to six digits.
func TestTOTP(t *testing.T) {
	t.Parallel()
	secret := base32Text.EncodeToString([]byte("12345678901234567890"))
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		now := time.Unix(at, 0)
		if got := TOTP(secret, now); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
		for off, ok := range map[time.Duration]bool{0: true, -totpStep: true, totpStep: true, 3 * totpStep: false, -3 * totpStep: false} {
			if step := CheckTOTP(secret, want, now.Add(off)); (step == at/30) != ok {
				t.Errorf("at %d, %v off: step %d", at, off, step)
			}
		}
	}
	for _, bad := range []string{"", "28708", "2870822", "abcdef"} {
		if CheckTOTP(secret, bad, time.Unix(59, 0)) != 0 {
			t.Errorf("code %q was accepted", bad)
		}
	}
	if CheckTOTP("not base32!", "287082", time.Unix(59, 0)) != 0 {
		t.Error("a damaged secret was accepted")
	}
}

func TestNewTOTP(t *testing.T) {
	t.Parallel()
	a, err := NewTOTP(rand.Reader)
	b, err2 := NewTOTP(rand.Reader)
	if err != nil || err2 != nil || a == b || len(a) != 32 {
		t.Fatalf("NewTOTP: %q, %q, %v, %v", a, b, err, err2)
	}
	if got, want := TOTPURI("Homeroom", "a b@c.test", a), "otpauth://totp/Homeroom:a%20b@c.test?issuer=Homeroom&secret="+a; got != want {
		t.Errorf("TOTPURI: %s, want %s", got, want)
	}
	if _, err := NewTOTP(strings.NewReader("short")); err == nil {
		t.Error("NewTOTP succeeded without randomness")
	}
}
