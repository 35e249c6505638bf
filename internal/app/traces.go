package app

import (
	"context"
	"math/rand/v2"
	"net/url"
	"time"

	"homeroom/internal/platform/notify/wire"
	"homeroom/internal/platform/trace"
)

// check adds every invalid setting to p. It never quotes the headers.
func (t Traces) check(p Problems) {
	p.unless(t.TracesShare >= 0 && t.TracesShare <= 1, "traces-share", "is %g: use 0 to 1, such as 0.01 for one in a hundred", t.TracesShare)
	headers, err := trace.ParseHeaders(string(t.TracesHeaders))
	if err != nil {
		p.Add("traces-headers", "can't be read: %v", err)
	}
	if t.TracesURL == "" {
		return
	}
	u, err := url.Parse(t.TracesURL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || len(u.Path) < 2:
		p.Add("traces-url", "is not a URL with a path: write it as http://127.0.0.1:4318/v1/traces")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		p.Add("traces-url", "has a user name or a query: write keys in --traces-headers")
	case u.Scheme == "http" && !wire.Loopback(u.Hostname()) && len(headers) > 0:
		p.Add("traces-url", "must be https, because --traces-headers have keys")
	}
}

// openTracer starts the export of traces, if there is a collector.
func (a *App) openTracer() {
	if a.cfg.TracesURL == "" {
		return
	}
	headers, _ := trace.ParseHeaders(string(a.cfg.TracesHeaders)) // validated by Check
	a.tracer = trace.Open(trace.Options{URL: a.cfg.TracesURL, Headers: headers, Share: a.cfg.TracesShare,
		Version: readBuild().Version, Node: a.cfg.nodeName(), Random: rand.Uint64, Log: a.Log})
}

// closeTracer sends the last spans, until the shutdown grace period ends.
func (a *App) closeTracer() {
	ctx, cancel := context.WithDeadline(context.Background(), a.lastSpans())
	defer cancel()
	a.tracer.Close(ctx)
}

// lastSpans returns until when the last spans may be sent.
func (a *App) lastSpans() time.Time {
	if a.graceEnd.IsZero() {
		return time.Now().Add(a.cfg.ShutdownTimeout)
	}
	return a.graceEnd
}
