package db

import (
	"context"
	"strings"
)

// loadPostgres runs fn and makes up for what was put off meanwhile.
//
// PostgreSQL looks up every foreign key of every row by a statement of its own,
// which takes longer than all the rest. Where the database user may, the rows
// are inserted unchecked, and what they refer to is looked up at the end: by the
// same rules and with the same locks, but once.
//
// Elsewhere the checks have been planned for tables as small as they were when
// they were first done, and would read them from end to end for every row, or all
// that an index has of the school. They are planned again, and once more when
// there are some rows to plan for.
func (t *Tx) loadPostgres(ctx context.Context, l *load, fn func() error) error {
	if err := t.c.asOwner(ctx, `SET LOCAL enable_seqscan = off; DISCARD PLANS; SET LOCAL gin_pending_list_limit = '`+loadPending+`'`); err != nil {
		return err
	}
	loose, err := t.c.mayLoosen(ctx, l)
	if err != nil {
		return err
	}
	if loose {
		keys, err := t.c.foreignKeys(ctx, l.Tables)
		if err != nil {
			return err
		}
		l.keys, l.off = newKeyring(keys), l.Triggers
	} else {
		l.grown = func() { _ = t.c.step(ctx, func() error { return t.c.session.script(ctx, "DISCARD PLANS") }) }
	}
	if err := fn(); err != nil {
		return err
	}
	if err := t.check(ctx, l); err != nil {
		return err
	}
	if err := t.c.asOwner(ctx, loadEnd+"ANALYZE "+strings.Join(l.Tables, ", ")); err != nil {
		return err
	}
	return t.c.sweep(ctx, l)
}

const (
	loadPending = "16MB" // of new entries that an index of text keeps unsorted meanwhile
	// Fewer rows are looked at than by default, since the server soon counts by itself.
	loadEnd = "SET LOCAL enable_seqscan = on; SET LOCAL gin_pending_list_limit = '512kB'; SET LOCAL default_statistics_target = 30; "
)

// asOwner runs plain SQL as the user of the connection. The role and the school
// are set anew after that.
func (c *core) asOwner(ctx context.Context, sql string) error {
	return c.do(ctx, func() error {
		s := c.session.(*pgTx)
		sql := "RESET ROLE; " + When(s.unchecked, keysOn+"; ") + sql
		s.entered, s.unchecked = false, false
		return during(ctx, s.script(ctx, sql), sql)
	})
}

// mayLoosen tells whether rows of the tables can be inserted unchecked: if the
// user may, and if no trigger would fail to fire but those of foreign keys and
// those that fn does the work of.
func (c *core) mayLoosen(ctx context.Context, l *load) (bool, error) {
	return One[bool](ctx, &Tx{c, scope{kind: asOwner}}, `
		SELECT has_parameter_privilege('session_replication_role', 'SET') AND NOT EXISTS (
			SELECT 1 FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid LEFT JOIN pg_constraint k ON k.oid = t.tgconstraint
			WHERE c.relname IN (:tables) AND pg_table_is_visible(c.oid) AND t.tgenabled = 'O' AND t.tgtype & 4 <> 0
				AND (k.contype IS NULL OR k.contype <> 'f') AND NOT t.tgname IN (:triggers))`, Args{"tables": l.Tables, "triggers": l.Triggers})
}

// sweep has the indexes of text take up what they kept unsorted, if they are the
// user's: others will do it by and by.
func (c *core) sweep(ctx context.Context, l *load) error {
	_, err := All[int](ctx, &Tx{c, scope{kind: asOwner}}, `
		SELECT gin_clean_pending_list(CAST(x.indexrelid AS regclass))
		FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am a ON a.oid = i.relam
		WHERE c.relname IN (:tables) AND pg_table_is_visible(c.oid) AND a.amname = 'gin' AND pg_has_role(i.relowner, 'USAGE')`, Args{"tables": l.Tables})
	return err
}

// foreignKeys lists those of the tables.
func (c *core) foreignKeys(ctx context.Context, tables []string) ([]foreignKey, error) {
	list := func(what, numbers, table string) string {
		return `(SELECT string_agg(CAST(` + what + ` AS text), ',' ORDER BY n.i) FROM unnest(` + numbers + `) WITH ORDINALITY AS n (attnum, i)
			JOIN pg_attribute a ON a.attrelid = ` + table + ` AND a.attnum = n.attnum)`
	}
	return All[foreignKey](ctx, &Tx{c, scope{kind: asOwner}}, `
		SELECT c.relname AS child, p.relname AS parent, `+list("a.attname", "k.conkey", "c.oid")+` AS columns,
			`+list("a.attname", "k.confkey", "p.oid")+` AS keys, `+list("format_type(a.atttypid, NULL)", "k.confkey", "p.oid")+` AS types
		FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
		WHERE k.contype = 'f' AND c.relname IN (:tables) AND pg_table_is_visible(c.oid) ORDER BY k.oid`, Args{"tables": tables})
}
