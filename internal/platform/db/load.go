package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	loadRows  = 5000     // fewer are no load
	loadCache = 24 << 10 // KiB of pages that SQLite keeps meanwhile
	liteCache = 2000     // KiB that it keeps otherwise: see litePragmas
)

// Load runs fn, which adds about so many rows to each of the tables, in a way
// that suits so many. What holds for the rows holds at its end as ever; until
// then fn must not count on the order of reading them.
//
// SQLite fills an index at random far more slowly than it makes one anew. So
// where more rows come than are there, the tables' indexes but those of keys are
// taken away and made again, all in the transaction: others see nothing of it.
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

// loadLite takes indexes away, runs fn and makes them again.
func (c *core) loadLite(ctx context.Context, rows int, tables []string, fn func() error) (err error) {
	if err := c.script(ctx, fmt.Sprintf("PRAGMA cache_size = -%d", loadCache)); err != nil {
		return err
	}
	defer func() { // whatever became of the transaction
		if s, ok := c.session.(*liteTx); ok && s.c != nil {
			err = errors.Join(err, s.c.script(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA cache_size = -%d", liteCache)))
		}
	}()
	var away []liteIndex
	for _, table := range tables {
		found, err := c.indexes(ctx, table, rows)
		if err != nil {
			return err
		}
		away = append(away, found...)
	}
	for _, i := range away {
		if err := c.script(ctx, "DROP INDEX "+i.Name); err != nil {
			return err
		}
	}
	if err := fn(); err != nil {
		return err
	}
	for _, i := range away {
		if err := c.script(ctx, i.SQL); err != nil {
			return err
		}
	}
	return nil
}

// liteIndex is an index that can be made again.
type liteIndex struct {
	Name string
	SQL  string `db:"sql"`
}

// indexes lists those of a table that are not unique, unless there are more rows
// than come.
func (c *core) indexes(ctx context.Context, table string, rows int) ([]liteIndex, error) {
	q := &Tx{c, scope{kind: asOwner}}
	there, err := One[int](ctx, q, `SELECT COALESCE(MAX(rowid), 0) FROM `+table, nil)
	if err != nil || there > rows {
		return nil, err
	}
	all, err := All[liteIndex](ctx, q, `
		SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = :table AND sql IS NOT NULL AND sql NOT LIKE 'CREATE UNIQUE%' ORDER BY name`,
		Args{"table": table})
	return slices.Clip(all), err
}
