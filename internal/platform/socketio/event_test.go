package socketio_test

import (
	"context"
	"errors"
	"testing"

	"homeroom/internal/platform/socketio"
)

type ping struct {
	N int `json:"n"`
}

// TestOnlyDeclaredEvents sends and handles events that the documentation does not know.
func TestOnlyDeclaredEvents(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Declare(socketio.Takes[ping, ping]("join", ""), socketio.Takes[ping, ping]("leave", ""), socketio.Sends[ping]("ping", ""))
	l.On("secret", func(context.Context, *socketio.Socket, socketio.Event) (any, error) { return nil, nil })
	c := l.connect("ann")
	wantCall(t, c, `{"ok":true,"joined":"r"}`, "join", "r")
	wantCall(t, c, `{"error":{"kind":5,"message":"There is no such event. See the documentation."},"ok":false}`, "secret", 1)
	so := l.UserSockets("ann")[0]
	if err := errors.Join(l.To("r").Emit("ping", ping{1}), so.Emit("ping", ping{2})); err != nil {
		t.Fatal(err)
	}
	wantEvent(t, c, "ping", `{"n":1}`)
	wantEvent(t, c, "ping", `{"n":2}`)
	for name, args := range map[string][]any{"pong": {ping{1}}, "ping": {map[string]int{"n": 1}}, "join": {ping{1}}, "exception": {ping{1}}} {
		if l.To("r").Emit(name, args...) == nil || so.Emit(name, args...) == nil {
			t.Errorf("%s %v was sent", name, args)
		}
	}
	if l.To("r").Emit("ping") == nil || l.To("r").Emit("ping", ping{1}, ping{2}) == nil {
		t.Error("an event with other arguments was sent")
	}
	if events := l.Events(); len(events) != 6 || events[0].Name != "authenticate" {
		t.Errorf("events: %+v", events)
	}
}
