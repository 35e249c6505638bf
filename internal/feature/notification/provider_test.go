package notification_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
)

const (
	providersPath = "/school-admin/notification/providers"
	testPath      = "/school-admin/notification/test"
)

// refusing is a provider that accepts nothing, and names the recipient in its answer.
type refusing struct{}

func (refusing) Name() string { return "refusing" }

func (refusing) Send(_ context.Context, m notify.Message) (string, error) {
	return "", jobs.Permanent(errors.New("no such mailbox: " + m.To))
}

func testWorlds(t *testing.T, test func(t *testing.T, w *apptest.World)) {
	t.Helper()
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, test)
}

// channel returns the health of one channel.
func channel(w *apptest.World, who *apptest.Account, name string) apptest.Object {
	w.Helper()
	for _, p := range w.As(who, "GET", "/"+who.Role.Prefix()+"/notification/providers", nil).OK().Objects("providers") {
		if p.Text("channel") == name {
			return p
		}
	}
	w.Fatalf("no channel %s", name)
	return nil
}

func TestTestMessage(t *testing.T) {
	testWorlds(t, func(t *testing.T, w *apptest.World) {
		before := channel(w, w.North.Admin, "email")
		apptest.Eq(t, "the provider", fmt.Sprintf("%v %v", before["provider"], before["configured"]), "local false")
		sent := w.Admin("POST", testPath, apptest.M{"channel": "email"})
		id := sent.OK().Text("id")
		if sent.Status != 201 || sent.OK().Text("status") != "QUEUED" || sent.OK().Text("to") != w.North.Admin.Email {
			t.Errorf("the test message: %s", sent.Body)
		}
		apptest.Eq(t, "waiting", channel(w, w.North.Admin, "email")["waiting"].(float64), before["waiting"].(float64)+1)
		if err := w.Queue.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		apptest.Eq(t, "status", w.Admin("GET", testPath+"/"+id, nil).OK().Text("status"), "SENT")
		after := channel(w, w.North.Admin, "email")
		if after["lastSentAt"] == nil || after["waiting"].(float64) != 0 || after["sentLastDay"].(float64) < 1 || after["lastFailure"] != nil {
			t.Errorf("the channel: %v", after)
		}
		// Nobody else sees it: neither an administrator of another school nor the platform.
		w.As(w.South.Admin, "GET", testPath+"/"+id, nil).Want(404, "Not Found")
		w.As(w.Super, "GET", "/super-admin/notification/test/"+id, nil).Want(404, "Not Found")
		w.Admin("POST", testPath, apptest.M{"channel": "push"}).Want(409, "Conflict")
		w.Admin("POST", testPath, apptest.M{"channel": "pigeon", "to": "+15550100001"}).Fields(422, "channel")
		w.Admin("POST", "/school-admin/notification/token", apptest.M{"fcmToken": "my-phone"}).OK()
		pushed := w.Admin("POST", testPath, apptest.M{"channel": "push"})
		apptest.Eq(t, "a push", pushed.OK().Text("to"), "device")
		pushed.HasNot("my-phone")
		own := w.As(w.Super, "POST", "/super-admin/notification/test", apptest.M{"channel": "email"}).OK()
		apptest.Eq(t, "the platform's own", own.Text("to"), w.Super.Email)
	})
}

// TestTestMessagesAreLimited sends ten at once and one after an hour.
func TestTestMessagesAreLimited(t *testing.T) {
	testWorlds(t, func(t *testing.T, w *apptest.World) {
		var all sync.WaitGroup
		statuses := make([]int, 10)
		for i := range statuses {
			all.Go(func() { statuses[i] = w.Admin("POST", testPath, apptest.M{"channel": "email"}).Status })
		}
		all.Wait()
		slices.Sort(statuses)
		apptest.Eq(t, "ten at once", statuses, []int{201, 201, 201, 201, 201, 429, 429, 429, 429, 429})
		w.As(w.South.Admin, "POST", testPath, apptest.M{"channel": "email"}).OK()
		w.Clock.Add(time.Hour + time.Second)
		w.SignIn(t, w.North.Admin)
		w.Admin("POST", testPath, apptest.M{"channel": "email"}).OK()
	})
}

// TestProviderFails checks that a refused test fails at once, that its reason names no
// recipient, and that other schools don't see it.
func TestProviderFails(t *testing.T) {
	testWorlds(t, func(t *testing.T, w *apptest.World) {
		if err := w.Queue.Drain(t.Context()); err != nil { // the invitations
			t.Fatal(err)
		}
		w.Notify.Providers[notify.Email] = refusing{}
		id := w.Admin("POST", testPath, apptest.M{"channel": "email"}).OK().Text("id")
		if err := w.Queue.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		apptest.Eq(t, "status", w.Admin("GET", testPath+"/"+id, nil).OK().Text("status"), "FAILED")
		for _, who := range []*apptest.Account{w.North.Admin, w.Super} {
			got := channel(w, who, "email")
			apptest.Eq(t, who.Role, fmt.Sprintf("%v %v %v %s", got["provider"], got["configured"], got["failedLastDay"],
				got.Object("lastFailure").Text("reason")), "refusing true 1 no such mailbox: •••")
		}
		apptest.Eq(t, "another school", fmt.Sprint(channel(w, w.South.Admin, "email")["lastFailure"]), "<nil>")
	})
}
