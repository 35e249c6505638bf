package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"
)

// Disk stores blobs as files in one directory; os.Root prevents escaping it.
type Disk struct {
	root *os.Root
	// Through wraps the writer of a file, so that tests can simulate a full disk. Nil
	// for none.
	Through func(io.Writer) io.Writer
}

// drafts is the directory of files being written.
const drafts = "draft"

// OpenDisk opens a directory and creates it if needed.
func OpenDisk(dir string) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open file directory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open file directory: %w", err)
	}
	if err := root.Mkdir(drafts, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("open file directory: %w", err)
	}
	return &Disk{root: root}, nil
}

// Close closes the directory.
func (d *Disk) Close() error { return d.root.Close() }

// Put implements Store: it writes a draft, syncs it and renames it.
func (d *Disk) Put(ctx context.Context, key string, r *io.SectionReader) error {
	if err := checkKey(key); err != nil {
		return err
	}
	draft := drafts + "/" + rand.Text()
	err := d.write(ctx, draft, r)
	if err == nil {
		err = d.place(draft, key)
	}
	if err != nil {
		_ = d.root.Remove(draft) // may be missing; Walk finds leftovers
		return full(fmt.Errorf("write a file: %w", err))
	}
	return nil
}

func (d *Disk) write(ctx context.Context, draft string, r *io.SectionReader) error {
	f, err := d.root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	var to io.Writer = f
	if d.Through != nil {
		to = d.Through(f)
	}
	_, err = io.Copy(to, &stoppable{ctx, io.NewSectionReader(r, 0, r.Size())})
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// place renames a draft and syncs all new directories.
func (d *Disk) place(draft, key string) error {
	dir := path.Dir(key)
	made := []string{dir}
	for up := dir; up != "."; up = path.Dir(up) {
		if _, err := d.root.Stat(up); err == nil {
			break
		}
		made = append(made, path.Dir(up))
	}
	if err := d.root.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := d.root.Rename(draft, key); err != nil {
		return err
	}
	for _, m := range made {
		if err := d.sync(m); err != nil {
			return err
		}
	}
	return nil
}

// sync syncs a directory. Windows needs none.
func (d *Disk) sync(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := d.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Open implements Store.
func (d *Disk) Open(_ context.Context, key string, _ int64) (io.ReadSeekCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	f, err := d.root.Open(key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNotFound
	case err != nil:
		return nil, fmt.Errorf("read a file: %w", err)
	}
	return f, nil
}

// Delete implements Store.
func (d *Disk) Delete(_ context.Context, keys ...string) error {
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return err
		}
		if err := d.root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a file: %w", err)
		}
	}
	return nil
}

// Walk implements Store.
func (d *Disk) Walk(ctx context.Context, f func(Blob) error) error {
	return fs.WalkDir(d.root.FS(), ".", func(at string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
			return nil
		case err != nil:
			return fmt.Errorf("list files: %w", err)
		case e.IsDir():
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		return f(Blob{Key: strings.ReplaceAll(at, `\`, "/"), At: info.ModTime(), Size: info.Size()})
	})
}

// full wraps the error of a full disk in ErrFull.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// stoppable is a reader that ends with its context.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
