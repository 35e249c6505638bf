package app_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify/fake"
	"homeroom/internal/platform/token"
	"homeroom/internal/schema"
)

// TestWebPushNodes: all nodes have the key of the first. A new key, and a node without Web
// Push, unsubscribe the browsers but leave the phones. A node with other keys has none.
func TestWebPushNodes(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := dbtest.URL(t, engine, schema.FS)
			local := func(c *app.Config) { c.WebPushLoopback = true }
			first := apptest.Open(t, url, local)
			key := func(s *apptest.Service) string {
				return s.Call(t, s.North.Parent, "GET", "/parent/notification/push-key", nil).OK().Text("publicKey")
			}
			service := fake.NewPushService(first.Clock.Now)
			t.Cleanup(service.Close)
			register := func(s *apptest.Service) {
				s.Call(t, s.North.Parent, "POST", "/parent/notification/token", m{"subscription": service.Subscribe("").JSON()}).OK()
			}
			devices := func() string {
				types, err := db.All[string](t.Context(), first.DB.Across(unscoped.Permit{}), `SELECT platform FROM devices ORDER BY platform`, nil)
				if err != nil {
					t.Fatal(err)
				}
				return strings.Join(types, " ")
			}
			first.Call(t, first.North.Parent, "POST", "/parent/notification/token", m{"fcmToken": "phone", "platform": "ios"}).OK()
			register(first)
			second := apptest.Open(t, url, local)
			old := key(first)
			if old == "" || key(second) != old || devices() != "ios web" {
				t.Errorf("keys %q and %q, devices %s", old, key(second), devices())
			}
			store := app.Store{Data: t.TempDir(), DatabaseURL: app.DSN(url), Keys: apptest.TestKeys}
			said, err := app.RotatePushKey(t.Context(), store, slog.New(slog.DiscardHandler))
			if err != nil || !strings.Contains(said, "browsers: 1") || devices() != "ios" {
				t.Errorf("rotated: %q, %v, devices %s", said, err, devices())
			}
			third := apptest.Open(t, url, local)
			if fresh := key(third); fresh == old || fresh == "" {
				t.Errorf("key after the rotation: got %q", fresh)
			}
			register(third)
			apptest.Open(t, url, func(c *app.Config) { c.WebPush = "off" })
			if devices() != "ios" {
				t.Errorf("devices without Web Push: got %s", devices())
			}
			encryptedWith := func(kid string) {
				t.Helper()
				stored, err := db.One[string](t.Context(), first.DB.Across(unscoped.Permit{}), `SELECT private_key FROM web_push_keys`, nil)
				if err != nil || !strings.HasPrefix(stored, kid+".") {
					t.Errorf("the stored key is not encrypted with %s: %q, %v", kid, stored, err)
				}
			}
			encryptedWith("test")
			used := token.Key{ID: "test", Secret: []byte("the tests' own key, known to everyone!")}
			if err := third.Keys.Set(token.Key{ID: "fresh", Secret: []byte(strings.Repeat("f", 32))}, used); err != nil {
				t.Fatal(err)
			}
			third.Clock.Add(2 * time.Minute)
			for _, p := range third.Queue.Periodic {
				if p.Name == "notification.push-key" && p.Run(t.Context()) != nil {
					t.Error("the key can't be read after the signing keys were rotated")
				}
			}
			encryptedWith("fresh")
			other := app.Default()
			other.Store = store
			other.Keys = "other:" + app.Secret(strings.Repeat("A", 44))
			a, err := app.New(t.Context(), other, app.Deps{NewID: id.New})
			if err != nil {
				t.Fatalf("a node with other keys does not start: %v", err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
