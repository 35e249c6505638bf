package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/platform/id"
)

// Q runs statements: in a school, in a transaction, or (with a permit) across schools.
type Q interface {
	at(ctx context.Context) place
}

// place is the scope, and the transaction if any, in which a statement runs.
type place struct {
	db  *DB
	sc  scope
	tx  *core
	err error // ErrNested, if it can't run

	later bool // see Tx.Later
}

type schoolQ struct {
	d      *DB
	school id.ID
}

type allQ struct{ d *DB }
type ownerQ struct{ d *DB }

func (q schoolQ) at(ctx context.Context) place { return q.d.at(ctx, scope{inSchool, q.school}) }
func (q allQ) at(ctx context.Context) place    { return q.d.at(ctx, scope{kind: inAll}) }
func (q ownerQ) at(context.Context) place      { return place{db: q.d, sc: scope{kind: asOwner}} }

func (d *DB) at(ctx context.Context, sc scope) place {
	c, err := d.join(ctx)
	return place{db: d, sc: sc, tx: c, err: err}
}

// work parses a statement and binds its arguments. rows makes the receiver of its rows.
func (p place) work(sql string, a Args, rows func(*statement) rows) (*work, error) {
	if p.err != nil {
		return nil, fmt.Errorf("%w, in: %s", p.err, oneLine(sql))
	}
	st, err := p.db.statement(stmtKey{text: sql}, func() (*statement, error) { return compile(p.db.pg(), sql) })
	if err != nil {
		return nil, err
	}
	values, err := st.bind(p.sc, a)
	if err != nil {
		return nil, err
	}
	w := &work{st: st, values: values}
	if rows != nil && p.later {
		return nil, fmt.Errorf("Tx.Later is for writes only, not for: %s", oneLine(sql))
	}
	if rows != nil {
		w.rows = rows(st)
	}
	return w, nil
}

// run executes the work in the open transaction, or else in its own.
func (p place) run(ctx context.Context, w ...*work) (err error) {
	p.db.ran.Add(int64(len(w)))
	if span := p.db.startSpan(ctx, w); span != nil {
		defer func() { span.End(err) }()
	}
	if p.db.slow > 0 {
		defer p.db.logSlow(ctx, time.Now(), w)
	}
	if p.later {
		return p.tx.queue(ctx, p.sc, w)
	}
	p.db.trips.Add(1)
	if p.tx != nil {
		return p.tx.run(ctx, p.sc, w)
	}
	return p.db.runAlone(ctx, p.sc, w)
}

func (p place) query(ctx context.Context, sql string, a Args, rows func(*statement) rows) (*work, error) {
	w, err := p.work(sql, a, rows)
	if err != nil {
		return nil, err
	}
	return w, p.run(ctx, w)
}

// Exec runs a statement and returns how many rows it changed.
func Exec(ctx context.Context, q Q, sql string, a Args) (int64, error) {
	w, err := q.at(ctx).query(ctx, sql, a, nil)
	if err != nil {
		return 0, err
	}
	return w.affected, nil
}

// All returns the rows of a statement. T is a type for a single column, or a
// struct: columns map to fields by the `db:"…"` tag, else by the field name in
// snake case (ClassID is class_id). Embedded structs are flattened.
func All[T any](ctx context.Context, q Q, sql string, a Args) ([]T, error) {
	out := []T{}
	_, err := q.at(ctx).query(ctx, sql, a, func(st *statement) rows { return gather(st, &out) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// gather appends every row to out.
func gather[T any](st *statement, out *[]T) *typed[T] {
	return &typed[T]{st: st,
		next: func() *T {
			var zero T
			*out = append(*out, zero)
			return &(*out)[len(*out)-1]
		},
		done: func(*T) error { return nil },
	}
}

// Ask is a SELECT of Read.
type Ask struct {
	sql  string
	args Args
	rows func(*statement) rows
}

// Into asks for the rows of a statement, as All does.
func Into[T any](out *[]T, sql string, a Args) Ask {
	*out = []T{}
	return Ask{sql, a, func(st *statement) rows { return gather(st, out) }}
}

// Read runs several SELECTs in one round trip.
func Read(ctx context.Context, q Q, asks ...Ask) (err error) {
	p, all := q.at(ctx), make([]*work, len(asks))
	for i, ask := range asks {
		if all[i], err = p.work(ask.sql, ask.args, ask.rows); err != nil {
			return err
		}
	}
	return p.run(ctx, all...)
}

// One returns the first row of a statement, or ErrNotFound.
func One[T any](ctx context.Context, q Q, sql string, a Args) (T, error) {
	var out, spare T
	found := false
	w, err := q.at(ctx).query(ctx, sql, a, func(st *statement) rows {
		return &typed[T]{st: st,
			next: func() *T {
				if found {
					return &spare
				}
				found = true
				return &out
			},
			done: func(*T) error { return nil },
		}
	})
	if err == nil && w.got == 0 {
		err = ErrNotFound
	}
	return out, err
}

// Each streams the rows of a statement to f, and stops at the first error of f.
// In a transaction all rows are read before the first call, so that f may run
// statements in it.
func Each[T any](ctx context.Context, q Q, sql string, a Args, f func(T) error) error {
	p := q.at(ctx)
	if p.tx != nil {
		all, err := All[T](ctx, q, sql, a)
		for i := 0; i < len(all) && err == nil; i++ {
			err = f(all[i])
		}
		return err
	}
	var buf T
	_, err := p.query(ctx, sql, a, func(st *statement) rows {
		return &typed[T]{st: st,
			next: func() *T { var zero T; buf = zero; return &buf },
			done: func(t *T) error { return f(*t) },
		}
	})
	return err
}

// ErrNotFound means that no row matched.
var ErrNotFound = errors.New("no row")

// ForUpdate returns FOR UPDATE for a SELECT whose rows nobody may change, delete or refer
// to anew until the transaction ends. SQLite has one writer and needs nothing.
func ForUpdate(q Q) string {
	return When(q.at(context.Background()).db.pg(), " FOR UPDATE")
}

// ForShare returns FOR SHARE for a SELECT of a record that must stay as it is until tx ends. Others may rely on it at
// the same time, and refer to it.
func ForShare(q Q) string {
	return When(q.at(context.Background()).db.pg(), " FOR SHARE")
}

// SkipLocked returns FOR UPDATE SKIP LOCKED for a SELECT that claims rows, so that
// two nodes don't claim the same one. SQLite has one writer and needs nothing.
func SkipLocked(q Q) string {
	return When(q.at(context.Background()).db.pg(), " FOR UPDATE SKIP LOCKED")
}
