package db

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
)

const (
	insertRows   = 128  // per statement
	insertParams = 8000 // per statement; SQLite's limit is 32,766
	insertTrip   = 1024 // rows per round trip
)

var (
	valuesWord = regexp.MustCompile(`(?i)\bVALUES\s*\(`)
	intoTable  = regexp.MustCompile(`(?i)^\s*INSERT\s+(?:OR\s+\w+\s+)?INTO\s+(\w+)`)
)

// Insert inserts many rows with few statements, all or none. sql has one group
// `VALUES (:school, :id, :name)`, which is repeated for every row. Its parameters
// are T's fields, named as in All. ON CONFLICT … may follow, with no parameter
// but :school.
func Insert[T any](ctx context.Context, q Q, sql string, rows []T) (int64, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	p := q.at(ctx)
	in, err := p.insertion(sql, reflect.TypeFor[T]())
	if err == nil {
		err = p.err
	}
	if err != nil {
		return 0, fmt.Errorf("%w in: %s", err, oneLine(sql))
	}
	if p.tx != nil || len(rows) < insertArrays {
		return insert(ctx, p, in, rows)
	}
	var sum int64
	err = p.db.transact(ctx, p.sc, func(ctx context.Context, tx *Tx) (err error) {
		sum, err = insert(ctx, tx.at(ctx), in, rows)
		return err
	})
	return sum, err
}

func insert[T any](ctx context.Context, p place, in *insertion, rows []T) (sum int64, err error) {
	for trip := range slices.Chunk(rows, insertTrip) {
		row := func(i int) reflect.Value { return reflect.ValueOf(&trip[i]).Elem() }
		var all []*work
		if p.db.pg() && p.tx != nil && len(trip) >= insertArrays {
			all, err = in.arrays(ctx, p, len(trip), row)
		} else {
			all, err = in.values(p, len(trip), row)
		}
		if err != nil {
			return 0, err
		}
		if err := p.run(ctx, all...); err != nil {
			return 0, err
		}
		for _, w := range all {
			sum += w.affected
		}
		if p.tx != nil {
			if err := p.tx.do(ctx, func() error { return p.tx.session.grew(ctx, in.table, len(trip)) }); err != nil {
				return 0, err
			}
		}
	}
	return sum, nil
}

// insertion is an INSERT split into the SQL before, in and after VALUES (…), for rows of type T.
type insertion struct {
	text, table       string
	kind              scopeKind
	head, group, tail []piece
	school            bool    // :school is used; it is then $1
	params            []param // per row, in the order of the group
}

// param is a parameter whose value comes from a field of each row.
type param struct {
	name  string
	field []int
	read  func(reflect.Value) (any, error)
}

// insertion returns the parsed INSERT from the cache, or parses it.
func (p place) insertion(sql string, t reflect.Type) (*insertion, error) {
	st, err := p.db.statement(stmtKey{text: sql, rows: -1, kind: p.sc.kind}, func() (*statement, error) { return verbatim(sql), nil })
	if err != nil {
		return nil, err
	}
	if in, ok := st.plans.Load(t); ok {
		return in.(*insertion), nil
	}
	in, err := parseInsert(sql, t, p.sc.kind)
	if err == nil {
		st.plans.Store(t, in)
	}
	return in, err
}

func parseInsert(sql string, t reflect.Type, kind scopeKind) (*insertion, error) {
	if !isRecord(t) {
		return nil, fmt.Errorf("%s is not a struct", t)
	}
	start, end, err := valuesGroup(sql)
	if err != nil {
		return nil, err
	}
	into := intoTable.FindStringSubmatch(sql)
	if into == nil {
		return nil, errors.New("no INSERT INTO table")
	}
	in := &insertion{text: sql, table: into[1], kind: kind}
	for part, dst := range map[string]*[]piece{sql[:start]: &in.head, sql[start:end]: &in.group, sql[end:]: &in.tail} {
		if *dst, err = split(part); err != nil {
			return nil, err
		}
	}
	for _, p := range slices.Concat(in.head, in.tail) {
		if p.name != "" && !in.shared(p.name) {
			return nil, fmt.Errorf(":%s is used outside VALUES (…)", p.name)
		}
	}
	in.school = slices.ContainsFunc(slices.Concat(in.head, in.group, in.tail), func(p piece) bool { return in.shared(p.name) })
	fields := fieldsOf(t)
	for _, p := range in.group {
		if p.name == "" || in.shared(p.name) {
			continue
		}
		index, ok := fields[p.name]
		if !ok {
			return nil, fmt.Errorf(":%s has no field in %s", p.name, t)
		}
		in.params = append(in.params, param{p.name, index, readerOf(t.FieldByIndex(index).Type)})
	}
	return in, nil
}

// shared reports whether all rows have the same value of the parameter.
func (in *insertion) shared(name string) bool { return name == "school" && in.kind == inSchool }

// valuesGroup finds the parentheses after VALUES.
func valuesGroup(sql string) (start, end int, err error) {
	m := valuesWord.FindStringIndex(sql)
	if m == nil {
		return 0, 0, errors.New("no VALUES (…)")
	}
	depth := 0
	for i := m[1] - 1; i < len(sql); {
		if j := skip(sql, i); j > i {
			i = j
			continue
		}
		switch sql[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		i++
		if depth == 0 {
			return m[1] - 1, i, nil
		}
	}
	return 0, 0, errors.New("VALUES (… is not closed")
}

// chunk returns how many of n rows go in the next statement: a power of two, so
// that few different statements are cached.
func (in *insertion) chunk(n int) int {
	size := insertRows
	for size > 1 && (size > n || size*len(in.params) > insertParams) {
		size /= 2
	}
	return size
}

// values returns the statements for n rows as VALUES (…), (…), ….
func (in *insertion) values(p place, n int, row func(int) reflect.Value) ([]*work, error) {
	k := len(in.params)
	values, err := in.readAll(n, row)
	if err != nil {
		return nil, err
	}
	var all []*work
	for done := 0; done < n; {
		size := in.chunk(n - done)
		st, err := p.db.statement(stmtKey{in.text, size, in.kind}, func() (*statement, error) { return in.compile(p.db.pg(), size), nil })
		if err != nil {
			return nil, err
		}
		w, err := in.begin(p, st)
		if err != nil {
			return nil, err
		}
		w.values = append(w.values, values[done*k:(done+size)*k]...)
		all, done = append(all, w), done+size
	}
	return all, nil
}

// begin returns the work for st, with the school as its first value if it is used.
func (in *insertion) begin(p place, st *statement) (*work, error) {
	if err := p.sc.allows(st, nil); err != nil {
		return nil, err
	}
	w := &work{st: st, values: make([]any, 0, len(st.names))}
	if in.school {
		w.values = append(w.values, string(p.sc.school))
	}
	return w, nil
}

// readAll returns the values of n rows, row by row.
func (in *insertion) readAll(n int, row func(int) reflect.Value) (values []any, err error) {
	values = make([]any, 0, n*len(in.params))
	for i := range n {
		if values, err = in.read(values, i, row(i)); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// read appends the values of a row.
func (in *insertion) read(to []any, i int, row reflect.Value) ([]any, error) {
	for j := range in.params {
		c := &in.params[j]
		v, err := c.read(row.FieldByIndex(c.field))
		if err != nil {
			return nil, fmt.Errorf("row %d, :%s: %w", i, c.name, err)
		}
		to = append(to, v)
	}
	return to, nil
}

// compile builds the statement for n rows. The school is the first parameter.
func (in *insertion) compile(pg bool, n int) *statement {
	c := newCompiler(pg, in.text)
	if in.school {
		c.st.names = []string{"school"}
	}
	in.write(c, in.head, true)
	for i := range n {
		if i > 0 {
			c.sql.WriteString(", ")
		}
		in.write(c, in.group, pg || i == 0)
	}
	in.write(c, in.tail, true)
	return c.done()
}

// write appends pieces. After the first row it writes ? without a number, since
// SQLite is slow to parse many numbered parameters.
func (in *insertion) write(c *compiler, pieces []piece, numbered bool) {
	mark := "?"
	if c.pg {
		mark = "$"
	}
	for _, p := range pieces {
		c.sql.WriteString(p.sql)
		switch {
		case p.name == "":
			continue
		case in.shared(p.name):
			c.sql.WriteString(mark + "1")
			continue
		}
		c.st.names = append(c.st.names, p.name)
		c.sql.WriteString(mark)
		if numbered {
			c.sql.WriteString(strconv.Itoa(len(c.st.names)))
		}
	}
}
