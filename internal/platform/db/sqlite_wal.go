package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	lite "modernc.org/sqlite"
)

// WAL is the write-ahead log of a SQLite database that was opened with KeepWAL, for a copy
// of it elsewhere. It is for one goroutine.
type WAL struct {
	e   *sqlite
	pin *liteConn // in a read transaction; nil: not pinned
}

// WAL returns the write-ahead log; nil unless the database is SQLite, opened with KeepWAL.
func (d *DB) WAL() *WAL {
	if e, ok := d.engine.(*sqlite); ok && e.keepWAL {
		return &WAL{e: e}
	}
	return nil
}

// Path is the file of the log.
func (w *WAL) Path() string { return w.e.path + "-wal" }

// Pin keeps the log from being overwritten, also by other processes: SQLite begins no new
// log while a transaction may read the old one.
func (w *WAL) Pin(ctx context.Context) error {
	w.Unpin()
	c, err := w.e.reading(ctx)
	w.pin = c
	return err
}

// Pinned reports whether the log is pinned.
func (w *WAL) Pinned() bool { return w.pin != nil }

// Unpin ends Pin.
func (w *WAL) Unpin() {
	if w.pin != nil {
		w.pin.close()
		w.pin = nil
	}
}

// reading opens a connection in a transaction that sees the present state.
func (e *sqlite) reading(ctx context.Context) (*liteConn, error) {
	c, err := e.connect(ctx, liteReader)
	if err != nil {
		return nil, err
	}
	if err := c.script(ctx, "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1"); err != nil {
		err = e.explain(c, err)
		c.close()
		return nil, err
	}
	return c, nil
}

// Still calls fn while no process can write.
func (w *WAL) Still(ctx context.Context, fn func() error) error {
	s, err := w.e.begin(ctx, false)
	if err != nil {
		return err
	}
	defer s.rollback()
	return fn()
}

// Checkpoint writes as much of the log as readers allow to the database file. It reports
// whether that was all of it: then the next write begins a new log, unless it is pinned.
func (w *WAL) Checkpoint(ctx context.Context) (all bool, err error) {
	c, err := w.e.connect(ctx, litePragmas)
	if err != nil {
		return false, err
	}
	defer c.close()
	rows, err := c.raw.(driver.QueryerContext).QueryContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)", nil)
	if err != nil {
		return false, w.e.explain(c, err)
	}
	defer rows.Close()
	got := make([]driver.Value, 3) // busy, frames in the log, frames written
	if err := rows.Next(got); err != nil {
		return false, w.e.explain(c, err)
	}
	return got[0] == int64(0) && got[1] == got[2], nil
}

// Copy is one state of the database.
type Copy struct{ c *liteConn }

// Copy returns the present state. The caller must close it.
func (w *WAL) Copy(ctx context.Context) (*Copy, error) {
	c, err := w.e.reading(ctx)
	if err != nil {
		return nil, err
	}
	return &Copy{c}, nil
}

// Close ends the use of the state. It may be called again.
func (s *Copy) Close() {
	if s.c != nil {
		s.c.close()
		s.c = nil
	}
}

// Write writes the pages of the database as they would be in its file: unlike VACUUM INTO,
// with the numbers that the log refers to.
func (s *Copy) Write(ctx context.Context, to io.Writer) error {
	rows, err := s.c.raw.(driver.QueryerContext).QueryContext(ctx, "SELECT data FROM sqlite_dbpage", nil)
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	defer rows.Close()
	page := make([]driver.Value, 1)
	for {
		err := rows.Next(page)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("copy the database: %w", err)
		}
		b, ok := page[0].([]byte)
		if !ok {
			return errors.New("copy the database: a page has no data")
		}
		if _, err := to.Write(b); err != nil {
			return err
		}
	}
}

// leaveWAL makes the last connection leave the log in place with its content, so that its
// copy can be continued after the next start.
func (e *sqlite) leaveWAL() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r, err := e.writer.acquire(ctx)
	if err != nil {
		return // the next start makes a new snapshot
	}
	c := r.Value()
	err = c.script(ctx, "PRAGMA journal_size_limit = -1") // else closing would empty it
	if f, ok := c.raw.(lite.FileControl); ok && err == nil {
		_, err = f.FileControlPersistWAL("main", 1)
	}
	e.writer.release(r, err == nil)
}
