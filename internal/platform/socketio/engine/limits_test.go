package engine_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio/engine"
	"homeroom/internal/platform/socketio/siotest"
	"homeroom/internal/platform/socketio/ws"
)

func TestBadFrames(t *testing.T) {
	t.Parallel()
	whole := func(op byte, payload string) []byte { return siotest.MaskedFrame(op, []byte(payload)) }
	unmasked := ws.Append(nil, ws.Text, []byte("4x"))
	for name, c := range map[string]struct {
		sent []byte
		code ws.Code
	}{
		"not masked":              {unmasked, ws.ProtocolError},
		"reserved bit":            {whole(0xc1, "4x"), ws.ProtocolError},
		"unknown kind":            {whole(0x83, "4x"), ws.ProtocolError},
		"continues nothing":       {whole(0x80, "4x"), ws.ProtocolError},
		"message inside another":  {append(whole(0x01, "4x"), whole(0x81, "4y")...), ws.ProtocolError},
		"ping in pieces":          {whole(0x09, ""), ws.ProtocolError},
		"long ping":               {whole(0x89, strings.Repeat("x", 126)), ws.ProtocolError},
		"text not UTF-8":          {whole(0x81, "4\xff"), ws.InvalidText},
		"pieces not UTF-8":        {append(whole(0x01, "4\xc3"), whole(0x80, "(")...), ws.InvalidText},
		"half a close code":       {whole(0x88, "\x03"), ws.ProtocolError},
		"close code for nobody":   {whole(0x88, "\x03\xee"), ws.ProtocolError},
		"too big":                 {whole(0x81, "4"+strings.Repeat("x", 1000)), ws.TooBig},
		"promise of too much":     {[]byte{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, ws.TooBig},
		"too big in pieces":       {append(whole(0x01, "4"+strings.Repeat("x", 900)), whole(0x80, strings.Repeat("x", 900))...), ws.TooBig},
		"binary packet of nobody": {whole(0x81, "b"), ws.ProtocolError},
		"client closes":           {whole(0x88, "\x03\xe8bye"), ws.Normal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, func(c *engine.Config) { c.MaxPayload = 1000 })
			conn, _ := l.websocket()
			if _, err := conn.NC.Write(c.sent); err != nil {
				t.Fatal(err)
			}
			if code := l.wantClosed(conn); code != c.code {
				t.Errorf("close code: got %d, want %d", code, c.code)
			}
		})
	}
}

func TestFramesInPieces(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c, _ := l.websocket()
	large := "4" + strings.Repeat("0123456789", 30_000)
	sent := siotest.MaskedFrame(0x01, []byte("4he"))
	sent = append(sent, siotest.MaskedFrame(0x89, []byte("between"))...)
	sent = append(sent, siotest.MaskedFrame(0x80, []byte("llo"))...)
	sent = append(sent, siotest.MaskedFrame(0x81, []byte(large))...)
	go func() {
		for len(sent) > 0 { // one byte at first, then more at a time
			n := min(len(sent), 1+max(0, 300_000-len(sent)))
			if _, err := c.NC.Write(sent[:n]); err != nil {
				return
			}
			sent = sent[n:]
		}
	}()
	l.wantRead(c, "between")
	l.wantRead(c, "4hello")
	for got := ""; got != large; {
		if got = l.read(c); got != "2" && got != large {
			t.Fatalf("echo: got %d bytes, want %d", len(got), len(large))
		}
	}
}

func TestStrangersAreHeldSmall(t *testing.T) {
	t.Parallel()
	stranger := func(c *engine.Config) {
		c.Open = func(s *engine.Session) engine.Receiver { return &echo{s: s} }
		c.MaxStrangers, c.MaxPerAddress = 2, 2
	}
	l := newLab(t, stranger)
	big := "4" + strings.Repeat("x", 20<<10)
	c, _ := l.websocket()
	_, q := l.poll()
	l.wantCall("GET", polling, "", http.StatusServiceUnavailable, "")
	l.wantCall("POST", q, big, http.StatusRequestEntityTooLarge, "")
	l.send(c, big)
	if code := l.wantClosed(c); code != ws.TooBig {
		t.Errorf("close code: got %d", code)
	}
	l.poll() // its place is free again
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *engine.Config) { c.Origins = []string{"https://school.example", "localhost"} })
	own := strings.TrimPrefix(l.http.URL, "http://")
	for origin, allowed := range map[string]bool{
		"": true, "https://school.example": true, "http://" + own: true, "http://localhost:5173": true, "http://127.0.0.1:80": true,
		"https://school.example.evil.example": false, "https://evil.example": false, "http://school.example": false, "null": false,
	} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		c, err := siotest.Dial(t.Context(), l.http.URL+"/engine.io/", "", header)
		if (err == nil) != allowed {
			t.Errorf("websocket from %q: %v", origin, err)
		}
		if err == nil {
			c.Close()
		} else if !strings.Contains(err.Error(), "403") {
			t.Errorf("websocket from %q: %v", origin, err)
		}
		for _, method := range []string{"GET", "OPTIONS"} {
			req := httptest.NewRequestWithContext(t.Context(), method, l.http.URL+"/engine.io/?"+polling, nil)
			req.Host = own
			req.Header = header
			w := httptest.NewRecorder()
			l.srv.ServeHTTP(w, req)
			want := origin
			if !allowed {
				want = ""
			}
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != want || (w.Code == http.StatusForbidden) == allowed {
				t.Errorf("%s from %q: %d, allows %q", method, origin, w.Code, got)
			}
		}
	}
}

// TestSlowClient has one client that reads nothing next to one that reads.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	for _, droppable := range []bool{true, false} {
		l := newLab(t, func(c *engine.Config) {
			c.MaxQueue, c.PingInterval, c.WriteTimeout = 64<<10, time.Minute, time.Minute
		})
		slow, _ := l.websocket()
		held := <-l.sessions
		quick, _ := l.websocket()
		free := <-l.sessions
		m := engine.NewMessage(droppable, []byte(strings.Repeat("x", 64<<10)))
		for range 400 { // 25 MiB: more than the network buffers
			held.Send(m)
			free.Send(m)
			l.read(quick) // independent of the slow client
		}
		stats := l.srv.Stats()
		if droppable {
			if stats.Dropped == 0 || stats.Slow != 0 || stats.Sessions != 2 {
				t.Errorf("stats with droppable messages: %+v", stats)
			}
			held.Send(engine.NewMessage(false, []byte("last")))
			for got := ""; got != "4last"; got = l.read(slow) { // not droppable, so it arrives
			}
			continue
		}
		if reason := <-l.closed; reason != "transport error" || l.srv.Stats().Slow != 1 {
			t.Errorf("close reason %q, stats %+v", reason, l.srv.Stats())
		}
	}
}

func TestDeadClientIsCutOff(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *engine.Config) { c.PingInterval, c.WriteTimeout = time.Minute, 200*time.Millisecond })
	l.websocket()
	held := <-l.sessions
	m := engine.NewMessage(true, []byte(strings.Repeat("x", 64<<10)))
	for range 200 {
		held.Send(m)
	}
	select {
	case <-l.closed:
	case <-time.After(patience):
		t.Error("a client that reads nothing was not disconnected")
	}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	message := func(name string, droppable bool) *engine.Message {
		return engine.NewMessage(droppable, []byte(name+strings.Repeat(".", 97)))
	}
	cost := len(message("a", true).Frames()) + 64
	var q engine.Queue
	push := func(name string, droppable bool, dropped int, fits bool) {
		t.Helper()
		if d, f := q.Push(message(name, droppable), 4*cost); d != dropped || f != fits {
			t.Errorf("push %s: %d %v, want %d %v", name, d, f, dropped, fits)
		}
	}
	push("a", true, 0, true)
	push("B", false, 0, true)
	push("c", true, 0, true)
	push("D", false, 0, true)
	push("e", true, 1, true) // drops a
	push("F", false, 1, true)
	push("G", false, 1, true)
	push("h", true, 1, true) // drops h itself: nothing older is droppable
	push("I", false, 0, false)
	if q.Bytes() != 4*cost {
		t.Errorf("queue: got %d bytes, want %d", q.Bytes(), 4*cost)
	}
	first := string(q.Take(2*(cost-64))) + "|" + string(q.Take(1))
	order := ""
	for _, r := range first {
		if r >= 'A' && r <= 'Z' || r == '|' {
			order += string(r)
		}
	}
	if order != "BD|F" || q.Bytes() != cost {
		t.Errorf("took %s, %d bytes left", order, q.Bytes())
	}
	q = engine.Queue{}
	if _, fits := q.Push(message(strings.Repeat("x", 9*cost), false), 4*cost); !fits {
		t.Error("an empty queue refused a large message")
	}
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c, _ := l.websocket()
	onWire := <-l.sessions
	_, waiting := l.poll()
	polled := <-l.sessions
	_, between := l.poll()
	betweenPolls := <-l.sessions
	var poll sync.WaitGroup
	poll.Go(func() { l.wantCall("GET", waiting, "", http.StatusOK, "1") })
	await.Until(t, "the poll", polled.Polled)
	onWire.Send(engine.NewMessage(false, []byte("rest")))
	betweenPolls.Send(engine.NewMessage(false, []byte("rest")))
	done := make(chan error, 1)
	go func() { done <- l.srv.Shutdown(t.Context()) }()
	l.wantRead(c, "4rest")
	if code := l.wantClosed(c); code != ws.GoingAway {
		t.Errorf("close code: got %d", code)
	}
	c.Close()
	poll.Wait()
	l.wantCall("GET", between, "", http.StatusOK, "4rest\x1e1")
	l.wantCall("GET", polling, "", http.StatusServiceUnavailable, "")
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("shutdown: %v", err)
		}
	case <-time.After(patience):
		t.Error("shutdown did not return")
	}
}

func TestShutdownDeadline(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.websocket() // never answers or disconnects
	l.poll()      // never polls
	ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	if err := l.srv.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("shutdown past its deadline: got %v", err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	srv := engine.New(engine.Config{Open: func(s *engine.Session) engine.Receiver { s.Trust(); return &echo{s: s} }})
	h := httptest.NewTLSServer(srv)
	defer h.Close()
	nc, err := tls.Dial("tcp", strings.TrimPrefix(h.URL, "https://"), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := siotest.Upgrade(nc, h.URL+"/engine.io/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Await("0{", patience); err != nil {
		t.Fatal(err)
	}
	large := "4" + strings.Repeat("x", 100_000)
	for _, text := range []string{"4hello", large, "4again"} {
		if err := c.Send(text); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Text(patience); err != nil || got != text {
			t.Fatalf("echo over TLS: got %.20q, %v", got, err)
		}
	}
	c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
}
