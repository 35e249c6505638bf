// Package app is the only package that imports every feature. It builds the
// platform, then the features in order of dependency, and passes their routes
// and workers to the web server and the job queue.
//
// Start at New. The list of features is in features.go: a new module is one
// line there. Config is in config.go, start and shutdown in serve.go.
package app

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/webhook"
	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/bus"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/trace"
	"homeroom/internal/platform/wal"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

// closeTimeout limits the last writes at shutdown.
const closeTimeout = 10 * time.Second

// Deps are the dependencies that a test can replace. Nil fields get the real ones.
type Deps struct {
	Now    clock.Now
	NewID  id.Source
	Rand   io.Reader
	Chance func() float64 // from 0 to 1, spreads retries
	Hasher *token.Hasher
	Log    *slog.Logger
}

func (d Deps) withDefaults() Deps {
	if d.Now == nil {
		d.Now = clock.System
	}
	if d.NewID == nil {
		d.NewID = id.New
	}
	if d.Rand == nil {
		d.Rand = crand.Reader
	}
	if d.Chance == nil {
		d.Chance = rand.Float64
	}
	if d.Hasher == nil {
		d.Hasher = &token.Hasher{Rand: d.Rand, Slots: hashSlots()}
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return d
}

// App is the whole service.
type App struct {
	Deps
	DB      *db.DB
	Keys    *token.Ring
	Notify  *notify.Notifier
	Queue   *jobs.Queue
	Hooks   *jobs.Queue  // sends to webhooks
	Routes  []web.Route  // every endpoint, as declared
	Handler http.Handler // serves everything but the separate metrics listener

	cfg      Config
	services services
	registry *prometheus.Registry
	metrics  *web.Metrics
	scrape   http.Handler // the metrics, for Prometheus
	tracer   *trace.Tracer
	graceEnd time.Time // of a shutdown; zero before it
	sockets  *socketio.Server
	files    blob.Store
	shipper  *wal.Shipper // the continuous backup; nil: off
	bus      *bus.Bus     // nil: a single node
	stopping atomic.Bool  // shutting down: /readyz fails
	checked  atomic.Int64 // when the schema was last found to be that of this binary, in ns
}

// New builds the service: it loads the keys, opens and migrates the database,
// and creates features and routes. It starts nothing. The caller closes it.
func New(ctx context.Context, c Config, d Deps) (*App, error) {
	c.Addr = c.addr()
	a := &App{cfg: c, Deps: d.withDefaults(), registry: prometheus.NewRegistry()}
	a.metrics = web.NewMetrics(a.registry)
	var err error
	if a.Keys, err = c.loadKeys(a.Deps); err != nil {
		return nil, err
	}
	if a.DB, err = c.Store.dial(ctx, a.Log, c.BackupContinuous); err != nil {
		return nil, err
	}
	a.DB.LogSlow(c.LogSlow)
	a.openTracer()
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(c.scrub(err), a.Close())
	}
	return a, nil
}

func (a *App) build(ctx context.Context) error {
	if err := a.refuseRealData(ctx); err != nil {
		return err
	}
	applied, err := a.DB.Migrate(ctx)
	if err != nil {
		return fmt.Errorf("migrate the schema of %s: %w", a.cfg.URL(), err)
	}
	if len(applied) > 0 {
		a.Log.InfoContext(ctx, "schema migrated", "migrations", len(applied), "version", applied[len(applied)-1])
	}
	if err := a.openShipper(); err != nil {
		return err
	}
	if err := a.openFiles(ctx); err != nil {
		return err
	}
	if err := a.newNotifier(); err != nil {
		return err
	}
	a.services = a.newServices()
	a.connectNotifier()
	if err := a.services.school.Platform(ctx); err != nil {
		return fmt.Errorf("create the platform's school row: %w", err)
	}
	if err := a.openBrowsers(ctx); err != nil {
		return err
	}
	if a.cfg.Demo {
		if err := a.services.demo(a).seed(ctx); err != nil {
			return err
		}
	}
	if err := a.newQueue(); err != nil {
		return err
	}
	return a.newWeb()
}

// newQueue creates the job queue with the workers and periodic jobs of every feature.
func (a *App) newQueue() error {
	workers, periodics := a.Notify.Workers(), a.sweeps()
	for _, f := range a.services.features() {
		a.Routes = append(a.Routes, f.Routes()...)
		if w, ok := f.(interface{ Workers() []jobs.Worker }); ok {
			workers = append(workers, w.Workers()...)
		}
		if p, ok := f.(interface{ Periodics() []jobs.Periodic }); ok {
			periodics = append(periodics, p.Periodics()...)
		}
	}
	if a.cfg.Demo {
		periodics = append(periodics, a.newSimulator().periodic())
	}
	recordReads(a.Routes)
	var err error
	a.Queue, err = jobs.New(jobs.Options{
		DB: a.DB, Now: a.Now, NewID: a.NewID, Chance: a.Chance, Log: a.Log, Tracer: a.tracer,
		Workers: workers, Periodic: periodics, Concurrency: a.cfg.Workers,
		Lease: a.cfg.JobLease, Grace: a.cfg.ShutdownTimeout / 2,
	})
	if err != nil {
		return err
	}
	a.Hooks, err = jobs.New(jobs.Options{
		DB: a.DB, Now: a.Now, NewID: a.NewID, Chance: a.Chance, Log: a.Log, Tracer: a.tracer,
		Lane: webhook.Lane, Workers: a.services.webhook.Senders(), Concurrency: hookSenders, Poll: 5 * time.Second,
		Lease: a.cfg.JobLease, Grace: a.cfg.ShutdownTimeout / 2,
	})
	return err
}

// hookSenders is how many webhooks are sent to at the same time. A slow receiver
// takes one of them, and pauses when it fails.
const hookSenders = 64

// Run runs the job queue and the other background loops until ctx ends, then
// waits for all of them.
func (a *App) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	loops := []func(context.Context) error{a.services.reads.Run, a.services.live.Run, a.services.tracking.Run, a.services.system.Run,
		a.Hooks.Run}
	if a.shipper != nil {
		loops = append(loops, a.shipper.Run)
	}
	ended := make(chan error, len(loops))
	for _, run := range loops {
		go func() { ended <- run(ctx) }()
	}
	err := a.Queue.Run(ctx)
	stop()
	for range loops {
		err = errors.Join(err, <-ended)
	}
	return err
}

// Close disconnects sockets, writes buffered bus positions and read records, closes the
// senders, the file store and the database, and sends the last spans.
func (a *App) Close() error {
	var err error
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if a.services.reads != nil {
		err = errors.Join(a.closeSockets(ctx), a.services.reads.Flush(ctx))
	}
	if a.shipper != nil {
		a.shipper.Close(ctx)
	}
	err = errors.Join(err, a.closeSenders(), a.closeFiles(), a.DB.Close())
	a.closeTracer()
	return err
}

// Open opens the database without migrating it. It first finishes an interrupted restore.
func (s Store) Open(ctx context.Context, log *slog.Logger) (*db.DB, error) {
	return s.dial(ctx, log, false)
}

func (s Store) dial(ctx context.Context, log *slog.Logger, keepWAL bool) (*db.DB, error) {
	if err := s.resumeRestore(); err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, db.Options{URL: string(s.URL()), SignalURL: string(s.DatabaseSignalURL), Migrations: schema.FS,
		MaxConns: s.DBMaxConns, KeepWAL: keepWAL, Log: log})
	if err != nil {
		return nil, s.scrub(fmt.Errorf("open the database %s: %w", s.URL(), err))
	}
	return d, nil
}

// loadKeys parses the keys of the settings, or reads the keys file if there are none.
func (s Store) loadKeys(d Deps) (*token.Ring, error) {
	if s.Keys != "" {
		return token.ParseRing(string(s.Keys))
	}
	if s.URL().Engine() == "postgres" {
		d.Log.Warn("HOMEROOM_KEYS is not set, so only this node has these keys; nodes that share a database must share keys", "file",
			s.KeysFile())
	}
	return token.LoadFile(s.KeysFile(), d.Now, d.Rand)
}
