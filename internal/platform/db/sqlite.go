package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	lite "modernc.org/sqlite"
)

const (
	liteBusy       = 5 * time.Second // busy timeout while another process writes
	liteSchemaBusy = time.Minute     // busy timeout while another process migrates
	liteStatements = 256             // prepared statements per connection
)

// litePragmas are for readers and the writer. secure_delete overwrites deleted
// rows, so that erased persons are not left in the file. LIKE is case-sensitive as
// on PostgreSQL. The file is read from memory that is mapped to the operating system's
// cache, so the cache of each connection can be small (8 MB).
// Pages have twice the default size, which halves the number of page writes.
const litePragmas = `PRAGMA busy_timeout = 100;
	PRAGMA page_size = 8192;
	PRAGMA journal_mode = WAL;
	PRAGMA synchronous = FULL;
	PRAGMA secure_delete = ON;
	PRAGMA foreign_keys = ON;
	PRAGMA case_sensitive_like = ON;
	PRAGMA temp_store = MEMORY;
	PRAGMA cache_size = -8000;
	PRAGMA mmap_size = 268435456;
	PRAGMA journal_size_limit = 67108864;`

// liteReader maps all of the file, up to SQLite's limit of 2 GB: after each commit a
// reader's cache is empty, and reading through the mapping copies no pages.
const liteReader = litePragmas + `PRAGMA query_only = ON;
	PRAGMA mmap_size = 2147418112;`

// sqlite is the SQLite engine: one file, one writing connection and several
// reading ones. It uses the driver without database/sql, whose pool does not
// distinguish the two and which starts a goroutine per query.
type sqlite struct {
	path    string
	keepWAL bool // see Options
	writer  *pool[*liteConn]
	readers *pool[*liteConn]
	indexes sync.Map // cache: columns "t.a, t.b" to the names of their unique indexes

	checkKeys, findIndex *statement
}

func openSQLite(ctx context.Context, path string, readers int, keepWAL bool) (engine, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, errors.New("a SQLite URL needs a file: sqlite:data/homeroom.db")
	}
	if err := createPrivately(path); err != nil {
		return nil, err
	}
	if readers <= 0 {
		readers = max(4, runtime.NumCPU())
	}
	pragmas := litePragmas
	if keepWAL {
		pragmas += "PRAGMA wal_autocheckpoint = 0;"
	}
	e := &sqlite{path: path, keepWAL: keepWAL, checkKeys: verbatim(checkKeys), findIndex: verbatim(findIndex)}
	var err error
	e.writer, err = newPool(1, func(ctx context.Context) (*liteConn, error) {
		return e.connect(ctx, pragmas)
	}, nil, (*liteConn).close)
	if err != nil {
		return nil, err
	}
	e.readers, err = newPool(readers, func(ctx context.Context) (*liteConn, error) {
		return e.connect(ctx, liteReader)
	}, nil, (*liteConn).close)
	if err != nil {
		return nil, err
	}
	// Unlike acquire, CreateResource has no time limit: opening takes long on a busy machine.
	if err := e.writer.CreateResource(ctx); err != nil {
		return nil, err
	}
	return e, nil
}

// createPrivately creates the file and its folder, accessible to our user only.
func createPrivately(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// connect opens the file. It retries while another process locks it, as happens
// when a new file is switched to WAL.
func (e *sqlite) connect(ctx context.Context, pragmas string) (*liteConn, error) {
	dsn := "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(e.path) + "?mode=rw&_dqs=0&_error_rc=1"
	connector, err := lite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	var c *liteConn
	err = untilFree(ctx, liteBusy, func() error {
		raw, err := connector.Connect(ctx)
		if err != nil {
			return err
		}
		c = &liteConn{raw: raw, statements: map[*statement]driver.Stmt{}}
		if err = c.script(ctx, pragmas); err != nil {
			c.close()
		}
		return err
	})
	if err != nil {
		return nil, unavailable(err)
	}
	return c, nil
}

// untilFree retries while another process locks the file (SQLITE_BUSY).
func untilFree(ctx context.Context, limit time.Duration, try func() error) error {
	for deadline := time.Now().Add(limit); ; {
		err := try()
		if e, ok := errors.AsType[*lite.Error](err); !ok || e.Code()&0xff != codeBusy {
			return err
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Now().After(deadline):
			return fmt.Errorf("another process is writing: %w", err)
		}
		time.Sleep(time.Millisecond)
	}
}

func (e *sqlite) name() string                           { return "sqlite" }
func (e *sqlite) prepare(context.Context) error          { return nil }
func (e *sqlite) listen(ctx context.Context, _ *signals) { <-ctx.Done() }

func (e *sqlite) usage() map[string]Usage {
	return map[string]Usage{"writer": e.writer.usage(), "readers": e.readers.usage()}
}

func (e *sqlite) close() error {
	e.readers.close()
	if e.keepWAL {
		e.leaveWAL()
	}
	e.writer.close() // last, so that it checkpoints the WAL into the file
	return nil
}

// optimizePragma checks the size of all tables (0x10000), analyzes those that
// changed tenfold or have an index without statistics (0x02), and reads a
// limited number of rows of each (0x10). It drops the histograms (sqlite_stat4): with
// them SQLite would plan a statement again for every new value of a parameter.
const optimizePragma = "PRAGMA optimize = 0x10012; DROP TABLE IF EXISTS sqlite_stat4; ANALYZE sqlite_schema"

// optimize reconnects the readers too: a connection reads the statistics only once,
// with the schema.
func (e *sqlite) optimize(ctx context.Context) error {
	r, err := e.writer.acquire(ctx)
	if err != nil {
		return err
	}
	c := r.Value()
	err = untilFree(ctx, liteBusy, func() error { return c.script(ctx, optimizePragma) })
	err = during(ctx, e.explain(c, err), optimizePragma)
	e.writer.release(r, err == nil)
	e.readers.Reset()
	return err
}

// run executes the work on a reader if all of it is read-only, else in a write transaction.
func (e *sqlite) run(ctx context.Context, sc scope, work []*work) error {
	for _, w := range work {
		if !w.st.reads {
			return e.write(ctx, sc, work)
		}
	}
	r, err := e.readers.acquire(ctx)
	if err != nil {
		return err
	}
	healthy := false // stays false if the callback of Each panics
	defer func() { e.readers.release(r, healthy) }()
	err = e.do(ctx, r.Value(), work)
	healthy = !errors.Is(err, ErrUnavailable)
	return err
}

func (e *sqlite) write(ctx context.Context, sc scope, work []*work) error {
	s, err := e.begin(ctx, false)
	if err != nil {
		return err
	}
	defer s.rollback()
	if err := s.run(ctx, sc, work); err != nil {
		return err
	}
	return s.commit(ctx, nil)
}

// do executes the work on one connection, statement by statement.
func (e *sqlite) do(ctx context.Context, c *liteConn, work []*work) error {
	for _, w := range work {
		if w.skip != nil && w.skip() {
			continue
		}
		if err := c.do(ctx, w); err != nil {
			return during(ctx, e.explain(c, err), w.st.text)
		}
	}
	return nil
}

// backup writes a snapshot to a temporary file, syncs it and renames it to path.
func (e *sqlite) backup(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists already: name another file", path)
	}
	c, err := e.connect(ctx, litePragmas)
	if err != nil {
		return err
	}
	defer c.close()
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	defer os.Remove(part)
	if err := createPrivately(part); err != nil {
		return err
	}
	if err := c.script(ctx, "VACUUM INTO '"+strings.ReplaceAll(part, "'", "''")+"'"); err != nil {
		return during(ctx, e.explain(c, err), "VACUUM INTO")
	}
	if err := flush(part); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return flush(filepath.Dir(path))
}

// flush syncs a file or folder to disk.
func flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
