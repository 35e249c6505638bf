package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
)

// trail is what is learnt about a request on its way, for the log and the metrics.
type trail struct {
	id    string
	route string
	who   actor.Actor
}

type trailKey struct{}

// RequestID is the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	if t, ok := ctx.Value(trailKey{}).(*trail); ok {
		return t.id
	}
	return ""
}

func name(ctx context.Context, rt *Route) {
	if t, ok := ctx.Value(trailKey{}).(*trail); ok {
		t.route = rt.Path
	}
}

func note(ctx context.Context, who actor.Actor) {
	if t, ok := ctx.Value(trailKey{}).(*trail); ok {
		t.who = who
	}
}

var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// outer surrounds everything that is served: request id, log and metrics,
// recovery, safe headers, CORS.
func (s *Server) outer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &trail{id: r.Header.Get("X-Request-Id")}
		if !goodRequestID.MatchString(t.id) {
			t.id = string(s.NewID())
		}
		r = r.WithContext(context.WithValue(r.Context(), trailKey{}, t))
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		start := time.Now()
		s.safeHeaders(w.Header(), t.id)
		defer s.finish(rec, r, t, start)
		if s.cors(rec, r) {
			return
		}
		if r.Method == http.MethodHead {
			r.Method = http.MethodGet // net/http drops the body
		}
		next.ServeHTTP(rec, r)
	})
}

// finish recovers from a panic, and leaves one line and one sample.
func (s *Server) finish(rec *recorder, r *http.Request, t *trail, start time.Time) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			panic(p)
		}
		s.Log.ErrorContext(r.Context(), "panic", "requestId", t.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		if !rec.wrote {
			fail(rec, r, slog.New(slog.DiscardHandler), fmt.Errorf("panic: %v", p))
		}
	}
	took := time.Since(start)
	s.Metrics.observe(r.Method, t.route, rec.status, took)
	if rec.status == http.StatusOK && (r.URL.Path == "/healthz" || r.URL.Path == "/metrics") { // asked every few seconds
		return
	}
	s.Log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("requestId", t.id), slog.String("method", r.Method), slog.String("path", loggable(r.URL.Path)),
		slog.Int("status", rec.status), slog.Duration("took", took), slog.String("ip", s.clientIP(r).String()),
		slog.String("user", string(t.who.User)), slog.String("school", string(t.who.School)))
}

// loggable is a path without what may be a secret: no name and no id is as long
// as the token of a link.
func loggable(path string) string {
	const longest = 40
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if len(p) > longest {
			parts[i] = "…"
		}
	}
	return strings.Join(parts, "/")
}

func (s *Server) safeHeaders(h http.Header, requestID string) {
	h.Set("X-Request-Id", requestID)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-site")
	h.Set("Cache-Control", "no-store")
	if s.TLS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// cors answers a browser's preflight (true: the request is done) and lets the
// allowed origins read replies.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	if !s.allows(origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Idempotency-Replayed, Content-Disposition, ETag")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-Match, X-Request-Id")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

func (s *Server) allows(origin string) bool {
	if slices.Contains(s.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	local := err == nil && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
	return local && slices.Contains(s.Origins, "localhost")
}

// recorder remembers the status. Unwrap lets a mount hijack the connection.
type recorder struct {
	http.ResponseWriter
	status int
	wrote  bool
}

func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	r.wrote = true
	return r.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
