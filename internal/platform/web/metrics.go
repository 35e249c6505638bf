package web

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the metrics of HTTP requests.
type Metrics struct {
	seconds *prometheus.HistogramVec
	total   atomic.Int64
}

// NewMetrics registers the server's metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "homeroom_http_request_seconds",
		Help:    "Response time by route, method and status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"route", "method", "status"})}
	reg.MustRegister(m.seconds)
	return m
}

func (m *Metrics) observe(method, route string, status int, took time.Duration) {
	m.total.Add(1)
	if route == "" {
		route, method = "other", "" // one label for all unknown paths, to bound cardinality
	}
	m.seconds.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
}

// Requests is the number of requests since the start of this node.
func (m *Metrics) Requests() int64 { return m.total.Load() }
