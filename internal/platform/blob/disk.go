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

// Disk keeps blobs as files under one directory, which nothing leads out of.
type Disk struct {
	root *os.Root
	// Through stands between a blob and its file; a test makes it fail as a full
	// disk does. Nil: nothing does.
	Through func(io.Writer) io.Writer
}

// drafts is where files are written before they get their names.
const drafts = "draft"

// OpenDisk opens a directory, and makes it first where it is missing.
func OpenDisk(dir string) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the directory of files: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of files: %w", err)
	}
	if err := root.Mkdir(drafts, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("open the directory of files: %w", err)
	}
	return &Disk{root: root}, nil
}

// Close gives the directory back.
func (d *Disk) Close() error { return d.root.Close() }

// Put implements Store: a draft is written, made durable, and renamed in one step.
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
		_ = d.root.Remove(draft) // it may not be there; what stays is found by Walk
		return full(fmt.Errorf("keep a file: %w", err))
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

// place gives a draft its name, and makes that durable with every directory that
// is new on the way.
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

// sync makes what a directory lists durable. Windows does that by itself.
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
		case errors.Is(err, fs.ErrNotExist): // it went while we looked
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
		return f(Blob{Key: strings.ReplaceAll(at, `\`, "/"), At: info.ModTime()})
	})
}

// full marks an error of a disk without room.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// stoppable ends with its context.
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
