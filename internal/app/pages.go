package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"homeroom/internal/platform/db"
)

// readyTimeout limits the database checks of /readyz.
const readyTimeout = time.Second

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
	if err := a.DB.Ping(ctx); err != nil {
		s.Database, s.Schema, s.Signals = "unreachable", "unknown", "unknown"
	} else {
		if err := a.DB.Current(ctx); errors.Is(err, db.ErrUnavailable) { // whose text has addresses
			s.Schema = "unknown"
		} else if err != nil {
			s.Schema = err.Error()
		}
		if err := a.DB.Hears(); err != nil {
			s.Signals = err.Error()
		}
	}
	s.Ready = s == well
	return s
}
