package token

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestDigits(t *testing.T) {
	t.Parallel()
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	got, err := Digits(io.MultiReader(bytes.NewReader(every), bytes.NewReader(every)), 256)
	if err != nil {
		t.Fatal(err)
	}
	for d := '0'; d <= '9'; d++ {
		if n := strings.Count(got[:250], string(d)); n != 25 {
			t.Errorf("bytes for digit %c: got %d, want 25", d, n)
		}
	}
	for _, n := range []int{0, 1, 6} {
		if s, err := Digits(rand.Reader, n); err != nil || len(s) != n || strings.Trim(s, "0123456789") != "" {
			t.Errorf("Digits(%d) = %q, %v", n, s, err)
		}
	}
	if s, err := Digits(bytes.NewReader(every[250:]), 6); !errors.Is(err, io.EOF) || s != "" {
		t.Errorf("without randomness: %q, %v", s, err)
	}
}

func TestOpaqueAndDigest(t *testing.T) {
	t.Parallel()
	a, errA := Opaque(rand.Reader)
	b, errB := Opaque(rand.Reader)
	if errA != nil || errB != nil || a == b || len(a) != 43 || strings.ContainsAny(a+b, "+/=") {
		t.Errorf("Opaque: %q, %q, %v, %v", a, b, errA, errB)
	}
	if s, err := Opaque(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) || s != "" {
		t.Errorf("without randomness: %q, %v", s, err)
	}
	if got := Digest("abc"); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("Digest: got %s", got)
	}
}

func TestMAC(t *testing.T) {
	t.Parallel()
	r := testRing(t, "a", "b")
	old := testRing(t, "x")
	if err := old.Set(r.set.Load().keys[1]); err != nil { // a ring whose only key is r's second
		t.Fatal(err)
	}
	mac := r.MAC("otp", "ab", "c")
	for _, c := range []struct {
		name, purpose, mac string
		parts              []string
		want               bool
	}{
		{"same", "otp", mac, []string{"ab", "c"}, true},
		{"by an older key", "otp", old.MAC("otp", "ab", "c"), []string{"ab", "c"}, true},
		{"by a foreign key", "otp", testRing(t, "a").MAC("otp", "ab", "c"), []string{"ab", "c"}, false},
		{"other purpose", "link", mac, []string{"ab", "c"}, false},
		{"other split", "otp", mac, []string{"a", "bc"}, false},
		{"joined", "otp", mac, []string{"abc"}, false},
		{"empty part more", "otp", mac, []string{"ab", "c", ""}, false},
		{"none", "otp", mac, nil, false},
		{"empty mac", "otp", "", []string{"ab", "c"}, false},
		{"cut mac", "otp", mac[:42], []string{"ab", "c"}, false},
		{"longer mac", "otp", mac + "=", []string{"ab", "c"}, false},
	} {
		if got := r.CheckMAC(c.purpose, c.mac, c.parts...); got != c.want {
			t.Errorf("CheckMAC, %s: %v", c.name, got)
		}
	}
	if old.CheckMAC("otp", mac, "ab", "c") {
		t.Error("CheckMAC succeeded without the key")
	}
}

func TestSeal(t *testing.T) {
	t.Parallel()
	r := testRing(t, "a")
	for _, plain := range []string{"", "123456", strings.Repeat("long ", 10000)} {
		one, err1 := r.Seal("sms", []byte(plain))
		two, err2 := r.Seal("sms", []byte(plain))
		if err1 != nil || err2 != nil || one == two || !strings.HasPrefix(one, "a.") {
			t.Fatalf("seal: %v %v", err1, err2)
		}
		got, err := r.Open("sms", one)
		if err != nil || string(got) != plain || got == nil {
			t.Fatalf("open: %q, %v", got, err)
		}
	}
	sealed, err := r.Seal("sms", []byte("123456"))
	if err != nil {
		t.Fatal(err)
	}
	a := r.set.Load().keys[0]
	if err := r.Set(testKey("b"), a, Key{ID: "twin", Secret: a.Secret}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Open("sms", sealed); err != nil || string(got) != "123456" {
		t.Errorf("after a rotation: %q, %v", got, err)
	}
	last := sealed[len(sealed)-1]
	for name, bad := range map[string]string{
		"empty": "", "no kid": sealed[2:], "no box": "a.", "short": "a.AAAA", "other kid": "b" + sealed[1:], "unknown kid": "c" + sealed[1:],
		"same secret, other kid": "twin" + sealed[1:], "cut": sealed[:len(sealed)-2], "longer": sealed + "A", "padded": sealed + "=",
		"changed": sealed[:len(sealed)-1] + string(last^1), "not base64": sealed[:5] + "*" + sealed[6:],
	} {
		if got, err := r.Open("sms", bad); !errors.Is(err, ErrSealed) || got != nil {
			t.Errorf("open, %s: %q, %v", name, got, err)
		}
	}
	if got, err := r.Open("mail", sealed); !errors.Is(err, ErrSealed) || got != nil {
		t.Errorf("open for another purpose: %q, %v", got, err)
	}
	if err := r.Set(testKey("b")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open("sms", sealed); !errors.Is(err, ErrSealed) {
		t.Errorf("open without the key: %v", err)
	}
}

func BenchmarkMAC(b *testing.B) {
	r := testRing(b, "a")
	for b.Loop() {
		r.MAC("otp", "+15550100001", "123456")
	}
}

func BenchmarkSeal(b *testing.B) {
	r := testRing(b, "a")
	plain := []byte("Your code is 123456. It works for five minutes.")
	for b.Loop() {
		if _, err := r.Seal("sms", plain); err != nil {
			b.Fatal(err)
		}
	}
}
