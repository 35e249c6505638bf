package socketio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/socketio/siotest"
)

// wish is the auth object of a client that can recover.
type wish struct {
	Token   string `json:"token"`
	Recover any    `json:"recover"`
	PID     any    `json:"pid,omitempty"`
	Offset  any    `json:"offset,omitempty"`
}

func (l *lab) dial(w wish) *siotest.Client {
	l.Helper()
	c, err := siotest.Connect(l.Context(), l.url, w, nil)
	if err != nil {
		l.Fatalf("connect as %+v: %v", w, err)
	}
	l.Cleanup(c.Close)
	return c
}

// visitor connects a client that can recover, and joins a room.
func (l *lab) visitor(user, room string) *siotest.Client {
	l.Helper()
	c := l.dial(wish{Token: user, Recover: true})
	wantCall(l.T, c, `{"ok":true,"joined":"`+room+`"}`, "join", room)
	return c
}

// cut breaks the connection and waits until the server has noticed.
func (l *lab) cut(c *siotest.Client) {
	l.Helper()
	before := l.Stats().Sockets
	c.Close()
	await.Until(l.T, "the server to notice", func() bool { return l.Stats().Sockets < before })
}

// back connects again as an official client would.
func (l *lab) back(token string, c *siotest.Client) *siotest.Client {
	l.Helper()
	return l.dial(wish{Token: token, Recover: true, PID: c.PID, Offset: c.Offset})
}

func (l *lab) say(room string, n int) {
	l.Helper()
	if err := l.To(room).Emit("n", n); err != nil {
		l.Fatal(err)
	}
}

func TestRecovery(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c, plain := l.visitor("ann", "r"), l.connect("ben")
	wantCall(t, plain, `{"ok":true,"joined":"r"}`, "join", "r")
	l.say("r", 1)
	wantEvent(t, c, "n", "1")
	if c.PID == "" || c.Offset == "" || c.PID == c.ID {
		t.Errorf("id %q, pid %q, offset %q", c.ID, c.PID, c.Offset)
	}
	l.cut(c)
	l.say("r", 2)
	l.say("elsewhere", 3)
	if err := l.To("r").Volatile().Emit("n", 4); err != nil {
		t.Fatal(err)
	}
	l.say("r", 5)
	again := l.back("ann", c)
	if again.ID != c.ID || again.PID != c.PID {
		t.Errorf("socket %s, pid %s after socket %s, pid %s", again.ID, again.PID, c.ID, c.PID)
	}
	l.say("r", 6)
	for _, want := range []string{"2", "5", "6"} {
		wantEvent(t, again, "n", want)
	}
	wantNothing(t, again, "n")
	for _, want := range []string{`42["n",1]`, `42["n",2]`, `42["n",4]`} { // no offset for clients that did not ask
		if got, err := plain.Text(patience); err != nil || got != want {
			t.Errorf("client without recovery: %s, %v, want %s", got, err, want)
		}
	}
	l.cut(again) // it works as often as needed
	l.say("r", 7)
	third := l.back("ann", again)
	wantEvent(t, third, "n", "7")
	wantNothing(t, third, "n")
	if s := l.Stats(); s.Parked != 0 || s.Sockets != 2 {
		t.Errorf("in the end: %+v", s)
	}
}

// TestNoRecovery tries to get the events of a socket without being its client, or too late.
func TestNoRecovery(t *testing.T) {
	t.Parallel()
	same := func(l *lab, c *siotest.Client) wish {
		return wish{Token: "ann", Recover: true, PID: c.PID, Offset: c.Offset}
	}
	as := func(token string) func(*lab, *siotest.Client) wish {
		return func(l *lab, c *siotest.Client) wish { w := same(l, c); w.Token = token; return w }
	}
	pid := func(pid any) func(*lab, *siotest.Client) wish {
		return func(l *lab, c *siotest.Client) wish { w := same(l, c); w.PID = pid; return w }
	}
	for name, x := range map[string]struct {
		leave func(*lab, *siotest.Client) // default: the connection breaks
		wish  func(*lab, *siotest.Client) wish
		left  int // parked sockets afterwards
	}{
		"another user":                  {wish: as("eve"), left: 1},
		"another session of the user":   {wish: as("ann/2"), left: 1},
		"a guessed pid":                 {wish: pid("AAAAAAAAAAAAAAAAAAAA"), left: 1},
		"a pid that is no text":         {wish: pid(7), left: 1},
		"the id of the socket":          {wish: func(l *lab, c *siotest.Client) wish { w := same(l, c); w.PID = c.ID; return w }, left: 1},
		"a client that doesn't ask":     {wish: func(l *lab, c *siotest.Client) wish { w := same(l, c); w.Recover = 1; return w }, left: 1},
		"disconnected by the server":    {wish: same, leave: func(l *lab, c *siotest.Client) { l.UserSockets("ann")[0].Disconnect(); l.gone(c) }},
		"disconnected by the client":    {wish: same, leave: func(l *lab, c *siotest.Client) { _ = c.Send("41"); l.gone(c) }},
		"disconnected, then broken":     {wish: same, leave: func(l *lab, c *siotest.Client) { _ = c.Send("41"); c.Close(); l.gone(c) }},
		"disconnected while away":       {wish: same, leave: func(l *lab, c *siotest.Client) { l.cut(c); l.Sockets()[0].Disconnect() }},
		"thrown out for a parse error":  {wish: same, leave: func(l *lab, c *siotest.Client) { _ = c.Send("4x"); l.gone(c) }},
		"the token expired while away":  {wish: same, leave: func(l *lab, c *siotest.Client) { l.outlive(c) }},
		"the server has other sessions": {wish: func(l *lab, c *siotest.Client) wish { l.forget(); return same(l, c) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			c := l.visitor("ann", "r")
			l.say("r", 1)
			wantEvent(t, c, "n", "1")
			if x.leave == nil {
				x.leave = (*lab).cut
			}
			x.leave(l, c)
			l.say("r", 2)
			got := l.dial(x.wish(l, c))
			if got.ID == c.ID || got.PID == c.PID {
				t.Errorf("socket %s, pid %s are those of before", got.ID, got.PID)
			}
			l.say("r", 3)
			wantNothing(t, got, "n")
			if parked := l.Stats().Parked; parked != x.left {
				t.Errorf("parked sockets: %d, want %d", parked, x.left)
			}
			if x.left == 1 { // nobody has spoiled it for the real client
				back := l.back("ann", c)
				wantEvent(t, back, "n", "2")
				wantEvent(t, back, "n", "3")
			}
		})
	}
}

// gone waits until the user's sockets are gone.
func (l *lab) gone(*siotest.Client) {
	l.Helper()
	await.Until(l.T, "the socket to be gone", func() bool { return len(l.Sockets()) == 0 })
}

// outlive lets the token of a parked socket expire.
func (l *lab) outlive(c *siotest.Client) {
	l.Helper()
	if _, err := c.Call("authenticate", auth{"ann@1s"}); err != nil {
		l.Fatal(err)
	}
	l.cut(c)
	time.Sleep(time.Second)
}

// forget disconnects every socket, as a restart would.
func (l *lab) forget() {
	for _, so := range l.Sockets() {
		so.Disconnect()
	}
}

// TestTakenOver recovers while the server still believes in the old connection. A second
// client with the pid is as good as the first one was: only one of them is connected.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *socketio.Config) { c.PerUser = 1 })
	c := l.visitor("ann", "r")
	l.say("r", 1)
	wantEvent(t, c, "n", "1")
	l.say("r", 2) // never read, like these
	if so := l.UserSockets("ann")[0]; so.Emit("only-you", 1) != nil || so.EmitVolatile("only-you", 2) != nil {
		t.Fatal("not sent")
	}
	again := l.back("ann", c)
	if again.ID != c.ID {
		t.Errorf("socket %s after %s", again.ID, c.ID)
	}
	wantEvent(t, again, "n", "2")
	wantEvent(t, again, "only-you", "1")
	wantNothing(t, again, "n")
	wantNothing(t, again, "only-you")
	wantClosed(t, c.Conn)
	await.Until(t, "one socket to be left", func() bool { s := l.Stats(); return s.Sockets == 1 && s.Parked == 0 && s.Sessions == 1 })
	l.say("r", 3)
	wantEvent(t, again, "n", "3")
}

// TestFirstEventsAreRecovered recovers a client that has got no event, so has no offset,
// and one whose offset is of another server.
func TestFirstEventsAreRecovered(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.visitor("zoe", "r")
	l.say("r", 1) // before she joined
	for _, offset := range []string{"", "otherone.zzzzzzzz", "nonsense"} {
		c := l.visitor("ann", "r")
		l.cut(c)
		l.say("r", 2)
		c.Offset = offset
		again := l.back("ann", c)
		wantEvent(t, again, "n", "2")
		wantNothing(t, again, "n")
		again.Close()
	}
}

// TestRightLostWhileAway removes parked sockets from rooms: what was sent to these rooms
// is not replayed, not even if the socket joins again.
func TestRightLostWhileAway(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var mu sync.Mutex
	var atConnect func(so *socketio.Socket) error
	l.OnConnect(func(_ context.Context, so *socketio.Socket) error {
		mu.Lock()
		defer mu.Unlock()
		if so.Recovered() && atConnect != nil {
			return atConnect(so)
		}
		return nil
	})
	leave := func(so *socketio.Socket) error {
		so.Leave("secret")
		return so.Emit("room-left", "secret")
	}
	for name, lose := range map[string]func(*lab){
		"while away":            func(l *lab) { _ = leave(l.Sockets()[0]) },
		"away, and joins again": func(l *lab) { _ = leave(l.Sockets()[0]); _ = l.Sockets()[0].Join("secret") },
		"at the connect hook":   func(*lab) { atConnect = leave },
		"hook, and joins again": func(*lab) {
			atConnect = func(so *socketio.Socket) error { _ = leave(so); return so.Join("secret") }
		},
		"event during the hook": func(l *lab) {
			atConnect = func(so *socketio.Socket) error { l.say("secret", 3); return leave(so) }
		},
	} {
		mu.Lock()
		atConnect = nil
		mu.Unlock()
		c := l.visitor("ann", "secret")
		wantCall(t, c, `{"ok":true,"joined":"r"}`, "join", "r")
		l.cut(c)
		l.say("secret", 1)
		l.say("r", 2)
		mu.Lock()
		lose(l)
		mu.Unlock()
		again := l.back("ann", c)
		if again.ID != c.ID {
			t.Errorf("%s: not recovered", name)
		}
		wantEvent(t, again, "room-left", `"secret"`)
		wantEvent(t, again, "n", "2")
		wantNothing(t, again, "n")
		_ = again.Send("41")
		l.gone(again)
	}
}

// TestNothingMissedOrTwice breaks connections all the time while events are sent to
// several rooms at once: every client gets each event of its rooms once, in order.
func TestNothingMissedOrTwice(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	rooms := []string{"a", "b", "c"}
	const events, clients = 60, 4 // a client may miss all of them
	got := make([]map[string][]int, clients)
	var sending, all sync.WaitGroup
	ready := make(chan bool)
	for i := range clients {
		c := l.dial(wish{Token: fmt.Sprint("user", i), Recover: true})
		for _, room := range rooms {
			wantCall(t, c, `{"ok":true,"joined":"`+room+`"}`, "join", room)
		}
		got[i] = map[string][]int{}
		all.Go(func() {
			<-ready
			for err := error(nil); err == nil && len(got[i]["end"]) == 0; {
				c, err = flap(l, c, fmt.Sprint("user", i), got[i], 1+len(got[i]["a"])%7)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	close(ready)
	for _, room := range rooms {
		sending.Go(func() {
			for n := range events {
				time.Sleep(time.Millisecond)
				l.say(room, n)
				if err := l.To(room).Emit(room, n); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sending.Wait()
	if err := l.To("a").Emit("end", 0); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	want := make([]int, events)
	for n := range want {
		want[n] = n
	}
	for i, of := range got {
		for _, room := range rooms {
			if !slices.Equal(of[room], want) {
				t.Errorf("client %d got %d events of room %s: %v", i, len(of[room]), room, of[room])
			}
		}
	}
}

// flap reads a few events, breaks the connection and recovers.
func flap(l *lab, c *siotest.Client, user string, got map[string][]int, read int) (*siotest.Client, error) {
	offset := c.Offset
	for range read {
		text, err := c.Text(patience)
		if err != nil {
			return c, err
		}
		var name string
		var n int
		var event []json.RawMessage
		rest, is := strings.CutPrefix(text, "42")
		if !is || json.Unmarshal([]byte(rest), &event) != nil || len(event) != 3 || json.Unmarshal(event[0], &name) != nil ||
			json.Unmarshal(event[1], &n) != nil || json.Unmarshal(event[2], &offset) != nil {
			return c, fmt.Errorf("%s got %q", user, text)
		}
		got[name] = append(got[name], n)
		if name == "end" {
			return c, nil
		}
	}
	c.Close()
	again, err := siotest.Connect(l.Context(), l.url, wish{Token: user, Recover: true, PID: c.PID, Offset: offset}, nil)
	if err != nil {
		return c, err
	}
	if again.ID != c.ID {
		return again, fmt.Errorf("%s was not recovered", user)
	}
	again.Offset = offset
	return again, nil
}

// TestDeadSessionsAreFew opens and breaks connections of one user: few are kept, not for
// long, and they don't count as connections.
func TestDeadSessionsAreFew(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *socketio.Config) { c.PerUser, c.RecoverFor = 2, 2*time.Second })
	for range 60 {
		l.cut(l.visitor("ann", "r"))
	}
	await.Until(t, "the oldest to go", func() bool { return l.Stats().Parked <= 20 })
	if n := len(l.UserSockets("ann")); n != 0 {
		t.Errorf("%d sockets of the user", n)
	}
	await.Until(t, "all to go", func() bool { s := l.Stats(); return s.Parked == 0 && s.Rooms == 0 && s.Sockets == 0 })
}

// TestTooMuchMissed connects a client anew if its events are no longer known, or too many.
func TestTooMuchMissed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := l.visitor("ann", "r")
	l.cut(l.visitor("zoe", "r")) // keeps the history
	l.cut(c)
	for range 200 {
		if err := l.To("r").Emit("n", strings.Repeat("x", 1000)); err != nil {
			t.Fatal(err)
		}
	}
	if again := l.back("ann", c); again.ID == c.ID {
		t.Error("200 kB were replayed")
	}
	quiet := l.visitor("ann", "quiet")
	l.cut(quiet)
	for range 20_000 {
		l.say("r", 1)
	}
	if again := l.back("ann", quiet); again.ID == quiet.ID {
		t.Error("recovered although events of the time were dropped")
	}
}

// TestRecoveryOnNodes replays the events of other nodes; on another node the client is a
// new one.
func TestRecoveryOnNodes(t *testing.T) {
	t.Parallel()
	var bus socketio.Bus
	node := func() *lab { return newLab(t, func(c *socketio.Config) { c.Relay = bus.Node() }) }
	a, b := node(), node()
	c := a.visitor("ann", "r")
	b.say("r", 1)
	wantEvent(t, c, "n", "1")
	a.cut(c)
	b.say("r", 2)
	if there := b.back("ann", c); there.ID == c.ID || there.PID == c.PID {
		t.Error("recovered on another node")
	} else {
		wantNothing(t, there, "n")
	}
	here := a.back("ann", c)
	wantEvent(t, here, "n", "2")
	wantNothing(t, here, "n")
	_ = here.Send("41")
	a.gone(here)
	await.Until(t, "nothing to be subscribed to", func() bool { return bus.Subscriptions() == 0 })
}

// TestOutdated: a client that has missed an outdated event of a room does not recover, whether its connection broke or
// the server still believes in it. Others do.
func TestOutdated(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		miss      func(*lab, *siotest.Client)
		recovered bool
	}{
		"missed while away": {miss: func(l *lab, c *siotest.Client) { l.cut(c); l.say("r", 2); l.Sockets()[0].Outdate("r") }},
		"missed unnoticed":  {miss: func(l *lab, _ *siotest.Client) { l.say("r", 2); l.Sockets()[0].Outdate("r") }},
		"sent later":        {recovered: true, miss: func(l *lab, c *siotest.Client) { l.cut(c); l.Sockets()[0].Outdate("r"); l.say("r", 2) }},
		"of another room":   {recovered: true, miss: func(l *lab, c *siotest.Client) { l.cut(c); l.say("r", 2); l.Sockets()[0].Outdate("s") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			c := l.visitor("ann", "r")
			wantCall(t, c, `{"ok":true,"joined":"s"}`, "join", "s")
			l.say("r", 1)
			wantEvent(t, c, "n", "1")
			x.miss(l, c)
			again := l.back("ann", c)
			if (again.ID == c.ID) != x.recovered {
				t.Errorf("recovered: %v", again.ID == c.ID)
			}
			if x.recovered {
				wantEvent(t, again, "n", "2")
			}
			wantNothing(t, again, "n")
		})
	}
}
