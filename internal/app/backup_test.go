package app

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/console"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// newStore returns a store with a new database and keys.
func newStore(t *testing.T, engine string, migrated bool) Store {
	t.Helper()
	var s Store
	if migrated {
		s.DatabaseURL = DSN(dbtest.URL(t, engine, schema.FS))
	} else {
		s.DatabaseURL = DSN(dbtest.URL(t, engine, nil))
	}
	s.Data = t.TempDir()
	if engine == "sqlite" {
		s.Data = filepath.Dir(s.URL().Path())
	}
	if migrated {
		if _, err := s.loadKeys(Deps{}.withDefaults()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func archiveAt(t *testing.T) Archive {
	return Archive{File: filepath.Join(t.TempDir(), "b.tar.gz"), Log: slog.New(slog.DiscardHandler),
		Console: console.New(io.Discard, func(string) string { return "" })}
}

func (a Archive) forced() Archive { a.Force = true; return a }

// use opens the store, calls fn and closes it.
func (s Store) use(t *testing.T, fn func(context.Context, db.Q) error) {
	t.Helper()
	d, err := s.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fn(t.Context(), d.Across(unscoped.Permit{})), d.Close()); err != nil {
		t.Fatal(err)
	}
}

func (s Store) addSchool(t *testing.T, code string) {
	t.Helper()
	s.use(t, func(ctx context.Context, q db.Q) error {
		_, err := db.Exec(ctx, q, `INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
			VALUES (:id, :code, :code, 'UTC', 'USD', 'en', 'ACTIVE', :now, :now)`,
			db.Args{"id": id.New(), "code": code, "now": clock.System()})
		return err
	})
}

func (s Store) wantSchools(t *testing.T, want ...string) {
	t.Helper()
	s.use(t, func(ctx context.Context, q db.Q) error {
		got, err := db.All[string](ctx, q, `SELECT code FROM schools ORDER BY code`, nil)
		if !slices.Equal(got, want) {
			t.Errorf("the schools are %v, want %v", got, want)
		}
		return err
	})
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in: %v", part, err)
		}
	}
}

func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, a := newStore(t, engine, true), archiveAt(t)
			s.addSchool(t, "FIRST")
			keys := must(os.ReadFile(s.KeysFile()))(t)
			said, err := Backup(t.Context(), s, a)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(said, a.File) || strings.Contains(said, "homeroom_test:homeroom_test") {
				t.Errorf("message of the backup: got %q, want the file and no password", said)
			}
			if mode := must(os.Stat(a.File))(t).Mode().Perm(); mode != 0o600 {
				t.Errorf("the backup has mode %o", mode)
			}
			if left := must(os.ReadDir(filepath.Dir(a.File)))(t); len(left) != 1 {
				t.Errorf("the backup left temporary files: %v", left)
			}
			if _, err = Backup(t.Context(), s, a); err == nil {
				t.Error("a backup was overwritten without --force")
			}

			s.addSchool(t, "SECOND")
			if _, err := RotateKeys(s); err != nil {
				t.Fatal(err)
			}
			_, err = Restore(t.Context(), s, a)
			wantError(t, err, "--force")
			s.wantSchools(t, "FIRST", "SECOND")
			if _, err := Restore(t.Context(), s, a.forced()); err != nil {
				t.Fatal(err)
			}
			s.wantSchools(t, "FIRST")
			if !bytes.Equal(keys, must(os.ReadFile(s.KeysFile()))(t)) {
				t.Error("the keys are not those of the backup")
			}

			fresh := newStore(t, engine, false)
			_ = remove(fresh.URL().Path())
			if _, err := Restore(t.Context(), fresh, a); err != nil {
				t.Fatal(err)
			}
			fresh.wantSchools(t, "FIRST")
			d := must(fresh.Open(t.Context(), nil))(t)
			defer d.Close()
			if err := d.Current(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// must returns v, or ends the test if err is not nil.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestRestoreKeepsTheOld finds the replaced database under oldSuffix.
func TestRestoreKeepsTheOld(t *testing.T) {
	t.Parallel()
	s, a := newStore(t, "sqlite", true), archiveAt(t)
	s.addSchool(t, "FIRST")
	must(Backup(t.Context(), s, a))(t)
	s.addSchool(t, "SECOND")
	must(Restore(t.Context(), s, a.forced()))(t)
	s.wantSchools(t, "FIRST")
	old := Store{Data: s.Data, DatabaseURL: s.DatabaseURL + oldSuffix}
	old.wantSchools(t, "FIRST", "SECOND")
}

// TestRestoreCutOff interrupts a restore at each step. The next start must find
// the old data or the new.
func TestRestoreCutOff(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		die  func(s Store, work string) error // steps done before the crash
		want []string
	}{
		"before the commit": {func(Store, string) error { return nil }, []string{"FIRST", "SECOND"}},
		"at the commit":     {func(s Store, work string) error { return os.Rename(work, s.pending()) }, []string{"FIRST"}},
		"the old one moved": {func(s Store, work string) error {
			return errors.Join(os.Rename(work, s.pending()), os.Rename(s.URL().Path(), s.URL().Path()+oldSuffix))
		}, []string{"FIRST"}},
		"the database in place": {func(s Store, work string) error { return errors.Join(os.Rename(work, s.pending()), s.moveDatabase()) },
			[]string{"FIRST"}},
		"everything in its place": {func(s Store, work string) error {
			return errors.Join(os.Rename(work, s.pending()), s.moveDatabase(), s.moveKeys())
		}, []string{"FIRST"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, a := newStore(t, "sqlite", true), archiveAt(t)
			s.addSchool(t, "FIRST")
			must(Backup(t.Context(), s, a))(t)
			s.addSchool(t, "SECOND")
			work := filepath.Join(s.Data, ".homeroom-restore-1")
			if err := os.Mkdir(work, 0o700); err != nil {
				t.Fatal(err)
			}
			must(a.unpack(work))(t)
			if err := tt.die(s, work); err != nil {
				t.Fatal(err)
			}
			s.wantSchools(t, tt.want...)
			if _, err := os.Stat(s.pending()); err == nil {
				t.Error("the restore is still pending")
			}
			if len(tt.want) == 1 {
				Store{Data: s.Data, DatabaseURL: s.DatabaseURL + oldSuffix}.wantSchools(t, "FIRST", "SECOND")
			}
		})
	}
}

func TestRestoreRefusesDamage(t *testing.T) {
	t.Parallel()
	s, a := newStore(t, "sqlite", true), archiveAt(t)
	s.addSchool(t, "FIRST")
	must(Backup(t.Context(), s, a))(t)
	whole := must(os.ReadFile(a.File))(t)
	s.addSchool(t, "SECOND")
	n := len(whole)
	flip := func(at int) []byte { b := bytes.Clone(whole); b[at] ^= 0x10; return b }
	scratch := func(at int) []byte { // one flipped bit may unpack to the same bytes, such as a copy of other zeros
		b := bytes.Clone(whole)
		for i := range 64 {
			b[at+i] ^= 0x55
		}
		return b
	}
	for name, bytes := range map[string][]byte{
		"empty": {}, "half": whole[:n/2], "end missing": whole[:n-9], "text": []byte("not a backup"),
		"first byte": flip(0), "a quarter in": scratch(n / 4), "middle": scratch(n / 2), "checksum": flip(n - 6),
		"unknown file": repack(t, whole, func(name string, b []byte) (string, []byte) {
			return strings.Replace(name, keysFile, "../x", 1), b
		}),
		"another file":    repack(t, whole, func(name string, b []byte) (string, []byte) { return name, swapped(name, b) }),
		"broken database": repack(t, whole, breakDatabase(t)),
	} {
		t.Run(name, func(t *testing.T) {
			bad := a.forced()
			bad.File = filepath.Join(t.TempDir(), "bad.tar.gz")
			if err := os.WriteFile(bad.File, bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Restore(t.Context(), s, bad)
			if !errors.Is(err, errDamaged) {
				t.Errorf("restore of a damaged file: got %v, want errDamaged", err)
			}
		})
	}
	s.wantSchools(t, "FIRST", "SECOND")
	left := must(os.ReadDir(s.Data))(t)
	for _, f := range left {
		if strings.HasPrefix(f.Name(), ".homeroom") {
			t.Errorf("%s was left behind", f.Name())
		}
	}
}

// repack copies an archive with change applied to each file.
func repack(t *testing.T, archive []byte, change func(name string, b []byte) (string, []byte)) []byte {
	t.Helper()
	r := tar.NewReader(must(gzip.NewReader(bytes.NewReader(archive)))(t))
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		name, b := change(h.Name, must(io.ReadAll(r))(t))
		if err := w.WriteHeader(header(name, int64(len(b)), h.ModTime)); err != nil {
			t.Fatal(err)
		}
		must(w.Write(b))(t)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// swapped replaces the keys file by one that does not match the manifest.
func swapped(name string, b []byte) []byte {
	if name == keysFile {
		return []byte(`{"keys":[]}`)
	}
	return b
}

// breakDatabase damages the database and writes a manifest with the checksum of
// the damaged file, as if the disk was faulty when the backup was made.
func breakDatabase(t *testing.T) func(string, []byte) (string, []byte) {
	var sum string
	return func(name string, b []byte) (string, []byte) {
		switch name {
		case databaseFile:
			for at := 4096; at+4096 <= len(b); at += 4096 {
				copy(b[at:at+64], bytes.Repeat([]byte{0xA5}, 64))
			}
			path := filepath.Join(t.TempDir(), "x")
			sum = must(unpackFile(bytes.NewReader(b), path))(t)
		case manifestFile:
			var m manifest
			if err := json.Unmarshal(b, &m); err != nil {
				t.Fatal(err)
			}
			m.SHA256[databaseFile] = sum
			b = must(json.Marshal(m))(t)
		}
		return name, b
	}
}

func TestRestoreRefusesOtherEngineAndLaterVersion(t *testing.T) {
	t.Parallel()
	s, a := newStore(t, "sqlite", true), archiveAt(t)
	must(Backup(t.Context(), s, a))(t)
	whole := must(os.ReadFile(a.File))(t)
	for name, tt := range map[string]struct {
		change func(*manifest)
		want   string
	}{
		"another engine": {func(m *manifest) { m.Engine = "postgres" }, "--database-url"},
		"later version":  {func(m *manifest) { m.Schema = append(m.Schema, "9999_future") }, "later version"},
	} {
		t.Run(name, func(t *testing.T) {
			odd := a.forced()
			odd.File = filepath.Join(t.TempDir(), "odd.tar.gz")
			b := repack(t, whole, func(name string, b []byte) (string, []byte) {
				if name != manifestFile {
					return name, b
				}
				var m manifest
				if err := json.Unmarshal(b, &m); err != nil {
					t.Fatal(err)
				}
				tt.change(&m)
				return name, must(json.Marshal(m))(t)
			})
			if err := os.WriteFile(odd.File, b, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Restore(t.Context(), s, odd)
			wantError(t, err, tt.want)
		})
	}
}

func TestRestoreWhileInUse(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, a := newStore(t, engine, true), archiveAt(t)
			must(Backup(t.Context(), s, a))(t)
			lock := must(s.Lock("serve"))(t)
			_, err := Restore(t.Context(), s, a.forced())
			if !errors.As(err, new(*InUse)) {
				t.Errorf("restore while locked: got %v, want *InUse", err)
			}
			lock.Unlock()
			if engine == "sqlite" {
				return
			}
			// A server on another machine has its own data directory.
			d := must(s.Open(t.Context(), nil))(t)
			if err := d.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err = Restore(t.Context(), s, a.forced())
			wantError(t, errors.Join(err, d.Close()), "is running on")
			must(Restore(t.Context(), s, a.forced()))(t)
		})
	}
}

func TestBackupOfNothing(t *testing.T) {
	t.Parallel()
	s := Store{Data: t.TempDir()}
	_, err := Backup(t.Context(), s, archiveAt(t))
	wantError(t, err, "no database")
	if _, err := os.Stat(s.URL().Path()); err == nil {
		t.Error("the backup created a database")
	}
	if _, err = RotateKeys(s); err == nil {
		t.Error("keys were rotated without a keys file")
	}
	s.Keys = "k:c2VjcmV0"
	_, err = RotateKeys(s)
	wantError(t, err, "HOMEROOM_KEYS")
}

// TestRestoreCleansUp deletes the directories of interrupted restores.
func TestRestoreCleansUp(t *testing.T) {
	t.Parallel()
	s, a := newStore(t, "sqlite", true), archiveAt(t)
	must(Backup(t.Context(), s, a))(t)
	old := filepath.Join(s.Data, ".homeroom-restore-123")
	if err := errors.Join(os.Mkdir(old, 0o700), os.WriteFile(filepath.Join(old, databaseFile), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	must(Restore(t.Context(), s, a.forced()))(t)
	if _, err := os.Stat(old); err == nil {
		t.Error("the directory of the interrupted restore is still there")
	}
}

// TestBackupHasUploads backs up and restores uploaded files.
func TestBackupHasUploads(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, a := newStore(t, engine, true), archiveAt(t)
			disk := must(blob.OpenDisk(s.file(filesDir)))(t)
			defer disk.Close()
			put := func(key, text string) {
				if err := disk.Put(t.Context(), key, io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))); err != nil {
					t.Fatal(err)
				}
			}
			school, file := string(id.New()), string(id.New())
			key := school + "/ab/" + file
			put(key, "a letter")
			put(key+".thumb", "a small one")
			put("notes", "not ours")
			said, err := Backup(t.Context(), s, a)
			if err != nil || !strings.Contains(said, " and 1 uploaded files") {
				t.Fatalf("message of the backup: got %q, %v, want 1 uploaded file", said, err)
			}
			to := newStore(t, engine, false)
			to.Keys = testKeys
			other := must(blob.OpenDisk(to.file(filesDir)))(t)
			if err := errors.Join(other.Put(t.Context(), "old", io.NewSectionReader(strings.NewReader("x"), 0, 1)), other.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err := Restore(t.Context(), to, a.forced()); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"files/" + key: "a letter", "files/" + key + ".thumb": "a small one",
				"files" + oldSuffix + "/old": "x"} {
				if got := must(os.ReadFile(to.file(name)))(t); string(got) != want {
					t.Errorf("%s is %q", name, got)
				}
			}
			if _, err := os.Stat(to.file("files/notes")); err == nil {
				t.Error("a file that is not an upload was restored")
			}
		})
	}
}

const testKeys = "test:dGhlIHRlc3RzJyBvd24ga2V5LCBrbm93biB0byBldmVyeW9uZSE="
