package app

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"homeroom/internal/feature/live"
	"homeroom/internal/feature/message"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/bus"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
)

const (
	socketPath     = "/socket.io/"
	socketsPerUser = 20
)

// newLive creates the live service. newSockets gives it the socket server later.
func (a *App) newLive(s services) *live.Service {
	signer := &token.Signer{Ring: a.Keys, Now: a.Now, Rand: a.Rand}
	return live.New(live.Options{
		DB: a.DB, Gate: s.identity, Now: a.Now, Log: a.Log,
		Expiry: func(raw string) (time.Time, error) {
			t, err := signer.VerifyAccess(raw)
			return t.ExpiresAt, err
		},
	})
}

// openBus connects to the other nodes, if there are any.
func (a *App) openBus() (err error) {
	if a.cfg.ClusterListen != "" || a.cfg.NATSURL != "" {
		a.bus, err = bus.Open(bus.Options{URL: string(a.cfg.NATSURL), Listen: a.cfg.ClusterListen, Peers: a.cfg.ClusterPeers,
			Secret: string(a.cfg.ClusterSecret), Log: a.Log})
	}
	return err
}

// newSockets creates the Socket.IO server.
func (a *App) newSockets(s *web.Server) error {
	c := socketio.Config{
		Authenticate: a.services.live.Authenticate, ErrorBody: socketError,
		Log: a.Log, Origins: a.origins(), ClientIP: s.ClientIP, Now: a.Now, Rand: a.Rand,
		PerUser: socketsPerUser, EventsPerSecond: a.cfg.RateSocket, HandshakeRate: a.cfg.RateHandshake,
	}
	if a.bus != nil {
		c.Relay = a.bus
	}
	var err error
	if a.sockets, err = socketio.New(c); err != nil {
		return err
	}
	a.services.live.Serve(a.sockets)
	a.services.tracking.Serve(a.sockets)
	a.sockets.Declare(notification.Events()...)
	a.sockets.Declare(message.Events()...)
	return nil
}

// socketError is the error that a socket's client gets, as over HTTP.
func socketError(err error, to socketio.Reader) (message string, body any) {
	b := web.BodyOf(err, to.Language, to.Accepts)
	return b.Message, b
}

// withSockets serves /socket.io/ outside the middleware, which would prevent
// hijacking the connection.
func (a *App) withSockets(rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, socketPath) {
			a.sockets.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// closeSockets disconnects all clients, writes buffered bus positions and leaves
// the cluster. It may be called twice.
func (a *App) closeSockets(ctx context.Context) error {
	var err error
	if a.sockets != nil {
		err = a.sockets.Shutdown(ctx)
	}
	if a.services.tracking != nil {
		err = errors.Join(err, a.services.tracking.Flush(ctx))
	}
	if a.bus != nil {
		a.bus.Close()
		a.bus = nil
	}
	return err
}
