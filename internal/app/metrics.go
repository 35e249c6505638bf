package app

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metricsHandler serves what the process, the pool, the queue and the web
// server count. A part that can't be read is left out, and the rest is served.
func (a *App) metricsHandler() http.Handler {
	a.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(),
		gauges{a},
	)
	return promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

func buildInfo() prometheus.Collector {
	b := readBuild()
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "homeroom_build_info", Help: "The version that runs; always 1.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "go": b.Go},
	})
	g.Set(1)
	return g
}

// gauges reads the queue and the pool when someone asks.
type gauges struct{ a *App }

var (
	jobsNow = prometheus.NewDesc("homeroom_jobs", "Jobs of all nodes, by state.", []string{"state"}, nil)
	connsOf = prometheus.NewDesc("homeroom_db_connections", "Connections of this node to the database, by pool.", []string{"pool", "state"}, nil)
	sockets = prometheus.NewDesc("homeroom_sockets", "Socket.IO clients of this node.", nil, nil)
	readyIs = prometheus.NewDesc("homeroom_ready", "1 while this node takes requests.", nil, nil)
)

// Describe implements prometheus.Collector.
func (gauges) Describe(ch chan<- *prometheus.Desc) {
	ch <- jobsNow
	ch <- connsOf
	ch <- sockets
	ch <- readyIs
}

// Collect implements prometheus.Collector.
func (g gauges) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	ready := 1.0
	if g.a.stopping.Load() {
		ready = 0
	}
	ch <- prometheus.MustNewConstMetric(readyIs, prometheus.GaugeValue, ready)
	ch <- prometheus.MustNewConstMetric(sockets, prometheus.GaugeValue, float64(g.a.sockets.Stats().Sockets))
	for pool, u := range g.a.DB.Usage() {
		for state, n := range map[string]int{"max": u.Max, "in_use": u.InUse, "idle": u.Idle} {
			ch <- prometheus.MustNewConstMetric(connsOf, prometheus.GaugeValue, float64(n), pool, state)
		}
	}
	n, err := g.a.Queue.Stats(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(jobsNow, err)
		return
	}
	for state, count := range map[string]int{"waiting": n.Waiting, "running": n.Running, "dead": n.Dead} {
		ch <- prometheus.MustNewConstMetric(jobsNow, prometheus.GaugeValue, float64(count), state)
	}
}
