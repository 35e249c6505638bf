package app

import (
	"context"
	"net/http"
	"slices"
	"time"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/apidocs"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/web"
)

// homePath is where the landing page is mounted; "/" is rewritten to it, as a
// mount at "/" would answer every path that nothing else does.
const homePath = "/home"

// mounts are the plain pages, which are no part of the API.
func (a *App) mounts() (map[string]http.Handler, error) {
	home, err := newHome(a.cfg.Demo)
	if err != nil {
		return nil, err
	}
	m := map[string]http.Handler{
		homePath:     only(homePath, home),
		"/healthz":   only("/healthz", http.HandlerFunc(health)),
		"/readyz":    only("/readyz", http.HandlerFunc(a.ready)),
		"/metrics":   only("/metrics", a.metricsHandler()),
		apidocs.Base: a.docs(),

		identity.ResetPath: a.services.identity.ResetPage(),
	}
	if a.cfg.Demo {
		m["/dev/outbox"] = only("/dev/outbox", notify.Outbox(a.Notify))
	}
	return m, nil
}

// docs is the documentation of the routes that are served.
func (a *App) docs() http.Handler {
	doc := func() []byte {
		raw, err := web.OpenAPI(a.Routes, readBuild().Version)
		if err != nil {
			a.Log.Error("the documentation can't be written", "error", err)
		}
		return raw
	}
	yaml := func() []byte {
		raw, err := web.YAML(doc())
		if err != nil {
			a.Log.Error("the documentation can't be written", "error", err)
		}
		return raw
	}
	o := apidocs.Options{Version: readBuild().Version, Demo: a.cfg.Demo}
	for _, d := range DemoAccounts() {
		o.Accounts = append(o.Accounts, apidocs.Account{Label: d.Label, Role: string(d.Role), SchoolName: d.School,
			Phone: d.Phone, Email: d.Email, Password: d.Password})
	}
	return apidocs.Handler(doc, yaml, o)
}

// newWeb puts the routes behind the gate.
func (a *App) newWeb() error {
	mounts, err := a.mounts()
	if err != nil {
		return err
	}
	s, err := web.New(web.Config{
		Routes: a.Routes, Mounts: mounts, DB: a.DB, Gate: a.services.identity,
		Now: a.Now, NewID: a.NewID, Log: a.Log, Metrics: a.metrics,
		Rates:   web.Rates{Auth: a.cfg.RateAuth, Read: a.cfg.RateRead, Write: a.cfg.RateWrite},
		Limiter: web.NewMemory(a.Now), AuthLimiter: a.authLimiter(),
		TrustedProxies: a.cfg.TrustedProxies, Origins: a.origins(), Timeout: a.cfg.RequestTimeout, TLS: a.cfg.TLSCert != "",
	})
	if err != nil {
		return err
	}
	a.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			r = r.Clone(r.Context())
			r.URL.Path = homePath
		}
		s.ServeHTTP(w, r)
	})
	return nil
}

// origins are the web sites that may call; demo mode serves those on a developer's machine.
func (a *App) origins() []string {
	if a.cfg.Demo {
		return append(slices.Clone(a.cfg.Origins), "localhost")
	}
	return a.cfg.Origins
}

// authLimiter counts sign-ins: several nodes on one PostgreSQL count together.
func (a *App) authLimiter() web.Limiter {
	if a.cfg.URL().Engine() == "postgres" {
		return &web.Table{DB: a.DB, Now: a.Now}
	}
	return web.NewMemory(a.Now)
}

// sweeps are the platform's own periodic work.
func (a *App) sweeps() []jobs.Periodic {
	counts := &web.Table{DB: a.DB, Now: a.Now}
	return []jobs.Periodic{
		{Name: "web.answers", Every: time.Hour, Run: func(ctx context.Context) error { return web.SweepAnswers(ctx, a.DB, a.Now()) }},
		{Name: "web.counts", Every: 10 * time.Minute, Run: counts.Sweep},
	}
}
