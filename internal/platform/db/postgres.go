package db

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

const (
	pgConns          = 16
	pgConnectTimeout = 2 * time.Second // default of connect_timeout in the URL: a busy server needs a second
	pgLifetime       = time.Hour       // maximum age of a connection, which bounds the server's caches for it
	pgStatements     = 512             // prepared statements per connection
	pgChannel        = "homeroom"
	pgBegin          = "BEGIN ISOLATION LEVEL READ COMMITTED"
)

// pgScope sets the role, the school, the way of planning and the timeouts until the end of
// the transaction. A pooler may give the next transaction of this session to another
// client, so nothing may be set for longer.
const pgScope = `SELECT set_config('role', $1, true), set_config('homeroom.school', $2, true), set_config('plan_cache_mode', $3, true),
	set_config('statement_timeout', '2min', true), set_config('idle_in_transaction_session_timeout', '1min', true)`

// postgres is the PostgreSQL engine. Every statement runs in a transaction that
// first sets a role subject to row-level security, and the school. These commands
// are sent in the same batch as the statement, so they cost no round trip.
type postgres struct {
	config         *pgconn.Config
	signals        *pgconn.Config // of the connection for signals
	connectTimeout time.Duration
	pool           *pool[*pgConn]
	log            *slog.Logger
	warned         sync.Once // of a pooler that does not keep prepared statements

	open, done, scope, notify, advise *statement
}

func openPostgres(o Options) (engine, error) {
	config, err := parsePostgres(o.URL)
	if err != nil {
		return nil, err
	}
	signals, err := parsePostgres(cmp.Or(o.SignalURL, o.URL))
	if err != nil {
		return nil, fmt.Errorf("signal URL: %w", err)
	}
	e := &postgres{
		config:         config,
		signals:        signals,
		connectTimeout: cmp.Or(config.ConnectTimeout, pgConnectTimeout),
		log:            o.Log,
		open:           verbatim(pgBegin),
		done:           verbatim("COMMIT"),
		scope:          verbatim(pgScope),
		notify:         verbatim("SELECT pg_notify('" + pgChannel + "', $1)"),
		advise:         verbatim("SELECT pg_advisory_xact_lock($1)"),
	}
	conns := pgConns
	if o.MaxConns > 0 {
		conns = o.MaxConns
	}
	e.pool, err = newPool(conns, e.connect, e.alive, (*pgConn).end)
	return e, err
}

// parsePostgres parses a URL. Its errors do not contain the password. The parameters
// that it adds are among the few that PgBouncer allows. Of several servers it chooses the
// primary: after a failover an address may lead to a standby for a while.
func parsePostgres(url string) (*pgconn.Config, error) {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["application_name"] = cmp.Or(config.RuntimeParams["application_name"], "homeroom")
	config.RuntimeParams["client_encoding"] = "UTF8"
	if config.ValidateConnect == nil {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	return config, nil
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
	unnamed    bool // send each statement's text: the pooler does not keep prepared statements
	born       time.Time
	stale      bool        // close it on release
	saving     atomic.Bool // a COMMIT is under way, or was when the connection broke
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
	c := &pgConn{statements: map[*statement]*prepared{}, born: time.Now()}
	var err error
	if c.PgConn, err = pgconn.ConnectConfig(ctx, c.uncancelled(e.config)); err != nil {
		return nil, unavailable(err)
	}
	pooled, err := c.isPooled(ctx) // also because a pooler accepts connections while the server is down
	if err != nil {
		c.end()
		return nil, unavailable(err)
	}
	if pooled && !c.keepsStatements(ctx) {
		c.unnamed = true
		e.warned.Do(func() {
			e.log.Warn("the pooler may lose prepared statements, so each statement is planned anew: " +
				"use PgBouncer 1.21 or later, in transaction mode, with max_prepared_statements")
		})
	}
	return c, nil
}

var errSaving = errors.New("a commit is not cancelled")

// uncancelled keeps pgx from cancelling a COMMIT on the server when it gives a connection
// up. A commit that waits for its standby would then end, visible, on this server alone,
// and be lost with it.
func (c *pgConn) uncancelled(config *pgconn.Config) *pgconn.Config {
	config = config.Copy()
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if c.saving.Load() { // the connection exists, so pgx dials to cancel
			return nil, errSaving
		}
		return dial(ctx, network, addr)
	}
	return config
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
	d, err := c.Prepare(ctx, c.nextName(st), st.sql, nil)
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

// nextName returns a name with a hash of the statement in it: if a pooler mixes up
// connections, the name does not exist there or means the same statement.
func (c *pgConn) nextName(st *statement) string {
	if c.unnamed {
		return ""
	}
	sum := sha256.Sum256([]byte(st.sql))
	return strconv.Itoa(c.named) + "_" + hex.EncodeToString(sum[:12])
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
	case cause.Code == "25006": // a standby: the primary is another server now
		f.retryable, c.stale = true, true
		e.pool.Reset()
		f.cause, f.broken = unavailable(err), true
	case class("08"), class("53"), class("57P"): // connections, resources, shutting down
		e.pool.Reset()
		f.cause, f.broken = unavailable(err), true
	}
	return f
}
