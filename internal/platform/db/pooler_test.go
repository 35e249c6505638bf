package db_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/dbtest/pgserver"
)

const serverConns = 3 // of the poolers, fewer than the nodes of a test have

// pooled starts a PgBouncer and returns the URL that leads through it.
func pooled(t testing.TB, url, mode string, more ...string) string {
	t.Helper()
	p, err := pgserver.Pool(url, mode, serverConns, more...)
	must(t, err)
	t.Cleanup(p.Stop)
	return p.URL(url)
}

// dialTwo is dbtest.Dial with a URL for signals.
func dialTwo(t testing.TB, url, signals string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), db.Options{URL: url, SignalURL: signals, Migrations: schema, MaxConns: 4})
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

// Two nodes migrate, read, write and run transactions through a pooler that gives each
// transaction another connection, and leave no setting on it.
func TestBehindPooler(t *testing.T) {
	t.Parallel()
	rows := map[string]string{"as installed": ""}
	if pgserver.KeepsStatements() {
		rows["without prepared statements"] = "max_prepared_statements = 0" // as before version 1.21
	}
	for name, setting := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := dbtest.URL(t, "postgres", nil)
			url := pooled(t, direct, "transaction", setting)
			before := settings(t, url)
			nodes := []*db.DB{dialTwo(t, url, direct), dialTwo(t, url, direct)}
			for _, d := range nodes {
				_, err := d.Migrate(t.Context())
				must(t, err)
			}
			school := newSchool(t, nodes[0])
			for range 5 {
				for _, d := range nodes {
					crowdOf(d, school).ask(t, func(name string, err error, _ time.Duration) {
						if err != nil {
							t.Errorf("%s: %v", name, err)
						}
					})
				}
			}
			if n := count(t, nodes[1].School(school), "classes"); n != 5*2*2*20 {
				t.Errorf("%d classes, want every one that was added, once", n)
			}
			if after := settings(t, url); after != before {
				t.Errorf("settings of the pooler's connections: before\n%s\nafter\n%s", before, after)
			}
		})
	}
}

// settings returns what other clients of a pooler find on each of its connections.
func settings(t *testing.T, url string) string {
	t.Helper()
	var all []string
	for range serverConns { // each holds one until the end
		c, err := pgconn.Connect(t.Context(), url)
		must(t, err)
		defer c.Close(t.Context())
		r, err := c.Exec(t.Context(), `BEGIN; SELECT current_user || ' ' || coalesce(current_setting('homeroom.school', true), '') || ' ' ||
			(SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings
				WHERE name LIKE '%timeout%' OR name LIKE '%transaction%' OR name = 'search_path')
			|| (SELECT ' locks=' || count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
			|| (SELECT ' temporary=' || count(*) FROM pg_class WHERE relpersistence = 't')`).ReadAll()
		must(t, err)
		all = append(all, string(r[1].Rows[0][0]))
	}
	return strings.Join(all, "\n")
}

// A node knows whether it hears signals, and why not.
func TestHearing(t *testing.T) {
	t.Parallel()
	direct := dbtest.URL(t, "postgres", schema)
	transactions, sessions := pooled(t, direct, "transaction"), pooled(t, direct, "session")
	for name, row := range map[string]struct{ url, signals, want string }{
		"direct":                        {direct, "", ""},
		"session mode":                  {sessions, "", ""},
		"transaction mode":              {transactions, "", "goes through a pooler that does not deliver them"},
		"transaction mode, signals too": {transactions, direct, ""},
		"another database":              {direct, dbtest.URL(t, "postgres", nil), "leads to another database"},
		"nobody there":                  {direct, "postgres://x@/x?host=" + t.TempDir(), "there is no connection for signals"},
	} {
		t.Run(name, func(t *testing.T) {
			d := dialTwo(t, row.url, row.signals)
			must(t, d.Hears()) // nobody listens yet
			heard := listen(d, "roles")
			await.Until(t, "a verdict", func() bool { err := d.Hears(); return err == nil || err.Error() != "not heard yet" })
			err := d.Hears()
			if row.want == "" {
				must(t, err)
				next(t, heard) // lost
				notify(t, dialTwo(t, row.url, row.signals), "ann")
				if s := next(t, heard); s != "roles ann" {
					t.Errorf("got %q of the other node", s)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Fatalf("got %v, want %q", err, row.want)
			}
			for range 2 { // what is cached is dropped again and again
				if s := next(t, heard); s != "roles lost" {
					t.Errorf("got %q, want lost", s)
				}
			}
		})
	}
	lite := dbtest.Open(t, "sqlite", schema)
	listen(lite, "roles")
	must(t, lite.Hears())
}

// A node says that it lost its connection for signals, and hears again when it is back.
func TestDeafForAWhile(t *testing.T) {
	t.Parallel()
	s, err := pgserver.Start()
	must(t, err)
	defer s.Stop()
	d := dialTwo(t, s.URL(), "")
	listen(d, "roles")
	hears := func() bool { return d.Hears() == nil }
	await.Until(t, "the first proof", hears)
	must(t, s.Down())
	await.Until(t, "the loss to be noticed", func() bool { return !hears() && strings.Contains(d.Hears().Error(), "no connection") })
	must(t, s.Up())
	await.Until(t, "the node to hear again", hears)
}
