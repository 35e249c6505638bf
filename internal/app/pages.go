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

// readyTimeout is how long the database gets to answer /readyz.
const readyTimeout = time.Second

// only serves GET of exactly one path; a mount would serve all that is below.
func only(path string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != path:
			writeJSON(w, http.StatusNotFound, errorBody(http.StatusNotFound, "There is no such path. See /api-docs for those there are."))
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			writeJSON(w, http.StatusMethodNotAllowed, errorBody(http.StatusMethodNotAllowed, "This path can only be read: use GET."))
		default:
			h.ServeHTTP(w, r)
		}
	})
}

func errorBody(status int, message string) any {
	return map[string]any{"statusCode": status, "message": message, "error": http.StatusText(status)}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the reader is gone: nothing is left to tell it
}

// health says that the process lives. It asks nothing of anyone.
func health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readiness is what /readyz tells, part by part.
type readiness struct {
	Ready    bool   `json:"ready"`
	Server   string `json:"server"`
	Database string `json:"database"`
	Schema   string `json:"schema"`
}

// ready says whether requests should be sent here.
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
		s.Schema = "not that of this version"
	}
	s.Ready = s == readiness{Server: "ok", Database: "ok", Schema: "ok"}
	return s
}

//go:embed home.html
var homeHTML string

//go:embed home.css
var homeCSS string

// newHome is the landing page: where things are.
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
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; frame-ancestors 'none'; base-uri 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write(html.Bytes()) // the reader is gone: nothing is left to tell it
	}), nil
}
