// Package trace records spans of requests, statements, jobs and outgoing calls, and sends them
// to an OpenTelemetry collector (OTLP over HTTP, as JSON).
//
// A Tracer begins traces. Start adds a span to the trace of a context, if it has one:
//
//	ctx, span := trace.Start(ctx, trace.Client, "twilio")
//	answer, err := p.Send(ctx, m)
//	span.End(err)
//
// A nil Tracer is off, and a nil Span is not sampled: their methods do nothing and allocate
// nothing. Names and attributes must not have personal data: no path, query, body, argument of a
// statement or text of an error.
package trace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Kind is the role of a span, numbered as in OTLP.
type Kind int

// The kinds in use.
const (
	Internal Kind = 1
	Server   Kind = 2 // a request to this service
	Client   Kind = 3 // a call of another service
	Consumer Kind = 5 // a job
)

type (
	traceID [16]byte
	spanID  [8]byte
)

// Span is one step of a trace. One goroutine at a time uses it.
type Span struct {
	tracer     *Tracer
	trace      traceID
	id, parent spanID // parent is zero for the first span of a trace
	name       string
	kind       Kind
	start, end time.Time
	attributes []keyValue
	failed     bool
}

type spanKey struct{}

// Begin begins a trace, if it is sampled: a share of all are.
func (t *Tracer) Begin(ctx context.Context, kind Kind, name string) (context.Context, *Span) {
	if t == nil || float64(t.Random()>>11)/(1<<53) >= t.Share {
		return ctx, nil
	}
	s := &Span{tracer: t, name: name, kind: kind}
	binary.BigEndian.PutUint64(s.trace[:8], t.Random())
	binary.BigEndian.PutUint64(s.trace[8:], t.Random()|1) // zero is invalid
	return s.begin(ctx)
}

// Continue continues the trace of a traceparent header, if its sampled flag is set. The caller must
// trust the sender, who decides what is sampled. An invalid header begins a trace.
func (t *Tracer) Continue(ctx context.Context, traceparent string, kind Kind, name string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	from, ok := parseParent(traceparent)
	switch {
	case !ok:
		return t.Begin(ctx, kind, name)
	case !from.sampled:
		return ctx, nil
	}
	return (&Span{tracer: t, trace: from.trace, parent: from.span, name: name, kind: kind}).begin(ctx)
}

// Start adds a span to the trace of ctx. Without a trace the span is nil.
func Start(ctx context.Context, kind Kind, name string) (context.Context, *Span) {
	up, ok := ctx.Value(spanKey{}).(*Span)
	if !ok {
		return ctx, nil
	}
	return (&Span{tracer: up.tracer, trace: up.trace, parent: up.id, name: name, kind: kind}).begin(ctx)
}

func (s *Span) begin(ctx context.Context) (context.Context, *Span) {
	binary.BigEndian.PutUint64(s.id[:], s.tracer.Random()|1) // zero is invalid
	s.start = time.Now()
	return context.WithValue(ctx, spanKey{}, s), s
}

// Rename replaces the name, when more is known.
func (s *Span) Rename(name string) {
	if s != nil {
		s.name = name
	}
}

// maxText is the maximum length of an attribute in bytes. It bounds the memory of the queue.
const maxText = 2048

// Set adds an attribute. An empty text adds none.
func (s *Span) Set(key, text string) {
	if s == nil || text == "" {
		return
	}
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	s.attributes = append(s.attributes, keyValue{key, anyValue{String: text}})
}

// SetInt adds an attribute that is a number.
func (s *Span) SetInt(key string, n int) {
	if s != nil {
		s.attributes = append(s.attributes, keyValue{key, anyValue{Int: strconv.Itoa(n)}})
	}
}

// Fail marks the span as failed, with a class of error such as 503 or timeout.
func (s *Span) Fail(class string) {
	if s != nil {
		s.failed = true
		s.Set("error.type", class)
	}
}

// End ends the span, as failed if there is an error, and queues it. If the queue is full, the span
// is dropped.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	if err != nil {
		s.Fail(classOf(err))
	}
	s.end = time.Now()
	select {
	case s.tracer.queue <- s:
	default:
		s.tracer.dropped.Add(1)
	}
}

// classOf returns the class of an error: the Go type of its cause. The text of an error may have
// personal data.
func classOf(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	for {
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			if e.Unwrap() == nil {
				return fmt.Sprintf("%T", err)
			}
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			all := e.Unwrap()
			err = all[len(all)-1]
		default:
			return fmt.Sprintf("%T", err)
		}
	}
}
