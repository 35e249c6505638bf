package socketio_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/socketio"
	"homeroom/internal/platform/socketio/siotest"
)

// TestNothingIsLostAtConnect emits to a room that the connect hook joins: in the hook,
// concurrently, and right after the client is connected. Every event arrives, after
// the CONNECT packet.
func TestNothingIsLostAtConnect(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.OnConnect(func(_ context.Context, so *socketio.Socket) error {
		room := "user:" + so.User()
		if err := so.Join(room); err != nil {
			return err
		}
		beside := make(chan error)
		go func() { beside <- l.To(room).Emit("beside") }()
		return errors.Join(so.Emit("inside"), <-beside)
	})
	const connects, at = 1000, 20
	var all sync.WaitGroup
	for n := range at {
		all.Go(func() {
			for i := range connects / at {
				if err := connectAndListen(l, fmt.Sprintf("user-%d-%d", n, i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

func connectAndListen(l *lab, user string) error {
	conn, err := siotest.Dial(l.Context(), l.url, "", nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Send(`40{"token":"` + user + `"}`); err != nil {
		return err
	}
	first, err := conn.Await("4", patience)
	if err != nil || !strings.HasPrefix(first, "40") {
		return fmt.Errorf("%s: the first packet is %q: %w", user, first, err)
	}
	if err := l.To("user:" + user).Emit("after"); err != nil {
		return err
	}
	got := map[string]int{}
	for range 3 {
		text, err := conn.Text(patience)
		if err != nil {
			return fmt.Errorf("%s: after %v: %w", user, got, err)
		}
		got[text]++
	}
	if got[`42["inside"]`] != 1 || got[`42["beside"]`] != 1 || got[`42["after"]`] != 1 {
		return fmt.Errorf("%s: got %v", user, got)
	}
	return nil
}

// TestRefusedByTheHook turns an error of the hook into a connect_error; the socket is
// removed and nothing is sent before it.
func TestRefusedByTheHook(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.OnConnect(func(ctx context.Context, so *socketio.Socket) error {
		if err := errors.Join(so.Join("room"), so.Emit("secret"), l.To("room").Emit("secret")); err != nil {
			return err
		}
		switch so.User() {
		case "evil":
			return fault.Denied("Not you.")
		case "panics":
			panic("in the hook")
		case "gone":
			so.Disconnect()
		}
		return nil
	})
	l.OnDisconnect(func(_ context.Context, so *socketio.Socket, _ string) {
		if so.User() == "evil" {
			t.Error("a socket that never connected was disconnected")
		}
	})
	for user, want := range map[string]string{"evil": `"message":"Not you."`, "panics": `"kind":0`, "gone": `"kind":3`} {
		conn, err := siotest.Dial(t.Context(), l.url, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		if err := conn.Send(`40{"token":"` + user + `"}`); err != nil {
			t.Fatal(err)
		}
		if got, err := conn.Await("4", patience); err != nil || !strings.HasPrefix(got, "44") || !strings.Contains(got, want) {
			t.Errorf("refused %s got %q, %v", user, got, err)
		}
		await.Until(t, "nothing to be left", func() bool {
			s := l.Stats()
			return s.Sockets == 0 && s.Rooms == 0 && len(l.UserSockets(user)) == 0
		})
		if user != "evil" {
			continue
		}
		if err := conn.Send(`40{"token":"ann"}`); err != nil { // another token is accepted
			t.Fatal(err)
		}
		if got, err := conn.Await("4", patience); err != nil || !strings.HasPrefix(got, "40") {
			t.Errorf("connect with another token: got %q, %v", got, err)
		}
		conn.Close()
		await.Until(t, "it to be gone", func() bool { return l.Stats().Sockets == 0 })
	}
}

// TestNothingAfterLeaving broadcasts to a room all the time: after Leave returns the
// client gets nothing.
func TestNothingAfterLeaving(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.On("out", func(_ context.Context, so *socketio.Socket, _ socketio.Event) (any, error) {
		so.Leave("r")
		return nil, so.Emit("room-left")
	})
	var members []*siotest.Client
	for n := range 40 { // makes a broadcast take longer
		members = append(members, l.connect(fmt.Sprint("user-", n)))
		wantCall(t, members[n], `{"ok":true,"joined":"r"}`, "join", "r")
	}
	ctx, stop := context.WithCancel(t.Context())
	var talking sync.WaitGroup
	for range 2 {
		talking.Go(func() {
			for ctx.Err() == nil {
				if err := l.To("r").Volatile().Emit("position", 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, c := range members {
		for _, sent := range []string{`42["out"]`, `4299["leave","nowhere"]`} {
			if err := c.Send(sent); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Await(`42["room-left"]`, patience); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Text(patience); err != nil || !strings.HasPrefix(got, "4399") {
			t.Fatalf("message after room-left: %q, %v", got, err)
		}
		c.Close()
	}
	stop()
	talking.Wait()
}
