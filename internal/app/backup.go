package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/console"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// Backup writes a consistent snapshot of the database, the keys and the uploaded
// files to the archive. The service may be running. It returns a message for the terminal.
func Backup(ctx context.Context, s Store, a Archive) (string, error) {
	if err := a.checkFree(); err != nil {
		return "", err
	}
	d, err := s.openExisting(ctx, a)
	if err != nil {
		return "", err
	}
	defer d.Close()
	size, files, err := s.backup(ctx, d, a)
	if err != nil {
		return "", err
	}
	done := fmt.Sprintf("%s contains the database %s", a.File, s.URL())
	if _, ok := files[keysFile]; ok {
		done += " and its keys"
	}
	if n := countUploads(files); n > 0 {
		done += fmt.Sprintf(" and %d uploaded files", n)
	}
	return fmt.Sprintf("%s (%s).", done, console.Bytes(size)), nil
}

// workDirs matches the directories that backups are prepared in.
const workDirs = ".homeroom-backup-*"

// backup writes an open database, with the keys and uploaded files, to the archive.
func (s Store) backup(ctx context.Context, d *db.DB, a Archive) (size int64, files map[string]string, err error) {
	// In the archive's own directory: the final rename must stay on one file system.
	work, err := os.MkdirTemp(filepath.Dir(a.File), workDirs)
	if err != nil {
		return 0, nil, fmt.Errorf("write the backup: %w", err)
	}
	defer os.RemoveAll(work)
	m, err := describe(ctx, d)
	if err != nil {
		return 0, nil, s.scrub(err)
	}
	if files, m.Rows, err = s.collect(ctx, d, a, work); err != nil {
		return 0, nil, s.scrub(err)
	}
	size, err = a.write(ctx, m, files, filepath.Join(work, "archive"))
	return size, files, err
}

// countUploads counts uploaded files without their thumbnails.
func countUploads(files map[string]string) (n int) {
	for name := range files {
		if uploadName.MatchString(name) && !strings.HasSuffix(name, ".thumb") {
			n++
		}
	}
	return n
}

// describe returns the manifest for a backup of the database, without checksums.
func describe(ctx context.Context, d *db.DB) (manifest, error) {
	m := manifest{Format: 1, Engine: d.Engine(), Version: readBuild().Version, CreatedAt: clock.System()}
	steps, err := d.Migrations(ctx)
	if err != nil {
		return m, fmt.Errorf("read the schema version: %w", err)
	}
	for _, step := range steps {
		if step.AppliedAt != nil {
			m.Schema = append(m.Schema, step.Name)
		}
	}
	return m, nil
}

// checkFree refuses to overwrite a file unless Force is set.
func (a Archive) checkFree() error {
	_, err := os.Lstat(a.File)
	if err == nil && !a.Force {
		return fmt.Errorf("%s exists: choose another name, or replace it with --force", a.File)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write the backup: %w", err)
	}
	return nil
}

// openExisting opens the database but never creates one.
func (s Store) openExisting(ctx context.Context, a Archive) (*db.DB, error) {
	if s.URL().Engine() == "sqlite" {
		if _, err := os.Stat(s.URL().Path()); err != nil {
			return nil, fmt.Errorf("there is no database to back up: %w; name it with --data or --database-url", err)
		}
	}
	return s.Open(ctx, a.Log)
}

// collect copies the database to work and returns the files to archive, path by archive name,
// and the number of rows of each table in the copy.
func (s Store) collect(ctx context.Context, d *db.DB, a Archive, work string) (files map[string]string, rows map[string]int64, err error) {
	files = map[string]string{}
	if _, err := os.Stat(s.KeysFile()); err == nil && s.Keys == "" {
		files[keysFile] = s.KeysFile()
	}
	if s.URL().Engine() == "postgres" {
		files[dumpFile] = filepath.Join(work, dumpFile)
		if rows, err = s.pgDump(ctx, d, a, files[dumpFile]); err != nil {
			return nil, nil, err
		}
		return files, rows, s.addUploads(ctx, files)
	}
	copied := filepath.Join(work, databaseFile)
	files[databaseFile] = copied
	stop := showCopy(a.Console, "copying the database", s.URL().Path(), copied)
	defer stop()
	if err := d.Backup(ctx, copied); err != nil {
		return nil, nil, fmt.Errorf("copy the database: %w", err)
	}
	if rows, err = countFile(ctx, copied, a); err != nil {
		return nil, nil, err
	}
	return files, rows, s.addUploads(ctx, files)
}

// countFile counts the rows of an SQLite file; nil if its schema is not the current one.
func countFile(ctx context.Context, path string, a Archive) (rows map[string]int64, err error) {
	d, err := Store{DatabaseURL: DSN("sqlite:" + path)}.Open(ctx, a.Log)
	if err != nil {
		return nil, err
	}
	if d.Current(ctx) == nil {
		rows, err = countRows(ctx, d.Across(unscoped.Permit{}))
	}
	return rows, errors.Join(err, d.Close())
}

// addUploads adds the uploaded files of this machine. It must run after the copy
// of the database, so that every row of the copy has its file.
func (s Store) addUploads(ctx context.Context, files map[string]string) error {
	if _, err := os.Stat(s.file(filesDir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	disk, err := blob.OpenDisk(s.file(filesDir))
	if err != nil {
		return err
	}
	err = disk.Walk(ctx, func(b blob.Blob) error {
		if name := filesDir + "/" + b.Key; uploadName.MatchString(name) {
			files[name] = s.file(filepath.FromSlash(name))
		}
		return nil
	})
	return errors.Join(err, disk.Close())
}

// showCopy draws a progress bar for copying one file to another until stop is called.
func showCopy(c *console.Console, label, from, to string) (stop func()) {
	if !c.Terminal() {
		return func() {}
	}
	bar := c.Progress(label, fileSize(from))
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				bar.Done()
				return
			case <-tick.C:
				bar.Set(fileSize(to))
			}
		}
	}()
	return func() { close(end); <-ended }
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0 // not there yet
	}
	return info.Size()
}

// write packs the files to draft, then moves it to the archive's name atomically.
func (a Archive) write(ctx context.Context, m manifest, files map[string]string, draft string) (int64, error) {
	f, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, fmt.Errorf("write the backup: %w", err)
	}
	err = a.pack(interruptible{ctx, f}, m, files)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, fmt.Errorf("write the backup: %w", err)
	}
	size := fileSize(draft)
	if err := a.place(draft); err != nil {
		return 0, fmt.Errorf("write the backup: %w", err)
	}
	return size, syncDir(filepath.Dir(a.File))
}

// place moves the finished draft to its name. A link, unlike a rename, fails if
// the file exists. Rename is the fallback for file systems without links.
func (a Archive) place(draft string) error {
	if !a.Force {
		err := os.Link(draft, a.File)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := a.checkFree(); err != nil {
			return err
		}
	}
	return os.Rename(draft, a.File)
}

// interruptible is a writer that fails once ctx ends.
type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func (i interruptible) Write(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.w.Write(p)
}

// syncTree makes a directory durable with all that was written to it.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return errors.Join(err, syncDir(path))
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// syncDir makes renames in a directory durable. Windows needs no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
