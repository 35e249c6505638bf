package engine_test

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio/engine"
	"homeroom/internal/platform/socketio/siotest"
	"homeroom/internal/platform/socketio/ws"
)

// The tests in this file are the checks of the official Engine.IO v4 test suite, group
// by group.

func TestHandshake(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	want := opening{Upgrades: []string{"websocket"}, PingInterval: 60_000, PingTimeout: 60_000, MaxPayload: 1_000_000}
	status, packet := l.call("GET", polling, "")
	if got := l.opened(packet); status != 200 || !same(got, want) {
		t.Errorf("polling: %d %q", status, packet)
	}
	want.Upgrades = []string{}
	if _, got := l.websocket(); !same(got, want) {
		t.Errorf("websocket: %+v", got)
	}
}

func same(got, want opening) bool {
	return got.SID != "" && got.Upgrades != nil && slices.Equal(got.Upgrades, want.Upgrades) &&
		got.PingInterval == want.PingInterval && got.PingTimeout == want.PingTimeout && got.MaxPayload == want.MaxPayload
}

func TestHandshakeRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, c := range []struct{ method, query string }{
		{"GET", "transport=polling"}, {"GET", "EIO=abc&transport=polling"}, {"GET", "EIO=3&transport=polling"},
		{"GET", "EIO=4"}, {"GET", "EIO=4&transport=abc"},
		{"POST", polling}, {"PUT", polling},
		{"GET", polling + "&sid=unknown"}, {"POST", polling + "&sid=unknown"},
		{"GET", "EIO=4&transport=websocket"}, // without a WebSocket handshake
	} {
		l.wantCall(c.method, c.query, "", http.StatusBadRequest, "")
	}
	for _, query := range []string{"transport=websocket", "EIO=abc&transport=websocket"} {
		l.wantCall("GET", query, "", http.StatusBadRequest, "")
	}
	if _, err := siotest.Dial(t.Context(), l.http.URL+"/engine.io/", "sid=unknown", nil); err == nil {
		t.Error("a websocket for an unknown session was accepted")
	}
}

func TestPollingMessages(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"4hello", "4test1\x1e4test2\x1e4test3", "4hello\x1ebAQIDBA=="} {
		l := newLab(t)
		_, q := l.poll()
		l.wantCall("POST", q, body, http.StatusOK, "ok")
		l.wantCall("GET", q, "", http.StatusOK, body)
	}
}

func TestPollingBadPacketCloses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"abc", "", "4ok\x1e", "b!!", "4\xff", "2", "5", "6"} {
		l := newLab(t)
		_, q := l.poll()
		l.wantCall("POST", q, body, http.StatusBadRequest, "")
		l.wantCall("GET", q, "", http.StatusBadRequest, "")
	}
}

func TestPollingTwiceCloses(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, q := l.poll()
	var first sync.WaitGroup
	first.Go(func() { l.wantCall("GET", q, "", http.StatusOK, "1") })
	await.Until(t, "the first poll", (<-l.sessions).Polled)
	l.wantCall("GET", q+"&t=burst", "", http.StatusBadRequest, "")
	first.Wait()
	l.wantCall("GET", q, "", http.StatusBadRequest, "")
}

func TestWebSocketMessages(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c, _ := l.websocket()
	l.send(c, "4hello")
	l.wantRead(c, "4hello")
	if err := c.WriteFrame(ws.Binary, []byte{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	op, data, err := c.ReadFrame(patience)
	if err != nil || op != ws.Binary || !slices.Equal(data, []byte{1, 2, 3, 4}) {
		t.Errorf("echo: got %v %v, %v", op, data, err)
	}
	l.send(c, "abc")
	if code := l.wantClosed(c); code != ws.ProtocolError {
		t.Errorf("close code: got %d", code)
	}
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *engine.Config) { c.PingInterval = time.Second })
	_, q := l.poll()
	c, _ := l.websocket()
	for range 3 {
		l.wantCall("GET", q, "", http.StatusOK, "2")
		l.wantCall("POST", q, "3", http.StatusOK, "ok")
		l.wantRead(c, "2")
		l.send(c, "3")
	}
}

func TestHeartbeatUnanswered(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *engine.Config) { c.PingInterval, c.PingTimeout = time.Second, time.Second })
	began := time.Now()
	_, q := l.poll()
	c, _ := l.websocket()
	l.wantClosed(c)
	if took := time.Since(began); took < 1900*time.Millisecond {
		t.Errorf("closed too early, after %s", took)
	}
	for range 2 {
		if reason := <-l.closed; reason != "ping timeout" {
			t.Errorf("close reason: got %q", reason)
		}
	}
	l.wantCall("GET", q, "", http.StatusBadRequest, "")
}

func TestClientCloses(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{true, false} { // a waiting poll, and one concurrent with the close
		t.Run("poll first "+strconv.FormatBool(early), func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			_, q := l.poll()
			var poll sync.WaitGroup
			if early {
				poll.Go(func() { l.wantCall("GET", q, "", http.StatusOK, "6") })
				await.Until(t, "the poll", (<-l.sessions).Polled)
			}
			l.wantCall("POST", q, "1", http.StatusOK, "ok")
			if !early {
				l.wantCall("GET", q, "", http.StatusOK, "6")
			}
			poll.Wait()
			l.wantCall("GET", q, "", http.StatusBadRequest, "")
			l.wantCall("POST", q, "4late", http.StatusBadRequest, "")
		})
	}
	l := newLab(t)
	c, _ := l.websocket()
	l.send(c, "1")
	l.wantClosed(c)
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	sid, q := l.poll()
	l.wantCall("POST", q, "4before", http.StatusOK, "ok") // its echo must survive the upgrade
	c := l.dial("sid=" + sid)
	l.send(c, "2probe")
	l.wantRead(c, "3probe")
	l.wantCall("GET", q, "", http.StatusOK, "6")
	l.send(c, "5", "4hello")
	l.wantRead(c, "4before")
	l.wantRead(c, "4hello")
}

func TestUpgradeReleasesThePoll(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	sid, q := l.poll()
	var poll sync.WaitGroup
	poll.Go(func() { l.wantCall("GET", q, "", http.StatusOK, "6") })
	await.Until(t, "the poll", (<-l.sessions).Polled)
	c := l.dial("sid=" + sid)
	l.send(c, "2probe")
	l.wantRead(c, "3probe")
	poll.Wait()
}

func TestUpgradedIgnoresOthers(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	sid, q := l.poll()
	c := l.dial("sid=" + sid)
	l.send(c, "2probe", "5")
	l.wantCall("GET", q, "", http.StatusBadRequest, "")
	l.wantCall("POST", q, "4post", http.StatusBadRequest, "")
	l.wantClosed(l.dial("sid=" + sid))
	l.wantRead(c, "3probe")
	l.send(c, "4hello")
	l.wantRead(c, "4hello")
}

func TestUpgradeThatFails(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"4hello", "5", "2", ""} {
		l := newLab(t)
		sid, q := l.poll()
		session := <-l.sessions
		c := l.dial("sid=" + sid)
		if first != "" {
			l.send(c, first)
			l.wantClosed(c)
		} else {
			l.send(c, "2probe")
			l.wantRead(c, "3probe")
			c.Close()
			await.Until(t, "the loss to be noticed", func() bool { return !session.Upgrading() })
		}
		l.wantCall("POST", q, "4still", http.StatusOK, "ok")
		l.wantCall("GET", q, "", http.StatusOK, "4still")
	}
}
