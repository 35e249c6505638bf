package trace

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"
)

// The types of this file are the messages of OTLP 1 in their JSON form: ids as hex, 64-bit integers
// as strings, enumerations as numbers.

type exportRequest struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes []keyValue `json:"attributes"`
}

type scopeSpans struct {
	Scope scope      `json:"scope"`
	Spans []jsonSpan `json:"spans"`
}

type scope struct {
	Name string `json:"name"`
}

type jsonSpan struct {
	TraceID    string     `json:"traceId"`
	SpanID     string     `json:"spanId"`
	ParentID   string     `json:"parentSpanId,omitempty"`
	Name       string     `json:"name"`
	Kind       Kind       `json:"kind"`
	Start      string     `json:"startTimeUnixNano"`
	End        string     `json:"endTimeUnixNano"`
	Attributes []keyValue `json:"attributes,omitempty"`
	Status     status     `json:"status"`
}

type status struct {
	Code int `json:"code,omitempty"`
}

const statusError = 2

type keyValue struct {
	Key   string   `json:"key"`
	Value anyValue `json:"value"`
}

// anyValue has one of its fields.
type anyValue struct {
	String string `json:"stringValue,omitempty"`
	Int    string `json:"intValue,omitempty"`
}

// exportResponse is the answer to an export. PartialSuccess is set if spans were rejected.
type exportResponse struct {
	PartialSuccess struct {
		RejectedSpans json.Number `json:"rejectedSpans"` // with or without quotes
		ErrorMessage  string      `json:"errorMessage"`
	} `json:"partialSuccess"`
}

// encode returns the request that exports a batch.
func (t *Tracer) encode(batch []*Span) ([]byte, error) {
	spans := make([]jsonSpan, len(batch))
	for i, s := range batch {
		spans[i] = s.json()
	}
	return json.Marshal(exportRequest{[]resourceSpans{{t.resource(), []scopeSpans{{scope{"homeroom"}, spans}}}}})
}

func (t *Tracer) resource() resource {
	return resource{[]keyValue{
		{"service.name", anyValue{String: "homeroom"}},
		{"service.version", anyValue{String: t.Version}},
		{"service.instance.id", anyValue{String: t.Node}},
	}}
}

func (s *Span) json() jsonSpan {
	j := jsonSpan{TraceID: hex.EncodeToString(s.trace[:]), SpanID: hex.EncodeToString(s.id[:]), Name: s.name, Kind: s.kind,
		Start: nanos(s.start), End: nanos(s.end), Attributes: s.attributes}
	if s.parent != (spanID{}) {
		j.ParentID = hex.EncodeToString(s.parent[:])
	}
	if s.failed {
		j.Status.Code = statusError
	}
	return j
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
