package app_test

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/console"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/schema"
)

// installation is a service and the store that commands name.
type installation struct {
	*apptest.Service
	store app.Store
}

func install(t *testing.T, engine string, opts ...apptest.Option) installation {
	t.Helper()
	url := dbtest.URL(t, engine, schema.FS)
	s := apptest.Open(t, url, opts...)
	return installation{s, app.Store{Data: s.Data, DatabaseURL: app.DSN(url), DBMaxConns: 4, Keys: apptest.TestKeys}}
}

func move(file string) app.Move {
	return app.Move{File: file, Storage: app.FileStorage{Provider: "local"}, Log: slog.New(slog.DiscardHandler),
		Console: console.New(io.Discard, func(string) string { return "" })}
}

func (i installation) export(t *testing.T, code, file string) {
	t.Helper()
	m := move(file)
	m.School = code
	if _, err := app.ExportSchool(t.Context(), i.store, m); err != nil {
		t.Fatal(err)
	}
}

func (i installation) exec(t *testing.T, sql string, args db.Args) {
	t.Helper()
	err := i.DB.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		_, err := db.Exec(ctx, tx, sql, args)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// content returns the files of an export, by name.
func content(t *testing.T, file string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(text)
	}
	return out
}

// pack writes an export with other content.
func pack(t *testing.T, file string, files map[string]string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range files {
		how := zip.Deflate
		if strings.HasPrefix(name, "files/") {
			how = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: how})
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestMoveInAllDirections exports a demo school from each engine, imports it on each, exports it
// there again, and compares every table and file.
func TestMoveInAllDirections(t *testing.T) {
	t.Parallel()
	for _, from := range dbtest.Engines {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			source := install(t, from, func(c *app.Config) { c.Demo = true })
			source.exec(t, `UPDATE schools SET is_demo = FALSE WHERE is_platform`, nil)
			code := app.DemoAccounts()[1].School
			source.fillMoved(t, code)
			file := filepath.Join(t.TempDir(), "school.zip")
			source.export(t, code, file)
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the mode of the file: %v, %v", info.Mode(), err)
			}
			want := content(t, file)
			checkFull(t, want)
			jobs := want["tables/jobs.jsonl"]
			if !strings.Contains(jobs, `"held"`) || strings.Contains(jobs, `"waiting"`) {
				t.Errorf("held jobs move, waiting ones stay: %s", jobs)
			}
			if !strings.Contains(want["tables/deliveries.jsonl"], "secret text") ||
				!strings.Contains(want["tables/second_factors.jsonl"], `"ABCDEFGH"`) || !strings.Contains(want["tables/webhooks.jsonl"], "whsec_hook") {
				t.Error("secrets are not decrypted")
			}
			for _, to := range dbtest.Engines {
				target := install(t, to)
				target.store.Keys = "other:b3RoZXIga2V5cyBvZiBhbm90aGVyIGluc3RhbGxhdGlvbiE=" // secrets are encrypted anew
				if _, err := app.ImportSchool(t.Context(), target.store, move(file)); err != nil {
					t.Fatalf("to %s: %v", to, err)
				}
				again := filepath.Join(t.TempDir(), "again.zip")
				target.export(t, code, again)
				sameExport(t, want, content(t, again))
				if _, err := app.ImportSchool(t.Context(), target.store, move(file)); err == nil || !strings.Contains(err.Error(), "is here already") {
					t.Errorf("a second import: %v", err)
				}
			}
		})
	}
}

// sameExport reports tables and files that differ. The school is suspended after an import.
func sameExport(t *testing.T, want, got map[string]string) {
	t.Helper()
	for name, text := range want {
		if name == "manifest.json" { // has the time
			continue
		}
		if name == "tables/schools.jsonl" {
			text = strings.Replace(text, `"ACTIVE"`, `"SUSPENDED"`, 1)
		}
		if got[name] != text {
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(text))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

// checkFull fails if a table that moves has no row, and so is not tested.
func checkFull(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if strings.HasPrefix(name, "tables/") && strings.Count(text, "\n") < 2 {
			t.Errorf("%s has no row: add one", name)
		}
	}
}

// TestImportRefuses imports files and schools that must be refused before anything is written.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			source, dir := install(t, "sqlite"), t.TempDir()
			file := filepath.Join(dir, "good.zip")
			north := source.one(t, `SELECT code FROM schools WHERE id = :id`, db.Args{"id": source.North.ID})
			source.export(t, north, file)
			target := install(t, engine)
			target.exec(t, `DELETE FROM schools WHERE code = :code AND FALSE`, db.Args{"code": north})
			refused := func(name, file, want string) {
				t.Helper()
				before := target.one(t, `SELECT COUNT(*) FROM schools`, nil)
				_, err := app.ImportSchool(t.Context(), target.store, move(file))
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %q", name, err, want)
				}
				if after := target.one(t, `SELECT COUNT(*) FROM schools`, nil); after != before {
					t.Errorf("%s: a school was written", name)
				}
			}
			refused("the code of another school", file, "has the code "+north)
			target.exec(t, `UPDATE schools SET code = 'OTHER' WHERE code = :code`, db.Args{"code": north})
			refused("e-mail addresses of another school", file, source.North.Admin.Email)
			target.exec(t, `DELETE FROM email_logins WHERE TRUE`, nil)

			good := content(t, file)
			alter := func(name, entry string, change func(string) string) {
				bad := map[string]string{}
				for k, v := range good {
					bad[k] = v
				}
				bad[entry] = change(bad[entry])
				out := filepath.Join(dir, "bad.zip")
				pack(t, out, bad)
				refused(name, out, map[bool]string{true: "newer version", false: "damaged"}[name == "a newer schema"])
			}
			users := "tables/users.jsonl"
			alter("a changed byte", users, func(s string) string { return strings.Replace(s, "ACTIVE", "ACTIVF", 1) })
			alter("a missing row", users, func(s string) string { return s[:strings.LastIndex(strings.TrimSpace(s), "\n")+1] })
			alter("another column", users, func(s string) string { return strings.Replace(s, `["id"`, `["school_id","id"`, 1) })
			alter("a huge line", users, func(s string) string { return s + strings.Repeat("x", 20<<20) })
			alter("a path that climbs out", "files/../../../etc/cron.d/x", func(string) string { return "x" })
			alter("an absolute path", "/etc/passwd", func(string) string { return "x" })
			alter("a table that does not move", "tables/sessions.jsonl", func(string) string { return "[]\n" })
			alter("no manifest", "manifest.json", func(string) string { return "{" })
			alter("a newer schema", "manifest.json", func(s string) string {
				var m map[string]any
				if err := json.Unmarshal([]byte(s), &m); err != nil {
					t.Fatal(err)
				}
				m["schema"] = append(m["schema"].([]any), map[string]any{"name": "9999_later", "sha256": "x"})
				text, err := json.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			})
			if err := os.WriteFile(filepath.Join(dir, "half.zip"), []byte(good[users]), 0o600); err != nil {
				t.Fatal(err)
			}
			refused("not a zip file", filepath.Join(dir, "half.zip"), "damaged")
			if _, err := app.ImportSchool(t.Context(), target.store, move(file)); err != nil {
				t.Errorf("the good file: %v", err)
			}
		})
	}
}

func (i installation) one(t *testing.T, sql string, args db.Args) string {
	t.Helper()
	var out string
	err := i.DB.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) (err error) {
		if strings.Contains(sql, "COUNT") {
			n, err := db.One[int](ctx, tx, sql, args)
			out = fmt.Sprint(n)
			return err
		}
		out, err = db.One[string](ctx, tx, sql, args)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestImportResumes interrupts an import at many moments, and continues it each time.
func TestImportResumes(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			source := install(t, "sqlite", func(c *app.Config) { c.Demo = true })
			source.exec(t, `UPDATE schools SET is_demo = FALSE WHERE is_platform`, nil)
			code := app.DemoAccounts()[1].School
			file := filepath.Join(t.TempDir(), "school.zip")
			source.export(t, code, file)
			target := install(t, engine)
			cut := 0
			for limit := 50 * time.Millisecond; ; limit += limit / 4 {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				_, err := app.ImportSchool(ctx, target.store, move(file))
				inTime := ctx.Err() == nil
				cancel()
				if err == nil {
					break
				}
				if inTime {
					t.Fatal(err)
				}
				if half := target.one(t, `SELECT COUNT(*) FROM school_imports`, nil); half == "1" {
					cut++
				}
			}
			t.Logf("interrupted in the middle %d times", cut)
			again := filepath.Join(t.TempDir(), "again.zip")
			target.export(t, code, again)
			sameExport(t, content(t, file), content(t, again))
			if left := target.one(t, `SELECT COUNT(*) FROM school_imports`, nil); left != "0" {
				t.Errorf("%s unfinished imports are left", left)
			}
		})
	}
}
