// Package accesstest serves routes on a real database to the tests of roles and
// schools. Tokens are "ROLE school", for the system role of that school.
package accesstest

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
	"homeroom/internal/platform/web/webtest"
)

const (
	// User is the id of every caller.
	User id.ID = "0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47"
	// Nobody is an id without a record.
	Nobody = "0199f3a2-0000-7000-8000-000000000000"
)

// World is the routes under test.
type World struct {
	webtest.Client
	DB   *db.DB
	mu   sync.Mutex
	seen []string // payloads of signals
}

// New serves no routes yet, and listens to the signals of access.
func New(t testing.TB, d *db.DB) *World {
	w := &World{Client: webtest.Client{TB: t}, DB: d}
	d.Listen(access.Topic, func(sig db.Signal) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !sig.Lost { // a node that begins to listen may have missed some
			w.seen = append(w.seen, sig.Payload)
		}
	})
	return w
}

// Serve starts the server of the routes.
func (w *World) Serve(routes ...web.Route) {
	w.Helper()
	server, err := web.New(web.Config{Routes: routes, Gate: gate{w.DB}, DB: w.DB, Now: clock.System, NewID: id.New,
		Log:     slog.New(slog.NewTextHandler(w.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
		Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: 20 * time.Second})
	if err != nil {
		w.Fatal(err)
	}
	w.Handler = server
}

// Signals returns the payloads of the signals received so far.
func (w *World) Signals() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// Announced waits until a signal with the payload was received.
func (w *World) Announced(payload string) {
	w.Helper()
	await.Until(w, "the signal "+payload, func() bool { return slices.Contains(w.Signals(), payload) })
}

// LastAudit returns the newest entry of a school's audit log, read with the token.
func (w *World) LastAudit(token string, at id.ID) map[string]any {
	w.Helper()
	items := w.Call(token, "GET", "/super-admin/audit/list?limit=1&schoolId="+string(at), nil).Is(200).Data["items"].([]any)
	if len(items) == 0 {
		w.Fatal("the audit log is empty")
	}
	return items[0].(map[string]any)
}

// gate authenticates tokens with the system role of their school.
type gate struct{ db *db.DB }

func (g gate) Authenticate(ctx context.Context, token string) (actor.Actor, error) {
	typ, at, _ := strings.Cut(token, " ")
	role, err := access.System(ctx, g.db.School(id.ID(at)), actor.Role(typ))
	if err != nil {
		return actor.Actor{}, fault.New(fault.Unauthenticated, "", "Not a token.").Because(err)
	}
	grants, err := access.Grants(ctx, g.db.School(id.ID(at)), role.ID)
	return actor.Actor{User: User, School: id.ID(at), Role: role.Type, RoleID: role.ID, Grants: grants}, err
}
