package webpush

import (
	"crypto/ecdh"
	"encoding/base64"
	"strings"
	"testing"

	"homeroom/internal/platform/notify/fake"
)

func raw(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The example of RFC 8291, section 5 and appendix A.
const (
	rfcText    = "When I grow up, I want to be a watermelon"
	rfcSender  = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
	rfcPrivate = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
	rfcPublic  = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	rfcAuth    = "BTBZMqHH6r4Tts7J_aSIgg"
	rfcSalt    = "DGv6ra1nlYgDCS1FRnbzlw"
	rfcBody    = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_" +
		"yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)

// TestRFC8291 encrypts and decrypts the example of the RFC.
func TestRFC8291(t *testing.T) {
	t.Parallel()
	to, err := Subscribe("https://push.example.net/push/1", rfcPublic, rfcAuth, false)
	if err != nil {
		t.Fatal(err)
	}
	sender, err := ecdh.P256().NewPrivateKey(raw(t, rfcSender))
	if err != nil {
		t.Fatal(err)
	}
	body, err := seal([]byte(rfcText), 0, to, sender, raw(t, rfcSalt))
	if err != nil {
		t.Fatal(err)
	}
	if got := base64.RawURLEncoding.EncodeToString(body); got != rfcBody {
		t.Errorf("encrypted: got %s, want %s", got, rfcBody)
	}
	b := rfcBrowser(t)
	if plain, err := b.Decrypt(raw(t, rfcBody)); err != nil || string(plain) != rfcText {
		t.Errorf("decrypted: got %q, %v", plain, err)
	}
	changed := raw(t, rfcBody)
	changed[len(changed)-1] ^= 1
	if plain, err := b.Decrypt(changed); err == nil {
		t.Errorf("a changed body was decrypted: %q", plain)
	}
}

func rfcBrowser(t *testing.T) *fake.Browser {
	t.Helper()
	key, err := ecdh.P256().NewPrivateKey(raw(t, rfcPrivate))
	if err != nil {
		t.Fatal(err)
	}
	return &fake.Browser{Key: key, Auth: raw(t, rfcAuth)}
}

// TestPadding: the length of a body is one of two, and no two bodies are the same.
func TestPadding(t *testing.T) {
	t.Parallel()
	to, err := Subscribe("https://push.example.net/push/1", rfcPublic, rfcAuth, false)
	if err != nil {
		t.Fatal(err)
	}
	b, seen := rfcBrowser(t), map[string]bool{}
	for _, n := range []int{0, 1, 500, 1023} {
		text := strings.Repeat("x", n)
		for range 2 {
			body, err := encrypt([]byte(text), shortSize, to)
			if err != nil {
				t.Fatal(err)
			}
			if len(body) != 86+shortSize+16 || seen[string(body)] {
				t.Errorf("%d bytes encrypted: %d bytes, seen before: %v", n, len(body), seen[string(body)])
			}
			seen[string(body)] = true
			if plain, err := b.Decrypt(body); err != nil || string(plain) != text {
				t.Errorf("%d bytes: got %q, %v", n, plain, err)
			}
		}
	}
}
