package app

import (
	"context"
	"net/http"
	"slices"
	"time"

	"homeroom/internal/platform/apidocs"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/openapi"
	"homeroom/internal/platform/web"
	webapp "homeroom/web"
)

// mounts are the pages outside the API.
func (a *App) mounts() (map[string]http.Handler, error) {
	m, err := webapp.Mounts(a.pageConfig())
	if err != nil {
		return nil, err
	}
	docs := a.docs()
	m["/healthz"], m["/readyz"] = http.HandlerFunc(health), http.HandlerFunc(a.ready)
	m[apidocs.Base], m[apidocs.Base+"/*"] = docs, docs
	if a.cfg.MetricsToken != "" {
		m["/metrics"] = a.publicMetrics()
	}
	if a.cfg.Demo {
		m["/dev/outbox"] = a.outbox()
	}
	return m, nil
}

// pageConfig is what the web app knows before anyone has signed in.
func (a *App) pageConfig() webapp.Config {
	c := webapp.Config{Version: readBuild().Version, Demo: a.cfg.Demo, Map: a.cfg.Maps.server(), Accounts: []webapp.Account{}}
	if !a.cfg.Demo {
		return c
	}
	for _, d := range DemoAccounts() {
		c.Accounts = append(c.Accounts, webapp.Account{Label: d.Label, School: d.School, Role: string(d.Role),
			Phone: d.Phone, Email: d.Email, Password: d.Password})
	}
	return c
}

// outbox shows sent messages. It waits for queued ones first, because visitors
// look for their sign-in code right away.
func (a *App) outbox() http.Handler {
	shown := notify.Outbox(a.Notify)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.Queue.Settled(r.Context(), 2*time.Second)
		shown.ServeHTTP(w, r)
	})
}

// docs serves the documentation page, and the documents of the API and of the sockets.
func (a *App) docs() http.Handler {
	doc := func() []byte {
		raw, err := OpenAPI(a.Routes, readBuild().Version)
		if err != nil {
			a.Log.Error("can't write the documentation", "error", err)
		}
		return raw
	}
	yaml := func() []byte {
		raw, err := openapi.YAML(doc())
		if err != nil {
			a.Log.Error("can't write the documentation", "error", err)
		}
		return raw
	}
	events := func() []byte {
		raw, err := a.AsyncAPI(readBuild().Version)
		if err != nil {
			a.Log.Error("can't write the documentation", "error", err)
		}
		return raw
	}
	o := apidocs.Options{Version: readBuild().Version, Demo: a.cfg.Demo, Events: events}
	for _, d := range DemoAccounts() {
		o.Accounts = append(o.Accounts, apidocs.Account{Label: d.Label, Role: string(d.Role), SchoolName: d.School,
			Phone: d.Phone, Email: d.Email, Password: d.Password})
	}
	return apidocs.Handler(doc, yaml, o)
}

// newWeb creates the web server with its routes, pages and sockets.
func (a *App) newWeb() error {
	a.scrape = a.newMetrics()
	if err := a.openBus(); err != nil {
		return err
	}
	mounts, err := a.mounts()
	if err != nil {
		return err
	}
	limiter, err := a.limiter()
	if err != nil {
		return err
	}
	s, err := web.New(web.Config{
		Routes: a.Routes, Mounts: mounts, DB: a.DB, Gate: a.services.identity,
		Now: a.Now, NewID: a.NewID, Log: a.Log, Metrics: a.metrics, Tracer: a.tracer, ProxyTraces: a.cfg.TracesFromProxies,
		Rates:   web.Rates{Auth: a.cfg.RateAuth, Read: a.cfg.RateRead, Write: a.cfg.RateWrite, Stream: a.cfg.RatePosition},
		Limiter: limiter, AuthLimiter: a.authLimiter(),
		Saw:            a.saw,
		TrustedProxies: a.cfg.TrustedProxies, Origins: a.origins(), Timeout: a.cfg.RequestTimeout, TLS: a.cfg.TLSCert != "",
	})
	if err != nil {
		return err
	}
	if err := a.newSockets(s); err != nil {
		return err
	}
	a.Handler = s.Framed(a.withSockets(s))
	return nil
}

// origins are the allowed CORS origins. Demo mode adds localhost.
func (a *App) origins() []string {
	if a.cfg.Demo {
		return append(slices.Clone(a.cfg.Origins), "localhost")
	}
	return a.cfg.Origins
}

// limiter limits reads and writes, over all nodes that the bus joins.
func (a *App) limiter() (web.Limiter, error) {
	if a.bus == nil {
		return web.NewMemory(a.Now), nil
	}
	return web.NewShared(a.Now, a.bus, a.Log)
}

// authLimiter limits sign-ins: per node, or shared by all nodes on PostgreSQL.
func (a *App) authLimiter() web.Limiter {
	if a.cfg.URL().Engine() == "postgres" {
		return &web.Table{DB: a.DB, Now: a.Now}
	}
	return web.NewMemory(a.Now)
}

// sweeps are the periodic jobs of the platform.
func (a *App) sweeps() []jobs.Periodic {
	counts := &web.Table{DB: a.DB, Now: a.Now}
	return []jobs.Periodic{
		{Name: "web.answers", Every: time.Hour, Run: func(ctx context.Context) error { return web.SweepAnswers(ctx, a.DB, a.Now()) }},
		{Name: "db.optimize", Every: 10 * time.Minute, Run: a.DB.Optimize},
		{Name: "web.counts", Every: 10 * time.Minute, Run: counts.Sweep},
	}
}
