package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzRequest sends hostile methods, paths, headers and bodies: the status must be
// below 500, without delay.
func FuzzRequest(f *testing.F) {
	srv := serve(f, nil)
	h := srv.Config.Handler
	for _, body := range []string{
		``, ` `, `null`, `true`, `"x"`, `{`, `[[[[`, strings.Repeat(`[`, 20_000), strings.Repeat(`{"data":`, 9_999) + `1`,
		`{"data":{"name":"\ud800"}}`, `{"data":{"name":"` + "\xff\xfe" + `"}}`, `{"data":{"count":1e400}}`, `{"data":{"count":-0}}`,
		`{"data":{"count":99999999999999999999}}`, `{"data":{"data":{"data":{}}}}`, `{"data":{"name":{"$ne":1}}}`,
		`{"data":{"name":"'; DROP TABLE schools; --"}}`, `{"__proto__":{"x":1},"data":{"constructor":1}}`,
		`{"data":{"page":-1,"limit":9223372036854775808,"sort":{"field":["a"],"order":{}}}}`, "\xef\xbb\xbf" + `{"data":{}}`,
	} {
		f.Add("POST", "/teacher/thing/echo", "application/json", body)
		f.Add("GET", "/teacher/thing/list", "application/json; charset=utf-8", body)
	}
	for _, path := range []string{
		"/", "//", "/../../etc/passwd", "/teacher/thing/%2e%2e%2f", "/teacher/thing/%00", "/teacher//thing/list", "/teacher/thing/list/",
		"/TEACHER/thing/list", "/teacher/thing/{id}", "/teacher/thing/list?page=%", "/teacher/thing/list?page=1&page=2&page[]=3",
		"/teacher/thing/list?sort[field][x]=1&filters[]=1&filters[a[b]]=2", "/teacher/thing/list?" + strings.Repeat("a=1&", 5_000),
		"/teacher/thing/" + strings.Repeat("a", 20_000), "/auth/login;jsessionid=1", "/teacher/thing/list?search=%ff%00",
	} {
		f.Add("GET", path, "text/plain", "")
		f.Add("DELETE", path, "", "x")
	}
	f.Add("TRACE", "/auth/login", "multipart/form-data", "--x\r\n")
	f.Add("OPTIONS", "*", "", "")
	f.Fuzz(func(t *testing.T, method, path, media, body string) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://x", strings.NewReader(body))
		if err != nil {
			return // net/http rejects such a method itself
		}
		r.RemoteAddr = "127.0.0.1:1234"
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
		r.Header.Set("Content-Type", media)
		r.Header.Set("Authorization", "Bearer TEACHER")
		w := httptest.NewRecorder()
		start := time.Now()
		h.ServeHTTP(w, r)
		if w.Code >= 500 && !strings.Contains(r.URL.Path, "panic") {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("took %s", took)
		}
	})
}
