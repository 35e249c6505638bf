package app

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"homeroom/internal/platform/web"
)

// newMetrics serves the metrics of the process, the connection pool, the queue
// and the web server. It leaves out metrics that fail and serves the rest.
func (a *App) newMetrics() http.Handler {
	a.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(),
		gauges{a},
	)
	return promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// publicMetrics serves the metrics on the service's own port to requests with the
// token. Others get 404.
func (a *App) publicMetrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.cfg.Scrape.allows(r) {
			web.NoPath(w, r)
			return
		}
		a.scrape.ServeHTTP(w, r)
	})
}

// allows reports whether a request has the token, compared in constant time.
func (s Scrape) allows(r *http.Request) bool {
	scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want := sha256.Sum256([]byte(s.MetricsToken)) // hashes, because the comparison needs equal lengths
	sent := sha256.Sum256([]byte(got))
	return s.MetricsToken != "" && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sent[:], want[:]) == 1
}

// metricsServer serves only GET /metrics. If a token is set, requests need it.
func (a *App) metricsServer() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if a.cfg.MetricsToken != "" && !a.cfg.Scrape.allows(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "Send the token of --metrics-token as a bearer token.", http.StatusUnauthorized)
			return
		}
		a.scrape.ServeHTTP(w, r)
	})
	return &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout, ReadTimeout: slowClient, WriteTimeout: slowClient,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(a.Log.Handler(), slog.LevelDebug)}
}

// serveMetrics serves the metrics on their own address, if there is one, until
// stop is called.
func (a *App) serveMetrics() (stop func(), err error) {
	if a.cfg.MetricsAddr == "" {
		return func() {}, nil
	}
	ln, err := net.Listen("tcp", a.cfg.MetricsAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w; choose another address with --metrics-addr", err)
	}
	srv, ended := a.metricsServer(), make(chan struct{})
	go func() {
		defer close(ended)
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			a.Log.Error("metrics are no longer served", "error", err)
		}
	}()
	a.Log.Info("metrics", "addr", ln.Addr().String())
	return func() { _ = srv.Close(); <-ended }, nil
}

func buildInfo() prometheus.Collector {
	b := readBuild()
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "homeroom_build_info", Help: "The running version; always 1.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "go": b.Go},
	})
	g.Set(1)
	return g
}

// gauges collects the state of queue and pool on each scrape.
type gauges struct{ a *App }

var (
	jobsNow = prometheus.NewDesc("homeroom_jobs", "Jobs of all nodes, by state.", []string{"state"}, nil)
	connsOf = prometheus.NewDesc("homeroom_db_connections", "Connections of this node to the database, by pool.",
		[]string{"pool", "state"}, nil)
	sockets = prometheus.NewDesc("homeroom_sockets", "Socket.IO clients of this node.", nil, nil)
	spans   = prometheus.NewDesc("homeroom_trace_spans_total", "Spans for the collector of --traces-url, by result.",
		[]string{"result"}, nil)
	readyIs = prometheus.NewDesc("homeroom_ready", "1 while this node accepts requests.", nil, nil)

	backupAt = prometheus.NewDesc("homeroom_backup_timestamp_seconds",
		"When a backup was last made, and last restored for a test, of all nodes. 0: never.", []string{"what"}, nil)
	backupOverdue = prometheus.NewDesc("homeroom_backup_overdue",
		"1 if there is no backup of the last one and a half periods of --backup-every.", nil, nil)
	backupBehind = prometheus.NewDesc("homeroom_backup_behind_seconds",
		"Seconds of changes that the continuous backup does not have yet. 0: it is off.", nil, nil)
	backupDamaged = prometheus.NewDesc("homeroom_backup_damaged",
		"1 if the continuous backup could not be restored for a test.", nil, nil)
)

// Describe implements prometheus.Collector.
func (gauges) Describe(ch chan<- *prometheus.Desc) {
	ch <- jobsNow
	ch <- connsOf
	ch <- sockets
	ch <- spans
	ch <- readyIs
	ch <- backupAt
	ch <- backupOverdue
	ch <- backupBehind
	ch <- backupDamaged
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
	traced := g.a.tracer.Counts()
	for result, n := range map[string]int64{"sent": traced.Sent, "dropped": traced.Dropped} {
		ch <- prometheus.MustNewConstMetric(spans, prometheus.CounterValue, float64(n), result)
	}
	for pool, u := range g.a.DB.Usage() {
		for state, n := range map[string]int{"max": u.Max, "in_use": u.InUse, "idle": u.Idle} {
			ch <- prometheus.MustNewConstMetric(connsOf, prometheus.GaugeValue, float64(n), pool, state)
		}
	}
	g.backups(ctx, ch)
	n, err := g.a.Queue.Stats(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(jobsNow, err)
		return
	}
	for state, count := range map[string]int{"waiting": n.Waiting, "running": n.Running, "dead": n.Dead} {
		ch <- prometheus.MustNewConstMetric(jobsNow, prometheus.GaugeValue, float64(count), state)
	}
}

func (g gauges) backups(ctx context.Context, ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(backupBehind, prometheus.GaugeValue, g.a.backupBehind().Seconds())
	damaged := 0.0
	if s := g.a.shipper; s != nil && s.Status().Damage != nil {
		damaged = 1
	}
	ch <- prometheus.MustNewConstMetric(backupDamaged, prometheus.GaugeValue, damaged)
	l, err := g.a.services.system.Latest(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(backupAt, err)
		return
	}
	for what, at := range map[string]*time.Time{"made": l.Made, "checked": l.Checked} {
		seconds := 0.0
		if at != nil {
			seconds = float64(at.Unix())
		}
		ch <- prometheus.MustNewConstMetric(backupAt, prometheus.GaugeValue, seconds, what)
	}
	overdue := 0.0
	if g.a.services.system.Overdue(l) {
		overdue = 1
	}
	ch <- prometheus.MustNewConstMetric(backupOverdue, prometheus.GaugeValue, overdue)
}
