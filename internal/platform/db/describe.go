package db

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	lite "modernc.org/sqlite"
)

// Table describes a table of the schema, in the same way for both engines.
type Table struct {
	Name    string
	Columns []Column
	Key     []string   // columns of the primary key
	Unique  [][]string // columns of the other unique indexes
	Refs    []string   // tables that its foreign keys refer to
	Self    []string   // columns other than school_id with which a row refers to another row of this table
}

// Column is a column of a Table. Its type is named as in the migrations: uuid, ts, json,
// bool, text, int or float.
type Column struct {
	Name, Type string
	Required   bool // NOT NULL
}

// Has reports whether the table has the column.
func (t Table) Has(column string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == column })
}

// Describe returns the tables of the migrations. A table comes after those that it refers to.
//
// The migrations run in an empty SQLite database in memory whose columns are declared with
// the types' own names, and SQLite tells what it made of them: SQL is not parsed here.
func Describe(ctx context.Context, migrations fs.FS) ([]Table, error) {
	connector, err := lite.NewConnector("file::memory:?_dqs=0")
	if err != nil {
		return nil, err
	}
	raw, err := connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &liteConn{raw: raw, statements: map[*statement]driver.Stmt{}}
	defer c.close()
	steps, err := (&DB{migrations: migrations}).steps()
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		sql, err := renderWith(describeFuncs(), s.Name, s.text)
		if err == nil {
			err = c.script(ctx, sql)
		}
		if err != nil {
			return nil, fmt.Errorf("describe %s: %w", s.Name, err)
		}
	}
	return describe(ctx, c)
}

// describeFuncs declare columns with the names of the template's types. SQLite allows
// WITHOUT ROWID twice; STRICT would refuse these types.
func describeFuncs() map[string]any {
	funcs := maps.Clone(templateFuncs(false))
	for _, name := range []string{"uuid", "ts", "json", "bool", "text", "int", "float"} {
		funcs[name] = func() string { return name }
	}
	funcs["strict"] = func() string { return "WITHOUT ROWID" }
	return funcs
}

const (
	describeColumns = `SELECT m.name AS "table", c.name AS "column", lower(c.type) AS type, c.pk AS pk, c."notnull" AS required
		FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid`
	describeRefs = `SELECT m.name AS "table", r."table" AS "to", r."from" AS "column"
		FROM sqlite_schema m, pragma_foreign_key_list(m.name) r
		WHERE m.type = 'table' ORDER BY m.name, r.id, r.seq`
	describeUnique = `SELECT m.name AS "table", i.name AS "to", COALESCE(x.name, '') AS "column"
		FROM sqlite_schema m, pragma_index_list(m.name) i, pragma_index_info(i.name) x
		WHERE m.type = 'table' AND i."unique" = 1 AND i.origin <> 'pk' ORDER BY m.name, i.name, x.seqno`
)

// part is a column of a table, of a foreign key or of an index.
type part struct {
	Table, Column, Type, To string
	PK                      int `db:"pk"`
	Required                bool
}

func describe(ctx context.Context, c *liteConn) ([]Table, error) {
	tables := map[string]*Table{}
	columns, err := partsOf(ctx, c, describeColumns)
	if err != nil {
		return nil, err
	}
	for _, p := range columns {
		t := tables[p.Table]
		if t == nil {
			t = &Table{Name: p.Table}
			tables[p.Table] = t
		}
		t.Columns = append(t.Columns, Column{p.Column, p.Type, p.Required})
		if p.PK > 0 {
			t.Key = append(t.Key, "")
		}
	}
	for _, p := range columns { // after all: a key's columns need not be in the table's order
		if p.PK > 0 {
			tables[p.Table].Key[p.PK-1] = p.Column
		}
	}
	refs, err := partsOf(ctx, c, describeRefs)
	if err != nil {
		return nil, err
	}
	for _, p := range refs {
		t := tables[p.Table]
		switch {
		case p.To == p.Table && p.Column != "school_id":
			t.Self = append(t.Self, p.Column)
		case p.To != p.Table && !slices.Contains(t.Refs, p.To):
			t.Refs = append(t.Refs, p.To)
		}
	}
	unique, err := partsOf(ctx, c, describeUnique)
	if err != nil {
		return nil, err
	}
	last := ""
	for _, p := range unique {
		t := tables[p.Table]
		if p.To != last {
			t.Unique = append(t.Unique, nil)
			last = p.To
		}
		t.Unique[len(t.Unique)-1] = append(t.Unique[len(t.Unique)-1], p.Column)
	}
	return inOrder(tables)
}

func partsOf(ctx context.Context, c *liteConn, sql string) ([]part, error) {
	st, out := verbatim(sql), []part{}
	w := &work{st: st, rows: gather(st, &out)}
	if err := c.do(ctx, w); err != nil {
		return nil, fmt.Errorf("describe the schema: %w", err)
	}
	return out, w.refused
}

// inOrder sorts tables: each after those that it refers to, else by name.
func inOrder(tables map[string]*Table) ([]Table, error) {
	names := slices.Sorted(maps.Keys(tables))
	out, placed := make([]Table, 0, len(names)), map[string]bool{}
	for len(out) < len(names) {
		before := len(out)
		for _, n := range names {
			t := tables[n]
			if !placed[n] && !slices.ContainsFunc(t.Refs, func(to string) bool { return !placed[to] }) {
				out, placed[n] = append(out, *t), true
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("describe the schema: foreign keys form a circle among the tables after %s", out[len(out)-1].Name)
		}
	}
	return out, nil
}
