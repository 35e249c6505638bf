package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/schema"
)

// Restore checks the archive and puts it in place of what the store holds. It
// returns what was done, for a person.
func Restore(ctx context.Context, s Store, a Archive) (string, error) {
	lock, err := s.Lock("restore")
	if err != nil {
		return "", err
	}
	defer lock.Unlock()
	if err := s.finishRestore(); err != nil {
		return "", err
	}
	work, err := s.workDir()
	if err != nil {
		return "", fmt.Errorf("unpack the backup: %w", err)
	}
	defer os.RemoveAll(work)
	m, err := a.unpack(work)
	if err != nil {
		return "", err
	}
	if err := s.fits(m); err != nil {
		return "", err
	}
	if s.Keys != "" {
		if err := os.Remove(filepath.Join(work, keysFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("unpack the backup: %w", err)
		}
	}
	if m.Engine == "postgres" {
		err = s.restorePostgres(ctx, a, work)
	} else {
		err = s.restoreSQLite(ctx, a, work)
	}
	if err != nil {
		return "", s.URL().scrub(err)
	}
	return fmt.Sprintf("%s holds the schools as they were on %s.", s.URL(), m.CreatedAt.Format("2 January 2006 at 15:04 UTC")), nil
}

// workDir is a new directory to unpack to. Those of restores that were killed go.
func (s Store) workDir() (string, error) {
	const name = ".homeroom-restore-*"
	old, err := filepath.Glob(filepath.Join(s.home(), name))
	if err != nil {
		return "", err
	}
	for _, dir := range old {
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(s.home(), 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(s.home(), name)
}

// fits refuses the backup of another engine or a later version.
func (s Store) fits(m manifest) error {
	if m.Engine != s.URL().Engine() {
		return fmt.Errorf("this is the backup of a %s database and can't be restored to %s: change --database-url", m.Engine, s.URL())
	}
	for _, step := range m.Schema {
		if _, err := fs.Stat(schema.FS, step+".sql"); err != nil {
			return fmt.Errorf("the backup was made by a later version, %s, and this one does not know its schema: restore it with that version", m.Version)
		}
	}
	return nil
}

// restoreSQLite checks the database in work and lets it take the place of the other.
func (s Store) restoreSQLite(ctx context.Context, a Archive, work string) error {
	if _, err := os.Stat(s.URL().Path()); err == nil && !a.Force {
		return fmt.Errorf("there is a database at %s: restore to another --data directory, or replace it with --force", s.URL().Path())
	}
	if err := checkSQLite(ctx, filepath.Join(work, databaseFile), a); err != nil {
		return err
	}
	if err := syncDir(work); err != nil {
		return err
	}
	// From this step on the backup counts: whoever dies after it, the next start goes on.
	if err := os.Rename(work, s.pending()); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := syncDir(s.home()); err != nil {
		return err
	}
	return s.finishRestore()
}

// checkSQLite refuses a database that is broken.
func checkSQLite(ctx context.Context, path string, a Archive) error {
	d, err := Store{DatabaseURL: DSN("sqlite:" + path)}.Open(ctx, a.Log)
	if err != nil {
		return fmt.Errorf("%w (%w)", errDamaged, err)
	}
	found, err := db.All[string](ctx, d.Across(unscoped.Permit{}), `PRAGMA integrity_check`, nil)
	switch err = errors.Join(err, d.Close()); {
	case err != nil:
		return err
	case len(found) != 1 || found[0] != "ok":
		return fmt.Errorf("%w (its database: %s)", errDamaged, strings.Join(found, "; "))
	}
	return nil
}

// home is where the database lives: a rename from there to there is one step.
func (s Store) home() string {
	if s.URL().Engine() == "sqlite" {
		return filepath.Dir(s.URL().Path())
	}
	return s.Data
}

// pending is a backup that is checked and whole, on its way into its place.
func (s Store) pending() string { return filepath.Join(s.home(), ".homeroom-restore") }

// finishRestore moves a pending backup into its place, if there is one. It may
// be cut off anywhere and be called again. The caller holds the lock.
func (s Store) finishRestore() error {
	if _, err := os.Stat(s.pending()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := errors.Join(s.moveDatabase(), s.moveKeys(), s.moveUploads(s.pending()))
	if err == nil {
		err = os.RemoveAll(s.pending())
	}
	if err != nil {
		return fmt.Errorf("finish the restore: %w; put right what is wrong and run the command again", err)
	}
	return syncDir(s.home())
}

// settleRestore finishes what a restore that was cut off has left, before
// anyone opens the database.
func (s Store) settleRestore() error {
	if _, err := os.Stat(s.pending()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := s.Lock("restore")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return s.finishRestore()
}

// kept is the ending of what a restore has replaced.
const kept = ".before-restore"

// moveDatabase keeps the old database with its log beside the new one.
func (s Store) moveDatabase() error {
	next, path := filepath.Join(s.pending(), databaseFile), s.URL().Path()
	if _, err := os.Stat(next); errors.Is(err, fs.ErrNotExist) {
		return nil // it is in place already
	}
	if _, err := os.Stat(path); err == nil {
		if err := remove(path+kept, path+kept+"-wal", path+kept+"-shm"); err != nil {
			return err
		}
		if err := os.Rename(path, path+kept); err != nil {
			return err
		}
	}
	if err := os.Rename(path+"-wal", path+kept+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := remove(path + "-shm"); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// moveUploads puts the uploaded files of a backup, if it has some, in the place of
// those there are, which are kept beside them.
func (s Store) moveUploads(from string) error {
	next, place := filepath.Join(from, filesDir), s.file(filesDir)
	if _, err := os.Stat(next); errors.Is(err, fs.ErrNotExist) {
		return nil // there are none, or they are in place already
	}
	if _, err := os.Stat(place); err == nil {
		if err := os.RemoveAll(place + kept); err != nil {
			return err
		}
		if err := os.Rename(place, place+kept); err != nil {
			return err
		}
	}
	if s.home() != s.Data { // perhaps another file system, where a rename does not lead
		draft := s.file("." + filesDir + "-restore")
		if err := os.RemoveAll(draft); err != nil {
			return err
		}
		if err := os.CopyFS(draft, os.DirFS(next)); err != nil {
			return err
		}
		next = draft
	}
	if err := os.Rename(next, place); err != nil {
		return err
	}
	return syncDir(s.Data)
}

// moveKeys copies the keys, as they may belong on another file system.
func (s Store) moveKeys() error {
	text, err := os.ReadFile(filepath.Join(s.pending(), keysFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.putKeys(text)
}

// putKeys replaces the keys file in one step, and keeps the old one beside it.
func (s Store) putKeys(text []byte) error {
	old, err := os.ReadFile(s.KeysFile())
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil:
		err = s.writeKeys(keysFile+kept, old)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return err
	}
	return s.writeKeys(keysFile, text)
}

func (s Store) writeKeys(name string, text []byte) error {
	f, err := os.CreateTemp(s.Data, ".keys-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), s.file(name)); err != nil {
		return err
	}
	return syncDir(s.Data)
}

func remove(paths ...string) error {
	for _, p := range paths {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
