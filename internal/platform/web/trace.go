package web

import (
	"context"
	"net/http"
	"net/netip"
	"strconv"

	"homeroom/internal/platform/trace"
)

// statusAborted is the status in a span if the handler broke off the response.
const statusAborted = 0

// startSpan begins the trace of a request, or continues that of a trusted proxy. A traceparent of
// anyone else is ignored: strangers decide neither what is traced nor its id.
func (s *Server) startSpan(r *http.Request) (context.Context, *trace.Span) {
	if s.Tracer == nil || isProbe(r.URL.Path) {
		return r.Context(), nil
	}
	method := knownMethod(r.Method)
	parents := r.Header.Values("Traceparent")
	if s.ProxyTraces && len(parents) == 1 && s.fromProxy(r) {
		return s.Tracer.Continue(r.Context(), parents[0], trace.Server, method)
	}
	return s.Tracer.Begin(r.Context(), trace.Server, method)
}

// isProbe reports whether a path is asked for every few seconds.
func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" || path == "/metrics" }

// fromProxy reports whether a trusted proxy sent the request.
func (s *Server) fromProxy(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && s.trusts(peer.Addr().Unmap())
}

// endSpan ends the span of a request. Its name is the pattern of the route: the path has ids.
func (t *requestInfo) endSpan(method string, status int) {
	if t.span == nil {
		return
	}
	method = knownMethod(method)
	if t.route != "" {
		t.span.Rename(method + " " + t.route)
	}
	t.span.Set("http.request.method", method)
	t.span.Set("http.route", t.route)
	t.span.Set("homeroom.request_id", t.id)
	if status != statusAborted {
		t.span.SetInt("http.response.status_code", status)
	}
	switch {
	case status == statusAborted:
		t.span.Fail("aborted")
	case status >= http.StatusInternalServerError:
		t.span.Fail(strconv.Itoa(status))
	}
	t.span.End(nil)
}

// knownMethod returns the method, or _OTHER for one that the client made up.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "_OTHER"
}
