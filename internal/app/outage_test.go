package app_test

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/dbtest/pgserver"
	"homeroom/internal/platform/db/dbtest/wire"
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
		if took := time.Since(start); took > 20*time.Second { // db's limit is 2 s; this only catches a hang
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

// TestAnswerOfCommitLost cuts the connection to PostgreSQL while a call is saved. A call
// with an Idempotency-Key finds out what became of it, at once or when it is repeated. One
// without is told to look.
func TestAnswerOfCommitLost(t *testing.T) {
	t.Parallel()
	p, err := wire.Open(dbtest.URL(t, "postgres", nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	s := apptest.Open(t, p.URL())
	create := func(name, key string) apptest.Reply {
		headers := []string{"Idempotency-Key", key}
		if key == "" {
			headers = nil
		}
		return s.Call(t, s.North.Admin, "POST", "/school-admin/event/create", map[string]any{"title": name,
			"eventDate": schoolDay}, headers...)
	}
	for i, row := range []struct {
		at          wire.Moment
		sql, key    string
		first, then int // status of the call and, with a key, of its repetition
		saved       int
	}{
		{wire.Unheard, "INSERT INTO events", "", 201, 0, 1},
		{wire.Unheard, "INSERT INTO events", "a", 201, 201, 1},
		{wire.Unheard, "COMMIT", "", 503, 0, 1},
		{wire.Unheard, "COMMIT", "b", 201, 201, 1},
		{wire.Before, "COMMIT", "", 503, 0, 0},
		{wire.Before, "COMMIT", "c", 503, 201, 1},
	} {
		name := fmt.Sprint("Sports day ", i)
		p.Cut(1, row.at, row.sql)
		r := create(name, row.key)
		if p.Left() != 0 {
			t.Fatalf("row %d: nothing was cut", i)
		}
		if r.Status != row.first || r.Status == 503 && r.Header.Get("Retry-After") == "" {
			t.Errorf("row %d: got %d %s, want %d", i, r.Status, r.Body, row.first)
		}
		if row.key != "" {
			if r := create(name, row.key); r.Status != row.then {
				t.Errorf("row %d: repeated: got %d %s, want %d", i, r.Status, r.Body, row.then)
			}
		}
		n, err := db.One[int](t.Context(), s.DB.School(s.North.ID), `SELECT count(*) FROM events WHERE school_id = :school AND title = :title`,
			db.Args{"title": name})
		if err != nil || n != row.saved {
			t.Errorf("row %d: %d events, %v, want %d", i, n, err, row.saved)
		}
	}
}
