package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/dbtest/pgserver"
	"homeroom/internal/platform/db/dbtest/wire"
	"homeroom/internal/platform/id"
)

// cutOff opens a database behind a proxy that cuts connections.
func cutOff(t testing.TB, url string) (*db.DB, *wire.Proxy) {
	t.Helper()
	p, err := wire.Open(url)
	must(t, err)
	t.Cleanup(p.Close)
	return dbtest.Dial(t, p.URL(), schema), p
}

// A transaction whose connection is lost runs again if COMMIT was not sent. If it was, the
// caller is told that nobody knows.
func TestConnectionLost(t *testing.T) {
	t.Parallel()
	d, p := cutOff(t, dbtest.URL(t, "postgres", schema))
	school, runs := newSchool(t, d), 0
	inTx := func(ctx context.Context) error {
		return d.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
			runs++
			return addClass(ctx, tx, string(id.New()))
		})
	}
	alone := func(ctx context.Context) error { runs++; return addClass(ctx, d.School(school), string(id.New())) }
	read := func(ctx context.Context) error {
		runs++
		_, err := db.All[id.ID](ctx, d.School(school), `SELECT id FROM classes WHERE school_id = :school`, nil)
		return err
	}
	for _, row := range []struct {
		name string
		do   func(context.Context) error
		cuts int
		at   wire.Moment
		sql  string
		want error
		runs int
		rows int
	}{
		{"the first statement does not arrive", inTx, 1, wire.Before, "BEGIN", nil, 2, 1},
		{"its answer is lost", inTx, 1, wire.Unheard, "INSERT", nil, 2, 1},
		{"its answer is lost again and again", inTx, 3, wire.Unheard, "INSERT", db.ErrUnavailable, 3, 0},
		{"COMMIT does not arrive", inTx, 1, wire.Before, "COMMIT", db.ErrUnknown, 1, 0},
		{"the answer to COMMIT is lost", inTx, 1, wire.Unheard, "COMMIT", db.ErrUnknown, 1, 1},
		{"a write outside a transaction does not arrive", alone, 1, wire.Before, "INSERT", db.ErrUnknown, 1, 0},
		{"its answer is lost, too", alone, 1, wire.Unheard, "INSERT", db.ErrUnknown, 1, 1},
		{"the answer to a read is lost", read, 1, wire.Unheard, "SELECT id", nil, 1, 0},
		{"the answer to a read is lost twice", read, 2, wire.Unheard, "SELECT id", db.ErrUnavailable, 1, 0},
	} {
		before := count(t, d.School(school), "classes")
		runs = 0
		p.Cut(row.cuts, row.at, row.sql)
		err := row.do(t.Context())
		p.Cut(0, wire.Never, "")
		if !errors.Is(err, row.want) || errors.Is(err, db.ErrUnknown) != errors.Is(row.want, db.ErrUnknown) || runs != row.runs {
			t.Errorf("%s: got %v after %d runs, want %v after %d", row.name, err, runs, row.want, row.runs)
		}
		if rows := count(t, d.School(school), "classes") - before; rows != row.rows {
			t.Errorf("%s: %d rows, want %d", row.name, rows, row.rows)
		}
	}
}

// A commit that waits for its standby is not cancelled when its connection is lost: nobody
// sees it before the standby has it.
func TestCommitWaitsForStandby(t *testing.T) {
	t.Parallel()
	s, err := pgserver.Start("wal_level = replica", "max_wal_senders = 2", "synchronous_commit = on")
	must(t, err)
	t.Cleanup(s.Stop)
	d, p := cutOff(t, s.URL())
	_, err = d.Migrate(t.Context())
	must(t, err)
	school := newSchool(t, d)
	addOne := func() error {
		return d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error { return addClass(ctx, tx, string(id.New())) })
	}
	must(t, addOne())
	standby(t, s, "nobody")
	p.Cut(1, wire.Unheard, "COMMIT") // the answer, of which there is none yet
	failed := make(chan error)
	go func() { failed <- addOne() }()
	waiting := func() int { return waitsForStandby(t, s) }
	await.Until(t, "the commit to wait", func() bool { return waiting() == 1 })
	p.Drop()
	if err := <-failed; !errors.Is(err, db.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
	time.Sleep(200 * time.Millisecond) // a cancel would arrive by now
	if n := count(t, d.School(school), "classes"); n != 1 || waiting() != 1 {
		t.Errorf("%d classes are visible, %d commits wait, want 1 and 1", n, waiting())
	}
	standby(t, s, "")
	await.Until(t, "the commit", func() bool { return count(t, d.School(school), "classes") == 2 })
}

// standby sets the name of the standby that commits wait for.
func standby(t *testing.T, s *pgserver.Server, name string) {
	t.Helper()
	execAs(t, s, "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'")
	execAs(t, s, "SELECT pg_reload_conf()")
	await.Until(t, "the setting", func() bool { return execAs(t, s, "SHOW synchronous_standby_names") == name })
	for range 2 { // the checkpointer tells the others; it has read the setting before it begins the second one
		execAs(t, s, "CHECKPOINT")
	}
}

func waitsForStandby(t *testing.T, s *pgserver.Server) int {
	t.Helper()
	return len(execAs(t, s, "SELECT repeat('x', count(*)::int) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))
}

// execAs runs a statement of the superuser and returns its only value.
func execAs(t *testing.T, s *pgserver.Server, sql string) string {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), s.URL())
	must(t, err)
	defer c.Close(t.Context())
	r, err := c.Exec(t.Context(), sql).ReadAll()
	must(t, err)
	if len(r) == 0 || len(r[0].Rows) == 0 {
		return ""
	}
	return string(r[0].Rows[0][0])
}

// A server that does not write any more, as a demoted primary, is unavailable. The node
// works again when its connections lead to one that does.
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	s, err := pgserver.Start()
	must(t, err)
	t.Cleanup(s.Stop)
	d := dbtest.Dial(t, s.URL(), schema)
	_, err = d.Migrate(t.Context())
	must(t, err)
	all := crowdOf(d, newSchool(t, d))
	all.isWell(t)
	execAs(t, s, "ALTER DATABASE postgres SET default_transaction_read_only = on")
	execAs(t, s, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'homeroom'")
	for _, name := range []string{"ping", "write", "transaction"} { // ping finds the connections dead
		if err := all[name](t.Context()); name != "ping" && !errors.Is(err, db.ErrUnavailable) || errors.Is(err, db.ErrUnknown) {
			t.Errorf("%s: got %v, want ErrUnavailable", name, err)
		}
	}
	execAs(t, s, "BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT")
	all.isWell(t)
}

// A signal of a commit that got no answer is heard by its own node, too, as soon as it is
// committed: its caches must not keep what the commit changed.
func TestSignalInDoubt(t *testing.T) {
	t.Parallel()
	s, err := pgserver.Start("wal_level = replica", "max_wal_senders = 2", "synchronous_commit = on")
	must(t, err)
	t.Cleanup(s.Stop)
	p, err := wire.Open(s.URL())
	must(t, err)
	t.Cleanup(p.Close)
	d := dialTwo(t, p.URL(), s.URL())
	_, err = d.Migrate(t.Context())
	must(t, err)
	school := newSchool(t, d)
	heard := listen(d, "roles")
	next(t, heard) // lost
	await.Until(t, "the first proof", func() bool { return d.Hears() == nil })
	standby(t, s, "nobody")
	p.Cut(1, wire.Unheard, "COMMIT")
	failed := make(chan error)
	go func() {
		failed <- d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			return errors.Join(addClass(ctx, tx, "x"), tx.Notify(ctx, "roles", "ann"))
		})
	}()
	await.Until(t, "the commit to wait", func() bool { return waitsForStandby(t, s) > 0 })
	p.Drop()
	if err := <-failed; !errors.Is(err, db.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
	if got := next(t, heard); got != "roles ann" {
		t.Errorf("got %q at the error", got)
	}
	standby(t, s, "")
	if got := next(t, heard); got != "roles ann" {
		t.Errorf("got %q at the commit", got)
	}
}
