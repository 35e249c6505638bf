package socketio_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/socketio/siotest"
)

const patience = await.Limit

var errStranger = fault.New(fault.Unauthenticated, "", "Sign in first.")

// lab is a server whose tokens are user names. A token "name@300ms" expires after that
// time, "name/2" is of another session, "panic" panics and "broken" is an internal error.
type lab struct {
	*testing.T
	*socketio.Server
	http *httptest.Server
	url  string
	logs *atomic.Int64 // lines of the log
}

type counting struct {
	slog.Handler
	n *atomic.Int64
}

func (c counting) Handle(context.Context, slog.Record) error { c.n.Add(1); return nil }

func authenticate(_ context.Context, h socketio.Handshake) (socketio.Identity, error) {
	name, life, _ := strings.Cut(h.Token, "@")
	user, session, _ := strings.Cut(name, "/")
	switch user {
	case "":
		return socketio.Identity{}, errStranger
	case "panic":
		panic("authenticate")
	case "broken":
		return socketio.Identity{}, errors.New("secret cause")
	}
	who := socketio.Identity{User: user, Session: cmp.Or(session, user), Principal: h}
	if life != "" {
		d, err := time.ParseDuration(life)
		if err != nil {
			return who, err
		}
		who.Expires = time.Now().Add(d)
	}
	return who, nil
}

func errorBody(err error, _ socketio.Reader) (string, any) {
	f := fault.From(err)
	return f.Message, map[string]any{"kind": f.Kind, "message": f.Message}
}

func newLab(t *testing.T, change ...func(*socketio.Config)) *lab {
	t.Helper()
	l := &lab{T: t, logs: &atomic.Int64{}}
	c := socketio.Config{Authenticate: authenticate, ErrorBody: errorBody,
		Log: slog.New(counting{slog.NewTextHandler(t.Output(), nil), l.logs})}
	for _, f := range change {
		f(&c)
	}
	srv, err := socketio.New(c)
	if err != nil {
		t.Fatal(err)
	}
	l.Server = srv
	srv.On("join", func(_ context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
		var room string
		if err := e.Bind(&room); err != nil {
			return nil, err
		}
		return map[string]string{"joined": room}, so.Join(room)
	})
	srv.On("leave", func(_ context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
		var room string
		err := e.Bind(&room)
		so.Leave(room)
		return nil, err
	})
	l.http = httptest.NewServer(srv)
	l.url = l.http.URL + "/socket.io/"
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		l.http.Close()
	})
	return l
}

type auth struct {
	Token string `json:"token"`
}

func (l *lab) connect(token string) *siotest.Client {
	l.Helper()
	c, err := siotest.Connect(l.Context(), l.url, auth{token}, nil)
	if err != nil {
		l.Fatalf("connect as %s: %v", token, err)
	}
	l.Cleanup(c.Close)
	return c
}

// wantCall sends an event and compares its acknowledgement.
func wantCall(t *testing.T, c *siotest.Client, want, event string, args ...any) {
	t.Helper()
	got, err := c.Call(event, args...)
	if err != nil || string(got) != want {
		t.Fatalf("%s %v = %s, %v; want %s", event, args, got, err, want)
	}
}

func wantEvent(t *testing.T, c *siotest.Client, name, want string) {
	t.Helper()
	got, err := c.Event(name, patience)
	if err != nil || string(got) != want {
		t.Fatalf("%s: got %s, %v; want %s", name, got, err, want)
	}
}

// wantNothing makes a call first: earlier events would have come before its reply.
func wantNothing(t *testing.T, c *siotest.Client, name string) {
	t.Helper()
	if _, err := c.Call("leave", "nowhere"); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Event(name, 20*time.Millisecond); err == nil {
		t.Fatalf("unexpected event %s: %s", name, got)
	}
}
