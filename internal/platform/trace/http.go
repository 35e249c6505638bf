package trace

import (
	"net/http"
	"strconv"
)

// Outgoing wraps a transport, so that each call is a span with its method, host and status. The
// rest of the URL may have keys and phone numbers. The receiver gets no traceparent.
func Outgoing(next http.RoundTripper) http.RoundTripper { return outgoing{next} }

type outgoing struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (o outgoing) RoundTrip(r *http.Request) (*http.Response, error) {
	_, span := Start(r.Context(), Client, r.Method)
	if span == nil {
		return o.next.RoundTrip(r)
	}
	span.Set("http.request.method", r.Method)
	span.Set("server.address", r.URL.Hostname())
	res, err := o.next.RoundTrip(r)
	if err == nil {
		span.SetInt("http.response.status_code", res.StatusCode)
		if res.StatusCode >= http.StatusBadRequest {
			span.Fail(strconv.Itoa(res.StatusCode))
		}
	}
	span.End(err)
	return res, err
}
