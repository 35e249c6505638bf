package db

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

const (
	loadRows  = 5000     // fewer are no load
	loadCache = 12 << 10 // KiB of pages that SQLite keeps meanwhile
	liteCache = 2000     // KiB that it keeps otherwise: see litePragmas
)

// Load runs fn, which adds about so many rows to each of the tables, in a way
// that suits so many. What holds for the rows holds at its end as ever; until
// then fn must not count on the order of reading them.
//
// SQLite fills an index at random far more slowly than it makes one anew. So
// where more rows come than are there, the tables' indexes but those of keys are
// taken away and made again, all in the transaction: others see nothing of it.
// Text is made searchable at the end too, so that a new row must not be changed
// in its text before.
//
// PostgreSQL has planned its checks of foreign keys for tables as small as they
// were when it first did, and would read them from end to end for every row. It
// is made to plan them again and, when all is there, to count.
func (t *Tx) Load(ctx context.Context, rows int, tables []string, fn func() error) error {
	if rows < loadRows {
		return fn()
	}
	if t.c.db.pg() {
		return t.c.loadPostgres(ctx, tables, fn)
	}
	return t.c.loadLite(ctx, rows, tables, fn)
}

func (c *core) script(ctx context.Context, sql string) error {
	return c.do(ctx, func() error { return during(ctx, c.session.script(ctx, sql), sql) })
}

func (c *core) loadPostgres(ctx context.Context, tables []string, fn func() error) error {
	if err := c.script(ctx, "SET LOCAL enable_seqscan = off; DISCARD PLANS"); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	// Only the owner may have them counted: the role and the school are set anew after that.
	c.session.(*pgTx).entered = false
	return c.script(ctx, "RESET ROLE; ANALYZE "+strings.Join(tables, ", "))
}

// loadLite puts work off, runs fn and makes up for it.
func (c *core) loadLite(ctx context.Context, rows int, tables []string, fn func() error) (err error) {
	if err := c.script(ctx, fmt.Sprintf("PRAGMA cache_size = -%d", loadCache)); err != nil {
		return err
	}
	defer func() { // whatever became of the transaction
		if s, ok := c.session.(*liteTx); ok && s.c != nil {
			err = errors.Join(err, s.c.script(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA cache_size = -%d", liteCache)))
		}
	}()
	var off []putOff
	for _, table := range tables {
		found, err := c.puttable(ctx, table, rows)
		if err != nil {
			return err
		}
		off = append(off, found...)
	}
	for _, p := range off {
		if err := c.script(ctx, p.drop); err != nil {
			return err
		}
	}
	if err := fn(); err != nil {
		return err
	}
	debug.FreeOSMemory() // an index is sorted in memory: what fn left behind goes first
	for _, p := range off {
		if err := c.script(ctx, p.settle); err != nil {
			return err
		}
	}
	return nil
}

// putOff is something of a table that can be taken away, and made up for.
type putOff struct{ drop, settle string }

// puttable lists the indexes of a table that are not unique, unless it has more
// rows than come, and what keeps its text searchable.
func (c *core) puttable(ctx context.Context, table string, rows int) ([]putOff, error) {
	q := &Tx{c, scope{kind: asOwner}}
	last, err := One[int](ctx, q, `SELECT COALESCE(MAX(rowid), 0) FROM `+table, nil)
	if err != nil {
		return nil, err
	}
	type object struct {
		Name string
		Type string
		SQL  string `db:"sql"`
	}
	all, err := All[object](ctx, q, `
		SELECT name, type, sql FROM sqlite_master WHERE tbl_name = :table AND (name = :trigger OR type = 'index')
			AND sql IS NOT NULL AND sql NOT LIKE 'CREATE UNIQUE%' ORDER BY name`, Args{"table": table, "trigger": table + "_search_came"})
	var off []putOff
	for _, o := range all {
		switch {
		case o.Type == "trigger": // of searchable
			off = append(off, putOff{"DROP TRIGGER " + o.Name, o.SQL + fmt.Sprintf(`;
				INSERT INTO %s_search (rowid, search) SELECT rowid, search FROM %[1]s WHERE rowid > %d AND archived_at IS NULL`, table, last)})
		case last <= rows:
			off = append(off, putOff{"DROP INDEX " + o.Name, o.SQL})
		}
	}
	return off, err
}
