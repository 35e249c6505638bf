package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// scrape asks for the metrics at an address, with a bearer token if there is one.
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

// metricsURL finds in the log where the metrics are.
func (s *server) metricsURL(t *testing.T) string {
	t.Helper()
	for line := range strings.Lines(s.log()) {
		var said struct{ Msg, Addr string }
		if json.Unmarshal([]byte(line), &said) == nil && said.Msg == "metrics" {
			return "http://" + said.Addr
		}
	}
	t.Fatal("it does not say where the metrics are")
	return ""
}

// TestMetricsAddr keeps the metrics on an address of their own.
func TestMetricsAddr(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "sqlite", true)
	s := h.serve(t, "--metrics-addr=127.0.0.1:0")
	own := s.metricsURL(t)
	status, body := scrape(t, own, "")
	for _, want := range []string{`homeroom_jobs{state="dead"} 0`, "go_goroutines", "homeroom_build_info"} {
		if status != 200 || !strings.Contains(body, want) {
			t.Errorf("%d without %s", status, want)
		}
	}
	if status, body := scrape(t, s.url, ""); status != 404 || strings.Contains(body, "go_goroutines") {
		t.Errorf("the public port answers %d", status)
	}
	_, errs, code := newHouse(t, "sqlite", true).run(t, "serve", "--addr=127.0.0.1:0", "--metrics-addr="+strings.TrimPrefix(own, "http://"))
	if code != 1 || !strings.Contains(errs, "--metrics-addr") {
		t.Errorf("an address in use: exit %d\n%s", code, errs)
	}
	s.stop(t)
}

// TestMetricsToken gives the metrics to who has the token, and keeps it out of the log.
func TestMetricsToken(t *testing.T) {
	t.Parallel()
	const token = "hunter22-hunter22-hunter22"
	h := newHouse(t, "sqlite", true)
	s := h.serve(t, "--metrics-token="+token, "--log-level=debug")
	for sent, want := range map[string]int{"": 404, token[1:]: 404, token: 200} {
		if status, body := scrape(t, s.url, sent); status != want || strings.Contains(body, "go_goroutines") != (want == 200) {
			t.Errorf("%q: %d, want %d", sent, status, want)
		}
	}
	s.stop(t)
	if strings.Contains(s.log(), token) {
		t.Error("the token is in the log")
	}
}
