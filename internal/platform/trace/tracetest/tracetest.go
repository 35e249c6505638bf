// Package tracetest is an OpenTelemetry collector for tests. It decodes OTLP over HTTP (JSON)
// strictly: what the specification does not know fails the test.
package tracetest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Span is a received span.
type Span struct {
	Trace, ID, Parent string // hex
	Name              string
	Kind              int
	Failed            bool
	Attributes        map[string]string
}

// Collector is a running collector.
type Collector struct {
	URL string // for --traces-url

	t        testing.TB
	mu       sync.Mutex
	spans    []Span
	raw      strings.Builder
	headers  http.Header
	requests int
	status   int
	answer   string
}

// New starts a collector that accepts everything.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{t: t, status: http.StatusOK, answer: "{}"}
	srv := httptest.NewServer(c)
	t.Cleanup(srv.Close)
	c.URL = srv.URL + "/v1/traces"
	return c
}

// Answer sets the response to the next requests. Spans of a request that fails are not kept.
func (c *Collector) Answer(status int, body string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status, c.answer = status, body
}

// Spans returns the accepted spans.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Raw returns the bodies of all requests.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// Requests returns how many requests came, and the headers of the last.
func (c *Collector) Requests() (int, http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests, c.headers
}

// ServeHTTP implements http.Handler.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
		c.t.Errorf("not an export: %s %s %s, %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
	}
	spans := c.decode(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.headers = r.Header
	c.raw.Write(body)
	if c.status < 300 {
		c.spans = append(c.spans, spans...)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(c.status)
	_, _ = io.WriteString(w, c.answer)
}

// wireValue is an attribute's value. Integers are strings in JSON.
type wireValue struct {
	StringValue *string `json:"stringValue"`
	IntValue    *string `json:"intValue"`
}

type wireAttributes []struct {
	Key   string    `json:"key"`
	Value wireValue `json:"value"`
}

type wireSpan struct {
	TraceID           string         `json:"traceId"`
	SpanID            string         `json:"spanId"`
	ParentSpanID      string         `json:"parentSpanId"`
	Name              string         `json:"name"`
	Kind              int            `json:"kind"`
	StartTimeUnixNano string         `json:"startTimeUnixNano"`
	EndTimeUnixNano   string         `json:"endTimeUnixNano"`
	Attributes        wireAttributes `json:"attributes"`
	Status            struct {
		Code int `json:"code"`
	} `json:"status"`
}

type wireRequest struct {
	ResourceSpans []struct {
		Resource struct {
			Attributes wireAttributes `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []struct {
			Scope struct {
				Name string `json:"name"`
			} `json:"scope"`
			Spans []wireSpan `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

func (c *Collector) decode(body []byte) (out []Span) {
	var req wireRequest
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(&req); err != nil {
		c.t.Errorf("not an export request: %v in %s", err, body)
	}
	for _, rs := range req.ResourceSpans {
		if got := c.flat(rs.Resource.Attributes)["service.name"]; got != "homeroom" {
			c.t.Errorf("service.name is %q", got)
		}
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				out = append(out, c.span(s))
			}
		}
	}
	return out
}

var (
	traceHex = regexp.MustCompile(`^[0-9a-f]{32}$`)
	spanHex  = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

func (c *Collector) span(s wireSpan) Span {
	start, err1 := strconv.ParseInt(s.StartTimeUnixNano, 10, 64)
	end, err2 := strconv.ParseInt(s.EndTimeUnixNano, 10, 64)
	if err1 != nil || err2 != nil || end < start || start == 0 {
		c.t.Errorf("%s lasts from %s to %s", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano)
	}
	if !traceHex.MatchString(s.TraceID) || !spanHex.MatchString(s.SpanID) || s.ParentSpanID != "" && !spanHex.MatchString(s.ParentSpanID) ||
		strings.Trim(s.TraceID, "0") == "" || strings.Trim(s.SpanID, "0") == "" {
		c.t.Errorf("ids of %s: %q %q %q", s.Name, s.TraceID, s.SpanID, s.ParentSpanID)
	}
	if s.Name == "" || s.Kind < 1 || s.Kind > 5 || s.Status.Code != 0 && s.Status.Code != 2 {
		c.t.Errorf("span without a name or kind, or with a wrong status: %+v", s)
	}
	return Span{s.TraceID, s.SpanID, s.ParentSpanID, s.Name, s.Kind, s.Status.Code == 2, c.flat(s.Attributes)}
}

func (c *Collector) flat(all wireAttributes) map[string]string {
	out := map[string]string{}
	for _, a := range all {
		switch v := a.Value; {
		case a.Key == "" || (v.StringValue == nil) == (v.IntValue == nil) || out[a.Key] != "":
			c.t.Errorf("attribute %q has no value, two values, or comes twice", a.Key)
		case v.StringValue != nil:
			out[a.Key] = *v.StringValue
		default:
			if _, err := strconv.ParseInt(*v.IntValue, 10, 64); err != nil {
				c.t.Errorf("attribute %q: %v", a.Key, err)
			}
			out[a.Key] = *v.IntValue
		}
	}
	return out
}
