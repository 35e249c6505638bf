package engine_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio/engine"
	"homeroom/internal/platform/socketio/siotest"
	"homeroom/internal/platform/socketio/ws"
)

const patience = await.Limit

// echo sends everything back.
type echo struct {
	s      *engine.Session
	closed chan string
}

func (e *echo) Text(b []byte) error {
	e.s.Send(engine.NewMessage(false, b))
	return nil
}

func (e *echo) Binary(b []byte) error {
	e.s.Send(engine.NewBinary(b))
	return nil
}

func (e *echo) Alarm() {}

func (e *echo) Closed(reason string) {
	if e.closed != nil {
		e.closed <- reason
	}
}

// lab is an echo server.
type lab struct {
	*testing.T
	srv      *engine.Server
	http     *httptest.Server
	sessions chan *engine.Session
	closed   chan string
}

func newLab(t *testing.T, change ...func(*engine.Config)) *lab {
	t.Helper()
	l := &lab{T: t, sessions: make(chan *engine.Session, 100), closed: make(chan string, 100)}
	c := engine.Config{PingInterval: time.Minute, PingTimeout: time.Minute, MaxPayload: 1_000_000,
		Open: func(s *engine.Session) engine.Receiver {
			s.Trust()
			l.sessions <- s
			return &echo{s, l.closed}
		}}
	for _, f := range change {
		f(&c)
	}
	l.srv = engine.New(c)
	l.http = httptest.NewUnstartedServer(l.srv)
	l.http.Config.WriteTimeout = 700 * time.Millisecond // shorter than some polls
	l.http.Config.ReadTimeout = 700 * time.Millisecond
	l.http.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := l.srv.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		l.http.Close()
	})
	return l
}

// call sends a request and returns its status and body.
func (l *lab) call(method, query, body string) (int, string) {
	l.Helper()
	req, err := http.NewRequestWithContext(l.Context(), method, l.http.URL+"/engine.io/?"+query, strings.NewReader(body))
	if err != nil {
		l.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		l.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

const polling = "EIO=4&transport=polling"

// wantCall calls and checks the result.
func (l *lab) wantCall(method, query, body string, status int, answer string) {
	l.Helper()
	got, text := l.call(method, query, body)
	if got != status || status == http.StatusOK && text != answer {
		l.Errorf("%s %s %q = %d %q, want %d %q", method, query, body, got, text, status, answer)
	}
}

type opening struct {
	SID          string   `json:"sid"`
	Upgrades     []string `json:"upgrades"`
	PingInterval int      `json:"pingInterval"`
	PingTimeout  int      `json:"pingTimeout"`
	MaxPayload   int      `json:"maxPayload"`
}

func (l *lab) opened(packet string) opening {
	l.Helper()
	var o opening
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(packet, "0")))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil || !strings.HasPrefix(packet, "0{") || o.SID == "" {
		l.Fatalf("opening packet %q: %v", packet, err)
	}
	return o
}

// poll opens a session and returns the query of its requests.
func (l *lab) poll() (sid, query string) {
	l.Helper()
	_, packet := l.call("GET", polling, "")
	sid = l.opened(packet).SID
	return sid, polling + "&sid=" + sid
}

func (l *lab) dial(query string) *siotest.Conn {
	l.Helper()
	c, err := siotest.Dial(l.Context(), l.http.URL+"/engine.io/", query, nil)
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(c.Close)
	return c
}

// websocket opens a session over WebSocket.
func (l *lab) websocket() (*siotest.Conn, opening) {
	l.Helper()
	c := l.dial("")
	return c, l.opened(l.read(c))
}

// read returns the next frame as text, pings included.
func (l *lab) read(c *siotest.Conn) string {
	l.Helper()
	_, payload, err := c.ReadFrame(patience)
	if err != nil {
		l.Fatal(err)
	}
	return string(payload)
}

func (l *lab) wantRead(c *siotest.Conn, want string) {
	l.Helper()
	if got := l.read(c); got != want {
		l.Fatalf("next frame: got %q, want %q", got, want)
	}
}

func (l *lab) send(c *siotest.Conn, texts ...string) {
	l.Helper()
	for _, text := range texts {
		if err := c.Send(text); err != nil {
			l.Fatal(err)
		}
	}
}

// wantClosed requires a close frame and then the end of the connection.
func (l *lab) wantClosed(c *siotest.Conn) (code ws.Code) {
	l.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		op, payload, err := c.ReadFrame(time.Until(end))
		if err != nil {
			if ne, ok := err.(interface{ Timeout() bool }); ok && ne.Timeout() {
				l.Fatal("the connection is still open")
			}
			return code
		}
		if op == ws.Close && len(payload) >= 2 {
			code = ws.Code(payload[0])<<8 | ws.Code(payload[1])
		}
	}
	l.Fatal("the connection is still open")
	return 0
}
