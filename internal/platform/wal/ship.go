// Package wal copies the write-ahead log of a SQLite database to a blob store, about a second
// after each commit, and restores a database from it as it was at any moment.
//
// The copy is a snapshot of the database once a day and all frames of the log in between
// (name.go). The log is never overwritten before it was copied: this package makes all
// checkpoints, and a read transaction keeps other programs from it (db.WAL). If the log does
// not continue its copy, the copy begins anew with a snapshot. Start at Shipper.Run and Restore.
package wal

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

const (
	every         = time.Second // between looks for new frames
	snapshotEvery = 24 * time.Hour
	longLog       = 16 << 20         // size of a log that is written to the database file
	longestLog    = 1 << 30          // while it can't be copied; then the copy is given up and begins anew
	chunk         = 2 << 20          // frames of one blob
	tailLimit     = 64 << 20         // frames kept in memory
	pause         = 5 * time.Second  // between attempts to shorten a log
	snapshotPause = 30 * time.Second // between attempts to make a snapshot
	attemptTime   = time.Minute      // of one look
)

// Options connect a Shipper.
type Options struct {
	DB   *db.DB // SQLite, opened with KeepWAL
	To   blob.Store
	Keys string                          // path of the keys file; "": not copied
	Dir  string                          // for temporary files
	Days int                             // that can be restored; 0: all
	Free func(dir string) (int64, error) // space on the disk; nil: enough
	Now  clock.Now
	Log  *slog.Logger
}

// Status is how far the copy is.
type Status struct {
	Copied   time.Time // everything committed until then is copied
	Snapshot time.Time // the newest
	Checked  time.Time // when it was last restored for a test
	Damage   error     // why that has failed since; nil: it has not
}

// Shipper copies a database.
type Shipper struct {
	Options
	wal *db.WAL
	place
	pos     position  // up to which frames were taken from the log
	before  int64     // frames of the log before it
	at      time.Time // of the newest segment; never goes back
	linked  bool      // pos continues what is in the store
	loose   bool      // the next write may begin a new log
	tried   time.Time // when a long log was last to be shortened
	snapped time.Time // when a snapshot was last begun
	checked time.Time // when a check was last begun
	keysAt  time.Time // modification of the keys file that was copied
	tail    []piece   // taken, but not copied
	log     []piece   // copied, of the present log from its first frame on; nil: too large, or begun earlier
	failing bool
	files   *blob.Disk // see Watch; nil: uploaded files are not on this machine

	long, longest int64 // sizes of a log; tests have shorter ones

	life       context.Context // of work in the background
	end        context.CancelFunc
	background sync.WaitGroup
	blobs      sync.Mutex // held to delete snapshots or segments, and to restore all
	mu         sync.Mutex
	status     Status
	snapping   bool
	checking   bool
	fresh      []string // keys of files that were just uploaded
}

// piece is a segment and its bytes.
type piece struct {
	segment
	body []byte
}

// New returns a shipper that does nothing before Run.
func New(o Options) *Shipper {
	s := &Shipper{Options: o, wal: o.DB.WAL(), long: longLog, longest: longestLog, checked: time.Now()}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Status returns how far the copy is.
func (s *Shipper) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Run copies until ctx ends.
func (s *Shipper) Run(ctx context.Context) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		s.look(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	return nil
}

// Close copies the rest, if Run has begun. It must be called before the database is closed.
func (s *Shipper) Close(ctx context.Context) {
	if s.linked {
		s.look(ctx)
	}
	s.end()
	s.background.Wait()
	s.wal.Unpin()
}

// look copies what is new, and logs the first error of a series.
func (s *Shipper) look(ctx context.Context) {
	began := s.Now()
	limited, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	err := s.step(limited)
	switch {
	case err == nil:
		s.mu.Lock()
		if !s.status.Snapshot.IsZero() { // without one nothing can be restored
			s.status.Copied = began
		}
		s.mu.Unlock()
		if s.failing {
			s.Log.InfoContext(ctx, "the continuous backup works again")
		}
	case ctx.Err() != nil:
		return
	case !s.failing || errors.Is(err, errLost):
		s.Log.ErrorContext(ctx, "the continuous backup is behind, will retry", "error", err)
	}
	s.failing = err != nil
	if info, statErr := os.Stat(s.wal.Path()); err != nil && statErr == nil && info.Size() > s.longest {
		s.giveUp(ctx)
	}
}

// giveUp lets SQLite overwrite the log: the disk must not fill up.
func (s *Shipper) giveUp(ctx context.Context) {
	s.Log.ErrorContext(ctx, "the continuous backup is given up, as the write-ahead log is too large; it begins anew with a snapshot")
	s.linked, s.tail, s.log = false, nil, nil
	s.wal.Unpin()
	if _, err := s.wal.Checkpoint(ctx); err != nil {
		s.Log.ErrorContext(ctx, "can't shorten the write-ahead log", "error", err)
	}
}

func (s *Shipper) step(ctx context.Context) error {
	if !s.linked {
		if err := s.link(ctx); err != nil {
			return err
		}
	}
	err := s.copyLog(ctx)
	if errors.Is(err, errLost) {
		s.linked, s.tail, s.log = false, nil, nil
	}
	if err != nil {
		return err
	}
	if err := s.copyKeys(ctx); err != nil {
		return err
	}
	switch {
	case s.snapshotDue():
		s.snapped = time.Now()
		return s.snapshot(ctx)
	case s.pos.offset() >= s.long && !s.loose && time.Since(s.tried) >= pause:
		s.tried = time.Now()
		return s.shorten(ctx)
	case s.checkDue():
		s.check()
	}
	return nil
}

func (s *Shipper) snapshotDue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	age := s.Now().Sub(s.status.Snapshot)
	return !s.snapping && time.Since(s.snapped) >= snapshotPause && (age >= snapshotEvery || age < -time.Hour) // the clock was set back
}

// link finds out whether the log continues what is in the store. If not, a new chain begins
// with the whole log and a snapshot.
func (s *Shipper) link(ctx context.Context) error {
	if err := s.wal.Pin(ctx); err != nil {
		return err
	}
	c, err := list(ctx, s.To)
	if err != nil {
		return err
	}
	s.loose = true
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.resume(c) {
		s.linked = true
		s.background.Go(func() { s.tidy(s.life) }) // files may have been uploaded just before a crash
		return nil
	}
	last := 0
	for _, p := range c.snapshots {
		last = max(last, p.chain)
	}
	for _, p := range c.segments {
		last, s.at = max(last, p.chain), later(s.at, p.at)
	}
	s.place, s.pos, s.before, s.log = place{chain: last + 1}, position{}, 0, []piece{}
	s.status.Snapshot, s.snapped = time.Time{}, time.Time{} // due at once
	s.linked = true
	return nil
}

// resume continues after the last segment if the log has the same frames up to there.
func (s *Shipper) resume(c content) bool {
	if len(c.segments) == 0 || len(c.snapshots) == 0 {
		return false
	}
	last := c.segments[len(c.segments)-1]
	for _, p := range c.segments {
		if p.place == last.place && p.start+p.frames > last.start+last.frames {
			last = p
		}
	}
	newest := c.snapshots[len(c.snapshots)-1]
	f, h, ok, err := openLog(s.wal.Path())
	if err != nil || !ok {
		return false
	}
	defer f.Close()
	n := last.start + last.frames
	sum, ok := frameSum(f, h, n)
	if !ok || newest.chain != last.chain || h.salt() != last.salt || sum != last.sum {
		return false
	}
	s.place, s.pos, s.before, s.log = last.place, position{h, n, sum}, last.before, nil
	s.at, s.status.Snapshot = later(s.at, last.at), newest.at
	return true
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
