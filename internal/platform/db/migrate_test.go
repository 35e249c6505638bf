package db_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"

	"github.com/jackc/pgx/v5/pgconn"
)

// sql runs a script as the login user, bypassing package db.
func sql(t testing.TB, url, script string) {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), url)
	must(t, err)
	defer c.Close(context.WithoutCancel(t.Context()))
	_, err = c.Exec(t.Context(), script).ReadAll()
	must(t, err)
}

// files returns migrations from pairs of name and text.
func files(pairs ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return out
}

func eachEngine(t *testing.T, f func(t *testing.T, engine string)) {
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f(t, engine)
		})
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		url := dbtest.URL(t, engine, nil)
		d := dbtest.Dial(t, url, schema)
		if err := d.Current(t.Context()); err == nil || !strings.Contains(err.Error(), "2 migrations are pending, the first is 0001_schools") {
			t.Errorf("before migrating: got %v, want an error about 2 pending migrations", err)
		}
		list, err := d.Migrations(t.Context())
		if err != nil || len(list) != 2 || list[0].Name != "0001_schools" || list[0].AppliedAt != nil {
			t.Errorf("migrations before migrating: got %v, %v, want 2 pending", list, err)
		}
		applied, err := d.Migrate(t.Context())
		if err != nil || strings.Join(applied, " ") != "0001_schools 0002_pupils" {
			t.Fatalf("applied %v, %v, want both migrations", applied, err)
		}
		if applied, err = d.Migrate(t.Context()); err != nil || len(applied) != 0 {
			t.Errorf("second time: applied %v, %v, want none", applied, err)
		}
		must(t, d.Current(t.Context()))
		list, err = d.Migrations(t.Context())
		if err != nil || list[1].AppliedAt == nil || time.Since(*list[1].AppliedAt) > time.Minute {
			t.Errorf("migrations after migrating: got %v, %v, want them applied now", list, err)
		}
		newSchool(t, d)
		// A later version adds a step that changes rows of every school.
		later := files("0003_later.sql", `UPDATE classes SET name = 'changed'; CREATE TABLE later (id {{int}}) {{strict}};`)
		for _, f := range []string{"0001_schools.sql", "0002_pupils.sql"} {
			b, err := fs.ReadFile(schema, f)
			must(t, err)
			later[f] = &fstest.MapFile{Data: b}
		}
		school := newSchool(t, d)
		must(t, addClass(t.Context(), d.School(school), "x"))
		newer := dbtest.Dial(t, url, later)
		if applied, err = newer.Migrate(t.Context()); err != nil || strings.Join(applied, " ") != "0003_later" {
			t.Errorf("newer version: applied %v, %v, want 0003_later", applied, err)
		}
		name, err := db.One[string](t.Context(), d.School(school), `SELECT name FROM classes WHERE school_id = :school`, nil)
		if name != "changed" || err != nil {
			t.Errorf("row-level security hid the rows from the migration: %q, %v", name, err)
		}
		migrate := func() error { _, err := d.Migrate(t.Context()); return err }
		for _, try := range []func() error{func() error { return d.Current(t.Context()) }, migrate} {
			if err := try(); err == nil || !strings.Contains(err.Error(), "newer homeroom (it has the migration 0003_later)") {
				t.Errorf("older version: got %v, want an error about the newer one", err)
			}
		}
	})
}

func TestMigrationsThatFail(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		url := dbtest.URL(t, engine, nil)
		good := files("1.sql", `CREATE TABLE a (id {{int}} PRIMARY KEY) {{strict}};`)
		for _, tt := range []struct {
			name, text, want string
		}{
			{"syntax", `CREATE TABLE b (id {{int}}) {{strict}}; CREATE TABEL c;`, "migration 2: "},
			{"template", `{{nonsense}}`, "nonsense"},
			{"tenant", `{{tenant "a" "b"}}`, "append-only"},
		} {
			d := dbtest.Dial(t, url, files("1.sql", string(good["1.sql"].Data), "2.sql", tt.text))
			if applied, err := d.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) || applied != nil {
				t.Errorf("%s: %v, %v", tt.name, applied, err)
			}
			if _, err := db.All[int](t.Context(), d.Across(unscoped.Permit{}), `SELECT id FROM a`, nil); err == nil {
				t.Errorf("%s: the first file was applied without the second", tt.name)
			}
		}
		d := dbtest.Dial(t, url, good)
		_, err := d.Migrate(t.Context())
		must(t, err)
		changed := dbtest.Dial(t, url, files("1.sql", `CREATE TABLE a (id {{text}}) {{strict}};`))
		if _, err := changed.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "another development version") {
			t.Errorf("changed migration: got %v, want another development version", err)
		}
		renamed := dbtest.Dial(t, url, files("2.sql", `CREATE TABLE b (id {{text}}) {{strict}};`))
		if _, err := renamed.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "another development version") {
			t.Errorf("renamed migration: got %v, want another development version", err)
		}
		if err := changed.Current(t.Context()); err == nil || !strings.Contains(err.Error(), "another development version") {
			t.Errorf("Current with a changed migration: got %v, want another development version", err)
		}
	})
}

// SQLite checks foreign keys after a migration, which may rebuild a table.
func TestRebuildOnSQLite(t *testing.T) {
	t.Parallel()
	first := `CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT; CREATE TABLE b (a INTEGER REFERENCES a (id)) STRICT;
		INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);`
	rebuild := `CREATE TABLE c (id INTEGER PRIMARY KEY, x TEXT) STRICT; INSERT INTO c SELECT id, '' FROM a;
		DROP TABLE a; ALTER TABLE c RENAME TO a;`
	for second, want := range map[string]string{rebuild: "", rebuild + `DELETE FROM a;`: "a row of b refers to a missing row of a"} {
		d := dbtest.Dial(t, dbtest.URL(t, "sqlite", nil), files("1.sql", first, "2.sql", second))
		_, err := d.Migrate(t.Context())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if want == "" { // the writer enforces foreign keys again
			_, err := db.Exec(t.Context(), d.Across(unscoped.Permit{}), `INSERT INTO b VALUES (7)`, nil)
			if !db.IsReference(err) {
				t.Errorf("a missing reference after the migration: got %v, want a foreign key violation", err)
			}
		}
	}
}

func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		url := dbtest.URL(t, engine, nil)
		var wg sync.WaitGroup
		var mu sync.Mutex
		total := 0
		for range 4 {
			wg.Go(func() {
				applied, err := dbtest.Dial(t, url, schema).Migrate(t.Context())
				mu.Lock()
				defer mu.Unlock()
				total += len(applied)
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if total != 2 {
			t.Errorf("%d steps were applied, want 2", total)
		}
	})
}

// slow is a migration that never ends.
const slow = `CREATE TABLE a (id {{int}}) {{strict}};
{{if pg}}SELECT pg_sleep(600);{{else}}INSERT INTO a
	WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;{{end}}`

// migrateAsChild runs in the child process that child starts.
func migrateAsChild(url, what string) error {
	var migrations fs.FS = schema
	if what == "slow" {
		migrations = files("1.sql", slow)
	}
	ctx := context.Background()
	d, err := db.Open(ctx, db.Options{URL: url, Migrations: migrations})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	applied, err := d.Migrate(ctx)
	fmt.Println("applied", strings.Join(applied, " "))
	return errors.Join(err, d.Close())
}

// child starts this test program as another process that migrates, and returns its output.
func child(t testing.TB, url, what string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOMEROOM_TEST_CHILD="+url+" "+what)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

func saying(s *bufio.Scanner, prefix string) string {
	for s.Scan() {
		if text, ok := strings.CutPrefix(s.Text(), prefix); ok {
			return text
		}
	}
	return "silence"
}

func TestMigrateInProcesses(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		url := dbtest.URL(t, engine, nil)
		var said []string
		var says []*bufio.Scanner
		var children []*exec.Cmd
		for range 3 {
			cmd, out := child(t, url, "schema")
			children, says = append(children, cmd), append(says, out)
		}
		for i, s := range says {
			said = append(said, strings.TrimSpace(saying(s, "applied")))
			for s.Scan() { // until EOF
			}
			must(t, children[i].Wait())
		}
		all := strings.Join(said, ";")
		if strings.Count(all, "0001_schools 0002_pupils") != 1 || strings.Contains(all, "silence") {
			t.Errorf("applied by each process: got %q, want all by one and none by the others", said)
		}
		must(t, dbtest.Dial(t, url, schema).Current(t.Context()))
	})
}

func TestKilledWhileMigrating(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		url := dbtest.URL(t, engine, nil)
		cmd, out := child(t, url, "slow")
		if s := saying(out, "ready"); s != "" {
			t.Fatalf("the child process said %q, want ready", s)
		}
		time.Sleep(300 * time.Millisecond)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
		if engine == "postgres" {
			// The server would notice only after the sleep.
			sql(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		}
		d := dbtest.Dial(t, url, files("1.sql", `CREATE TABLE a (id {{int}}) {{strict}};`))
		if applied, err := d.Migrate(t.Context()); err != nil || len(applied) != 1 {
			t.Errorf("after the kill: applied %v, %v, want 1 migration", applied, err)
		}
	})
}

// Without the right to create roles the error has the statements that an
// administrator has to run. After them, migrating works.
func TestMigrateWithoutRights(t *testing.T) {
	t.Parallel()
	url := freshServer(t)
	admin := url("postgres", "postgres")
	sql(t, admin, `CREATE ROLE humble LOGIN`)
	sql(t, admin, `CREATE DATABASE humble OWNER humble`)
	d := dbtest.Dial(t, url("humble", "humble"), schema)
	_, err := d.Migrate(t.Context())
	if err == nil || !strings.Contains(err.Error(), "CREATE ROLE homeroom_app NOLOGIN; CREATE ROLE homeroom_platform NOLOGIN;") ||
		!strings.Contains(err.Error(), `TO "humble"`) {
		t.Fatalf("without the right to create roles: got %v, want the statements for an administrator", err)
	}
	sql(t, admin, `CREATE ROLE homeroom_app NOLOGIN BYPASSRLS; CREATE ROLE homeroom_platform NOLOGIN;
		GRANT homeroom_app, homeroom_platform TO "humble"`)
	if _, err := d.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "ALTER ROLE homeroom_app NOSUPERUSER NOBYPASSRLS") {
		t.Errorf("a role with BYPASSRLS: got %v, want ALTER ROLE", err)
	}
	sql(t, admin, `ALTER ROLE homeroom_app NOBYPASSRLS`)
	_, err = d.Migrate(t.Context())
	must(t, err)
	must(t, addClass(t.Context(), d.School(newSchool(t, d)), "x"))
}

// pg_dump as the application's user can be restored on a new server.
func TestDumpAndRestore(t *testing.T) {
	t.Parallel()
	from := dbtest.URL(t, "postgres", schema)
	d := dbtest.Dial(t, from, schema)
	school := newSchool(t, d)
	must(t, addClass(t.Context(), d.School(school), "x"))
	file := filepath.Join(t.TempDir(), "dump")
	run := func(program string, args ...string) {
		t.Helper()
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", program, err, out)
		}
	}
	run("pg_dump", "--format=custom", "--enable-row-security", "--file="+file, from)
	url := freshServer(t)
	sql(t, url("postgres", "postgres"), `CREATE ROLE plain LOGIN CREATEROLE`)
	sql(t, url("postgres", "postgres"), `CREATE DATABASE plain OWNER plain`)
	restored := dbtest.Dial(t, url("plain", "plain"), schema)
	must(t, restored.EnsureRoles(t.Context()))
	run("pg_restore", "--no-owner", "--exit-on-error", "--single-transaction", "--dbname="+url("plain", "plain"), file)
	must(t, restored.Current(t.Context()))
	if n := count(t, restored.School(school), "classes"); n != 1 {
		t.Errorf("restored classes of the school: got %d, want 1", n)
	}
	if n := count(t, restored.School(id.New()), "classes"); n != 0 {
		t.Errorf("restored classes of another school: got %d, want 0", n)
	}
}
