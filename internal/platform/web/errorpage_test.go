package web_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/web"
)

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func failing(t *testing.T) *httptest.Server {
	return serve(t, func(c *web.Config) {
		fails := func(pattern string, f *fault.Fault) web.Route {
			return web.Handle(pattern, func(context.Context, actor.Actor, web.None) (thing, error) { return thing{}, f },
				web.Public("everybody may"), web.Doc("Fail."))
		}
		c.Routes = append(routes(), fails("GET /thing/busy", fault.New(fault.TooMany, "", "Too many.").After(1)),
			fails("GET /thing/wrong", fault.New(fault.Malformed, "", "<b>Not like this.</b>")))
		c.Mounts = map[string]http.Handler{"/page": http.HandlerFunc(web.NoPath)}
	})
}

// TestErrorPage opens addresses as a browser does, and as programs do.
func TestErrorPage(t *testing.T) {
	t.Parallel()
	srv := failing(t)
	for _, tt := range []struct {
		token, path string
		status      int
		name, title string
	}{
		{"", "/nothing/here", 404, "Not Found", "There is nothing at this address"},
		{"", "/page", 404, "Not Found", "There is nothing at this address"},
		{"", "/auth/login", 405, "Method Not Allowed", "There is nothing at this address"},
		{"", "/teacher/thing/list", 401, "Unauthorized", "Please sign in first"},
		{"PARENT", "/teacher/thing/list", 403, "PERMISSION_DENIED", "This is not open to you"},
		{"", "/thing/busy", 429, "Too Many Requests", "Too many requests"},
		{"", "/thing/wrong", 400, "Bad Request", "That did not work"},
		{"TEACHER", "/teacher/thing/panic", 500, "Internal Server Error", "Something went wrong"},
	} {
		page := call(t, srv, tt.token, "GET", tt.path, "", "Accept", browser, "X-Request-Id", "quote-me-1")
		if page.StatusCode != tt.status || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(page.text, "<h1>"+tt.title+"</h1>") || !strings.Contains(page.text, "<code>quote-me-1</code>") {
			t.Errorf("%s in a browser: %d %v %s", tt.path, page.StatusCode, page.Header, page.text)
		}
		for _, never := range []string{"<script", "statusCode", "boom", "ZgotmplZ", "<b>Not"} {
			if strings.Contains(page.text, never) {
				t.Errorf("%s in a browser contains %s", tt.path, never)
			}
		}
		for _, accept := range []string{"", "*/*", "application/json", "application/json, text/plain, */*",
			"application/json, text/html", "image/png"} {
			r := call(t, srv, tt.token, "GET", tt.path, "", "Accept", accept)
			wantError(t, r, tt.status, tt.name)
			if got := strings.Join(r.Header.Values("Vary"), ", "); !strings.Contains(got, "Accept, Accept-Language") {
				t.Errorf("%s: Vary is %q", tt.path, got)
			}
		}
	}
	wantError(t, call(t, srv, "", "POST", "/nothing/here", "{}", "Accept", browser), 404, "Not Found")
	if r := call(t, srv, "", "HEAD", "/nothing/here", "", "Accept", browser); r.StatusCode != 404 || r.text != "" {
		t.Errorf("HEAD: %d %q", r.StatusCode, r.text)
	}
}

// TestErrorPageIsSafe asks for addresses and headers that try to get into the page.
func TestErrorPageIsSafe(t *testing.T) {
	t.Parallel()
	srv := failing(t)
	const hostile = `"><script>alert(1)</script>`
	for _, path := range []string{"/%3Cscript%3Ealert(1)%3C/script%3E", "/x?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"} {
		r := call(t, srv, "", "GET", path, "", "Accept", browser+","+hostile, "X-Request-Id", hostile, "Accept-Language", hostile,
			"Referer", hostile, "User-Agent", hostile)
		if r.StatusCode != 404 || strings.Contains(r.text, "alert(1)") || r.Header.Get("X-Request-Id") == hostile {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.text)
		}
	}
	r := call(t, srv, "", "GET", "/nothing", "", "Accept", browser)
	_, rest, _ := strings.Cut(r.text, "<style>")
	css, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(css))
	policy := r.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
		!strings.Contains(policy, base64.StdEncoding.EncodeToString(sum[:])) || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("policy %q does not fit the page's style, or the page is cached: %v", policy, r.Header)
	}
}

func TestErrorPageLanguage(t *testing.T) {
	t.Parallel()
	srv := failing(t)
	for accept, want := range map[string]string{"": "en", "fr": "en", "es-MX,en;q=0.5": "es"} {
		r := call(t, srv, "", "GET", "/nothing", "", "Accept", browser, "Accept-Language", accept)
		title := map[string]string{"en": "There is nothing at this address", "es": "No hay nada en esta dirección"}[want]
		if !strings.Contains(r.text, `<html lang="`+want+`">`) || !strings.Contains(r.text, title) || r.Header.Get("Content-Language") != want {
			t.Errorf("%q: %s", accept, r.text)
		}
	}
}
