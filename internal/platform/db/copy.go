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

// insertArrays is from how many rows on PostgreSQL takes each column as one
// array, which costs it far less than a parameter per value. COPY would cost it
// less still, but knows no row security.
const insertArrays = 32

// readerOf returns what takes the plain value of a field: at once for the types
// of most columns, by plain for all others.
func readerOf(t reflect.Type) func(reflect.Value) (any, error) {
	switch {
	case t == idType:
		return func(v reflect.Value) (any, error) {
			if v.Len() == 0 {
				return nil, nil // as plain has it: the zero ID stands for none
			}
			return text(v.String())
		}
	case t == timeType:
		return timeReader()
	case speaks(t):
		break
	case t.Kind() == reflect.Pointer && !speaks(t.Elem()):
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

// speaks tells a type that says itself what its plain value is.
func speaks(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[driver.Valuer]()) || t.Implements(reflect.TypeFor[jsonValue]())
}

// timeReader remembers what it read last: rows of one call mostly share theirs.
func timeReader() func(reflect.Value) (any, error) {
	var last atomic.Pointer[written]
	return func(v reflect.Value) (any, error) {
		t := *v.Addr().Interface().(*time.Time)
		m := last.Load()
		if m == nil || !m.t.Equal(t) {
			m = &written{t, t.UTC().Truncate(time.Millisecond).Format(liteTime)}
			last.Store(m)
		}
		return m.text, nil
	}
}

// written is a time and its text, which both engines read.
type written struct {
	t    time.Time
	text any
}

// arrays is the statement for any number of rows, and its values for n.
func (in *insertion) arrays(ctx context.Context, p place, n int, row func(int) reflect.Value, follow func([]any)) ([]*work, error) {
	st, err := p.db.statement(stmtKey{text: in.text, rows: -2, kind: in.kind}, func() (*statement, error) { return in.compileArrays(ctx, p) })
	if err != nil {
		return nil, err
	}
	w, err := in.begin(p, st)
	if err != nil {
		return nil, err
	}
	columns, all := make([][]any, len(in.params)), make([]any, n*len(in.params))
	for j := range columns {
		columns[j] = all[j*n : j*n : (j+1)*n]
	}
	values := make([]any, 0, len(in.params))
	for i := range n {
		if values, err = in.read(values[:0], i, row(i)); err != nil {
			return nil, err
		}
		follow(values)
		for j, v := range values {
			columns[j] = append(columns[j], v)
		}
	}
	for j, c := range columns {
		w.values = append(w.values, arrayOf(st.elements[j], c))
	}
	return []*work{w}, nil
}

// compileArrays turns INSERT … VALUES (…) into INSERT … SELECT … FROM unnest(…).
// The server is asked what type each parameter of a single row has.
func (in *insertion) compileArrays(ctx context.Context, p place) (*statement, error) {
	one, err := p.db.statement(stmtKey{text: in.text, rows: 1, kind: in.kind}, func() (*statement, error) { return in.compile(true, 1), nil })
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
	in.write(c, in.head)
	head := strings.TrimSpace(c.sql.String())
	c.sql.Reset()
	c.sql.WriteString(head[:len(head)-len("VALUES")] + "SELECT ")
	var group strings.Builder
	n := 0
	for _, piece := range in.group {
		group.WriteString(piece.sql)
		switch {
		case piece.name == "":
		case in.shared(piece.name):
			group.WriteString("$1")
		default:
			fmt.Fprintf(&group, "c%d", n)
			n++
		}
	}
	c.sql.WriteString(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(group.String()), "("), ")"))
	c.sql.WriteString(" FROM unnest(")
	columns := ""
	c.st.elements = types
	for i, t := range types {
		c.st.names = append(c.st.names, in.params[i].name)
		fmt.Fprintf(&c.sql, "%s$%d::%s[]", When(i > 0, ", "), len(c.st.names), pgTypes[t])
		columns += fmt.Sprintf("%sc%d", When(i > 0, ", "), i)
	}
	c.sql.WriteString(") AS rows (" + columns + ") ")
	in.write(c, in.tail)
	return c.done(), nil
}

// pgTypes names the types that our columns have.
var pgTypes = map[uint32]string{oidBool: "boolean", oidInt8: "bigint", oidInt4: "integer", oidInt2: "smallint", oidFloat8: "double precision",
	oidFloat4: "real", oidTimestamptz: "timestamptz", oidUUID: "uuid", oidText: "text", oidJSONB: "jsonb"}

// types asks PostgreSQL what type each parameter of a statement has.
func (c *core) types(ctx context.Context, st *statement) (types []uint32, err error) {
	err = c.do(ctx, func() error {
		s := c.session.(*pgTx)
		d, err := s.c.prepared(ctx, st)
		if err != nil {
			return during(ctx, s.e.explain(ctx, s.c, err), st.text)
		}
		for _, oid := range d.ParamOIDs {
			if pgTypes[oid] == "" {
				return fmt.Errorf("a parameter of the type %d in: %s", oid, oneLine(st.text))
			}
		}
		types = d.ParamOIDs
		return nil
	})
	return types, err
}
