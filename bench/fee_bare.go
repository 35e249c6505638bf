package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// querier runs statements, in a transaction or without one.
type querier interface {
	exec(ctx context.Context, sql string, args ...any) error
	query(ctx context.Context, sql string, args []any, each func(scan func(...any) error) error) error
}

// counter is the database of the bare handler.
type counter struct {
	school string
	querier
	begin func(ctx context.Context, fn func(querier) error) error
	lock  func(ctx context.Context, h querier) error // the school's ledger
}

// numbered replaces the named parameters of a service's statement: $1 is the school, $2 the student.
func numbered(sql string) string {
	return strings.NewReplacer(":school", "$1", ":student", "$2").Replace(sql)
}

// serveBareFee answers GET with a statement and POST by recording a payment, without
// authentication, rules or request log.
func serveBareFee(engine, url string) error {
	open := counterSQLite
	if engine == "PostgreSQL" {
		open = counterPostgres
	}
	c, err := open(target{engine, url})
	if err != nil {
		return err
	}
	err = c.query(context.Background(), schoolSQL, nil, func(scan func(...any) error) error { return scan(&c.school) })
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, message, status := any(nil), "OK.", http.StatusOK
		var err error
		if r.Method == http.MethodGet {
			answer, err = c.statement(r.Context(), r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
		} else {
			message, status = "Recorded.", http.StatusCreated
			var in paymentIn
			if err = json.NewDecoder(r.Body).Decode(&in); err == nil {
				answer, err = c.take(r.Context(), in)
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body, err := json.Marshal(struct {
			Data    any    `json:"data"`
			Message string `json:"message"`
		}{answer, message})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body = append(body, '\n')
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body) // fails only if the client is gone
	}))
}

// liteHand is database/sql with cached prepared statements.
type liteHand struct {
	prepare func(ctx context.Context, query string) (*sql.Stmt, error)
	known   *sync.Map
}

func (h liteHand) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if st, ok := h.known.Load(query); ok {
		return st.(*sql.Stmt), nil
	}
	st, err := h.prepare(ctx, query)
	if err == nil {
		h.known.Store(query, st)
	}
	return st, err
}

func (h liteHand) exec(ctx context.Context, query string, args ...any) error {
	st, err := h.stmt(ctx, query)
	if err == nil {
		_, err = st.ExecContext(ctx, args...)
	}
	if err != nil {
		return fmt.Errorf("%w in %s", err, query)
	}
	return nil
}

func (h liteHand) query(ctx context.Context, query string, args []any, each func(func(...any) error) error) error {
	st, err := h.stmt(ctx, query)
	if err != nil {
		return fmt.Errorf("%w in %s", err, query)
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return fmt.Errorf("%w in %s", err, query)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return fmt.Errorf("%w in %s", err, query)
		}
	}
	return rows.Err()
}

func counterSQLite(t target) (*counter, error) {
	d, err := t.open()
	if err != nil {
		return nil, err
	}
	d.SetMaxOpenConns(5)
	d.SetMaxIdleConns(5)
	writer, err := d.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	var one sync.Mutex
	h := liteHand{prepare: writer.PrepareContext, known: &sync.Map{}}
	lock := func(context.Context, querier) error { return nil } // there is one writer
	reader := liteHand{prepare: d.PrepareContext, known: &sync.Map{}}
	return &counter{querier: reader, lock: lock, begin: func(_ context.Context, fn func(querier) error) error {
		one.Lock()
		defer one.Unlock()
		ctx := context.Background() // a disconnected client must not cancel the writer's statements
		if err := h.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		if err := fn(h); err != nil {
			return errors.Join(err, h.exec(ctx, "ROLLBACK"))
		}
		return h.exec(ctx, "COMMIT")
	}}, nil
}

// pgHand is pgx, which caches prepared statements itself.
type pgHand struct {
	q interface {
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	}
}

func (h pgHand) exec(ctx context.Context, sql string, args ...any) error {
	rows, err := h.q.Query(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("%w in %s", err, sql)
	}
	rows.Close()
	if rows.Err() != nil {
		return fmt.Errorf("%w in %s", rows.Err(), sql)
	}
	return nil
}

func (h pgHand) query(ctx context.Context, sql string, args []any, each func(func(...any) error) error) error {
	rows, err := h.q.Query(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("%w in %s", err, sql)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return fmt.Errorf("%w in %s", err, sql)
		}
	}
	return rows.Err()
}

func counterPostgres(t target) (*counter, error) {
	p, err := barePool(t.url)
	if err != nil {
		return nil, err
	}
	lock := func(ctx context.Context, h querier) error { return h.exec(ctx, "SELECT pg_advisory_xact_lock(42)") }
	return &counter{querier: pgHand{p}, lock: lock, begin: func(ctx context.Context, fn func(querier) error) error {
		tx, err := p.Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(ctx) }() // nothing after a commit
		if err := fn(pgHand{tx}); err != nil {
			return err
		}
		return tx.Commit(ctx)
	}}, nil
}
