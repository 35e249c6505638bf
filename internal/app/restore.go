package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"homeroom/internal/schema"
)

// Restore verifies the archive and replaces the store's data with it. It returns
// a message for the terminal.
func Restore(ctx context.Context, s Store, a Archive) (string, error) {
	work, done, err := s.beginRestore()
	if err != nil {
		return "", err
	}
	defer done()
	m, err := a.unpack(work)
	if err != nil {
		return "", err
	}
	if err := s.checkCompatible(m); err != nil {
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
		return "", s.scrub(err)
	}
	return fmt.Sprintf("%s now contains the data of %s.", s.URL(), m.CreatedAt.Format("2 January 2006 at 15:04 UTC")), nil
}

// beginRestore locks the store, finishes an interrupted restore, and returns a directory to
// unpack to. Call done at the end.
func (s Store) beginRestore() (work string, done func(), err error) {
	lock, err := s.Lock("restore")
	if err != nil {
		return "", nil, err
	}
	if err = s.finishRestore(); err == nil {
		if work, err = s.workDir(); err != nil {
			err = fmt.Errorf("unpack the backup: %w", err)
		}
	}
	if err != nil {
		lock.Unlock()
		return "", nil, err
	}
	return work, func() { _ = os.RemoveAll(work); lock.Unlock() }, nil // what is left goes with the next restore
}

// workDir creates a directory to unpack to, and deletes those of interrupted restores.
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

// checkCompatible refuses a backup of the other engine or of a later version.
func (s Store) checkCompatible(m manifest) error {
	if m.Engine != s.URL().Engine() {
		return fmt.Errorf("this is the backup of a %s database and can't be restored to %s: change --database-url", m.Engine, s.URL())
	}
	for _, step := range m.Schema {
		if _, err := fs.Stat(schema.FS, step+".sql"); err != nil {
			return fmt.Errorf("the backup was made by a later version, %s, with a newer schema: restore it with that version", m.Version)
		}
	}
	return nil
}

// restoreSQLite checks the database in work and replaces the current one with it.
func (s Store) restoreSQLite(ctx context.Context, a Archive, work string) error {
	if _, err := os.Stat(s.URL().Path()); err == nil && !a.Force {
		return fmt.Errorf("there is a database at %s: restore to another --data directory, or replace it with --force", s.URL().Path())
	}
	if err := checkSQLite(ctx, filepath.Join(work, databaseFile), a); err != nil {
		return err
	}
	if err := syncTree(work); err != nil {
		return err
	}
	// This rename commits the restore: after a crash, the next start finishes it.
	if err := os.Rename(work, s.pending()); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := syncDir(s.home()); err != nil {
		return err
	}
	return s.finishRestore()
}

// home is the directory of the database. Renames within it are atomic.
func (s Store) home() string {
	if s.URL().Engine() == "sqlite" {
		return filepath.Dir(s.URL().Path())
	}
	return s.Data
}

// pending is the directory of a verified backup that is being moved into place.
func (s Store) pending() string { return filepath.Join(s.home(), ".homeroom-restore") }

// finishRestore moves a pending backup, if any, into place. It can be interrupted
// anywhere and called again. The caller must hold the lock.
func (s Store) finishRestore() error {
	if _, err := os.Stat(s.pending()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := errors.Join(s.moveDatabase(), s.moveKeys(), s.moveUploads(s.pending()))
	if err == nil {
		err = os.RemoveAll(s.pending())
	}
	if err != nil {
		return fmt.Errorf("finish the restore: %w; fix this and run the command again", err)
	}
	return syncDir(s.home())
}

// resumeRestore finishes an interrupted restore before the database is opened.
func (s Store) resumeRestore() error {
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

// oldSuffix is appended to the names of replaced files.
const oldSuffix = ".before-restore"

// moveDatabase moves the new database into place and keeps the old one, with its
// write-ahead log, under oldSuffix.
func (s Store) moveDatabase() error {
	next, path := filepath.Join(s.pending(), databaseFile), s.URL().Path()
	if _, err := os.Stat(next); errors.Is(err, fs.ErrNotExist) {
		return nil // already moved
	}
	if _, err := os.Stat(path); err == nil {
		if err := remove(path+oldSuffix, path+oldSuffix+"-wal", path+oldSuffix+"-shm"); err != nil {
			return err
		}
		if err := os.Rename(path, path+oldSuffix); err != nil {
			return err
		}
	}
	if err := os.Rename(path+"-wal", path+oldSuffix+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := remove(path + "-shm"); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// moveUploads moves the uploaded files of a backup, if any, into place and keeps
// the old ones under oldSuffix.
func (s Store) moveUploads(from string) error {
	next, place := filepath.Join(from, filesDir), s.file(filesDir)
	if s.home() != s.Data { // perhaps another file system: rename would fail
		var err error
		if next, err = s.copyUploads(next); err != nil {
			return err
		}
	}
	if _, err := os.Stat(next); errors.Is(err, fs.ErrNotExist) {
		return nil // none, or already moved
	}
	if _, err := os.Stat(place); err == nil {
		if err := os.RemoveAll(place + oldSuffix); err != nil {
			return err
		}
		if err := os.Rename(place, place+oldSuffix); err != nil {
			return err
		}
	}
	if err := os.Rename(next, place); err != nil {
		return err
	}
	return syncDir(s.Data)
}

// copyUploads copies uploaded files to the data directory and returns where they are. Once they
// are on its disk, it renames the originals: a restore that goes on after an interruption must not
// copy again what it has moved into place and is deleting.
func (s Store) copyUploads(from string) (string, error) {
	draft, copied := s.file("."+filesDir+"-restore"), from+".copied"
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(copied); errors.Is(err, fs.ErrNotExist) {
			return from, nil // there are none
		}
		return draft, nil
	}
	if err := os.RemoveAll(draft); err != nil {
		return "", err
	}
	err := os.CopyFS(draft, os.DirFS(from)) // which does not sync
	if err == nil {
		err = syncTree(draft)
	}
	if err == nil {
		err = syncDir(s.Data)
	}
	if err != nil {
		return "", err
	}
	return draft, os.Rename(from, copied)
}

// moveKeys copies the keys, because the data directory may be on another file system.
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

// putKeys replaces the keys file atomically and keeps the old one under oldSuffix.
func (s Store) putKeys(text []byte) error {
	old, err := os.ReadFile(s.KeysFile())
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil:
		err = s.writeKeys(keysFile+oldSuffix, old)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return err
	}
	return s.writeKeys(keysFile, text)
}

func (s Store) writeKeys(name string, text []byte) error {
	f, err := os.CreateTemp(s.Data, ".keys-*") // created with mode 0600
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
