package apptest

import (
	"encoding/json"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio/siotest"
)

// Socket is a connection of an account for live events.
type Socket struct {
	*siotest.Client
	t testing.TB
}

// Dial connects a socket of the account. It is closed when the test ends.
func (w *World) Dial(who *Account) *Socket {
	w.Helper()
	return w.dial(M{"token": who.Access})
}

// DialRecovering is Dial for a client that can recover: after was, if that is not nil.
func (w *World) DialRecovering(who *Account, was *Socket) *Socket {
	w.Helper()
	auth := M{"token": who.Access, "recover": true}
	if was != nil {
		auth["pid"], auth["offset"] = was.PID, was.Offset
	}
	return w.dial(auth)
}

func (w *World) dial(auth M) *Socket {
	w.Helper()
	c, err := siotest.Connect(w.Context(), w.URL+"/socket.io/", auth, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(c.Close)
	return &Socket{c, w.TB}
}

// Ask sends an event and returns its acknowledgement.
func (s *Socket) Ask(event string, args ...any) Object {
	s.t.Helper()
	return s.decode(s.Call(event, args...))
}

// OK is Ask for an event that must succeed.
func (s *Socket) OK(event string, args ...any) Object {
	s.t.Helper()
	got := s.Ask(event, args...)
	if got["ok"] != true {
		s.t.Fatalf("%s %v: %v", event, args, got)
	}
	return got
}

// Refused is Ask for an event that must fail with this status and error code. It
// returns the error.
func (s *Socket) Refused(status int, name, event string, args ...any) Object {
	s.t.Helper()
	got := s.Ask(event, args...)
	body := got.Object("error")
	if got["ok"] != false || body["statusCode"] != float64(status) || body.Text("error") != name {
		s.t.Fatalf("%s %v: %v, want %d %s", event, args, got, status, name)
	}
	return body
}

// Hears waits for an event.
func (s *Socket) Hears(event string) Object {
	s.t.Helper()
	return s.decode(s.Event(event, await.Limit))
}

// HearsNot checks that an event has not come before a later reply.
func (s *Socket) HearsNot(event string) {
	s.t.Helper()
	s.Ask("nonsense")
	if raw, err := s.Event(event, 20*time.Millisecond); err == nil {
		s.t.Errorf("heard %s: %s", event, raw)
	}
}

func (s *Socket) decode(raw json.RawMessage, err error) (o Object) {
	s.t.Helper()
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil {
		s.t.Fatalf("%s: %v", raw, err)
	}
	return o
}
