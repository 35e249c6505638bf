package web

import (
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Buckets are the upper bounds of the response times that metrics count, in seconds.
var Buckets = [...]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// Metrics are the metrics of HTTP requests.
type Metrics struct {
	seconds *prometheus.HistogramVec
	failed  atomic.Int64
	buckets [len(Buckets) + 1]atomic.Int64 // of all routes; the last is for slower ones
}

// NewMetrics registers the server's metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "homeroom_http_request_seconds",
		Help:    "Response time by route, method and status.",
		Buckets: Buckets[:],
	}, []string{"route", "method", "status"})}
	reg.MustRegister(m.seconds)
	return m
}

func (m *Metrics) observe(method, route string, status int, took time.Duration) {
	at, _ := slices.BinarySearch(Buckets[:], took.Seconds())
	m.buckets[at].Add(1)
	if status >= http.StatusInternalServerError {
		m.failed.Add(1)
	}
	if route == "" {
		route, method = "other", "" // one label for all unknown paths, to bound cardinality
	}
	m.seconds.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
}

// Counts are requests since the start of this node.
type Counts struct {
	Failed  int64   // answered with 500 or above
	Buckets []int64 // by response time: one per bound of Buckets, and one for slower ones
}

// Counts returns a copy of the counters.
func (m *Metrics) Counts() Counts {
	c := Counts{Failed: m.failed.Load(), Buckets: make([]int64, len(m.buckets))}
	for i := range m.buckets {
		c.Buckets[i] = m.buckets[i].Load()
	}
	return c
}

// Requests is the number of requests since the start of this node.
func (m *Metrics) Requests() (n int64) {
	for i := range m.buckets {
		n += m.buckets[i].Load()
	}
	return n
}
