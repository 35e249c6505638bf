package apidocs

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

const (
	docJSON = `{"openapi":"3.1.0"}`
	docYAML = "openapi: 3.1.0\n"
)

func handler(o Options) http.Handler {
	return Handler(func() []byte { return []byte(docJSON) }, func() []byte { return []byte(docYAML) }, o)
}

// ask sends one request; headers come as name, value, name, value.
func ask(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func gunzip(t *testing.T, b []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("not gzip: %v", err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("not gzip: %v", err)
	}
	return string(plain)
}

func TestEveryFileInBothForms(t *testing.T) {
	t.Parallel()
	h := handler(Options{Version: "1.2.3", Events: func() []byte { return []byte(`{"asyncapi":"3.0.0"}`) }})
	cases := []struct{ path, contentType, holds string }{
		{"/api-docs", "text/html; charset=utf-8", "API 1.2.3"},
		{"/api-docs/", "text/html; charset=utf-8", "API 1.2.3"},
		{"/api-docs/openapi.json", "application/json", docJSON},
		{"/api-docs/openapi.yaml", "application/yaml", docYAML},
		{"/api-docs/asyncapi.json", "application/json", `{"asyncapi":"3.0.0"}`},
		{"/api-docs/assets/swagger-ui-bundle.js", "text/javascript; charset=utf-8", "SwaggerUIBundle"},
		{"/api-docs/assets/swagger-ui.css", "text/css; charset=utf-8", ".swagger-ui .opblock"},
		{"/api-docs/assets/app.js", "text/javascript; charset=utf-8", "requestInterceptor"},
		{"/api-docs/assets/operations.js", "text/javascript; charset=utf-8", "opsFilter"},
		{"/api-docs/assets/session.js", "text/javascript; charset=utf-8", "sessionStorage"},
		{"/api-docs/assets/style.css", "text/css; charset=utf-8", "prefers-color-scheme"},
		{"/api-docs/assets/LICENSE", "text/plain; charset=utf-8", "Apache License"},
		{"/api-docs/assets/NOTICE", "text/plain; charset=utf-8", "SmartBear"},
		{"/api-docs/assets/swagger-ui-bundle.js.LICENSE.txt", "text/plain; charset=utf-8", "MIT License"},
		{"/api-docs/assets/icon.svg", "image/svg+xml", "<svg"},
	}
	for _, c := range cases {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			plain := ask(h, "GET", c.path)
			packed := ask(h, "GET", c.path, "Accept-Encoding", "br, gzip;q=0.8")
			for _, w := range []*httptest.ResponseRecorder{plain, packed} {
				if w.Code != 200 || w.Header().Get("Content-Type") != c.contentType ||
					!slices.Contains(w.Header().Values("Vary"), "Accept-Encoding") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("status %d, headers %v", w.Code, w.Header())
				}
			}
			if e := plain.Header().Get("Content-Encoding"); e != "" {
				t.Errorf("plain form has Content-Encoding %q", e)
			}
			if e := packed.Header().Get("Content-Encoding"); e != "gzip" {
				t.Errorf("gzipped form has Content-Encoding %q", e)
			}
			if !strings.Contains(plain.Body.String(), c.holds) {
				t.Errorf("plain form lacks %q", c.holds)
			}
			if gunzip(t, packed.Body.Bytes()) != plain.Body.String() {
				t.Error("the two forms differ")
			}
		})
	}
}

// TestSpanish: a Spanish browser reads Spanish, also the name of the platform, and caches keep the languages apart.
func TestSpanish(t *testing.T) {
	t.Parallel()
	h := handler(Options{Demo: true, Accounts: []Account{{Label: "Super", Role: "SUPER_ADMIN", Email: "s@example.org"}}})
	for accept, want := range map[string][3]string{
		"es-MX,es;q=0.9,en;q=0.8": {"es", "Buscar una operación", "Find an operation"},
		"fr, en;q=0.5":            {"en", "Find an operation", "Buscar una operación"},
		"":                        {"en", "Sign in", "Entrar"},
	} {
		w := ask(h, "GET", "/api-docs", "Accept-Language", accept)
		body := w.Body.String()
		if w.Header().Get("Content-Language") != want[0] || !slices.Contains(w.Header().Values("Vary"), "Accept-Language") ||
			!strings.Contains(body, `<html lang="`+want[0]+`">`) || !strings.Contains(body, want[1]) || strings.Contains(body, want[2]) {
			t.Errorf("Accept-Language %q: headers %v, page %s", accept, w.Header(), body)
		}
		if strings.Contains(body, `aria-label="Plataforma"`) != (want[0] == "es") {
			t.Errorf("Accept-Language %q: the platform has the name of another language", accept)
		}
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	h := handler(Options{})
	for _, path := range []string{"/api-docs", "/api-docs/openapi.json", "/api-docs/assets/swagger-ui.css", "/api-docs/assets/app.js"} {
		plain := ask(h, "GET", path).Header().Get("ETag")
		packed := ask(h, "GET", path, "Accept-Encoding", "gzip").Header().Get("ETag")
		if !strings.HasPrefix(plain, `"`) || !strings.HasPrefix(packed, `"`) || plain == packed {
			t.Errorf("%s: want two strong tags, got %s and %s", path, plain, packed)
		}
		cases := []struct {
			tag, encoding string
			want          int
		}{
			{plain, "", 304}, {packed, "gzip", 304}, {`"other", ` + packed, "gzip", 304},
			{plain, "gzip", 200}, {packed, "", 200}, {`"other"`, "", 200},
		}
		for _, c := range cases {
			w := ask(h, "GET", path, "If-None-Match", c.tag, "Accept-Encoding", c.encoding)
			if w.Code != c.want || (c.want == 304) != (w.Body.Len() == 0) {
				t.Errorf("%s If-None-Match %s Accept-Encoding %q: status %d, %d bytes",
					path, c.tag, c.encoding, w.Code, w.Body.Len())
			}
		}
	}
	if ask(handler(Options{Version: "1"}), "GET", "/api-docs").Header().Get("ETag") ==
		ask(handler(Options{Version: "2"}), "GET", "/api-docs").Header().Get("ETag") {
		t.Error("two different pages have one ETag")
	}
}

func TestCacheControl(t *testing.T) {
	t.Parallel()
	h := handler(Options{})
	page := ask(h, "GET", "/api-docs").Body.String()
	_, rest, _ := strings.Cut(page, `src="/api-docs/assets/app.js`)
	query, _, ok := strings.Cut(rest, `"`)
	if !ok || !strings.HasPrefix(query, "?v=") {
		t.Fatalf("the page does not link app.js by its version: %q", query)
	}
	cases := map[string]string{
		"/api-docs":                             "no-cache",
		"/api-docs/openapi.json":                "no-cache",
		"/api-docs/assets/app.js":               "no-cache",
		"/api-docs/assets/app.js?v=0000":        "no-cache",
		"/api-docs/assets/app.js" + query:       "public, max-age=31536000, immutable",
		"/api-docs/assets/session.js" + query:   "no-cache",
		"/api-docs/assets/app.js" + query + "0": "no-cache",
	}
	for path, want := range cases {
		if got := ask(h, "GET", path).Header().Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control %q, want %q", path, got, want)
		}
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	w := ask(handler(Options{Demo: true}), "GET", "/api-docs")
	got := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'self';", "style-src 'self' 'unsafe-inline';",
		"img-src 'self' data:;", "frame-ancestors 'none'"} {
		if !strings.Contains(got, want) {
			t.Errorf("policy %q lacks %q", got, want)
		}
	}
	for _, unwanted := range []string{"unsafe-eval", "script-src", "http:", "https:", "*"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("policy %q holds %q", got, unwanted)
		}
	}
	page := w.Body.String()
	for _, unwanted := range []string{"<style", " style=", " onclick=", "<script>", "http://", "https://"} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page holds %q", unwanted)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	h := handler(Options{})
	cases := []struct {
		method, path string
		status       int
		text, allow  string
	}{
		{"GET", "/api-docs/nothing", 404, "Not Found", ""},
		{"GET", "/api-docs/assets/", 404, "Not Found", ""},
		{"GET", "/api-docs/assets/README.md", 404, "Not Found", ""},
		{"GET", "/api-docs/assets/../apidocs.go", 404, "Not Found", ""},
		{"GET", "/api-docs/assets/swagger-ui-bundle.js.gz", 404, "Not Found", ""},
		{"POST", "/api-docs/nothing", 404, "Not Found", ""},
		{"POST", "/api-docs", 405, "Method Not Allowed", "GET, HEAD"},
		{"DELETE", "/api-docs/openapi.json", 405, "Method Not Allowed", "GET, HEAD"},
	}
	for _, c := range cases {
		w := ask(h, c.method, c.path)
		var body struct {
			StatusCode     int
			Message, Error string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Errorf("%s %s: %v", c.method, c.path, err)
		}
		if w.Code != c.status || body.StatusCode != c.status || body.Error != c.text || body.Message == "" ||
			!strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") || w.Header().Get("Allow") != c.allow {
			t.Errorf("%s %s: %d %v %+v", c.method, c.path, w.Code, w.Header(), body)
		}
	}
	if w := ask(h, "HEAD", "/api-docs"); w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("HEAD /api-docs: %d with %d bytes", w.Code, w.Body.Len())
	}
}

func TestAccountsOnlyInDemo(t *testing.T) {
	t.Parallel()
	accounts := []Account{
		{Label: "Administrator", Role: "SCHOOL_ADMIN", Email: "admin@greenfield.test", Password: "homeroom-demo", SchoolName: "Greenfield"},
		{Label: "Super", Role: "SUPER_ADMIN", Email: "super@homeroom.test", Password: "homeroom-demo"},
		{Label: `<b>"Tea" & co`, Role: "TEACHER", Phone: "+15550100001", SchoolName: "Greenfield"},
	}
	parts := []string{
		`aria-label="Greenfield"`, `aria-label="Platform"`, `data-email="admin@greenfield.test"`,
		`data-password="homeroom-demo"`, `data-phone="&#43;15550100001"`, `&lt;b&gt;&#34;Tea&#34; &amp; co`, "data-demo", "/dev/outbox",
	}
	for _, demo := range []bool{true, false} {
		page := ask(handler(Options{Demo: demo, Accounts: accounts}), "GET", "/api-docs").Body.String()
		for _, part := range parts {
			if strings.Contains(page, part) != demo {
				t.Errorf("demo %v, but the page holds %s: %v", demo, part, !demo)
			}
		}
	}
	got := bySchool(accounts, "Platform")
	if len(got) != 2 || got[0].Name != "Greenfield" || len(got[0].Accounts) != 2 || got[1].Name != "Platform" {
		t.Errorf("groups: %+v", got)
	}
}

func TestDocumentIsMadeOnceAndLate(t *testing.T) {
	t.Parallel()
	calls := 0
	h := Handler(func() []byte { calls++; return []byte(docJSON) }, func() []byte { return nil }, Options{})
	if ask(h, "GET", "/api-docs"); calls != 0 {
		t.Errorf("generated %d times before the first request", calls)
	}
	ask(h, "GET", "/api-docs/openapi.json")
	if ask(h, "GET", "/api-docs/openapi.json"); calls != 1 {
		t.Errorf("generated %d times for two requests", calls)
	}
}
