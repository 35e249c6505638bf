package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

const scrapeToken = "a-token-for-the-tests"

// scraped returns the response of the metrics listener.
func scraped(a *App) (int, string) {
	w := httptest.NewRecorder()
	a.metricsServer().Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Code, w.Body.String()
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	a := mustApp(t, "sqlite", nil)
	if _, err := db.Exec(t.Context(), a.DB.Across(unscoped.Permit{}), `
		INSERT INTO jobs (school_id, id, kind, payload, state, run_at, created_at)
		SELECT id, id, 'x', '{}', 'dead', :now, :now FROM schools`, db.Args{"now": clock.System()}); err != nil {
		t.Fatal(err)
	}
	_, body := scraped(a)
	for _, want := range []string{`homeroom_jobs{state="dead"} 1`, `homeroom_jobs{state="waiting"} 0`, `homeroom_jobs{state="running"} 0`,
		"homeroom_ready 1", "homeroom_sockets 0", "homeroom_build_info{", "go_goroutines", "process_open_fds"} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in the metrics", want)
		}
	}
}

// TestMetricsAreNotPublic requests /metrics on the service's own port with and
// without the token.
func TestMetricsAreNotPublic(t *testing.T) {
	t.Parallel()
	ask := func(a *App, method, path string, authorization ...string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
		for _, v := range authorization {
			r.Header.Add("Authorization", v)
		}
		a.Handler.ServeHTTP(w, r)
		return w
	}
	closed := mustApp(t, "sqlite", nil)
	guarded := mustApp(t, "sqlite", func(c *Config) { c.MetricsToken = scrapeToken })
	for _, tt := range []struct {
		name   string
		a      *App
		path   string
		auth   []string
		status int
	}{
		{"neither setting", closed, "/metrics", nil, 404},
		{"neither setting, a slash", closed, "/metrics/", nil, 404},
		{"neither setting, an empty token", closed, "/metrics", []string{"Bearer "}, 404},
		{"neither setting, some token", closed, "/metrics", []string{"Bearer " + scrapeToken}, 404},
		{"no token", guarded, "/metrics", nil, 404},
		{"an empty token", guarded, "/metrics", []string{"Bearer "}, 404},
		{"another token", guarded, "/metrics", []string{"Bearer " + strings.ToUpper(scrapeToken)}, 404},
		{"half of it", guarded, "/metrics", []string{"Bearer " + scrapeToken[:10]}, 404},
		{"more than it", guarded, "/metrics", []string{"Bearer " + scrapeToken + "x"}, 404},
		{"another scheme", guarded, "/metrics", []string{"Basic " + scrapeToken}, 404},
		{"no scheme", guarded, "/metrics", []string{scrapeToken}, 404},
		{"in the query", guarded, "/metrics?token=" + scrapeToken, nil, 404},
		{"the token", guarded, "/metrics", []string{"Bearer " + scrapeToken}, 200},
	} {
		got := ask(tt.a, http.MethodGet, tt.path, tt.auth...)
		if got.Code != tt.status || strings.Contains(got.Body.String(), "go_goroutines") != (tt.status == 200) ||
			got.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: got %d, want %d: %.200s", tt.name, got.Code, tt.status, got.Body)
		}
		if none := ask(tt.a, http.MethodGet, "/nowhere"); tt.status == 404 && got.Body.String() != none.Body.String() {
			t.Errorf("%s: differs from the response of an unknown path: %s", tt.name, got.Body)
		}
	}
	if page := ask(closed, http.MethodGet, "/"); strings.Contains(page.Body.String(), "metrics") {
		t.Error("the start page names the metrics")
	}
}

// TestMetricsListener serves the metrics and nothing else.
func TestMetricsListener(t *testing.T) {
	t.Parallel()
	a := mustApp(t, "sqlite", func(c *Config) { c.MetricsToken = scrapeToken })
	if code, body := scraped(a); code != 401 || strings.Contains(body, "go_goroutines") {
		t.Errorf("the listener answers %d without the token, want 401", code)
	}
	a.cfg.MetricsToken = ""
	for path, status := range map[string]int{"/metrics": 200, "/": 404, "/auth/login": 404, "/readyz": 404, "/api-docs": 404,
		"/metrics/x": 404} {
		w := httptest.NewRecorder()
		a.metricsServer().Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != status {
			t.Errorf("%s is %d, want %d", path, w.Code, status)
		}
	}
}

// TestNoTraces checks that a service without a collector has no tracer, and so no goroutine for it.
func TestNoTraces(t *testing.T) {
	t.Parallel()
	a := mustApp(t, "sqlite", func(c *Config) { c.TracesShare = 1 })
	if a.tracer != nil {
		t.Error("there is a tracer without --traces-url")
	}
	if _, body := scraped(a); !strings.Contains(body, `homeroom_trace_spans_total{result="dropped"} 0`) {
		t.Error("the metrics lack dropped spans")
	}
}

// TestLastSpans checks that traces don't prolong the shutdown grace period.
func TestLastSpans(t *testing.T) {
	t.Parallel()
	a := &App{cfg: Config{Listen: Listen{ShutdownTimeout: time.Hour}}}
	if left := time.Until(a.lastSpans()); left <= 0 || left > time.Hour {
		t.Errorf("%s are left without a shutdown before", left)
	}
	a.graceEnd = time.Now()
	if a.lastSpans() != a.graceEnd {
		t.Error("the last spans may be sent after the grace period")
	}
}
