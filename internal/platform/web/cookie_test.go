package web_test

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/web"
)

type secretOut struct {
	Secret string `json:"secret,omitempty"`
}

func cookieRoutes() []web.Route {
	c := &web.Cookie{Name: "s", Path: "/auth", Life: time.Hour}
	return []web.Route{web.Handle("POST /auth/login", func(context.Context, actor.Actor, web.None) (secretOut, error) {
		return secretOut{"hush"}, nil
	}, web.SignIn(), web.Keeps(c, func(o *secretOut) *string { return &o.Secret }), web.Doc("Sign in."))}
}

// TestSecureCookie marks the cookie as Secure if the client uses HTTPS, which only a
// trusted proxy can claim.
func TestSecureCookie(t *testing.T) {
	t.Parallel()
	proxy := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for name, tt := range map[string]struct {
		tls     bool
		proxies []netip.Prefix
		scheme  string
		secure  bool
	}{
		"plain":                    {false, nil, "", false},
		"TLS":                      {true, nil, "", true},
		"a client that claims it":  {false, nil, "https", false},
		"a proxy with HTTPS":       {false, proxy, "https", true},
		"two proxies":              {false, proxy, "HTTPS, http", true},
		"a proxy without HTTPS":    {false, proxy, "http", false},
		"a proxy that doesn't say": {false, proxy, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, func(c *web.Config) { c.Routes, c.TLS, c.TrustedProxies = cookieRoutes(), tt.tls, tt.proxies })
			r := call(t, srv, "", "POST", "/auth/login", "{}", web.BrowserHeader, "1", "X-Forwarded-Proto", tt.scheme)
			cookies := r.Cookies()
			if len(cookies) != 1 || cookies[0].Secure != tt.secure || !cookies[0].HttpOnly || cookies[0].Value != "hush" ||
				cookies[0].SameSite != http.SameSiteStrictMode || strings.Contains(r.text, "hush") {
				t.Errorf("%v %s", cookies, r.text)
			}
		})
	}
}

// TestCookieAndCORS: an origin that may call the API can't have the browser's cookie.
func TestCookieAndCORS(t *testing.T) {
	t.Parallel()
	const admin = "https://admin.example.org"
	srv := serve(t, func(c *web.Config) { c.Routes, c.Origins = cookieRoutes(), []string{admin} })
	pre := call(t, srv, "", "OPTIONS", "/auth/login", "", "Origin", admin, "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", web.BrowserHeader)
	if pre.Header.Get("Access-Control-Allow-Origin") != admin || pre.Header.Get("Access-Control-Allow-Credentials") != "" ||
		strings.Contains(pre.Header.Get("Access-Control-Allow-Headers"), web.BrowserHeader) {
		t.Errorf("preflight: %v", pre.Header)
	}
	r := call(t, srv, "", "POST", "/auth/login", "{}", web.BrowserHeader, "1", "Origin", admin)
	wantError(t, r, 403, "PERMISSION_DENIED")
	if len(r.Cookies()) > 0 {
		t.Errorf("cookies: %v", r.Cookies())
	}
	r = call(t, srv, "", "POST", "/auth/login", "{}", "Origin", admin)
	if r.StatusCode != 200 || len(r.Cookies()) > 0 || !strings.Contains(r.text, "hush") {
		t.Errorf("%d %v %s", r.StatusCode, r.Cookies(), r.text)
	}
}
