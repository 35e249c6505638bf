package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// scrape requests the metrics, with a bearer token unless it is empty.
func scrape(t *testing.T, base, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// metricsURL finds the address of the metrics listener in the log.
func (s *server) metricsURL(t *testing.T) string {
	t.Helper()
	for line := range strings.Lines(s.log()) {
		var said struct{ Msg, Addr string }
		if json.Unmarshal([]byte(line), &said) == nil && said.Msg == "metrics" {
			return "http://" + said.Addr
		}
	}
	t.Fatal("the log has no address of the metrics listener")
	return ""
}

// TestMetricsAddr serves the metrics only on the separate listener.
func TestMetricsAddr(t *testing.T) {
	t.Parallel()
	h := newInstallation(t, "sqlite", true)
	s := h.serve(t, "--metrics-addr=127.0.0.1:0")
	own := s.metricsURL(t)
	status, body := scrape(t, own, "")
	for _, want := range []string{`homeroom_jobs{state="dead"} 0`, "go_goroutines", "homeroom_build_info"} {
		if status != 200 || !strings.Contains(body, want) {
			t.Errorf("metrics listener: got %d, want 200 with %s", status, want)
		}
	}
	if status, body := scrape(t, s.url, ""); status != 404 || strings.Contains(body, "go_goroutines") {
		t.Errorf("/metrics on the public port: got %d, want 404", status)
	}
	_, errs, code := newInstallation(t, "sqlite", true).run(t, "serve", "--addr=127.0.0.1:0",
		"--metrics-addr="+strings.TrimPrefix(own, "http://"))
	if code != 1 || !strings.Contains(errs, "--metrics-addr") {
		t.Errorf("an address in use: exit %d\n%s", code, errs)
	}
	s.stop(t)
}

// TestMetricsToken serves the metrics only with the token, which must not be logged.
func TestMetricsToken(t *testing.T) {
	t.Parallel()
	const token = "hunter22-hunter22-hunter22"
	h := newInstallation(t, "sqlite", true)
	s := h.serve(t, "--metrics-token="+token, "--log-level=debug")
	for sent, want := range map[string]int{"": 404, token[1:]: 404, token: 200} {
		if status, body := scrape(t, s.url, sent); status != want || strings.Contains(body, "go_goroutines") != (want == 200) {
			t.Errorf("/metrics with token %q: got %d, want %d", sent, status, want)
		}
	}
	s.stop(t)
	if strings.Contains(s.log(), token) {
		t.Error("the token is in the log")
	}
}
