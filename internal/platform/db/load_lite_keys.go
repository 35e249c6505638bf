package db

import "context"

// beginLoad begins the transaction for a load, if nothing else has: without
// foreign keys, if the load allows that.
func (c *core) beginLoad(ctx context.Context, l *load) error {
	if c.session != nil {
		c.session.(*liteTx).large = true
		return c.script(ctx, loadPragmas)
	}
	e := c.db.engine.(*sqlite)
	r, err := e.writer.acquire(ctx)
	if err != nil {
		return err
	}
	t := &liteTx{e: e, held: r, c: r.Value(), sound: true, large: true}
	first := loadPragmas + sortPragmas
	if l.Adds {
		t.loose, first = map[string]bool{}, first+keysOffLite
	}
	if err := t.begin(ctx, liteBusy, first); err != nil {
		return err
	}
	c.session = t
	if l.Adds {
		return c.loosen(ctx, l, t)
	}
	return nil
}

// loosen finds out what may go on without foreign keys, and what is to be
// checked for them.
func (c *core) loosen(ctx context.Context, l *load, t *liteTx) error {
	q := &Tx{c, scope{kind: asOwner}}
	free, err := All[string](ctx, q, `SELECT name FROM sqlite_master AS m WHERE type = 'table'
		AND NOT EXISTS (SELECT 1 FROM pragma_foreign_key_list(m.name) WHERE "from" <> 'school_id')`, nil)
	if err != nil {
		return err
	}
	for _, table := range free {
		t.loose[table] = true
	}
	keys, err := All[foreignKey](ctx, q, `
		SELECT m.name AS child, k."table" AS parent, group_concat(k."from") AS columns, group_concat(k."to") AS keys, '' AS types
		FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS k WHERE m.type = 'table' AND m.name IN (:tables)
		GROUP BY m.name, k.id, k."table"`, Args{"tables": l.Tables})
	l.keys = newKeyring(keys)
	return err
}
