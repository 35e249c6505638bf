package trace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/trace"
	"homeroom/internal/platform/trace/tracetest"
)

// open starts a tracer that samples all, and ends with the test.
func open(t testing.TB, url string, change ...func(*trace.Options)) *trace.Tracer {
	t.Helper()
	o := trace.Options{URL: url, Share: 1, Version: "1.2.3", Node: "n1", Random: rand.Uint64, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	tr := trace.Open(o)
	t.Cleanup(func() { tr.Close(over(t)) })
	return tr
}

// over is a context that has ended.
func over(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestExport(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tr := open(t, c.URL, func(o *trace.Options) { o.Headers = http.Header{"X-Api-Key": {"k1"}} })
	ctx, root := tr.Begin(t.Context(), trace.Server, "GET")
	_, child := trace.Start(ctx, trace.Client, "SELECT x")
	child.Set("db.query.text", strings.Repeat("x", 5000))
	child.SetInt("db.operation.batch.size", 2)
	child.End(fmt.Errorf("of Ada: %w", &net.OpError{Op: "Ada", Err: errors.New("Ada")}))
	root.Rename("GET /x")
	root.End(nil)
	_, other := tr.Begin(t.Context(), trace.Consumer, "job")
	other.End(nil)
	tr.Close(t.Context())

	got := c.Spans()
	if len(got) != 3 || tr.Counts() != (trace.Counts{Sent: 3}) {
		t.Fatalf("got %+v, counts %+v", got, tr.Counts())
	}
	s, r, o := got[0], got[1], got[2]
	if s.Trace != r.Trace || s.Parent != r.ID || r.Parent != "" || o.Trace == r.Trace || r.ID == s.ID {
		t.Errorf("not one trace and another: %+v", got)
	}
	if r.Name != "GET /x" || r.Kind != 2 || s.Kind != 3 || o.Kind != 5 || r.Failed || !s.Failed {
		t.Errorf("wrong names, kinds or states: %+v", got)
	}
	if n := len(s.Attributes["db.query.text"]); n > 2100 || s.Attributes["db.operation.batch.size"] != "2" ||
		s.Attributes["error.type"] != "*errors.errorString" {
		t.Errorf("attributes: %d bytes of text, %+v", n, s.Attributes)
	}
	if strings.Contains(c.Raw(), "Ada") {
		t.Error("the text of an error is in a span")
	}
	if _, h := c.Requests(); h.Get("X-Api-Key") != "k1" {
		t.Error("the headers were not sent")
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]int{0: 0, 0.25: 1, 0.5: 2, 1: 4} {
		quarters := uint64(0)
		tr := open(t, "http://127.0.0.1:1/v1/traces", func(o *trace.Options) {
			o.Share = share
			o.Random = func() uint64 { return quarters << 62 }
		})
		got := 0
		for quarters = range uint64(4) {
			if _, s := tr.Begin(t.Context(), trace.Server, "x"); s != nil {
				got++
			}
		}
		if got != want {
			t.Errorf("a share of %g traces %d of 4, want %d", share, got, want)
		}
	}
}

func TestContinue(t *testing.T) {
	t.Parallel()
	const id, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	c := tracetest.New(t)
	for header, want := range map[string]string{
		"00-" + id + "-" + span + "-01":                      "continued",
		"00-" + id + "-" + span + "-03":                      "continued",
		"42-" + id + "-" + span + "-01-more":                 "continued",
		"00-" + id + "-" + span + "-00":                      "not traced",
		"00-" + id + "-" + span + "-01-more":                 "new",
		"42-" + id + "-" + span + "-01more":                  "new",
		"ff-" + id + "-" + span + "-01":                      "new",
		"zz-" + id + "-" + span + "-01":                      "new",
		"00-" + id[:31] + "g-" + span + "-01":                "new",
		"00-" + id + "-" + span + "-0x":                      "new",
		"00-" + id + "_" + span + "-01":                      "new",
		"":                                                   "new",
		strings.ToUpper("00-" + id + "-" + span):             "new",
		"00-" + strings.ToUpper(id) + "-" + span + "-01":     "new",
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": "new",
		"00-" + id + "-" + strings.Repeat("0", 16) + "-01":   "new",
	} {
		tr := open(t, c.URL)
		before := len(c.Spans())
		_, s := tr.Continue(t.Context(), header, trace.Server, "x")
		s.End(nil)
		tr.Close(t.Context())
		got := "not traced"
		if all := c.Spans(); len(all) > before {
			got = "new"
			if one := all[before]; one.Trace == id && one.Parent == span {
				got = "continued"
			} else if one.Trace == id || one.Parent != "" {
				t.Errorf("%q: half of it was taken: %+v", header, one)
			}
		}
		if got != want {
			t.Errorf("%q is %s, want %s", header, got, want)
		}
	}
}

// logBuffer is a log that may be read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), text)
}

// TestRefused drops what the collector refuses for good, counts it and logs one line for the series.
func TestRefused(t *testing.T) {
	t.Parallel()
	c, log := tracetest.New(t), &logBuffer{}
	tr := open(t, c.URL, func(o *trace.Options) { o.Log = slog.New(slog.NewTextHandler(log, nil)) })
	step := func(status int, answer string, want trace.Counts) {
		t.Helper()
		c.Answer(status, answer)
		_, s := tr.Begin(t.Context(), trace.Server, "x")
		s.End(nil)
		if !await.Comes(func() bool { return tr.Counts() == want }) {
			t.Fatalf("%d %s: counts %+v, want %+v", status, answer, tr.Counts(), want)
		}
	}
	step(401, `{}`, trace.Counts{Dropped: 1})
	step(400, `{}`, trace.Counts{Dropped: 2})
	step(307, `{}`, trace.Counts{Dropped: 3})
	if log.count("traces can't be sent") != 1 {
		t.Error("not one line for the series")
	}
	step(200, `{}`, trace.Counts{Sent: 1, Dropped: 3})
	step(200, `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"full"}}`, trace.Counts{Sent: 1, Dropped: 4})
	step(202, `accepted`, trace.Counts{Sent: 2, Dropped: 4})
	tr.Close(t.Context())
	if log.count("traces can't be sent") != 2 || log.count("traces are sent again") != 2 {
		t.Error("not one line for each series and its end")
	}
}

// TestDown fills the queue while nobody listens. The first spans wait for the collector.
func TestDown(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	c.Answer(503, "")
	tr := open(t, c.URL)
	const n = 5000
	for range n {
		_, s := tr.Begin(t.Context(), trace.Server, "x")
		s.End(nil)
	}
	if d := tr.Counts().Dropped; d < n-2048-2*512 || d >= n {
		t.Errorf("%d of %d spans were dropped", d, n)
	}
	c.Answer(200, "{}")
	await.Until(t, "the waiting spans", func() bool { return tr.Counts().Sent >= 2048 })
	tr.Close(t.Context())
	if got := tr.Counts(); int(got.Sent) != len(c.Spans()) || got.Sent+got.Dropped != n {
		t.Errorf("counts %+v, %d spans came, of %d", got, len(c.Spans()), n)
	}
}

// TestCloseGivesUp has a collector that never answers: Close returns when its context ends.
func TestCloseGivesUp(t *testing.T) {
	t.Parallel()
	came, done := make(chan struct{}), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came <- struct{}{}; <-done }))
	defer srv.Close()
	defer close(done)
	tr := open(t, srv.URL+"/v1/traces", func(o *trace.Options) { o.Timeout = await.Limit })
	_, s := tr.Begin(t.Context(), trace.Server, "x")
	s.End(nil)
	<-came
	_, s = tr.Begin(t.Context(), trace.Server, "x")
	s.End(nil)
	tr.Close(over(t))
	if got := tr.Counts(); got != (trace.Counts{Dropped: 2}) {
		t.Errorf("counts %+v, want 2 dropped", got)
	}
}

// TestOff checks that nothing is allocated without a tracer and without a sampled trace.
func TestOff(t *testing.T) {
	ctx := context.WithValue(t.Context(), anyKey{}, "of a request")
	unsampled := open(t, "http://127.0.0.1:1/v1/traces", func(o *trace.Options) { o.Share = 0 })
	for name, tr := range map[string]*trace.Tracer{"off": nil, "not sampled": unsampled} {
		if n := testing.AllocsPerRun(100, func() { step(ctx, tr) }); n != 0 {
			t.Errorf("%s: %g allocations a request", name, n)
		}
	}
	var off *trace.Tracer
	off.Close(ctx)
	if off.Counts() != (trace.Counts{}) {
		t.Error("a tracer that is off has counts")
	}
}

type anyKey struct{}

// step does what a request with one statement does.
func step(ctx context.Context, tr *trace.Tracer) {
	ctx, root := tr.Begin(ctx, trace.Server, "GET")
	_, child := trace.Start(ctx, trace.Client, "SELECT")
	child.Set("db.query.text", "SELECT 1")
	child.SetInt("db.operation.batch.size", 1)
	child.End(nil)
	root.Rename("GET /x")
	root.Fail("500")
	root.End(nil)
}

func BenchmarkOff(b *testing.B) {
	ctx := context.WithValue(b.Context(), anyKey{}, "of a request")
	b.ReportAllocs()
	for b.Loop() {
		step(ctx, nil)
	}
}

func TestOutgoing(t *testing.T) {
	t.Parallel()
	c := tracetest.New(t)
	tr := open(t, c.URL)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			t.Error("another service was told the trace")
		}
		if r.URL.Path == "/15550100001" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	client := &http.Client{Transport: trace.Outgoing(http.DefaultTransport)}
	ctx, root := tr.Begin(t.Context(), trace.Consumer, "job")
	get := func(ctx context.Context, url string) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := client.Do(req); err == nil {
			res.Body.Close()
		}
	}
	get(ctx, srv.URL+"/fine?key=hunter22")
	get(ctx, srv.URL+"/15550100001")
	get(t.Context(), srv.URL+"/untraced")
	srv.Close()
	get(ctx, srv.URL+"/down")
	root.End(nil)
	tr.Close(t.Context())
	got := c.Spans()
	if len(got) != 4 {
		t.Fatalf("got %+v", got)
	}
	for i, want := range []struct{ status, class string }{{"200", ""}, {"404", "404"}, {"", "syscall.Errno"}} {
		a := got[i].Attributes
		if a["http.response.status_code"] != want.status || a["error.type"] != want.class || got[i].Failed != (want.class != "") ||
			a["server.address"] != "127.0.0.1" || got[i].Parent != got[3].ID {
			t.Errorf("call %d: %+v, want %v", i, got[i], want)
		}
	}
	if raw := c.Raw(); strings.Contains(raw, "hunter22") || strings.Contains(raw, "15550100001") || strings.Contains(raw, "/fine") {
		t.Errorf("a URL is in a span: %s", raw)
	}
}

func TestParseHeaders(t *testing.T) {
	t.Parallel()
	got, err := trace.ParseHeaders(" api-key=a=b , X-Two=c%2Cd%20e,")
	if err != nil || got.Get("Api-Key") != "a=b" || got.Get("X-Two") != "c,d e" || len(got) != 2 {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"hunter22", "a b=hunter22", "a=hunter22%", "a=hunter22%0d%0aX: y", "=hunter22"} {
		if _, err := trace.ParseHeaders(bad); err == nil || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
