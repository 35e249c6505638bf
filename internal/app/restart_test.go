package app_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio/siotest"
)

// TestRestartLosesNoEvent restarts the node of a phone while messages arrive. The phone
// connects to the other node and then reads its log, as docs/api/live.md says: it has
// every message, and each came once at most through a socket.
func TestRestartLosesNoEvent(t *testing.T) {
	t.Parallel()
	near, far := twoNodes(t, func(url string) app.Store { return app.Store{DatabaseURL: app.DSN(url)} })
	at := far.AddSchool(t, "RESTART", "+1557000")
	const messages, third = 60, 20 // as many before, during and after the restart
	stopping, back := make(chan struct{}), make(chan struct{})
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range messages {
			switch i {
			case third:
				<-stopping
			case 2 * third:
				<-back
			}
			far.Call(t, at.Admin, "POST", "/school-admin/message/send", m{"recipientId": at.Parent.ID, "body": fmt.Sprint("Message ", i)})
		}
	}()
	had, bySocket := map[string]bool{}, map[string]int{}
	connect := func(node *apptest.Service) *siotest.Client {
		c, err := siotest.Connect(t.Context(), node.URL+"/socket.io/", m{"token": at.Parent.Access}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		log := node.Call(t, at.Parent, "GET", "/parent/notification/delivered-notifications?limit=100", nil).OK()
		for _, n := range log.Objects("notifications") {
			had[n.Text("id")] = true
		}
		return c
	}
	phone, restarts, before := connect(near), 0, 0
	for len(had) < messages {
		if len(had) == third && restarts == 0 {
			restarts++
			go near.Stop(t)
			close(stopping)
		}
		raw, err := phone.Event("notification", await.Limit)
		if err != nil {
			if restarts != 1 {
				t.Fatalf("the socket ended by itself: %v", err)
			}
			restarts++
			before = len(bySocket)
			phone = connect(far)
			close(back)
			continue
		}
		var n struct{ ID string }
		if err := json.Unmarshal(raw, &n); err != nil || n.ID == "" {
			t.Fatalf("notification %s: %v", raw, err)
		}
		had[n.ID] = true
		bySocket[n.ID]++
	}
	<-sent
	for n, times := range bySocket {
		if times > 1 {
			t.Errorf("notification %s came %d times", n, times)
		}
	}
	if after := len(bySocket) - before; after < third {
		t.Errorf("%d messages came through the new socket, want %d at least", after, third)
	}
	if len(had) != messages {
		t.Errorf("the phone has %d of %d messages", len(had), messages)
	}
}
