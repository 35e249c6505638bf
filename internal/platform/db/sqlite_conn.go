package db

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// liteConn is one connection and its prepared statements. It is not safe for concurrent use.
type liteConn struct {
	raw        driver.Conn
	statements map[*statement]driver.Stmt
	args       []driver.NamedValue // reused between statements
}

func (c *liteConn) close() {
	c.closeStatements()
	_ = c.raw.Close()
}

func (c *liteConn) closeStatements() {
	for _, s := range c.statements {
		_ = s.Close()
	}
	clear(c.statements)
}

// script runs any number of statements without parameters.
func (c *liteConn) script(ctx context.Context, sql string) error {
	_, err := c.raw.(driver.ExecerContext).ExecContext(ctx, sql, nil)
	return err
}

func (c *liteConn) prepared(st *statement) (driver.Stmt, error) {
	if s, ok := c.statements[st]; ok {
		return s, nil
	}
	if len(c.statements) >= liteStatements {
		c.closeStatements()
	}
	s, err := c.raw.Prepare(st.sql)
	if err == nil {
		c.statements[st] = s
	}
	return s, err
}

func (c *liteConn) do(ctx context.Context, w *work) error {
	s, err := c.prepared(w.st)
	if err != nil {
		return err
	}
	args := c.args[:0]
	defer func() { clear(args); c.args = args }()
	for i, v := range w.values {
		v, err := liteValue(v)
		if err != nil {
			return err
		}
		args = append(args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	if w.rows != nil {
		return c.query(ctx, w, s, args)
	}
	res, err := s.(driver.StmtExecContext).ExecContext(ctx, args)
	if err == nil {
		w.affected, err = res.RowsAffected()
	}
	return err
}

func (c *liteConn) query(ctx context.Context, w *work, s driver.Stmt, args []driver.NamedValue) error {
	rows, err := s.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	names := rows.Columns()
	w.describe(names)
	got, row := make([]driver.Value, len(names)), make([]value, len(names))
	for w.refused == nil {
		if err := rows.Next(got); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, v := range got {
			row[i] = fromLite(v)
		}
		w.deliver(row)
	}
	return nil
}

func fromLite(v driver.Value) value {
	switch v := v.(type) {
	case int64:
		return value{kind: integer, n: v}
	case float64:
		return value{kind: float, f: v}
	case string:
		return value{kind: str, s: v}
	case []byte:
		return value{kind: str, raw: v}
	}
	return value{}
}

// liteTime has a fixed width, so that times sort and compare as text.
const liteTime = "2006-01-02T15:04:05.000Z"

// liteValue converts a plain value to what SQLite stores.
func liteValue(v any) (driver.Value, error) {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case time.Time:
		return v.Format(liteTime), nil
	case []any:
		for i := range v {
			if t, ok := v[i].(time.Time); ok {
				v[i] = t.Format(liteTime)
			}
		}
		b, err := json.Marshal(v)
		return string(b), err
	}
	return v, nil
}
