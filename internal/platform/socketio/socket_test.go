package socketio_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/socketio/siotest"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ours := `"message":"Something went wrong on our side.`
	for name, c := range map[string]struct {
		auth   any
		header string
		want   string // of the data; "" if accepted
		logged bool
	}{
		"no token":              {auth: struct{}{}, want: `"message":"Sign in first."`},
		"token that is no text": {auth: map[string]int{"token": 5}, want: `"message":"Sign in first."`},
		"other scheme":          {auth: struct{}{}, header: "Basic ann", want: `"message":"Sign in first."`},
		"expired":               {auth: auth{"ann@-1s"}, want: `"message":"Your token has expired.`},
		"our fault":             {auth: auth{"broken"}, want: ours, logged: true},
		"panic":                 {auth: auth{"panic"}, want: ours, logged: true},
		"good":                  {auth: auth{"ann"}},
		"good header":           {auth: struct{}{}, header: "Bearer ann"},
		"auth before header":    {auth: auth{"ann"}, header: "Bearer panic"},
	} {
		before := l.logs.Load()
		header := http.Header{}
		if c.header != "" {
			header.Set("Authorization", c.header)
		}
		conn, err := siotest.Connect(t.Context(), l.url, c.auth, header)
		if err == nil {
			conn.Close()
		}
		refused, _ := errors.AsType[*siotest.Refused](err)
		switch {
		case c.want == "" && err != nil, c.want != "" && (refused == nil || !strings.Contains(string(refused.Data), c.want)):
			t.Errorf("connect with %s: %v", name, err)
		case refused != nil && (refused.Message == "" || strings.Contains(fmt.Sprint(refused, string(refused.Data)), "secret")):
			t.Errorf("connect with %s: message %q, data %s", name, refused.Message, refused.Data)
		case l.logs.Load()-before != int64(len([]int{1}[:btoi(c.logged)])):
			t.Errorf("%s: %d log lines", name, l.logs.Load()-before)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.On("nothing", func(context.Context, *socketio.Socket, socketio.Event) (any, error) { return nil, nil })
	l.On("refuse", func(context.Context, *socketio.Socket, socketio.Event) (any, error) {
		return nil, fault.Denied("You may not.")
	})
	l.On("panic", func(context.Context, *socketio.Socket, socketio.Event) (any, error) { panic("secret") })
	l.On("list", func(context.Context, *socketio.Socket, socketio.Event) (any, error) { return []int{1}, nil })
	c := l.connect("ann")
	const ours = `{"kind":0,"message":"Something went wrong on our side. Try again; if it happens again, report the request id."}`
	for _, x := range []struct {
		event string
		arg   any
		want  string
		body  string // of an error reply
	}{
		{"join", "r", `{"ok":true,"joined":"r"}`, ""},
		{"nothing", 1, `{"ok":true}`, ""},
		{"refuse", 1, "", `{"kind":4,"message":"You may not."}`},
		{"panic", 1, "", ours},
		{"list", 1, "", ours}, // a reply must be an object
		{"join", 5, "", `{"kind":1,"message":"The event's argument is invalid. See the documentation for its format."}`},
		{"no-such", 1, "", `{"kind":5,"message":"There is no such event. See the documentation."}`},
	} {
		if x.body != "" {
			x.want = `{"error":` + x.body + `,"ok":false}`
		}
		wantCall(t, c, x.want, x.event, x.arg)
		if err := c.Emit(x.event, x.arg); err != nil {
			t.Fatal(err)
		}
		if x.body != "" && x.event != "list" { // without an acknowledgement its reply is not encoded
			wantEvent(t, c, "exception", x.body)
		}
	}
	wantNothing(t, c, "exception")
}

func TestEventsInOrder(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var mu sync.Mutex
	var got []int
	l.On("n", func(_ context.Context, _ *socketio.Socket, e socketio.Event) (any, error) {
		var n int
		err := e.Bind(&n)
		time.Sleep(time.Duration(n%3) * time.Millisecond)
		mu.Lock()
		got = append(got, n)
		mu.Unlock()
		return nil, err
	})
	c := l.connect("ann")
	for i := range 50 {
		if err := c.Emit("n", i); err != nil {
			t.Fatal(err)
		}
	}
	wantCall(t, c, `{"ok":true}`, "leave", "x")
	if len(got) != 50 || !slices.IsSorted(got) {
		t.Errorf("order of handled events: %v", got)
	}
}

func TestRooms(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	a, b, other := l.connect("ann"), l.connect("ben"), l.connect("cy")
	for c, room := range map[*siotest.Client]string{a: "bus:1", b: "bus:1", other: "bus:2"} {
		wantCall(t, c, `{"ok":true,"joined":"`+room+`"}`, "join", room)
	}
	wantCall(t, a, `{"ok":true,"joined":"bus:1"}`, "join", "bus:1") // joining twice is fine
	emit := func(target socketio.Target, n int) {
		t.Helper()
		if err := target.Emit("bus-location", n); err != nil {
			t.Fatal(err)
		}
	}
	emit(l.To("bus:1").Volatile(), 1)
	emit(l.To("bus:2"), 2)
	emit(l.To("nobody"), 3)
	wantEvent(t, a, "bus-location", "1")
	wantEvent(t, b, "bus-location", "1")
	wantEvent(t, other, "bus-location", "2")
	wantCall(t, a, `{"ok":true}`, "leave", "bus:1")
	emit(l.To("bus:1"), 4)
	wantEvent(t, b, "bus-location", "4")
	for _, c := range []*siotest.Client{a, b, other} {
		wantNothing(t, c, "bus-location")
	}
	if err := l.To("bus:1").Emit("connect"); err == nil {
		t.Error("a reserved event was sent")
	}
	if err := l.To("bus:1").Emit("x", func() {}); err == nil {
		t.Error("a function was sent")
	}
	b.Close()
	other.Close()
	await.Until(t, "rooms go with their last member", func() bool {
		s := l.Stats()
		return s.Rooms == 0 && s.Sockets == 1 && s.Sessions == 1
	})
}

func TestAsk(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.On("ask-me", func(ctx context.Context, so *socketio.Socket, _ socketio.Event) (any, error) {
		e, err := so.Ask(ctx, "question", "why")
		if err != nil {
			return nil, err
		}
		return map[string]any{"answer": e.Args[0]}, nil
	})
	c := l.connect("ann")
	if err := c.Send(`429["ask-me"]`); err != nil {
		t.Fatal(err)
	}
	text, err := c.Await(`421["question","why"]`, patience)
	if err != nil {
		t.Fatalf("asked event: got %q, %v", text, err)
	}
	for _, sent := range []string{`437["nobody asked"]`, `431["because"]`, `431["twice"]`} {
		if err := c.Send(sent); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := c.Await("439", patience); err != nil || got != `439[{"ok":true,"answer":"because"}]` {
		t.Errorf("answer: got %q, %v", got, err)
	}
	so := l.UserSockets("ann")[0]
	failed := make(chan error)
	go func() { _, err := so.Ask(t.Context(), "question"); failed <- err }()
	if _, err := c.Await("422", patience); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := <-failed; !errors.Is(err, socketio.ErrGone) {
		t.Errorf("Ask of a socket that disconnects: %v", err)
	}
	if _, err := so.Ask(t.Context(), "question"); !errors.Is(err, socketio.ErrGone) {
		t.Errorf("Ask of a disconnected socket: %v", err)
	}
	if err := so.Join("r"); !errors.Is(err, socketio.ErrGone) {
		t.Errorf("Join of a disconnected socket: %v", err)
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *socketio.Config) { c.EventsPerSecond = 10 })
	began := time.Now()
	c := l.connect("ann") // counts as the first of ten
	const slow = `{"error":{"kind":10,"message":"Too many events. Wait a second and send fewer."},"ok":false}`
	const calls = 60
	for n := range calls { // all at once, because replies may be slow
		if err := c.Send(fmt.Sprintf(`42%d["leave","x"]`, 100+n)); err != nil {
			t.Fatal(err)
		}
	}
	ok, refused := 0, 0
	for range calls {
		switch got, err := c.Await("43", patience); {
		case err != nil:
			t.Fatal(err)
		case strings.HasSuffix(got, "["+slow+"]"):
			refused++
		default:
			ok++
		}
	}
	if most := 10 + int(10*time.Since(began).Seconds()); ok < 9 || ok > most || refused == 0 {
		t.Errorf("accepted events: got %d, want %d; refused %d", ok, most, refused)
	}
	time.Sleep(300 * time.Millisecond)
	wantCall(t, c, `{"ok":true}`, "leave", "x")
	for range 400 {
		if err := c.Emit("leave", "x"); err != nil {
			break
		}
	}
	wantClosed(t, c.Conn)
}

func TestPerUser(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *socketio.Config) { c.PerUser = 2 })
	first := l.connect("ann")
	l.connect("ann")
	l.connect("ben")
	_, err := siotest.Connect(t.Context(), l.url, auth{"ann"}, nil)
	if r, ok := errors.AsType[*siotest.Refused](err); !ok || !strings.Contains(string(r.Data), `"kind":10`) {
		t.Errorf("third connection: %v", err)
	}
	first.Close()
	await.Until(t, "room for one more", func() bool { return len(l.UserSockets("ann")) == 1 })
	l.connect("ann")
	for _, so := range l.UserSockets("ann") {
		so.Disconnect()
	}
	await.Until(t, "all are gone", func() bool { return len(l.UserSockets("ann")) == 0 && l.Stats().Sockets == 1 })
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	gone := make(chan string, 10)
	l.OnDisconnect(func(_ context.Context, so *socketio.Socket, reason string) { gone <- so.User() + " " + reason })
	began := time.Now()
	c := l.connect("ann@2s")
	if text, err := c.Await("42", patience); err != nil || !strings.Contains(text, `"token-expiring",{"expiresAt":"2`) {
		t.Errorf("after connecting with a token that expires soon: %q, %v", text, err)
	}
	if text, err := c.Await("42", patience); err != nil || !strings.Contains(text, `"exception",{"kind":3`) {
		t.Errorf("before the expiry: %q, %v", text, err)
	}
	if text, err := c.Text(patience); err != nil || text != "41" {
		t.Errorf("at the expiry: %q, %v", text, err)
	}
	if took := time.Since(began); took < 1900*time.Millisecond {
		t.Errorf("disconnected after %s", took)
	}
	wantClosed(t, c.Conn)
	if got := <-gone; got != "ann token expired" {
		t.Errorf("sockets after the expiry: %v", got)
	}
}

func TestRenewal(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.On("who", func(_ context.Context, so *socketio.Socket, _ socketio.Event) (any, error) {
		return map[string]string{"token": so.Principal().(socketio.Handshake).Token}, nil
	})
	c := l.connect("ann@60s")
	for token, want := range map[string]string{
		"ben":      `"kind":4`,
		"":         `"kind":1`,
		"ann@-10s": `"kind":3`,
		"broken":   `"kind":0`,
	} {
		got, err := c.Call("authenticate", auth{token})
		if err != nil || !strings.Contains(string(got), want) || !strings.Contains(string(got), `"ok":false`) {
			t.Errorf("renew with %q: %s, %v", token, got, err)
		}
	}
	wantCall(t, c, `{"ok":true,"token":"ann@60s"}`, "who")
	renew := func(c *siotest.Client, token string) {
		t.Helper()
		got, err := c.Call("authenticate", auth{token})
		if err != nil || !strings.Contains(string(got), `{"ok":true,"expiresAt":"2`) {
			t.Fatalf("renew with %q: %s, %v", token, got, err)
		}
	}
	began := time.Now()
	longer := l.connect("ann@5s")
	renew(longer, "ann@50s")
	renew(c, "ann@1s")
	if text, err := c.Await("41", patience); err != nil {
		t.Errorf("after the second token expired: %q, %v", text, err)
	}
	time.Sleep(time.Until(began.Add(5500 * time.Millisecond)))
	wantCall(t, longer, `{"ok":true,"token":"ann@50s"}`, "who") // after the first token expired
}

// TestExpiryIsAnnounced wants one token-expiring for each token, and none for a token
// that was replaced in time.
func TestExpiryIsAnnounced(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(c *socketio.Config) { c.ExpiryNotice = 20 * time.Second })
	began := time.Now()
	soon, early := l.connect("ann@21s"), l.connect("ben@60s")
	if got, err := soon.Event("token-expiring", patience); err != nil || !strings.HasPrefix(string(got), `{"expiresAt":"2`) {
		t.Fatalf("token-expiring: %s, %v", got, err)
	}
	if took := time.Since(began); took < 900*time.Millisecond {
		t.Errorf("announced after %s", took)
	}
	if _, err := soon.Call("authenticate", auth{"ann@19s"}); err != nil {
		t.Fatal(err)
	}
	if _, err := soon.Event("token-expiring", patience); err != nil {
		t.Errorf("the second token is not announced: %v", err)
	}
	if _, err := soon.Call("authenticate", auth{"ann@60s"}); err != nil {
		t.Fatal(err)
	}
	wantNothing(t, soon, "token-expiring") // once for each token
	wantNothing(t, early, "token-expiring")
}

func TestHooks(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var mu sync.Mutex
	var told []string
	tell := func(s string) { mu.Lock(); told = append(told, s); mu.Unlock() }
	l.OnConnect(func(_ context.Context, so *socketio.Socket) error {
		tell("connect " + so.User())
		if so.User() == "evil" {
			return fault.Denied("Not you.")
		}
		return so.Join("user:" + so.User())
	})
	l.OnDisconnect(func(_ context.Context, so *socketio.Socket, reason string) {
		tell(fmt.Sprint("disconnect ", so.User(), " ", reason, so.Rooms()))
		panic("in a hook")
	})
	l.On("slow", func(context.Context, *socketio.Socket, socketio.Event) (any, error) {
		time.Sleep(50 * time.Millisecond)
		tell("slow done")
		return nil, nil
	})
	c := l.connect("ann")
	if err := l.To("user:ann").Emit("hello"); err != nil {
		t.Fatal(err)
	}
	wantEvent(t, c, "hello", "null")
	if err := c.Emit("slow"); err != nil {
		t.Fatal(err)
	}
	if err := c.Send("1"); err != nil {
		t.Fatal(err)
	}
	want := []string{"connect ann", "slow done", "disconnect ann transport close[]"}
	await.Until(t, "the hooks in order", func() bool { mu.Lock(); defer mu.Unlock(); return slices.Equal(told, want) })
	_, err := siotest.Connect(t.Context(), l.url, auth{"evil"}, nil)
	if r, ok := errors.AsType[*siotest.Refused](err); !ok || string(r.Data) != `{"kind":4,"message":"Not you."}` {
		t.Errorf("refused by the hook: %v", err)
	}
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	started, done := make(chan bool), make(chan bool, 1)
	l.On("work", func(ctx context.Context, so *socketio.Socket, _ socketio.Event) (any, error) {
		close(started)
		select {
		case <-time.After(100 * time.Millisecond):
			done <- true
		case <-ctx.Done():
		}
		return nil, ctx.Err()
	})
	c := l.connect("ann")
	if err := c.Emit("work"); err != nil {
		t.Fatal(err)
	}
	<-started
	ended := make(chan error)
	go func() { ended <- l.Shutdown(t.Context()) }()
	wantClosed(t, c.Conn)
	c.Close()
	if err := <-ended; err != nil || len(done) != 1 {
		t.Errorf("shutdown: %v, handler finished: %v", err, len(done) == 1)
	}
	if _, err := siotest.Dial(t.Context(), l.url, "", nil); err == nil {
		t.Error("a connection was accepted after shutdown")
	}
}

func TestNewNeeds(t *testing.T) {
	t.Parallel()
	if _, err := socketio.New(socketio.Config{}); err == nil {
		t.Error("New accepted a Config without Authenticate")
	}
}
