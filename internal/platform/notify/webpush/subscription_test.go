package webpush

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeroom/internal/platform/notify/wire"
)

func TestEndpoints(t *testing.T) {
	t.Parallel()
	const ok = "https://push.example.org/x?token=a%2Fb"
	for text, want := range map[string]string{
		ok:                                  ok,
		"HTTPS://Push.Example.ORG:443/x":    "https://push.example.org/x",
		"https://8.8.8.8/x":                 "https://8.8.8.8/x",
		"https://[2606:4700::1111]:443/x":   "https://[2606:4700::1111]/x",
		"http://push.example.org/x":         "",
		"ftp://push.example.org/x":          "",
		"https:push.example.org":            "",
		"https://push.example.org":          "",
		"https://push.example.org./x":       "",
		"https://push.example.org:8443/x":   "",
		"https://push.example.org/x#k.a":    "",
		"https://user@push.example.org/x":   "",
		"https://localhost/x":               "",
		"https://metadata/x":                "",
		"https://db.internal/x":             "",
		"https://printer.local/x":           "",
		"https://127.0.0.1/x":               "",
		"https://127.1/x":                   "",
		"https://0x7f.1/x":                  "",
		"https://0x7f000001/x":              "",
		"https://2130706433/x":              "",
		"https://10.0.0.7/x":                "",
		"https://169.254.169.254/latest":    "",
		"https://[::1]/x":                   "",
		"https://[::ffff:10.0.0.1]/x":       "",
		"https://[fe80::1%25eth0]/x":        "",
		"https://[64:ff9b::7f00:1]/x":       "",
		"http://127.0.0.1:9/x":              "",
		"":                                  "",
		"/x":                                "",
		"https:///x":                        "",
		"javascript://push.example.org/%0a": "",
	} {
		s, err := Subscribe(text, rfcPublic, rfcAuth, false)
		if s.Endpoint != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, ErrEndpoint) {
			t.Errorf("%q: got %q, %v, want %q", text, s.Endpoint, err, want)
		}
	}
	for text, want := range map[string]bool{"http://127.0.0.1:9/x": true, "https://localhost:9/x": true, "http://[::1]:9/x": true, ok: true,
		"http://10.0.0.7/x": false, "http://push.example.org/x": false, "ftp://127.0.0.1/x": false} {
		if _, err := Subscribe(text, rfcPublic, rfcAuth, true); (err == nil) != want {
			t.Errorf("%q with loopback: %v", text, err)
		}
	}
}

func TestKeysOfASubscription(t *testing.T) {
	t.Parallel()
	const endpoint = "https://push.example.org/x"
	infinity := strings.Repeat("A", 87)
	for _, tt := range []struct {
		p256dh, auth string
		want         error
	}{
		{rfcPublic, rfcAuth, nil},
		{strings.NewReplacer("-", "+", "_", "/").Replace(rfcPublic) + "=", rfcAuth + "==", nil},
		{rfcPublic[:80], rfcAuth, ErrKey}, {infinity, rfcAuth, ErrKey},
		{rfcPublic[:60] + "AAAA" + rfcPublic[64:], rfcAuth, ErrKey}, {"not base64!", rfcAuth, ErrKey},
		{rfcPublic, rfcAuth[:20], ErrAuth}, {rfcPublic, rfcAuth + "AAAA", ErrAuth}, {rfcPublic, "not base64!", ErrAuth},
	} {
		s, err := Subscribe(endpoint, tt.p256dh, tt.auth, false)
		if !errors.Is(err, tt.want) || tt.want == nil && (err != nil || s.P256DH != rfcPublic || s.Auth != rfcAuth) {
			t.Errorf("%s, %s: got %+v, %v, want %v", tt.p256dh, tt.auth, s, err, tt.want)
		}
		if err != nil {
			continue
		}
		again, err := parse(s.Address(), false)
		if err != nil || again.Endpoint != endpoint || again.Auth != rfcAuth || Endpoint(s.Address()) != endpoint {
			t.Errorf("address %s: got %+v, %v", s.Address(), again, err)
		}
	}
	if Endpoint("a#token") != "a#token" || IsAddress("fcm:to/ken") {
		t.Error("a token is not an address")
	}
}

// TestDial: whatever a name resolves to, only public addresses are dialled.
func TestDial(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer srv.Close()
	for _, loopback := range []bool{true, false} {
		res, err := client(loopback).Get(srv.URL)
		if err == nil {
			_ = res.Body.Close()
		}
		if loopback != (err == nil) || !loopback && !errors.Is(err, wire.ErrPrivate) {
			t.Errorf("a server on this machine, allowed %v: %v", loopback, err)
		}
	}
}
