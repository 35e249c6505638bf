package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/system"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

// TestVerifyBackup accepts a backup, and refuses one with fewer rows than its manifest says. A check that
// can't run to its end blames no backup.
func TestVerifyBackup(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, a := newStore(t, engine, true), archiveAt(t)
			s.addSchool(t, "FIRST")
			must(Backup(t.Context(), s, a))(t)
			app := &App{cfg: Config{Store: s}, Deps: Deps{}.withDefaults()}
			if err := app.verifyBackup(t.Context(), a.File); err != nil {
				t.Fatal(err)
			}
			stopped, stop := context.WithCancel(t.Context())
			stop()
			if err := app.verifyBackup(stopped, a.File); !errors.Is(err, system.ErrUnchecked) || errors.Is(err, errDamaged) {
				t.Errorf("a check that was stopped: got %v, want ErrUnchecked", err)
			}
			whole := repack(t, must(os.ReadFile(a.File))(t), func(name string, b []byte) (string, []byte) {
				if name != manifestFile {
					return name, b
				}
				var m manifest
				if err := json.Unmarshal(b, &m); err != nil || m.Rows["schools"] != 1 {
					t.Errorf("rows in the manifest: %v, %v", m.Rows, err)
				}
				m.Rows["schools"]++
				return name, must(json.Marshal(m))(t)
			})
			bad := filepath.Join(t.TempDir(), "bad.tar.gz")
			if err := os.WriteFile(bad, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := app.verifyBackup(t.Context(), bad); !errors.Is(err, errDamaged) {
				t.Errorf("other rows: got %v, want errDamaged", err)
			}
			if left := must(os.ReadDir(filepath.Dir(bad)))(t); len(left) != 1 {
				t.Errorf("the check left %v", left)
			}
		})
	}
}

// TestRestoreAt runs the continuous backup of a service and restores it elsewhere.
func TestRestoreAt(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Data, c.BackupDir, c.BackupContinuous = t.TempDir(), t.TempDir(), true
	a := must(New(t.Context(), c, Deps{}))(t)
	key := string(id.New()) + "/ab/" + string(id.New())
	if err := a.files.Put(t.Context(), key, io.NewSectionReader(strings.NewReader("a letter"), 0, 8)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- a.shipper.Run(ctx) }()
	await.Until(t, "the first snapshot", func() bool { return a.backupState() == "ok" })
	c.Store.addSchool(t, "FIRST") // by another connection, as commands do
	stop()
	if err := errors.Join(<-ended, a.Close()); err != nil {
		t.Fatal(err)
	}
	to := Store{Data: t.TempDir()}
	said := must(RestoreAt(t.Context(), to, c.Backups, time.Time{}, archiveAt(t)))(t)
	if !strings.Contains(said, "now contains") || !strings.Contains(said, "1 uploaded files") || strings.Contains(said, "damaged") {
		t.Errorf("message: %s", said)
	}
	to.use(t, func(ctx context.Context, q db.Q) error {
		n, err := db.One[int](ctx, q, `SELECT COUNT(*) FROM schools WHERE code = 'FIRST'`, nil)
		if n != 1 {
			t.Errorf("%d schools, want 1", n)
		}
		return err
	})
	for name, from := range map[string]string{keysFile: c.KeysFile(), filesDir + "/" + key: c.file(filesDir + "/" + key)} {
		if !bytes.Equal(must(os.ReadFile(from))(t), must(os.ReadFile(to.file(name)))(t)) {
			t.Errorf("%s differs", name)
		}
	}
	_, err := RestoreAt(t.Context(), to, c.Backups, time.Time{}, archiveAt(t))
	wantError(t, err, "--force")
	_, err = RestoreAt(t.Context(), to, c.Backups, time.Now().Add(-time.Hour), archiveAt(t).forced())
	wantError(t, err, "no continuous backup of that time")
	_, err = RestoreAt(t.Context(), to, Backups{BackupDir: t.TempDir()}, time.Time{}, archiveAt(t))
	wantError(t, err, "--backup-dir")
}
