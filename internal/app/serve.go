package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
	"time"

	"homeroom/internal/platform/web"
)

const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	slowClient    = 30 * time.Second // for sending a request or receiving a response, besides the request timeout
	maxHeader     = 64 << 10
)

// Serve runs the service until ctx ends: it locks the data directory, listens,
// builds the service and prints its URL to stderr.
func Serve(ctx context.Context, c Config, stderr io.Writer, getenv func(string) string) error {
	c.Addr = c.addr()
	log := c.Logger(stderr)
	hup := make(chan os.Signal, 1) // first of all: an unhandled SIGHUP would end the process
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	lock, err := c.Store.Lock("serve")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	stop, err := profile(c.CPUProfile)
	if err != nil {
		return err
	}
	defer stop()
	if err := c.finishRestore(); err != nil {
		return err
	}
	ln, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w; stop the program that uses the address, or choose another with --addr", err)
	}
	defer ln.Close()
	a, err := New(ctx, c, Deps{Log: log})
	if err != nil {
		return err
	}
	if err := a.refuseDemo(ctx); err != nil {
		return errors.Join(err, a.Close())
	}
	setup, err := a.OpenSetup(ctx)
	if err != nil {
		return errors.Join(err, a.Close())
	}
	stopMetrics, err := a.serveMetrics()
	if err != nil {
		return errors.Join(err, a.Close())
	}
	log.DebugContext(ctx, "settings", "config", c)
	c.warnLocal(log)
	a.greet(ln.Addr(), setup, stderr, getenv)
	err = a.serve(ctx, ln, hup)
	stopMetrics()
	return errors.Join(err, a.Close())
}

// OpenSetup returns the secret of the set-up link, which works once; "" if the service has accounts.
func (a *App) OpenSetup(ctx context.Context) (string, error) {
	return a.services.identity.OpenSetup(ctx)
}

// profile writes a CPU profile to a file, if one is named, until stop is called.
func profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("write the profile: %w; name another file with --cpu-profile", err)
	}
	return func() { pprof.StopCPUProfile(); _ = f.Close() }, pprof.StartCPUProfile(f)
}

// serve serves requests and runs jobs until ctx ends or the listener fails.
func (a *App) serve(ctx context.Context, ln net.Listener, hup <-chan os.Signal) error {
	srv, cert, err := a.server()
	if err != nil {
		return err
	}
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	worked, served := make(chan error, 1), make(chan error, 1)
	go func() { worked <- a.Run(work) }()
	if cert != nil {
		ln = tls.NewListener(ln, cert.config())
	}
	go func() { served <- srv.Serve(web.Watch(ln)) }()
	failed := a.untilStopped(ctx, served, hup, cert)
	a.stopping.Store(true)
	if failed == nil {
		a.Log.Info("shutting down: waiting for running requests and jobs")
		time.Sleep(a.cfg.DrainDelay)
	}
	stopWork()
	a.graceEnd = time.Now().Add(a.cfg.ShutdownTimeout)
	err = a.drain(srv)
	if w := <-worked; w != nil {
		a.Log.Warn("jobs were stopped", "error", w) // they run again after the next start
	}
	return errors.Join(failed, err)
}

// untilStopped waits until ctx ends or the server fails. It reloads keys and
// certificate on SIGHUP.
func (a *App) untilStopped(ctx context.Context, served <-chan error, hup <-chan os.Signal, cert *certificate) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-served:
			return fmt.Errorf("serve: %w", err)
		case <-hup:
			a.reload(cert)
		}
	}
}

// drain closes the listener and waits for running requests, up to the shutdown timeout.
func (a *App) drain(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), a.cfg.ShutdownTimeout)
	defer cancel()
	if err := a.sockets.Shutdown(ctx); err != nil { // first: long-polling requests would not end by themselves
		a.Log.Warn("sockets were closed by force", "error", err)
	}
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(fmt.Errorf("requests that ran longer than %s were aborted", a.cfg.ShutdownTimeout), srv.Close())
	}
	return err
}

// server returns the HTTP server and its TLS certificate, if any.
func (a *App) server() (*http.Server, *certificate, error) {
	srv := &http.Server{
		Handler:           a.Handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       a.cfg.RequestTimeout + slowClient,
		WriteTimeout:      a.cfg.RequestTimeout + 2*slowClient,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnContext:       web.ConnContext,
		ErrorLog:          slog.NewLogLogger(a.Log.Handler(), slog.LevelDebug), // disconnects and scanners
	}
	if a.cfg.TLSCert == "" {
		return srv, nil, nil
	}
	cert := &certificate{cert: a.cfg.TLSCert, key: a.cfg.TLSKey}
	if err := cert.load(); err != nil {
		return nil, nil, err
	}
	// web.Watch wraps the TLS connections, so net/http takes them for plain TCP. It
	// must detect HTTP/2 by the client preface.
	srv.Protocols = new(http.Protocols)
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	return srv, cert, nil
}

// reload reloads keys and certificate. On an error the current ones stay in use.
func (a *App) reload(cert *certificate) {
	if a.cfg.Keys == "" {
		changed, err := a.Keys.Reload(a.cfg.KeysFile())
		if err != nil {
			a.Log.Error("can't reload the keys; the current ones stay in use", "error", err)
		} else {
			a.Log.Info("keys reloaded", "changed", changed)
		}
	}
	if cert == nil {
		return
	}
	if err := cert.load(); err != nil {
		a.Log.Error("can't reload the certificate; the current one stays in use", "error", err)
		return
	}
	a.Log.Info("certificate reloaded")
}
