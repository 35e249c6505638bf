package wal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"homeroom/internal/platform/db"
)

// checks are directories that the copy is restored to for a test.
const checks = ".homeroom-check-*"

const (
	checkEvery = 24 * time.Hour
	checkAgain = time.Hour // after the start, or a check that failed
)

var errNoRoom = errors.New("there is not enough space on the disk")

// checkDue reports whether it is time to restore the copy for a test.
func (s *Shipper) checkDue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	pause := checkEvery
	if s.status.Checked.IsZero() || s.status.Damage != nil {
		pause = checkAgain
	}
	return !s.checking && !s.status.Snapshot.IsZero() && time.Since(s.checked) >= pause
}

// check restores the copy for a test, in the background.
func (s *Shipper) check() {
	s.checked = time.Now()
	s.mu.Lock()
	s.checking = true
	s.mu.Unlock()
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(s.life, snapshotTime)
		defer cancel()
		s.blobs.Lock()
		err := s.tryRestore(ctx)
		s.blobs.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.checking = false
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errNoRoom):
			s.Log.Warn("the continuous backup was not restored for a test", "error", err)
		case err != nil:
			s.status.Damage = err
			s.Log.Error("the continuous backup can't be restored, will check again", "error", err)
		default:
			s.status.Checked, s.status.Damage = s.Now(), nil
			s.Log.Info("the continuous backup was restored for a test")
		}
	})
}

// tryRestore restores the newest state to a temporary directory, from the snapshot before the
// newest: what was copied in between is read, too.
func (s *Shipper) tryRestore(ctx context.Context) error {
	old, _ := filepath.Glob(filepath.Join(s.Dir, checks)) // of a crash; the pattern is valid
	for _, name := range old {
		_ = os.RemoveAll(name)
	}
	if err := s.hasRoom(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.Dir, checks)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := list(ctx, s.To)
	if err != nil {
		return err
	}
	if len(c.snapshots) == 0 {
		return ErrNothing
	}
	r := &restore{ctx: ctx, from: s.To, path: filepath.Join(dir, "check.db"), log: s.Log}
	if err := r.database(c.snapshots[max(0, len(c.snapshots)-2)], c.segments); err != nil {
		return err
	}
	if r.out.Problem != nil {
		return r.out.Problem
	}
	return intact(ctx, r.path)
}

// hasRoom wants space for the database, its log, and as much again for the service.
func (s *Shipper) hasRoom() error {
	if s.Free == nil {
		return nil
	}
	free, err := s.Free(s.Dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	file, err := os.Stat(strings.TrimSuffix(s.wal.Path(), "-wal"))
	if err != nil {
		return err
	}
	if need := 2 * (file.Size() + s.longest); free < need {
		return fmt.Errorf("%w: %d MB are free, %d needed", errNoRoom, free>>20, need>>20)
	}
	return nil
}

func intact(ctx context.Context, path string) error {
	d, err := db.Open(ctx, db.Options{URL: "sqlite:" + path, MaxConns: 1})
	if err != nil {
		return err
	}
	found, err := d.Examine(ctx)
	if err = errors.Join(err, d.Close()); err == nil && len(found.Damaged) > 0 {
		err = fmt.Errorf("the restored database is damaged: %s", strings.Join(found.Damaged, "; "))
	}
	return err
}
