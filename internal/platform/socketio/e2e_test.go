package socketio_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/platform/socketio"
)

const clientDir = "testdata/client"

// TestOfficialClient runs the official socket.io-client of npm. It needs Node.
func TestOfficialClient(t *testing.T) {
	t.Parallel()
	installClient(t)
	for _, scenario := range []string{"upgrade", "upgradeUnderLoad", "polling", "websocket", "header", "heartbeat", "reconnect", "recovery",
		"acknowledgement", "binary", "refusal", "expiry", "authenticate"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			cmd := exec.CommandContext(t.Context(), "node", "client.mjs", h.http.URL, scenario)
			cmd.Dir = clientDir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("official client: %v\n%s", err, out)
			}
		})
	}
}

// installClient runs npm ci once.
func installClient(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(clientDir + "/node_modules"); err == nil {
		return
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
	cmd.Dir = clientDir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v; scripts/test.sh installs what the tests need\n%s", err, out)
	}
}

// house is a server that can disconnect its clients, and be replaced by a new one.
type house struct {
	http    *httptest.Server
	current atomic.Pointer[socketio.Server]

	mu    sync.Mutex
	conns []net.Conn
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{}
	h.current.Store(h.server(t))
	h.http = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.current.Load().ServeHTTP(w, r) }))
	h.http.Config.WriteTimeout = 400 * time.Millisecond // shorter than a poll
	h.http.Config.ConnState = func(c net.Conn, s http.ConnState) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if s == http.StateNew {
			h.conns = append(h.conns, c)
		}
	}
	h.http.Start()
	t.Cleanup(h.http.Close)
	return h
}

func (h *house) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		c.Close()
	}
}

// server is the server of the scenarios.
func (h *house) server(t *testing.T) *socketio.Server {
	l := newLab(t, func(c *socketio.Config) {
		c.PingInterval, c.PingTimeout = time.Second, 10*time.Second
	})
	on := func(event string, f func(ctx context.Context, so *socketio.Socket, e socketio.Event) (any, error)) {
		l.On(event, f)
	}
	on("move", func(_ context.Context, _ *socketio.Socket, e socketio.Event) (any, error) {
		var in struct{ Room string }
		if err := e.Bind(&in); err != nil {
			return nil, err
		}
		return nil, l.To(in.Room).Emit("bus-location", e.Args[0])
	})
	on("sockets", func(context.Context, *socketio.Socket, socketio.Event) (any, error) {
		return map[string]int{"count": len(l.Sockets())}, nil
	})
	on("count-to", func(_ context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
		var n int
		if err := e.Bind(&n); err != nil {
			return nil, err
		}
		for i := range n {
			if err := so.Emit("count", i); err != nil {
				return nil, err
			}
			time.Sleep(100 * time.Microsecond)
		}
		return nil, nil
	})
	on("ask-me", func(ctx context.Context, so *socketio.Socket, _ socketio.Event) (any, error) {
		answer, err := so.Ask(ctx, "question", "why")
		if err != nil {
			return nil, err
		}
		return map[string]json.RawMessage{"answer": answer.Args[0]}, nil
	})
	on("binary", func(_ context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
		return socketio.Args(resolved(e)), so.Emit("binary-back", socketio.Binary(e.Attachments[0]))
	})
	on("cut", func(context.Context, *socketio.Socket, socketio.Event) (any, error) { h.cut(); return nil, nil })
	on("restart", func(context.Context, *socketio.Socket, socketio.Event) (any, error) {
		old := h.current.Swap(h.server(t))
		go func() { _ = old.Shutdown(t.Context()) }() // checked by the cleanup of its lab
		return nil, nil
	})
	return l.Server
}
