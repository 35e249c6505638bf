package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestNoSpans checks that a request allocates nothing for traces while they are off.
func TestNoSpans(t *testing.T) {
	s, r := &Server{}, httptest.NewRequest(http.MethodGet, "/x", nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	info := &requestInfo{id: "12345678", route: "/x"}
	if n := testing.AllocsPerRun(100, func() {
		_, info.span = s.startSpan(r)
		info.endSpan(r.Method, http.StatusInternalServerError)
	}); n != 0 || info.span != nil {
		t.Errorf("%g allocations a request, span %v", n, info.span)
	}
}
