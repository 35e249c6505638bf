package trace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const (
	queueSize = 2048 // spans that wait; more are dropped
	batchSize = 512  // spans of one request to the collector
	window    = time.Second
	timeout   = 10 * time.Second
	minPause  = time.Second // after the first failure; doubles with each
	maxPause  = 30 * time.Second
	maxAnswer = 64 << 10
)

// Options configure a Tracer.
type Options struct {
	URL     string      // of the collector, with the path: http://127.0.0.1:4318/v1/traces
	Headers http.Header // for authentication
	Share   float64     // of the traces that are sampled, from 0 to 1
	Version string      // of this program
	Node    string      // its name
	Random  func() uint64
	Timeout time.Duration // of one request to the collector; 0 = 10 s
	Log     *slog.Logger
}

// Tracer samples traces and sends their spans in the background. A nil Tracer is off.
type Tracer struct {
	Options
	queue         chan *Span
	sent, dropped atomic.Int64
	client        *http.Client
	stopping      context.Context // ends when Close begins
	sending       context.Context // ends when Close gives up
	stop, abort   context.CancelFunc
	ended         chan struct{}
	failing       bool
}

// Open starts a Tracer. Close it.
func Open(o Options) *Tracer {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t := &Tracer{Options: o, queue: make(chan *Span, queueSize), ended: make(chan struct{}), client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the headers are for this host
	}}
	t.stopping, t.stop = context.WithCancel(context.Background())
	t.sending, t.abort = context.WithCancel(context.Background())
	go t.run()
	return t
}

// Close sends the queued spans and stops. When ctx ends, it drops the rest.
func (t *Tracer) Close(ctx context.Context) {
	if t == nil {
		return
	}
	t.stop()
	defer context.AfterFunc(ctx, t.abort)()
	<-t.ended
	t.client.CloseIdleConnections()
}

// Counts are spans since Open.
type Counts struct{ Sent, Dropped int64 }

// Counts returns how many spans were sent and dropped.
func (t *Tracer) Counts() Counts {
	if t == nil {
		return Counts{}
	}
	return Counts{t.sent.Load(), t.dropped.Load()}
}

func (t *Tracer) run() {
	defer close(t.ended)
	for {
		batch := t.collect()
		if len(batch) == 0 { // stopping, and all was sent
			return
		}
		t.deliver(batch)
	}
}

// collect waits for a span, and for others within the window. It returns none if the queue is
// empty when the Tracer stops.
func (t *Tracer) collect() (batch []*Span) {
	select {
	case s := <-t.queue:
		batch = append(batch, s)
	case <-t.stopping.Done():
	}
	enough := time.After(window)
	for len(batch) < batchSize {
		select {
		case s := <-t.queue:
			batch = append(batch, s)
		case <-enough:
			return batch
		case <-t.stopping.Done():
			select {
			case s := <-t.queue:
				batch = append(batch, s)
			default:
				return batch
			}
		}
	}
	return batch
}

// deliver sends a batch until the collector answers. Meanwhile the queue fills, and then spans are
// dropped. What the collector refuses is dropped, too.
func (t *Tracer) deliver(batch []*Span) {
	n := int64(len(batch))
	body, err := t.encode(batch)
	for pause := minPause; err == nil; pause = min(2*pause, maxPause) {
		var rejected int64
		if rejected, err = t.post(body); err == nil {
			rejected = min(max(rejected, 0), n)
			t.sent.Add(n - rejected)
			t.dropped.Add(rejected)
			t.recovered(rejected)
			return
		}
		t.warn(err)
		if isTemporary(err) && t.stopping.Err() == nil {
			err = nil
			t.sleep(pause)
		}
	}
	t.dropped.Add(n)
}

func (t *Tracer) sleep(pause time.Duration) {
	select {
	case <-time.After(pause):
	case <-t.stopping.Done():
	}
}

// warn logs the first failure of a series.
func (t *Tracer) warn(err error) {
	if !t.failing {
		t.Log.Warn("traces can't be sent: spans are dropped until the collector accepts them", "error", err)
	}
	t.failing = true
}

func (t *Tracer) recovered(rejected int64) {
	if rejected > 0 {
		t.warn(fmt.Errorf("the collector rejected %d spans of a batch", rejected))
		return
	}
	if t.failing {
		t.Log.Info("traces are sent again", "dropped", t.dropped.Load())
	}
	t.failing = false
}

// refused is a status of the collector that is no success.
type refused int

func (r refused) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the collector answered %d %s", int(r), http.StatusText(int(r))))
}

// isTemporary reports whether the same batch may be accepted later: the collector could not be
// reached, or answered with one of the statuses that OTLP lists for that.
func isTemporary(err error) bool {
	status, ok := errors.AsType[refused](err)
	return !ok || status == http.StatusTooManyRequests || status == http.StatusBadGateway ||
		status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

// post sends a request to the collector and returns how many of its spans were rejected.
func (t *Tracer) post(body []byte) (rejected int64, err error) {
	ctx, cancel := context.WithTimeout(t.sending, cmp.Or(t.Timeout, timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, values := range t.Headers {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Homeroom/"+t.Version)
	res, err := t.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return 0, err
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return 0, refused(res.StatusCode)
	}
	var r exportResponse
	_ = json.Unmarshal(answer, &r) // an empty or other body: all were accepted
	rejected, _ = r.PartialSuccess.RejectedSpans.Int64()
	return rejected, nil
}
