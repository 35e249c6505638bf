package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/notify/fake"
)

// TestKilledBetweenCommitAndSend kills the process while pushes are in flight: FCM
// has received some and answered none. After the restart every push must arrive;
// those in flight at most once more, with the same id.
func TestKilledBetweenCommitAndSend(t *testing.T) {
	t.Parallel()
	bin, err := process.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			k := newKilled(t, bin, dbtest.URL(t, engine, nil))
			k.publish(12)
			await.Until(t, "a push to reach FCM", func() bool { return len(k.fcm.Seen()) > 0 })
			k.kill()
			k.release()
			under := k.fcm.Seen()
			k.start()
			sent := k.untilSent()
			seen, twice := k.fcm.Seen(), 0
			for id, n := range seen {
				if n > under[id]+1 { // on a busy machine a push may time out, and be sent again, before the kill
					t.Errorf("%s arrived %d times, %d of them before the kill", id, n, under[id])
				}
				if n > 1 {
					twice++
				}
			}
			for _, id := range sent {
				if seen[id] == 0 {
					t.Errorf("%s is SENT but never reached FCM", id)
				}
			}
			if len(sent) < 12 || twice == 0 {
				t.Errorf("%d pushes were sent, %d of them twice, want at least 12 and 1", len(sent), twice)
			}
		})
	}
}

// killed is a service process with a fake FCM that delays its answers until release.
type killed struct {
	*testing.T
	bin     string
	args    []string
	node    *process.Server
	kill    func()
	token   string
	fcm     *fake.FCM
	release func()
}

func newKilled(t *testing.T, bin, url string) *killed {
	t.Helper()
	f, err := fake.NewFCM()
	if err != nil {
		t.Fatal(err)
	}
	k := &killed{T: t, bin: bin, fcm: f}
	hold := make(chan struct{})
	k.release = sync.OnceFunc(func() { close(hold) })
	t.Cleanup(func() { k.release(); f.Close() })
	f.Before = func(string) { <-hold }
	credentials, err := f.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(file, credentials, 0o600); err != nil {
		t.Fatal(err)
	}
	k.args = []string{"--demo", "--data", t.TempDir(), "--database-url", url, "--job-lease", "5s",
		"--push-provider", "fcm", "--fcm-credentials", file, "--fcm-url", f.URL}
	k.start()
	k.call("PUT", "/school-admin/setting", map[string]any{"digestMinutes": 0}, http.StatusOK)
	return k
}

func (k *killed) start() {
	k.Helper()
	var err error
	if k.node, err = process.Serve(k.Context(), k.bin, k.args...); err == nil {
		k.kill = sync.OnceFunc(k.node.Kill)
		k.Cleanup(k.kill)
		k.token, err = k.node.Login(k.Context(), "admin@greenfield.test", "homeroom-demo")
	}
	if err != nil {
		k.Fatal(err)
	}
}

func (k *killed) call(method, path string, data any, want int) map[string]any {
	k.Helper()
	var body any
	if data != nil {
		body = map[string]any{"data": data}
	}
	status, out, err := k.node.Call(k.Context(), k.token, method, path, body)
	if err != nil || status != want {
		k.Fatalf("%s %s: %d %v %v", method, path, status, out, err)
	}
	got, _ := out["data"].(map[string]any)
	return got
}

func (k *killed) publish(n int) {
	k.Helper()
	for i := range n {
		k.call("POST", "/school-admin/announcement/create",
			map[string]any{"title": fmt.Sprint("News ", i), "body": "Hello", "audience": "ALL"}, http.StatusCreated)
	}
}

// untilSent waits until no push is queued and returns the ids of those sent.
func (k *killed) untilSent() (ids []string) {
	k.Helper()
	list := func(status string) []any {
		out := k.call("GET", "/school-admin/notification/deliveries?channel=push&limit=100&status="+status, nil, http.StatusOK)
		items, _ := out["items"].([]any)
		return items
	}
	if !await.Comes(func() bool { return len(list("QUEUED")) == 0 }) {
		k.Fatalf("still queued: %v", list("QUEUED"))
	}
	for _, item := range list("SENT") {
		ids = append(ids, item.(map[string]any)["id"].(string))
	}
	return ids
}
