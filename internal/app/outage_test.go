package app_test

import (
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db/dbtest/pgserver"
)

// TestDatabaseGone stops PostgreSQL under a running service: calls are told so
// within a second, and all is well again when it is back.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	pg, err := pgserver.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pg.Stop)
	s := apptest.Open(t, pg.URL())
	ask := func() apptest.Reply { return s.Call(t, s.North.Admin, "GET", "/school-admin/setting", nil) }
	ask().OK()
	if err := pg.Down(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		start := time.Now()
		r := ask()
		if took := time.Since(start); took > 20*time.Second { // db holds it to a second; this only catches a hang
			t.Errorf("the answer took %s", took)
		}
		r.Want(503, "Service Unavailable")
		if r.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	s.Call(t, nil, "GET", "/healthz", nil).OK()
	if r := s.Call(t, nil, "GET", "/readyz", nil); r.Status != 503 {
		t.Errorf("readyz: %d", r.Status)
	}
	if err := pg.Up(); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the service to recover", func() bool { return ask().Status == 200 })
	ask().OK()
}
