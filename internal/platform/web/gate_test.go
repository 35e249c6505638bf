package web_test

import (
	"context"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/openapi"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

func TestGate(t *testing.T) {
	t.Parallel()
	srv := serve(t, nil)
	const write = "/teacher/thing/echo"
	bad := `{"data":` // the body must not be parsed before the gate
	for _, tt := range []struct {
		token, path string
		status      int
		code        string
	}{
		{"", write, 401, "Unauthorized"},
		{"nonsense", write, 401, "Unauthorized"},
		{"PARENT", write, 403, "PERMISSION_DENIED"},
		{"SUPER_ADMIN", write, 403, "PERMISSION_DENIED"},
		{"TEACHER-nothing", write, 403, "PERMISSION_DENIED"},
		{"TEACHER-evaluation", write, 403, "EVALUATION_MODE_READONLY"},
		{"TEACHER", write, 400, "Bad Request"},
	} {
		wantError(t, call(t, srv, tt.token, "POST", tt.path, bad), tt.status, tt.code)
	}
	if r := call(t, srv, "TEACHER-evaluation", "POST", "/teacher/exam/upload", ""); r.StatusCode != 200 {
		t.Error("marks can't be written in evaluation mode:", r.text)
	}
	if r := call(t, srv, "TEACHER-evaluation", "POST", "/teacher/thing/list", ""); r.StatusCode != 200 {
		t.Error("a POST that only reads was rejected in evaluation mode:", r.text)
	}
}

func TestLimitIsExactUnderABurst(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(c *web.Config) { c.Rates = web.Rates{Auth: 10, Read: 100, Write: 30, Stream: 120} })
	for _, tt := range []struct {
		method, path, body string
		limit              int
	}{
		{"POST", "/auth/login", `{"email":"a@b.test"}`, 10},
		{"POST", "/teacher/thing/echo", `{"data":{"name":"Ada"}}`, 30},
		{"POST", "/teacher/thing/list", ``, 100},
		{"POST", "/teacher/thing/stream", `{"data":{"name":"Ada"}}`, 120}, // after the writes are used up
		{"GET", "/thing/open", ``, 100},                                   // by address: there is no user
	} {
		passed := make(chan bool, 200)
		for range 200 {
			go func() {
				r := call(t, srv, "TEACHER", tt.method, tt.path, tt.body)
				if r.StatusCode == 429 && (r.Header.Get("Retry-After") == "" || r.Header.Get("RateLimit-Remaining") != "0") {
					t.Error("429 without its headers", r.Header)
				}
				passed <- r.StatusCode == 200
			}()
		}
		n := 0
		for range 200 {
			if <-passed {
				n++
			}
		}
		if n != tt.limit {
			t.Errorf("%s: %d passed, want %d", tt.path, n, tt.limit)
		}
	}
}

func TestWindowEnds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)
	m := web.NewMemory(func() time.Time { return now })
	for i := 1; i <= 3; i++ {
		if n, left, _ := m.Count(t.Context(), "k"); n != i || left != time.Minute {
			t.Fatalf("call %d: got number %d, window ends in %s", i, n, left)
		}
	}
	now = now.Add(59 * time.Second)
	if n, left, _ := m.Count(t.Context(), "k"); n != 4 || left != time.Second {
		t.Fatalf("got number %d, window ends in %s, want 4 and 1s", n, left)
	}
	now = now.Add(time.Second)
	if n, _, _ := m.Count(t.Context(), "k"); n != 1 {
		t.Fatal("the window did not end:", n)
	}
}

func TestClientIP(t *testing.T) {
	t.Parallel()
	limited := func(trusted ...netip.Prefix) func(string) bool {
		srv := serve(t, func(c *web.Config) {
			c.Rates, c.TrustedProxies = web.Rates{Auth: 1}, trusted
		})
		return func(forwarded string) bool {
			r := call(t, srv, "", "POST", "/auth/login", `{"email":"a@b.test"}`, "X-Forwarded-For", forwarded)
			return r.StatusCode == 429
		}
	}
	direct := limited()
	if direct("1.1.1.1") || !direct("2.2.2.2") {
		t.Error("without trusted proxies the header must not matter")
	}
	proxied := limited(netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"))
	if proxied("6.6.6.6, 1.1.1.1, 10.0.0.9") || !proxied("9.9.9.9, 1.1.1.1") {
		t.Error("the right-most untrusted address counts")
	}
	if proxied("2001:db8::1") || !proxied("2001:db8::2") {
		t.Error("a /64 is one client")
	}
}

func TestBrowsers(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(c *web.Config) { c.Origins = []string{"https://admin.example.org", "localhost"} })
	for origin, want := range map[string]bool{
		"https://admin.example.org": true, "http://localhost:5173": true, "https://evil.example.org": false,
		"https://admin.example.org.evil.test": false, "http://localhost.evil.test": false, "null": false,
	} {
		r := call(t, srv, "", "OPTIONS", "/teacher/thing/echo", "", "Origin", origin, "Access-Control-Request-Method", "POST")
		if got := r.Header.Get("Access-Control-Allow-Origin"); (got == origin) != want {
			t.Errorf("%s: allowed origin %q, want allowed: %v", origin, got, want)
		}
	}
	refused := call(t, srv, "nonsense", "POST", "/teacher/thing/echo", "", "Origin", "https://admin.example.org")
	if got := refused.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(got, "WWW-Authenticate") {
		t.Errorf("pages of other origins can't read why a call was refused: %q", got)
	}
	r := call(t, srv, "", "GET", "/nowhere", "")
	for _, h := range []string{"X-Content-Type-Options", "X-Frame-Options", "Content-Security-Policy", "Referrer-Policy"} {
		if r.Header.Get(h) == "" {
			t.Errorf("the header %s is missing", h)
		}
	}
}

func TestUnguardedRoutePanics(t *testing.T) {
	t.Parallel()
	ok := func(context.Context, actor.Actor, web.None) (thing, error) { return thing{}, nil }
	for pattern, opts := range map[string][]web.Option{
		"GET /teacher/thing/x":    nil,
		"GET /nobody/thing":       {web.Read("thing")},
		"DELETE /teacher/thing/x": {web.Write("thing")},
		"POST /teacher/thing/x": {web.Write("thing"), web.Before(func(context.Context, actor.Actor, *thing) (func(), error) { // not its input
			return func() {}, nil
		})},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was accepted", pattern)
				}
			}()
			web.Handle(pattern, ok, opts...)
		}()
	}
}

// Invalid struct tags of inputs must panic at start-up.
func TestBadTagsPanic(t *testing.T) {
	t.Parallel()
	for _, declare := range []func(){
		taking[struct {
			N int `json:"n" minimum:"one"`
		}],
		taking[struct {
			S string `json:"s" maxLength:"1.5"`
		}],
		taking[struct {
			S string `json:"s" pattern:"("`
		}],
		taking[struct {
			S string `json:"s" format:"color"`
		}],
		taking[struct {
			N int `json:"n" default:"many"`
		}],
		taking[struct {
			S string `json:"s" enum:"A,B" default:"C"`
		}],
		taking[struct {
			S []struct {
				S string
			} `json:"s"`
		}],
		taking[struct {
			M map[int]string `json:"m"`
		}],
		taking[struct {
			ID int `path:"id"`
		}],
		taking[struct {
			ID id.ID `path:"other"`
		}],
		taking[struct{ oneIn }],
		taking[struct{ *page.Request }],
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was accepted", runtime.FuncForPC(reflect.ValueOf(declare).Pointer()).Name())
				}
			}()
			declare()
		}()
	}
}

func taking[In any]() {
	web.Handle("POST /teacher/thing/{id}", func(context.Context, actor.Actor, In) (thing, error) { return thing{}, nil }, web.Write("thing"))
}

func TestDocument(t *testing.T) {
	t.Parallel()
	doc, err := openapi.JSON(routes(), openapi.Info{Version: "1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"openapi": "3.1.0"`, `"/teacher/thing/list"`, `"name": "classId"`, `"x-rate-class": "write"`, `"canDelete"`,
		`"#/components/schemas/Error"`, `"operationId": "loginAuth"`} {
		if !strings.Contains(string(doc), want) {
			t.Error("no", want)
		}
	}
	y, err := openapi.YAML(doc)
	if err != nil || !strings.HasPrefix(string(y), "openapi: 3.1.0\n") {
		t.Errorf("%v %.80s", err, y)
	}
}
