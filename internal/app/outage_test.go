package app_test

import (
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db/dbtest/pgserver"
)

// TestDatabaseGone stops PostgreSQL while the service runs: calls must get a 503
// quickly, and succeed again after PostgreSQL restarts.
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
		if took := time.Since(start); took > 20*time.Second { // db's limit is a second; this only catches a hang
			t.Errorf("the response took %s", took)
		}
		r.Want(503, "Service Unavailable")
		if r.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	s.Call(t, nil, "GET", "/healthz", nil).OK()
	if r := s.Call(t, nil, "GET", "/readyz", nil); r.Status != 503 {
		t.Errorf("/readyz: got %d, want 503", r.Status)
	}
	if err := pg.Up(); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the service to recover", func() bool { return ask().Status == 200 })
	ask().OK()
}
