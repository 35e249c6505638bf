package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"homeroom/internal/platform/db"
)

const (
	readyTimeout = time.Second      // limits the database checks of /readyz
	schemaEvery  = 10 * time.Second // how often a busy node checks the schema
)

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client is gone
}

// health is the liveness check. It depends on nothing else.
func health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readiness is the body of /readyz.
type readiness struct {
	Ready    bool   `json:"ready"`
	Server   string `json:"server"`
	Database string `json:"database"`
	Schema   string `json:"schema"`
	Signals  string `json:"signals"` // of other nodes, such as that a right was lost
	Backups  string `json:"backups"` // a node without them serves all the same
}

// ready is the readiness check: whether load balancers should send requests here.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	state := a.readiness(ctx)
	if state.Ready {
		writeJSON(w, http.StatusOK, state)
		return
	}
	w.Header().Set("Retry-After", "1")
	writeJSON(w, http.StatusServiceUnavailable, state)
}

func (a *App) readiness(ctx context.Context) readiness {
	well := readiness{Ready: true, Server: "ok", Database: "ok", Schema: "ok", Signals: "ok"}
	s := well
	if a.stopping.Load() {
		s.Server = "shutting down"
	}
	// A node whose connections are all in use is busy, not broken: these checks would wait
	// for one, and the balancer would send its load to nodes that are as busy.
	busy := a.DB.Busy(readyTimeout)
	if checked := time.Unix(0, a.checked.Load()); !busy || time.Since(checked) > schemaEvery {
		s.Database, s.Schema = a.checkDatabase(ctx)
	}
	if s.Database != "ok" {
		s.Signals = "unknown"
	} else if err := a.DB.Hears(); err != nil {
		s.Signals = err.Error()
	}
	s.Ready = s == well
	s.Backups = a.backupState()
	return s
}

// checkDatabase asks the database whether it is there and its schema that of this binary.
func (a *App) checkDatabase(ctx context.Context) (database, schema string) {
	if err := a.DB.Ping(ctx); err != nil {
		if a.checked.Load() != 0 && a.DB.Busy(readyTimeout) { // others get answers
			return "ok", "ok"
		}
		return "unreachable", "unknown"
	}
	switch err := a.DB.Current(ctx); {
	case err == nil:
		a.checked.Store(time.Now().UnixNano())
	case ctx.Err() != nil && a.checked.Load() != 0: // it was right a moment ago
	case errors.Is(err, db.ErrUnavailable): // whose text has addresses
		return "ok", "unknown"
	default:
		a.checked.Store(0)
		return "ok", err.Error()
	}
	return "ok", "ok"
}
