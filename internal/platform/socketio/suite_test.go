package socketio_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/socketio/siotest"
	"homeroom/internal/platform/socketio/ws"
)

// The tests in this file are the checks of the official Socket.IO v5 test suite. Those
// that it repeats from Engine.IO are in package engine, and again in TestEngineBelow.

const (
	suitePing    = 300 * time.Millisecond
	suiteTimeout = 3 * time.Second
)

// newSuite is the server of the suite: everyone may connect to two namespaces, gets its
// auth object back, and its messages are echoed.
func newSuite(t *testing.T) *lab {
	l := newLab(t, func(c *socketio.Config) {
		c.PingInterval, c.PingTimeout, c.ConnectTimeout = suitePing, suiteTimeout, 3*time.Second
		c.Authenticate = func(_ context.Context, h socketio.Handshake) (socketio.Identity, error) {
			return socketio.Identity{Principal: h.Auth}, nil
		}
	})
	for _, n := range []*socketio.Namespace{l.Of("/"), l.Of("/custom")} {
		n.OnConnect(func(_ context.Context, so *socketio.Socket) error { return so.Emit("auth", so.Principal()) })
	}
	l.On("message", func(_ context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
		return nil, so.Emit("message-back", resolved(e)...)
	})
	l.On("message-with-ack", func(_ context.Context, _ *socketio.Socket, e socketio.Event) (any, error) {
		return socketio.Args(resolved(e)), nil
	})
	return l
}

// resolved replaces placeholders by their attachments.
func resolved(e socketio.Event) []any {
	args := make([]any, len(e.Args))
	for i, a := range e.Args {
		var p struct {
			Placeholder bool `json:"_placeholder"`
			Num         int
		}
		if args[i] = a; json.Unmarshal(a, &p) == nil && p.Placeholder {
			args[i] = socketio.Binary(e.Attachments[p.Num])
		}
	}
	return args
}

// opened returns a connection after the Engine.IO handshake.
func (l *lab) opened() *siotest.Conn {
	l.Helper()
	c, err := siotest.Dial(l.Context(), l.url, "", nil)
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(c.Close)
	if _, err := c.Await("0{", patience); err != nil {
		l.Fatal(err)
	}
	return c
}

// connected returns a connection in the main namespace, after the auth event.
func (l *lab) connected() *siotest.Conn {
	l.Helper()
	c := l.opened()
	l.exchange(c, "40", `40{"sid":"`, `42["auth",{}]`)
	return c
}

// exchange sends a text and requires replies with these prefixes.
func (l *lab) exchange(c *siotest.Conn, sent string, answers ...string) {
	l.Helper()
	if err := c.Send(sent); err != nil {
		l.Fatal(err)
	}
	for _, want := range answers {
		if got, err := c.Text(patience); err != nil || !strings.HasPrefix(got, want) {
			l.Fatalf("%s: got %q, %v; want %s…", sent, got, err, want)
		}
	}
}

func wantClosed(t *testing.T, c *siotest.Conn) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		_, _, err := c.ReadFrame(time.Until(end))
		if err == nil {
			continue
		}
		if ne, ok := err.(interface{ Timeout() bool }); ok && ne.Timeout() {
			t.Fatal("the connection is still open")
		}
		return
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	for sent, answers := range map[string][]string{
		`40`:                      {`40{"sid":"`, `42["auth",{}]`},
		`40{"token":"123"}`:       {`40{"sid":"`, `42["auth",{"token":"123"}]`},
		`40/custom,`:              {`40/custom,{"sid":"`, `42/custom,["auth",{}]`},
		`40/custom,{"token":"a"}`: {`40/custom,{"sid":"`, `42/custom,["auth",{"token":"a"}]`},
		`40/random`:               {`44/random,{"message":"Invalid namespace"}`},
	} {
		t.Run(sent, func(t *testing.T) {
			t.Parallel()
			l := newSuite(t)
			l.exchange(l.opened(), sent, answers...)
		})
	}
}

func TestBadHandshakeCloses(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"4abc", "4", `40{"token"`, `40[]`, `42["message"]`, "44{}", ""} { // "": nothing at all
		t.Run(sent, func(t *testing.T) {
			t.Parallel()
			l := newSuite(t)
			c := l.opened()
			if sent != "" {
				l.exchange(c, sent)
			}
			wantClosed(t, c)
		})
	}
}

func TestLeaveNamespace(t *testing.T) {
	t.Parallel()
	l := newSuite(t)
	c := l.connected()
	l.exchange(c, "41")
	if _, got, err := c.ReadFrame(patience); err != nil || string(got) != "2" {
		t.Errorf("after leaving: %q, %v; want a ping", got, err)
	}
	c = l.connected()
	l.exchange(c, "40/custom", `40/custom,{"sid":"`, `42/custom,["auth",{}]`)
	l.exchange(c, "41/custom")
	l.exchange(c, `42["message","message to main namespace"]`, `42["message-back","message to main namespace"]`)
}

func TestMessages(t *testing.T) {
	t.Parallel()
	l := newSuite(t)
	c := l.connected()
	l.exchange(c, `42["message",1,"2",{"3":[true]}]`, `42["message-back",1,"2",{"3":[true]}]`)
	l.exchange(c, `42456["message-with-ack",1,"2",{"3":[false]}]`, `43456[1,"2",{"3":[false]}]`)
}

func TestBinaryMessages(t *testing.T) {
	t.Parallel()
	const two = `{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]`
	for sent, want := range map[string]string{
		`452-["message",` + two:             `452-["message-back",` + two,
		`452-789["message-with-ack",` + two: `462-789[` + two,
	} {
		l := newSuite(t)
		c := l.connected()
		l.exchange(c, sent)
		for _, data := range [][]byte{{1, 2, 3}, {4, 5, 6}} {
			if err := c.WriteFrame(ws.Binary, data); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := c.Text(patience); err != nil || got != want {
			t.Fatalf("echoed event: got %q, %v", got, err)
		}
		for _, want := range [][]byte{{1, 2, 3}, {4, 5, 6}} {
			if op, got, err := c.ReadFrame(patience); err != nil || op != ws.Binary || !slices.Equal(got, want) {
				t.Fatalf("echoed attachment: got %v %v, %v", op, got, err)
			}
		}
	}
}

func TestBadMessagesClose(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{
		"4abc", "42{}", `42abc["message-with-ack",1,"2",{"3":[false]}]`, // from the suite
		"42", "42[]", "42[1]", `42["message"`, `42["connect"]`, `42["disconnect"]`, `41{}`,
		"43[]", "45[]", `459999-["message"]`, `451-["message"]|42["message"]`,
	} {
		t.Run(sent, func(t *testing.T) {
			t.Parallel()
			l := newSuite(t)
			c := l.connected()
			for s := range strings.SplitSeq(sent, "|") {
				l.exchange(c, s)
			}
			wantClosed(t, c)
		})
	}
	l := newSuite(t)
	c := l.connected()
	if err := c.WriteFrame(ws.Binary, []byte{1}); err != nil { // an attachment without an event
		t.Fatal(err)
	}
	wantClosed(t, c)
}

// TestEngineBelow has the Engine.IO checks of the Socket.IO suite.
func TestEngineBelow(t *testing.T) {
	t.Parallel()
	l := newSuite(t)
	get := func(query, want string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, l.url+"?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body := make([]byte, 300)
		n, _ := res.Body.Read(body)
		if !strings.HasPrefix(string(body[:n]), want) || (want == "") != (res.StatusCode == http.StatusBadRequest) {
			t.Errorf("GET %s: %d %q, want %q", query, res.StatusCode, body[:n], want)
		}
		return string(body[:n])
	}
	for _, query := range []string{"transport=polling", "EIO=abc&transport=polling", "EIO=4", "EIO=4&transport=abc"} {
		get(query, "")
	}
	opening := get("EIO=4&transport=polling", "0{")
	var o struct{ SID string }
	if err := json.Unmarshal([]byte(opening[1:]), &o); err != nil {
		t.Fatal(err)
	}
	get("EIO=4&transport=polling&sid="+o.SID, "2") // the heartbeat
	c := l.opened()
	if _, got, err := c.ReadFrame(patience); err != nil || string(got) != "2" {
		t.Errorf("want a ping: %q, %v", got, err)
	}
	wantClosed(t, c) // no pong was sent
	l2 := newSuite(t)
	up, err := siotest.Dial(t.Context(), l2.url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	l2.exchange(up, "1")
	wantClosed(t, up)
}
