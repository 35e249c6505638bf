package token

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestParseRing(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{0xfb, 0xff}, 16) // + and / in base64
	std, url := base64.StdEncoding.EncodeToString(secret), base64.RawURLEncoding.EncodeToString(secret)
	short := base64.StdEncoding.EncodeToString(secret[:31])
	for _, c := range []struct{ name, in, wantKeys, wantErr string }{
		{"one", "a:" + std, "a", ""},
		{"two, spaced, both alphabets", " a:" + std + " ,\n b:" + url, "a b", ""},
		{"empty", "", "", "key 1 is not of the form"},
		{"no colon", "a:" + std + "," + url, "", "key 2 is not of the form"},
		{"trailing comma", "a:" + std + ",", "", "key 2 is not of the form"},
		{"not base64", "a:" + std[:10] + "*" + std[10:], "", "secret of key 1 is not base64"},
		{"short", "a:" + std + ",b:" + short, "", "secret of key 2 has 31 bytes and needs at least 32; make a secret with: openssl"},
		{"no secret", "a:", "", "has 0 bytes"},
		{"same kid", "a:" + std + ",a:" + url, "", "key 2 has the same kid as an earlier"},
		{"no kid", ":" + std, "", "kid of key 1 must be"},
		{"swapped", url + ":a", "", "key 1"},
		{"kid with a dot", "a.b:" + std, "", "kid of key 1 must be"},
		{"long kid", strings.Repeat("k", 65) + ":" + std, "", "kid of key 1 must be"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := ParseRing(c.in)
			if c.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantErr) || !strings.HasPrefix(err.Error(), "HOMEROOM_KEYS: ") {
					t.Fatalf("error %v, want HOMEROOM_KEYS: … %s", err, c.wantErr)
				}
				for _, s := range []string{std[:8], url[:8]} {
					if strings.Contains(err.Error(), s) {
						t.Fatalf("the error shows a secret: %v", err)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, k := range r.set.Load().keys {
				got = append(got, k.ID)
				if !bytes.Equal(k.Secret, secret) {
					t.Errorf("key %s has another secret", k.ID)
				}
			}
			if strings.Join(got, " ") != c.wantKeys {
				t.Errorf("keys %v, want %s", got, c.wantKeys)
			}
		})
	}
}

func TestKeyNeverShowsItsSecret(t *testing.T) {
	t.Parallel()
	k := Key{ID: "kid", Secret: []byte("SECRETSECRETSECRETSECRETSECRETSECRET")}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		fmt.Fprintf(&out, verb+verb+verb+"\n", k, &k, []Key{k})
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("a", "k", k, "ks", []Key{k})
	slog.New(slog.NewJSONHandler(&out, nil)).Info("a", "k", k, "ks", []Key{k})
	if err := json.NewEncoder(&out).Encode(k); err != nil {
		t.Fatal(err)
	}
	shown := strings.ToLower(out.String())
	for _, s := range []string{"secretsecret", "534543524554", "5345435245545345",
		"83 69 67", base64.StdEncoding.EncodeToString(k.Secret)[:12]} {
		if strings.Contains(shown, strings.ToLower(s)) {
			t.Errorf("secret %q in %s", s, shown)
		}
	}
	if !strings.Contains(shown, "kid") {
		t.Error("the printed key lacks its ID")
	}
}

func TestSetKeepsTheOldKeysOnError(t *testing.T) {
	t.Parallel()
	r := testRing(t, "a")
	before := fingerprint(r)
	if r.Set() == nil || r.Set(Key{ID: "b", Secret: []byte("short")}) == nil {
		t.Error("invalid keys were accepted")
	}
	if fingerprint(r) != before {
		t.Error("the ring changed")
	}
	k := testKey("c")
	if err := r.Set(k); err != nil {
		t.Fatal(err)
	}
	before = fingerprint(r)
	clear(k.Secret)
	if fingerprint(r) != before {
		t.Error("the ring shares the caller's memory")
	}
}

func TestPurposesShareNoKey(t *testing.T) {
	t.Parallel()
	k, seen := testKey("a"), map[string]string{}
	for _, p := range []string{"jwt/access", "jwt/refresh", "mac/otp", "mac/link", "seal/otp", "seal/link"} {
		sub := string(k.derive(p))
		if other, ok := seen[sub]; ok || sub == string(k.Secret) || len(sub) != 32 {
			t.Errorf("the key for %s equals that for %q, or the secret itself", p, other)
		}
		seen[sub] = p
	}
}
