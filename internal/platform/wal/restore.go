package wal

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/db"
)

// ErrNothing means that a store has no snapshot that is old enough.
var ErrNothing = errors.New("there is no continuous backup of that time")

// Restored is what Restore has restored.
type Restored struct {
	At      time.Time // the state is of this moment
	Problem error     // what came later is missing or damaged; nil: nothing
	Files   int
}

// Restore writes the database as it was at a moment (zero: the last) to path, the keys file of
// then, if there is one, to keys, and all uploaded files to the directory files.
func Restore(ctx context.Context, from blob.Store, at time.Time, path, keys, files string, log *slog.Logger) (Restored, error) {
	c, err := list(ctx, from)
	if err != nil {
		return Restored{}, err
	}
	i := len(c.snapshots) - 1
	for i >= 0 && !at.IsZero() && c.snapshots[i].at.After(at) {
		i--
	}
	if i < 0 {
		return Restored{}, ErrNothing
	}
	r := &restore{ctx: ctx, from: from, path: path, until: at, log: log}
	if err := r.database(c.snapshots[i], c.segments); err != nil {
		return r.out, err
	}
	if i := c.keysAt(at); i >= 0 {
		text, err := read(ctx, from, c.keys[i].key, c.keys[i].size)
		if err == nil {
			err = os.WriteFile(keys, text, 0o600)
		}
		if err != nil {
			return r.out, fmt.Errorf("restore the keys: %w", err)
		}
	}
	for key, n := range c.files {
		if err := r.file(filesPrefix+key, n, filepath.Join(files, filepath.FromSlash(key))); err != nil {
			return r.out, fmt.Errorf("restore an uploaded file: %w", err)
		}
		r.out.Files++
	}
	return r.out, nil
}

// Newest returns the times of the newest snapshot and of the newest copy of a change.
func Newest(ctx context.Context, from blob.Store) (snapshot, change time.Time, err error) {
	c, err := list(ctx, from)
	for _, p := range c.snapshots {
		snapshot = later(snapshot, p.at)
	}
	change = snapshot
	for _, p := range c.segments {
		change = later(change, p.at)
	}
	return snapshot, change, err
}

type restore struct {
	ctx   context.Context
	from  blob.Store
	path  string
	until time.Time
	log   *slog.Logger
	out   Restored
}

// database restores a snapshot and what was written after it.
func (r *restore) database(s snapshot, all []segment) error {
	r.out.At = s.at
	if err := r.snapshot(s); err != nil {
		return err
	}
	return r.replay(s, all)
}

func (r *restore) snapshot(s snapshot) error {
	b, err := r.from.Open(r.ctx, s.key, s.size)
	if err != nil {
		return err
	}
	defer b.Close()
	z, err := gzip.NewReader(b)
	if err != nil {
		return fmt.Errorf("the snapshot of %s is damaged: %w", s.at.Format(time.RFC3339), err)
	}
	if err := write(r.path, z); err != nil {
		return fmt.Errorf("restore the snapshot of %s: %w", s.at.Format(time.RFC3339), err)
	}
	return nil
}

// write writes a private file, synced to disk.
func write(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (r *restore) file(key string, size int64, path string) error {
	b, err := r.from.Open(r.ctx, key, size) // refuses a key that would lead out of the directory
	if err != nil {
		return err
	}
	defer b.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return write(path, b)
}

// replay applies the logs of the snapshot's chain, one after the other. SQLite itself reads
// each, as after a crash. The first log is applied as a whole: the snapshot has some of it.
func (r *restore) replay(s snapshot, all []segment) error {
	before := int64(-1) // frames of the log before; -1: unknown
	for at := s.place; ; at.log++ {
		own := ofLog(at, all)
		if len(own) == 0 {
			r.out.Problem = cmp.Or(r.out.Problem, goesOn(at, all))
			return nil
		}
		if before >= 0 && own[0].before != before {
			r.out.Problem = cmp.Or(r.out.Problem, fmt.Errorf("the end of the log before %s is missing", own[0].key))
			return nil
		}
		l, stop := r.collect(own)
		if at == s.place && l.frames < s.frames {
			// An earlier state than the snapshot's must not be mixed with it.
			if r.out.Problem == nil && l.frames > 0 {
				r.out.Problem = errors.New("frames of the log are missing")
			}
			return l.remove()
		}
		if err := r.apply(l); err != nil || stop {
			return err
		}
		before = l.frames
	}
}

func ofLog(at place, all []segment) (own []segment) {
	for _, p := range all {
		if p.place == at {
			own = append(own, p)
		}
	}
	return own
}

// goesOn returns an error if a chain has logs after one of which nothing is left.
func goesOn(at place, all []segment) error {
	for _, p := range all {
		if p.chain == at.chain && p.log > at.log {
			return fmt.Errorf("a log is missing before %s", p.key)
		}
	}
	return nil
}

// gathered is a log that was put together.
type gathered struct {
	path   string
	head   head
	frames int64
	at     time.Time
}

func (l gathered) remove() error {
	if err := os.Remove(l.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// collect writes the records of a log next to the database, up to the moment, the first gap or
// the first damage. It reports whether it stopped before the end.
func (r *restore) collect(own []segment) (l gathered, stop bool) {
	l = gathered{path: r.path + "-wal", at: r.out.At}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		r.out.Problem = err
		return l, true
	}
	defer f.Close()
	for _, p := range own {
		switch {
		case p.start+p.frames <= l.frames: // part of a merged one
			continue
		case p.start != l.frames:
			r.out.Problem = fmt.Errorf("a part is missing before %s", p.key)
			return l, true
		}
		body, err := read(r.ctx, r.from, p.key, p.size)
		if err == nil {
			stop, err = r.records(f, &l, body)
		}
		if err != nil {
			r.out.Problem = fmt.Errorf("%s is damaged: %w", p.key, err)
		}
		if err != nil || stop {
			return l, true
		}
	}
	return l, false
}

// records appends the records of one blob.
func (r *restore) records(f *os.File, l *gathered, body []byte) (stop bool, err error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return true, err
	}
	for {
		var prefix [headSize + 16]byte
		if _, err := io.ReadFull(z, prefix[:]); errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return true, err
		}
		h, n := head(prefix[:headSize]), int64(binary.BigEndian.Uint64(prefix[headSize+8:]))
		at := time.UnixMilli(int64(binary.BigEndian.Uint64(prefix[headSize:]))).UTC()
		if !r.until.IsZero() && at.After(r.until) {
			return true, nil
		}
		if !h.valid() || l.frames > 0 && h != l.head || n <= 0 || n > 1<<32 {
			return true, errors.New("it is not part of this log")
		}
		data, err := io.ReadAll(io.LimitReader(z, n*h.frameSize()))
		if err == nil && int64(len(data)) != n*h.frameSize() {
			err = io.ErrUnexpectedEOF
		}
		if err == nil && l.frames == 0 {
			_, err = f.WriteAt(h[:], 0)
		}
		if err == nil {
			_, err = f.WriteAt(data, headSize+l.frames*h.frameSize())
		}
		if err != nil {
			return true, err
		}
		l.head, l.frames, l.at = h, l.frames+n, at
	}
}

// apply lets SQLite write the log to the database. SQLite ignores frames from the first wrong
// checksum on without a word, so they are checked before. It also ignores a transaction without
// an end, which is no damage: the machine was lost while a large one was being copied.
func (r *restore) apply(l gathered) error {
	if l.frames == 0 {
		return l.remove()
	}
	f, err := os.Open(l.path)
	if err != nil {
		return err
	}
	_, intact, err := committed(f, position{l.head, 0, l.head.sum()})
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if intact < l.frames && r.out.Problem == nil {
		r.out.Problem = fmt.Errorf("a log has a wrong checksum in frame %d", intact)
	}
	d, err := db.Open(r.ctx, db.Options{URL: "sqlite:" + r.path, MaxConns: 1, Log: r.log})
	if err != nil {
		return fmt.Errorf("apply the log: %w", err)
	}
	err = d.Ping(r.ctx)
	if err = errors.Join(err, d.Close()); err != nil { // writes the log to the database
		return fmt.Errorf("apply the log: %w", err)
	}
	if _, err := os.Stat(l.path); err == nil {
		return errors.New("apply the log: SQLite did not complete it")
	}
	r.out.At = later(r.out.At, l.at)
	return nil
}
