package db

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	lite "modernc.org/sqlite"
)

// What suits a load: no look at the log when it is done, for that is large by then
// (see tidy); and if it is the first thing that the transaction does, indexes sorted
// in files, and by threads beside. Then back to litePragmas.
const (
	loadPragmas = `PRAGMA wal_autocheckpoint = 0; `
	sortPragmas = `PRAGMA temp_store = FILE; PRAGMA threads = 3; `
	calmPragmas = `PRAGMA temp_store = MEMORY; PRAGMA threads = 0; PRAGMA wal_autocheckpoint = 1000`
)

// loadLite puts work off, runs fn and makes up for it.
//
// SQLite fills an index at random far more slowly than it makes one anew. So
// where more rows come than are there, the tables' indexes but those of primary
// keys are taken away and made again, all in the transaction: others see nothing
// of it. Text is made searchable at the end too, so that a new row must not be
// changed in its text before.
//
// Where nothing but new rows is written, what they refer to is looked up at the
// end, and once.
func (t *Tx) loadLite(ctx context.Context, l *load, fn func() error) error {
	c := t.c
	if err := c.beginLoad(ctx, l); err != nil {
		return err
	}
	var off []putOff
	for _, table := range l.Tables {
		found, err := c.puttable(ctx, l, table)
		if err != nil {
			return err
		}
		off = append(off, found...)
	}
	for _, p := range off {
		if err := c.script(ctx, p.drop); err != nil {
			return err
		}
		if p.trigger {
			l.off = append(l.off, p.name)
		}
	}
	if err := fn(); err != nil {
		return err
	}
	if err := t.check(ctx, l); err != nil {
		return err
	}
	debug.FreeOSMemory() // what fn left behind, before indexes are sorted
	for _, p := range off {
		if err := c.script(ctx, p.settle); err != nil {
			return p.explain(err)
		}
	}
	return nil
}

func (c *core) script(ctx context.Context, sql string) error {
	return c.do(ctx, func() error { return during(ctx, c.session.script(ctx, sql), sql) })
}

// putOff is something of a table that can be taken away, and made up for.
type putOff struct {
	name         string
	drop, settle string
	trigger      bool
}

// explain says which key two rows share. SQLite names the columns, and the index
// over them is not there to be found.
func (p putOff) explain(err error) error {
	if e, ok := errors.AsType[*lite.Error](err); ok && e.Code() == codeUnique {
		return &failure{cause: err, duplicate: []string{p.name}}
	}
	return err
}

// puttable lists what can be put off of a table: its indexes, unless it has more
// rows than come or they are spared, its triggers that the load names, and what keeps its text searchable.
func (c *core) puttable(ctx context.Context, l *load, table string) ([]putOff, error) {
	q := &Tx{c, scope{kind: asOwner}}
	there, err := One[int](ctx, q, `SELECT count(*) FROM (SELECT 1 FROM `+table+` LIMIT :most)`, Args{"most": l.Rows + 1})
	if err != nil {
		return nil, err
	}
	type object struct {
		Name string
		Type string
		SQL  string `db:"sql"`
	}
	all, err := All[object](ctx, q, `SELECT name, type, sql FROM sqlite_master WHERE tbl_name = :table AND type IN ('index', 'trigger')
		AND sql IS NOT NULL ORDER BY rowid`, Args{"table": table})
	if err != nil {
		return nil, err
	}
	var off []putOff
	for _, o := range all {
		p := putOff{name: o.Name, drop: "DROP " + o.Type + " " + o.Name, settle: o.SQL, trigger: o.Type == "trigger"}
		switch {
		case o.Name == table+"_search_came": // of searchable
			last, err := One[int](ctx, q, `SELECT COALESCE(MAX(rowid), 0) FROM `+table, nil)
			if err != nil {
				return nil, err
			}
			p.settle += fmt.Sprintf(`;
				INSERT INTO %s_search (rowid, search) SELECT rowid, search || char(10) FROM %[1]s WHERE rowid > %d AND archived_at IS NULL`, table, last)
		case p.trigger && !slices.Contains(l.Triggers, o.Name),
			!p.trigger && (there > l.Rows || slices.Contains(l.Spared, o.Name)),
			l.Lookups && strings.HasPrefix(o.SQL, "CREATE UNIQUE"):
			continue
		}
		off = append(off, p)
	}
	return off, nil
}
