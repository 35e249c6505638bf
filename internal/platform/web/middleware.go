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
	"homeroom/internal/platform/trace"
)

// requestInfo is collected while a request is handled, for the log and the metrics.
type requestInfo struct {
	id    string
	route string
	who   actor.Actor
	span  *trace.Span // nil: not sampled
}

type requestInfoKey struct{}

// RequestID returns the request id of ctx, or "".
func RequestID(ctx context.Context) string {
	if t, ok := ctx.Value(requestInfoKey{}).(*requestInfo); ok {
		return t.id
	}
	return ""
}

func setRoute(ctx context.Context, rt *Route) {
	if t, ok := ctx.Value(requestInfoKey{}).(*requestInfo); ok {
		t.route = rt.Path
	}
}

func setActor(ctx context.Context, who actor.Actor) {
	if t, ok := ctx.Value(requestInfoKey{}).(*requestInfo); ok {
		t.who = who
	}
}

var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// outer is the middleware for all requests: request id, log and metrics, panic
// recovery, security headers, CORS.
func (s *Server) outer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &requestInfo{id: r.Header.Get("X-Request-Id")}
		if !goodRequestID.MatchString(t.id) {
			t.id = string(s.NewID())
		}
		var ctx context.Context
		ctx, t.span = s.startSpan(r)
		r = r.WithContext(context.WithValue(ctx, requestInfoKey{}, t))
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

// finish recovers from a panic, logs the request and updates the metrics.
func (s *Server) finish(rec *recorder, r *http.Request, t *requestInfo, start time.Time) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			t.endSpan(r.Method, statusAborted)
			panic(p)
		}
		s.Log.ErrorContext(r.Context(), "panic", "requestId", t.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		if !rec.wrote {
			fail(rec, r, slog.New(slog.DiscardHandler), fmt.Errorf("panic: %v", p))
		}
	}
	t.endSpan(r.Method, rec.status)
	took := time.Since(start)
	s.Metrics.observe(r.Method, t.route, rec.status, took)
	if rec.status == http.StatusOK && (r.URL.Path == "/healthz" || r.URL.Path == "/metrics") { // polled every few seconds
		return
	}
	s.Log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("requestId", t.id), slog.String("method", r.Method), slog.String("path", loggable(r.URL.Path)),
		slog.Int("status", rec.status), slog.Duration("took", took), slog.String("ip", s.clientIP(r).String()),
		slog.String("user", string(t.who.User)), slog.String("school", string(t.who.School)))
}

// loggable masks the parts of a path that may be tokens, which are longer than any
// name or id.
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

// cors sets the CORS headers for allowed origins. It returns true if it answered a
// preflight request.
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
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "+
		"Retry-After, WWW-Authenticate, Idempotency-Replayed, Content-Disposition, ETag")
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

// recorder records the status code.
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

// Unwrap is for http.ResponseController, which hijacks connections and sets deadlines.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
