package db

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"homeroom/internal/platform/id"
)

// Snapshot calls fn with a transaction of one school that only reads. All its statements
// see the same state of the database, however long it takes, while others write.
func (d *DB) Snapshot(ctx context.Context, school id.ID, fn func(ctx context.Context, tx *Tx) error) error {
	s, err := d.engine.snapshot(ctx)
	if err != nil {
		return err
	}
	c := &core{db: d, session: s}
	defer c.rollback()
	return c.enter(ctx, scope{inSchool, school}, fn)
}

// Lined returns the columns of the table's lines: all but school_id, which the scope has.
func (t Table) Lined() []Column {
	out := make([]Column, 0, len(t.Columns))
	for _, c := range t.Columns {
		if c.Name != "school_id" {
			out = append(out, c)
		}
	}
	return out
}

// Dump passes the rows of tx's school to f, as lines in the order of the primary key. A row
// that refers to another of the same table comes after those that don't. where is an
// additional condition, or "". f must not keep the line, nor use tx.
func (t Table) Dump(ctx context.Context, tx *Tx, where string, f func(line []byte) error) error {
	var order []string
	for _, c := range t.Self {
		order = append(order, c+" IS NOT NULL")
	}
	own := "school_id"
	if !t.Has(own) {
		own = "id" // schools itself
	}
	sql := `SELECT ` + names(t.Lined()) + ` FROM ` + t.Name + ` WHERE ` + own + ` = :school` + When(where != "", ` AND (`+where+`)`) +
		` ORDER BY ` + strings.Join(append(order, t.Key...), ", ")
	_, err := tx.at(ctx).query(ctx, sql, nil, func(*statement) rows { return &lines{of: t.Lined(), f: f} })
	if err != nil {
		return fmt.Errorf("read %s: %w", t.Name, err)
	}
	return nil
}

// lines receives rows as lines.
type lines struct {
	of  []Column
	buf []byte
	f   func([]byte) error
}

func (l *lines) columns([]string) error { return nil }

func (l *lines) row(row []value) (err error) {
	if l.buf, err = appendLine(l.buf[:0], l.of, row); err != nil {
		return err
	}
	return l.f(l.buf)
}

func names(columns []Column) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Name
	}
	return strings.Join(out, ", ")
}

// Load inserts lines into tx's school, and passes each row to f as the database stored it,
// in the same order.
func (t Table) Load(ctx context.Context, tx *Tx, lined [][]byte, f func(line []byte) error) error {
	of := t.Lined()
	rows := make([][]any, len(lined))
	for i, line := range lined {
		cells, err := splitLine(line, len(of))
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		rows[i] = make([]any, len(of))
		for j, cell := range cells {
			if rows[i][j], err = parseCell(of[j], cell); err != nil {
				return fmt.Errorf("%s.%s: %w", t.Name, of[j].Name, err)
			}
		}
	}
	p := tx.at(ctx)
	for len(rows) > 0 {
		n := t.chunk(p.db.pg(), len(rows))
		if err := t.insert(ctx, p, rows[:n], f); err != nil {
			return fmt.Errorf("write %s: %w", t.Name, err)
		}
		if err := p.tx.do(ctx, func() error { return p.tx.session.grew(ctx, t.Name, n) }); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// chunk returns how many of n rows go in the next statement: as for Insert.
func (t Table) chunk(pg bool, n int) int {
	if pg {
		return n
	}
	size := insertRows
	for size > 1 && (size > n || size*len(t.Columns) > insertParams) {
		size /= 2
	}
	return size
}

func (t Table) insert(ctx context.Context, p place, rows [][]any, f func([]byte) error) error {
	of, size := t.Lined(), len(rows)
	if p.db.pg() {
		size = 1 // one statement for any number of rows
	}
	st, err := p.db.statement(stmtKey{text: "load " + t.Name, rows: size, kind: p.sc.kind}, func() (*statement, error) {
		return verbatim(t.insertSQL(p.db.pg(), size)), nil
	})
	if err != nil {
		return err
	}
	w := &work{st: st, rows: &lines{of: of, f: f}}
	if t.Has("school_id") {
		w.values = append(w.values, string(p.sc.school))
	}
	switch {
	case p.db.pg():
		for j, c := range of {
			column := make([]any, len(rows))
			for i := range rows {
				column[i] = rows[i][j]
			}
			w.values = append(w.values, arrayOf(oids[c.Type], column))
		}
	default:
		for _, row := range rows {
			w.values = append(w.values, row...)
		}
	}
	if err := p.run(ctx, w); err != nil {
		return err
	}
	if w.got != len(rows) {
		return fmt.Errorf("%d of %d rows were stored", w.got, len(rows))
	}
	return nil
}

// oids are PostgreSQL's types of the columns.
var oids = map[string]uint32{"uuid": oidUUID, "ts": oidTimestamptz, "json": oidJSONB, "bool": oidBool, "text": oidText,
	"int": oidInt8, "float": oidFloat8}

// insertSQL is the INSERT of n rows. The school is the first parameter. PostgreSQL gets an
// array per column.
func (t Table) insertSQL(pg bool, n int) string {
	of := t.Lined()
	into, first, head, group := names(of), 1, "", "(?"
	if t.Has("school_id") {
		into, first, head, group = "school_id, "+into, 2, "$1, ", "(?1, ?"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "INSERT INTO %s (%s) ", t.Name, into)
	if pg {
		arrays := make([]string, len(of))
		columns := make([]Column, len(of))
		for i, c := range of {
			arrays[i] = "$" + strconv.Itoa(first+i) + "::" + pgTypes[oids[c.Type]] + "[]"
			columns[i].Name = "c" + strconv.Itoa(i)
		}
		fmt.Fprintf(&b, "SELECT %s%s FROM unnest(%s) AS rows (%s)", head, names(columns), strings.Join(arrays, ", "), names(columns))
	} else {
		group += strings.Repeat(", ?", len(of)-1) + ")"
		b.WriteString("VALUES " + group + strings.Repeat(", "+group, n-1))
	}
	return b.String() + " RETURNING " + names(of)
}

// Texts returns some columns of a line: texts without quotes, null as "", others, and documents, as in
// JSON.
func (t Table) Texts(line []byte, columns ...string) ([]string, error) {
	of := t.Lined()
	cells, err := splitLine(line, len(of))
	if err != nil {
		return nil, err
	}
	out := make([]string, len(columns))
	for i, name := range columns {
		j := slices.IndexFunc(of, func(c Column) bool { return c.Name == name })
		if j < 0 {
			return nil, fmt.Errorf("%s has no column %s", t.Name, name)
		}
		switch cell := cells[j]; {
		case string(cell) == "null":
		case len(cell) > 0 && cell[0] == '"' && of[j].Type != "json":
			if out[i], err = unquote(cell); err != nil {
				return nil, err
			}
		default:
			out[i] = string(cell)
		}
	}
	return out, nil
}

// Edit returns the line with another text in a column. change gets the texts of the columns.
func (t Table) Edit(line []byte, column string, change func(text func(column string) string) (string, error)) ([]byte, error) {
	of := t.Lined()
	var names []string
	for _, c := range of {
		names = append(names, c.Name)
	}
	texts, err := t.Texts(line, names...)
	if err != nil {
		return nil, err
	}
	made, err := change(func(name string) string {
		if i := slices.Index(names, name); i >= 0 {
			return texts[i]
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	cells, err := splitLine(line, len(of))
	if err != nil {
		return nil, err
	}
	out := []byte{'['}
	for i, c := range of {
		if i > 0 {
			out = append(out, ',')
		}
		if c.Name == column {
			out = appendQuoted(out, made)
		} else {
			out = append(out, cells[i]...)
		}
	}
	return append(out, ']'), nil
}
