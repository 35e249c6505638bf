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
	insertRows   = 64   // in one statement
	insertParams = 8000 // in one statement: SQLite takes 32,766
	insertTrip   = 1024 // rows in one round trip
)

var valuesWord = regexp.MustCompile(`(?i)\bVALUES\s*\(`)

// Insert writes many rows in few statements, all or none. sql has one group
// `VALUES (:school, :id, :name)`, which is repeated for every row; the
// parameters are T's fields, named as in All. After the group may stand
// ON CONFLICT …, without parameters other than :school.
func Insert[T any](ctx context.Context, q Q, sql string, rows []T) (int64, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	p := q.at(ctx)
	in, err := parseInsert(sql, reflect.TypeFor[T](), p.sc)
	if err != nil {
		return 0, fmt.Errorf("%w in: %s", err, oneLine(sql))
	}
	if p.tx != nil || len(rows) <= insertTrip {
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
		var all []*work
		for len(trip) > 0 {
			n := in.chunk(len(trip))
			w, err := in.work(p, n, func(i int) reflect.Value { return reflect.ValueOf(&trip[i]).Elem() })
			if err != nil {
				return 0, err
			}
			all, trip = append(all, w), trip[n:]
		}
		if err := p.run(ctx, all...); err != nil {
			return 0, err
		}
		for _, w := range all {
			sum += w.affected
		}
	}
	return sum, nil
}

// insertion is an INSERT cut at its group of values.
type insertion struct {
	text              string
	sc                scope
	head, group, tail []piece
	names             []string // the parameters of the group that each row has for itself
	fields            [][]int  // and where they stand in it
}

func parseInsert(sql string, t reflect.Type, sc scope) (*insertion, error) {
	if !isRecord(t) {
		return nil, fmt.Errorf("%s is no struct", t)
	}
	start, end, err := valuesGroup(sql)
	if err != nil {
		return nil, err
	}
	in := &insertion{text: sql, sc: sc}
	for part, dst := range map[string]*[]piece{sql[:start]: &in.head, sql[start:end]: &in.group, sql[end:]: &in.tail} {
		if *dst, err = split(part); err != nil {
			return nil, err
		}
	}
	for _, p := range slices.Concat(in.head, in.tail) {
		if p.name != "" && !in.shared(p.name) {
			return nil, fmt.Errorf(":%s stands outside VALUES (…)", p.name)
		}
	}
	fields := fieldsOf(t)
	for _, p := range in.group {
		if p.name == "" || in.shared(p.name) || slices.Contains(in.names, p.name) {
			continue
		}
		index, ok := fields[p.name]
		if !ok {
			return nil, fmt.Errorf(":%s has no field in %s", p.name, t)
		}
		in.fields, in.names = append(in.fields, index), append(in.names, p.name)
	}
	return in, nil
}

// shared tells the parameter that all rows have in common.
func (in *insertion) shared(name string) bool { return name == "school" && in.sc.kind == inSchool }

// valuesGroup finds the brackets after VALUES.
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

// chunk is how many of n rows go in the next statement: a power of two, so that
// there are few different statements to keep.
func (in *insertion) chunk(n int) int {
	size := insertRows
	for size > 1 && (size > n || size*len(in.names) > insertParams) {
		size /= 2
	}
	return size
}

// work is the statement for n rows. Its parameters come in the order of the
// rows, and within one in the order of names.
func (in *insertion) work(p place, n int, row func(int) reflect.Value) (*work, error) {
	key := stmtKey{in.text, n, in.sc.kind}
	st, err := p.db.statement(key, func() (*statement, error) { return in.compile(p.db.pg(), n) })
	if err != nil {
		return nil, err
	}
	if err := in.sc.allows(st, nil); err != nil {
		return nil, err
	}
	w := &work{st: st, values: make([]any, len(st.names))}
	next := 0
	for i, name := range st.names {
		if in.shared(name) {
			w.values[i] = string(in.sc.school)
			continue
		}
		field := row(next / len(in.names)).FieldByIndex(in.fields[next%len(in.names)])
		if w.values[i], err = plain(field.Interface()); err != nil {
			return nil, fmt.Errorf("row %d, :%s: %w", next/len(in.names), in.names[next%len(in.names)], err)
		}
		next++
	}
	return w, nil
}

func (in *insertion) compile(pg bool, n int) (*statement, error) {
	c := newCompiler(pg, in.text)
	same := func(name string) string { return name }
	if err := c.add(in.head, same); err != nil {
		return nil, err
	}
	for i := range n {
		if i > 0 {
			c.sql.WriteString(", ")
		}
		if err := c.add(in.group, func(name string) string {
			if in.shared(name) {
				return name
			}
			return name + "#" + strconv.Itoa(i)
		}); err != nil {
			return nil, err
		}
	}
	if err := c.add(in.tail, same); err != nil {
		return nil, err
	}
	return c.done(), nil
}
