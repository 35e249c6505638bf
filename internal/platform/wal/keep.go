package wal

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/db"
)

// drafts are snapshots that are being written.
const drafts = ".homeroom-snapshot-*"

// snapshotTime limits writing and uploading a snapshot.
const snapshotTime = 6 * time.Hour

// snapshot begins to copy the database as it is after the frames taken so far. They are in
// the store before the snapshot, which without them would be of no use.
func (s *Shipper) snapshot(ctx context.Context) error {
	var state *db.Copy
	err := s.wal.Still(ctx, func() error {
		err := s.takeRest(ctx)
		if err == nil {
			state, err = s.wal.Copy(ctx)
		}
		return err
	})
	if err == nil {
		err = s.flush(ctx)
	}
	if err != nil {
		if state != nil {
			state.Close()
		}
		return err
	}
	now := s.Now()
	s.at = later(s.at, now)
	next := snapshot{place: s.place, frames: s.pos.frames, at: s.at}
	s.setSnapping(true)
	s.background.Go(func() {
		defer s.setSnapping(false)
		long, cancel := context.WithTimeout(s.life, snapshotTime)
		defer cancel()
		if err := s.putSnapshot(long, state, next.name()); err != nil {
			s.Log.Error("a snapshot for the continuous backup failed, will retry", "error", err)
			return
		}
		s.mu.Lock()
		s.status.Snapshot = now
		s.mu.Unlock()
		s.tidy(long)
	})
	return nil
}

// tidy copies files that are missing and deletes what is too old.
func (s *Shipper) tidy(ctx context.Context) {
	if err := errors.Join(s.copyAllFiles(ctx), s.prune(ctx)); err != nil && ctx.Err() == nil {
		s.Log.Error("files of the continuous backup were not copied or deleted; the next snapshot tries again", "error", err)
	}
}

func (s *Shipper) setSnapping(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapping = on
}

// putSnapshot writes to the disk first: the state is held while it is read, which keeps the log
// from becoming shorter.
func (s *Shipper) putSnapshot(ctx context.Context, state *db.Copy, key string) error {
	defer state.Close()
	old, _ := filepath.Glob(filepath.Join(s.Dir, drafts)) // of a crash; the pattern is valid
	for _, name := range old {
		_ = os.Remove(name)
	}
	f, err := os.CreateTemp(s.Dir, drafts) // created with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := errors.Join(state.Write(ctx, z), z.Close()); err != nil {
		return err
	}
	state.Close()
	n, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return s.To.Put(ctx, key, io.NewSectionReader(f, 0, n))
}

// prune deletes snapshots that are neither among the newest nor young, and the logs and keys before
// the oldest that is left. Both must hold: a clock may be wrong, and snapshots may come in a row.
func (s *Shipper) prune(ctx context.Context) error {
	if s.Days <= 0 {
		return nil
	}
	s.blobs.Lock()
	defer s.blobs.Unlock()
	c, err := list(ctx, s.To)
	if err != nil {
		return err
	}
	i := 0
	for i < len(c.snapshots)-s.Days && s.Now().Sub(c.snapshots[i].at) > time.Duration(s.Days)*24*time.Hour {
		i++
	}
	var keys []string
	for _, p := range c.snapshots[:i] {
		keys = append(keys, p.key)
	}
	for _, p := range c.segments {
		if i > 0 && p.compare(c.snapshots[i].place) < 0 {
			keys = append(keys, p.key)
		}
	}
	if i < len(c.snapshots) {
		for _, k := range c.keys[:max(0, c.keysAt(c.snapshots[i].at))] {
			keys = append(keys, k.key)
		}
	}
	return s.To.Delete(ctx, keys...)
}

// copyKeys copies the keys file if it has changed.
func (s *Shipper) copyKeys(ctx context.Context) error {
	if s.Keys == "" {
		return nil
	}
	info, err := os.Stat(s.Keys)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.ModTime().Equal(s.keysAt) {
		return err
	}
	text, err := os.ReadFile(s.Keys)
	if err == nil {
		err = put(ctx, s.To, fmt.Sprintf(keysKey, info.ModTime().UnixMilli()), text)
	}
	if err == nil {
		s.keysAt = info.ModTime()
	}
	return err
}

// Watch returns the store of uploaded files for the service. Files that are put there are
// copied before the rows that refer to them. It must be called before Run.
func (s *Shipper) Watch(disk *blob.Disk) blob.Store {
	s.files = disk
	return watched{disk, s}
}

type watched struct {
	*blob.Disk
	s *Shipper
}

// Put implements blob.Store.
func (w watched) Put(ctx context.Context, key string, r *io.SectionReader) error {
	err := w.Disk.Put(ctx, key, r)
	if err == nil {
		w.s.mu.Lock()
		w.s.fresh = append(w.s.fresh, key)
		w.s.mu.Unlock()
	}
	return err
}

// copyFresh copies the files that were just uploaded.
func (s *Shipper) copyFresh(ctx context.Context) error {
	for {
		s.mu.Lock()
		if len(s.fresh) == 0 {
			s.mu.Unlock()
			return nil
		}
		key := s.fresh[0]
		s.mu.Unlock()
		if err := s.copyFile(ctx, key); err != nil {
			return err
		}
		s.mu.Lock()
		s.fresh = s.fresh[1:]
		s.mu.Unlock()
	}
}

func (s *Shipper) copyFile(ctx context.Context, key string) error {
	r, err := s.files.Open(ctx, key, 0)
	if errors.Is(err, blob.ErrNotFound) { // deleted meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("copy a file: %w", err)
	}
	f, ok := r.(io.ReaderAt) // an *os.File
	if !ok {
		return errors.New("copy a file: not a file on disk")
	}
	return s.To.Put(ctx, filesPrefix+key, io.NewSectionReader(f, 0, n))
}

// copyAllFiles copies files that are missing in the store. Deleted ones stay there as long as
// a state that has them can be restored.
func (s *Shipper) copyAllFiles(ctx context.Context) error {
	if s.files == nil {
		return nil
	}
	c, err := list(ctx, s.To)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	err = s.files.Walk(ctx, func(b blob.Blob) error {
		have[b.Key] = true
		if _, ok := c.files[b.Key]; ok || strings.HasPrefix(b.Key, "draft/") {
			return nil
		}
		return s.copyFile(ctx, b.Key)
	})
	if err != nil {
		return err
	}
	for key := range c.files {
		since, marked := c.gone[key]
		switch {
		case have[key] && marked:
			err = s.To.Delete(ctx, gonePrefix+key)
		case have[key]:
		case !marked:
			err = s.To.Put(ctx, gonePrefix+key, io.NewSectionReader(bytes.NewReader(nil), 0, 0))
		case s.Days > 0 && s.Now().Sub(since) > time.Duration(s.Days+1)*24*time.Hour:
			err = s.To.Delete(ctx, filesPrefix+key, gonePrefix+key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
