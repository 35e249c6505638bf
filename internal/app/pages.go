package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the landing page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"time"
)

// readyTimeout limits the database checks of /readyz.
const readyTimeout = time.Second

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client is gone
}

// health is the liveness check. It depends on nothing else.
func health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readiness is the body of /readyz.
type readiness struct {
	Ready    bool   `json:"ready"`
	Server   string `json:"server"`
	Database string `json:"database"`
	Schema   string `json:"schema"`
}

// ready is the readiness check: whether load balancers should send requests here.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	state := a.readiness(ctx)
	if state.Ready {
		writeJSON(w, http.StatusOK, state)
		return
	}
	w.Header().Set("Retry-After", "1")
	writeJSON(w, http.StatusServiceUnavailable, state)
}

func (a *App) readiness(ctx context.Context) readiness {
	s := readiness{Server: "ok", Database: "ok", Schema: "ok"}
	if a.stopping.Load() {
		s.Server = "shutting down"
	}
	if err := a.DB.Ping(ctx); err != nil {
		s.Database, s.Schema = "unreachable", "unknown"
	} else if err := a.DB.Current(ctx); err != nil {
		s.Schema = "of another version"
	}
	s.Ready = s == readiness{Server: "ok", Database: "ok", Schema: "ok"}
	return s
}

//go:embed home.html
var homeHTML string

//go:embed home.css
var homeCSS string

// newHome returns the landing page, with a strict Content-Security-Policy.
func newHome(demo bool) (http.Handler, error) {
	page, err := template.New("home").Parse(homeHTML)
	if err != nil {
		return nil, fmt.Errorf("landing page: %w", err)
	}
	var html bytes.Buffer
	if err := page.Execute(&html, map[string]any{"CSS": template.CSS(homeCSS), "Demo": demo, "Version": readBuild().Version}); err != nil {
		return nil, fmt.Errorf("landing page: %w", err)
	}
	hash := sha256.Sum256([]byte(homeCSS))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; frame-ancestors 'none'; base-uri 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write(html.Bytes()) // fails only if the client is gone
	}), nil
}
