package db

import (
	"context"
	"database/sql/driver"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
)

// insertArrays is the number of rows from which PostgreSQL gets each column as one
// array, which is much faster than a parameter per value. COPY is faster still,
// but does not support row-level security.
const insertArrays = 32

// readerOf returns a function that does what plain does, without its type switch
// and allocation for the most common types.
func readerOf(t reflect.Type) func(reflect.Value) (any, error) {
	switch {
	case t == idType:
		return func(v reflect.Value) (any, error) {
			if v.Len() == 0 {
				return nil, nil // NULL, as in plain
			}
			return text(v.String())
		}
	case t == timeType:
		return timeReader()
	case hasOwnValue(t): // left to plain
	case t.Kind() == reflect.Pointer:
		read := readerOf(t.Elem())
		return func(v reflect.Value) (any, error) {
			if v.IsNil() {
				return nil, nil
			}
			return read(v.Elem())
		}
	case t.Kind() == reflect.String:
		return func(v reflect.Value) (any, error) { return text(v.String()) }
	case t.Kind() == reflect.Bool:
		return func(v reflect.Value) (any, error) { return v.Bool(), nil }
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return func(v reflect.Value) (any, error) { return v.Int(), nil }
	}
	return func(v reflect.Value) (any, error) { return plain(v.Interface()) }
}

// hasOwnValue reports whether a type converts itself to a column value.
func hasOwnValue(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[driver.Valuer]()) || t.Implements(reflect.TypeFor[jsonValue]())
}

// timeReader caches the last formatted time: rows of one call mostly share theirs.
func timeReader() func(reflect.Value) (any, error) {
	var last atomic.Pointer[formatted]
	return func(v reflect.Value) (any, error) {
		t := *v.Addr().Interface().(*time.Time)
		m := last.Load()
		if m == nil || !m.t.Equal(t) {
			m = &formatted{t, t.UTC().Truncate(time.Millisecond).Format(liteTime)}
			last.Store(m)
		}
		return m.text, nil
	}
}

// formatted is a time and its text form, which both engines accept.
type formatted struct {
	t    time.Time
	text any
}

// arrays returns one statement for n rows, with an array per column.
func (in *insertion) arrays(ctx context.Context, p place, n int, row func(int) reflect.Value) ([]*work, error) {
	values, err := in.readAll(n, row)
	if err != nil {
		return nil, err
	}
	st, err := p.db.statement(stmtKey{in.text, -2, in.kind}, func() (*statement, error) { return in.compileArrays(ctx, p) })
	if err != nil {
		return nil, err
	}
	w, err := in.begin(p, st)
	if err != nil {
		return nil, err
	}
	column := make([]any, n)
	for j := range in.params {
		for i := range n {
			column[i] = values[i*len(in.params)+j]
		}
		array := arrayOf(st.elements[j], column)
		if _, ok := array.([]any); ok { // it still uses the slice
			column = make([]any, n)
		}
		w.values = append(w.values, array)
	}
	return []*work{w}, nil
}

// compileArrays turns INSERT … VALUES (…) into INSERT … SELECT … FROM unnest(…).
// The types of the arrays come from preparing the INSERT of a single row.
func (in *insertion) compileArrays(ctx context.Context, p place) (*statement, error) {
	one, err := p.db.statement(stmtKey{text: in.text, rows: 1, kind: in.kind},
		func() (*statement, error) { return in.compile(true, 1), nil })
	if err != nil {
		return nil, err
	}
	types, err := p.tx.types(ctx, one)
	if err != nil {
		return nil, err
	}
	c := newCompiler(true, in.text)
	if in.school {
		c.st.names, types = []string{"school"}, types[1:]
	}
	in.write(c, in.head, true)
	head := strings.TrimSpace(c.sql.String())
	c.sql.Reset()
	c.sql.WriteString(head[:len(head)-len("VALUES")] + "SELECT ")
	var group strings.Builder
	var arrays, columns []string
	for _, piece := range in.group {
		group.WriteString(piece.sql)
		if piece.name == "" {
			continue
		}
		if in.shared(piece.name) {
			group.WriteString("$1")
			continue
		}
		j := len(c.st.elements)
		c.st.elements = append(c.st.elements, types[j])
		c.st.names = append(c.st.names, piece.name)
		column := fmt.Sprintf("c%d", j)
		group.WriteString(column)
		arrays, columns = append(arrays, fmt.Sprintf("$%d::%s[]", len(c.st.names), pgTypes[types[j]])), append(columns, column)
	}
	c.sql.WriteString(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(group.String()), "("), ")"))
	c.sql.WriteString(" FROM unnest(" + strings.Join(arrays, ", ") + ") AS rows (" + strings.Join(columns, ", ") + ") ")
	in.write(c, in.tail, true)
	return c.done(), nil
}

// pgTypes are the column types that schemas use, by OID.
var pgTypes = map[uint32]string{oidBool: "boolean", oidInt8: "bigint", oidInt4: "integer", oidInt2: "smallint",
	oidFloat8: "double precision", oidFloat4: "real", oidTimestamptz: "timestamptz", oidUUID: "uuid", oidText: "text", oidJSONB: "jsonb"}

// types returns the type OIDs of a statement's parameters, which PostgreSQL infers.
func (c *core) types(ctx context.Context, st *statement) (types []uint32, err error) {
	err = c.do(ctx, func() error {
		s := c.session.(*pgTx)
		d, err := s.c.prepared(ctx, st)
		if err != nil {
			return during(ctx, s.e.explain(ctx, s.c, err), st.text)
		}
		for _, oid := range d.ParamOIDs {
			if pgTypes[oid] == "" {
				return fmt.Errorf("a parameter has the unsupported type OID %d in: %s", oid, oneLine(st.text))
			}
		}
		types = d.ParamOIDs
		return nil
	})
	return types, err
}
