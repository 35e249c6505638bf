package db

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

const (
	pgConns          = 16
	pgConnectTimeout = 800 * time.Millisecond // default of connect_timeout in the URL
	pgLifetime       = time.Hour              // maximum age of a connection, which bounds the server's caches for it
	pgStatements     = 512                    // prepared statements per connection
	pgChannel        = "homeroom"
)

// pgSettings are run after connecting. As startup parameters PgBouncer would
// reject them.
const pgSettings = `SET client_encoding = 'UTF8';
	SET statement_timeout = '2min';
	SET idle_in_transaction_session_timeout = '60s';
	SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED`

// postgres is the PostgreSQL engine. Every statement runs in a transaction that
// first sets a role subject to row-level security, and the school. These commands
// are sent in the same batch as the statement, so they cost no round trip.
type postgres struct {
	config         *pgconn.Config
	connectTimeout time.Duration
	pool           *pool[*pgConn]

	open, done, scope, notify, advise *statement
}

func openPostgres(url string, conns int) (engine, error) {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, err // does not contain the password
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "homeroom"
	}
	if conns <= 0 {
		conns = pgConns
	}
	e := &postgres{
		config:         config,
		connectTimeout: cmp.Or(config.ConnectTimeout, pgConnectTimeout),
		open:           verbatim("BEGIN"),
		done:           verbatim("COMMIT"),
		scope:          verbatim("SELECT set_config('role', $1, true), set_config('homeroom.school', $2, true)"),
		notify:         verbatim("SELECT pg_notify('" + pgChannel + "', $1)"),
		advise:         verbatim("SELECT pg_advisory_xact_lock($1)"),
	}
	e.pool, err = newPool(conns, e.connect, e.alive, (*pgConn).end)
	return e, err
}

func (e *postgres) name() string { return "postgres" }

func (e *postgres) close() error {
	e.pool.close()
	return nil
}

func (e *postgres) usage() map[string]Usage { return map[string]Usage{"all": e.pool.usage()} }

func (e *postgres) backup(context.Context, string) error {
	return errors.New("PostgreSQL makes its own backups: use pg_dump --format=custom --enable-row-security")
}

func (e *postgres) optimize(context.Context) error { return nil }

// pgConn is one connection and its prepared statements.
type pgConn struct {
	*pgconn.PgConn
	statements map[*statement]*prepared
	named      int
	born       time.Time
	stale      bool // close it on release
}

// prepared is a prepared statement with its result columns and their formats.
type prepared struct {
	*pgconn.StatementDescription
	columns []string
	formats []int16
}

func (e *postgres) connect(ctx context.Context) (*pgConn, error) {
	ctx, cancel := context.WithTimeout(ctx, e.connectTimeout)
	defer cancel()
	raw, err := pgconn.ConnectConfig(ctx, e.config)
	if err != nil {
		return nil, unavailable(err)
	}
	c := &pgConn{PgConn: raw, statements: map[*statement]*prepared{}, born: time.Now()}
	if err := c.script(ctx, pgSettings); err != nil {
		c.end()
		return nil, unavailable(err)
	}
	return c, nil
}

// alive pings an idle connection. It takes half the timeout, which leaves the rest for a new one.
func (e *postgres) alive(ctx context.Context, c *pgConn) bool {
	ctx, cancel := context.WithTimeout(ctx, e.connectTimeout/2)
	defer cancel()
	return c.script(ctx, "") == nil
}

func (c *pgConn) end() {
	ctx, cancel := context.WithTimeout(context.Background(), pgConnectTimeout)
	defer cancel()
	_ = c.Close(ctx)
}

// script runs any number of statements without parameters.
func (c *pgConn) script(ctx context.Context, sql string) error {
	_, err := c.Exec(ctx, sql).ReadAll()
	return err
}

// prepared prepares a statement once per connection.
func (c *pgConn) prepared(ctx context.Context, st *statement) (*prepared, error) {
	if p, ok := c.statements[st]; ok {
		return p, nil
	}
	c.named++
	c.stale = c.stale || c.named > pgStatements
	d, err := c.Prepare(ctx, "s"+strconv.Itoa(c.named), st.sql, nil)
	c.dropIfCancelled(ctx)
	if err != nil {
		return nil, err
	}
	p := &prepared{StatementDescription: d}
	for _, f := range d.Fields {
		p.columns = append(p.columns, f.Name)
		p.formats = append(p.formats, formatOf(f.DataTypeOID))
	}
	c.statements[st] = p
	return p, nil
}

// dropIfCancelled marks a connection as stale if ctx ended while it was in use:
// pgx may report the cancellation to the next caller.
func (c *pgConn) dropIfCancelled(ctx context.Context) { c.stale = c.stale || ctx.Err() != nil }

// release rolls back an open transaction and returns the connection to the pool.
func (e *postgres) release(r *puddle.Resource[*pgConn]) {
	c := r.Value()
	if !c.IsClosed() && !c.IsBusy() && c.TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.Background(), e.connectTimeout)
		defer cancel()
		c.stale = c.script(ctx, "ROLLBACK") != nil || c.stale
	}
	healthy := !c.IsClosed() && !c.IsBusy() && !c.stale && time.Since(c.born) < pgLifetime
	e.pool.release(r, healthy)
}

// explain classifies an error of PostgreSQL or of the connection.
func (e *postgres) explain(ctx context.Context, c *pgConn, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	cause, ok := errors.AsType[*pgconn.PgError](err)
	if !ok { // the connection broke
		e.pool.Reset()
		return &failure{cause: unavailable(err), broken: true}
	}
	f := &failure{cause: err}
	switch class := func(prefix string) bool { return strings.HasPrefix(cause.Code, prefix) }; {
	case cause.Code == "23505":
		f.duplicate = []string{cause.ConstraintName}
	case cause.Code == "23503", cause.Code == "23001":
		f.reference = true
	case cause.Code == "40001", cause.Code == "40P01":
		f.retryable = true
	case cause.Code == "26000", cause.Code == "0A000" && strings.Contains(cause.Message, "cached plan"):
		f.retryable, c.stale = true, true // the schema changed, or the prepared statements were discarded
		e.pool.Reset()
	case cause.Code == "42P01":
		f.missing = true
	case class("08"), class("53"), class("57P"): // connections, resources, shutting down
		e.pool.Reset()
		f.cause, f.broken = unavailable(err), true
	}
	return f
}
