package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

func notify(t testing.TB, d *db.DB, payloads ...string) {
	t.Helper()
	must(t, d.InSchool(t.Context(), newSchool(t, d), func(ctx context.Context, tx *db.Tx) error {
		for _, p := range payloads {
			must(t, tx.Notify(ctx, "roles", p))
		}
		return nil
	}))
}

// listen returns the payloads of a topic, "lost" for possibly missed signals.
func listen(d *db.DB, topic string) <-chan string {
	heard := make(chan string, 100)
	d.Listen(topic, func(s db.Signal) {
		if s.Lost {
			s.Payload = "lost"
		}
		heard <- s.Topic + " " + s.Payload
	})
	return heard
}

func next(t testing.TB, heard <-chan string) string {
	t.Helper()
	select {
	case s := <-heard:
		return s
	case <-time.After(await.Limit):
		t.Fatal("no signal arrived")
		return ""
	}
}

func silent(t testing.TB, heard <-chan string) {
	t.Helper()
	select {
	case s := <-heard:
		t.Errorf("unexpected signal %q", s)
	case <-time.After(100 * time.Millisecond):
	}
}

func TestSignalsOnOneNode(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		heard, other := listen(d, "roles"), listen(d, "other")
		if d.Engine() == "postgres" { // once, after connecting
			for _, c := range []<-chan string{heard, other} {
				if s := next(t, c); !strings.HasSuffix(s, " lost") {
					t.Errorf("first signal: got %q, want lost", s)
				}
			}
		}
		notify(t, d, "a", "b", "a")
		if len(heard) != 2 { // delivered before InSchool returned, without duplicates
			t.Errorf("%d signals at the return of InSchool", len(heard))
		}
		if s := next(t, heard) + next(t, heard); s != "roles aroles b" {
			t.Errorf("signals: got %q, want a and b once each", s)
		}
		err := d.InSchool(t.Context(), newSchool(t, d), func(ctx context.Context, tx *db.Tx) error {
			must(t, tx.Notify(ctx, "roles", "undone"))
			return errors.New("no")
		})
		if err == nil {
			t.Error("InSchool: no error of the callback")
		}
		silent(t, heard)
		silent(t, other)
		must(t, d.InSchool(t.Context(), newSchool(t, d), func(ctx context.Context, tx *db.Tx) error {
			for _, long := range []string{strings.Repeat("x", 8000), strings.Repeat(`"`, 4000)} {
				if err := tx.Notify(ctx, "roles", long); err == nil {
					t.Error("Notify accepted a payload over PostgreSQL's limit")
				}
			}
			return tx.Notify(ctx, "long", strings.Repeat(`"`, 3900))
		}))
	})
}

func TestSignalsBetweenNodes(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t, "postgres", schema)
	one, two := dbtest.Dial(t, url, schema), dbtest.Dial(t, url, schema)
	heard := listen(two, "roles")
	next(t, heard) // lost
	own := listen(one, "roles")
	next(t, own)
	notify(t, one, `{"a": "ü"}`)
	if s := next(t, heard); s != `roles {"a": "ü"}` {
		t.Errorf("signal of the other node: got %q", s)
	}
	next(t, own)
	silent(t, own) // our own notification is ignored
	silent(t, heard)
	// When the listening connection breaks, the node gets Lost and reconnects.
	sql(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	for _, c := range []<-chan string{heard, own} {
		if s := next(t, c); s != "roles lost" {
			t.Errorf("after the reconnect: got %q, want roles lost", s)
		}
	}
	notify(t, one, "again")
	if s := next(t, heard); s != "roles again" {
		t.Errorf("signal of the other node: got %q, want roles again", s)
	}
}
