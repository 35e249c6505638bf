package db

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// exchange is a batch of statements for one round trip. The first ones (lead)
// begin the transaction and set the scope.
type exchange struct {
	e     *postgres
	c     *pgConn
	batch pgconn.Batch
	lead  int
	buf   []byte
}

// add puts a statement in the batch. The first time on a connection it is
// prepared, which takes a round trip of its own.
func (x *exchange) add(ctx context.Context, st *statement, values ...any) error {
	p, err := x.c.prepared(ctx, st)
	if err != nil {
		return during(ctx, unsent(x.e.explain(ctx, x.c, err)), st.text)
	}
	params, formats := x.encode(values)
	if x.c.unnamed {
		x.batch.ExecParams(st.sql, params, p.ParamOIDs, formats, p.formats)
	} else {
		x.batch.ExecStatement(p.StatementDescription, params, formats, p.formats)
	}
	return nil
}

// A statement is planned once per connection: planning it for the values of each call takes
// longer than running it. Lists are planned for their values.
const (
	planOnce = "force_generic_plan"
	planEach = "auto"
)

func planOf(all []*work) string {
	if slices.ContainsFunc(all, func(w *work) bool { return w.list }) {
		return planEach
	}
	return planOnce
}

// enter adds BEGIN if needed, the role and school of the scope, and pending locks.
func (x *exchange) enter(ctx context.Context, s *pgTx, sc scope, plan string) error {
	if !s.begun {
		if err := x.add(ctx, x.e.open); err != nil {
			return err
		}
		x.lead++
	}
	if sc.kind != asOwner && (!s.entered || s.sc != sc || s.plan != plan) {
		role := roleApp
		if sc.kind == inAll {
			role = rolePlatform
		}
		if err := x.add(ctx, x.e.scope, role, string(sc.school), plan); err != nil {
			return err
		}
		x.lead++
	}
	for _, key := range s.locks {
		if err := x.add(ctx, x.e.advise, key); err != nil {
			return err
		}
		x.lead++
	}
	s.locks = nil
	s.begun, s.entered, s.sc, s.plan = true, sc.kind != asOwner, sc, plan
	return nil
}

// send makes the round trip, delivers the rows to the work and returns the last
// command tag.
func (x *exchange) send(ctx context.Context, work []*work) (tag string, err error) {
	results := x.c.ExecBatch(ctx, &x.batch)
	n := -x.lead
	for ; results.NextResult(); n++ {
		mine := n >= 0 && n < len(work)
		if mine {
			x.read(results.ResultReader(), work[n])
		}
		t, err := results.ResultReader().Close()
		if err != nil {
			break
		}
		if mine {
			work[n].affected = t.RowsAffected()
		}
		tag = t.String()
	}
	err = results.Close()
	x.c.dropIfCancelled(ctx)
	err = x.e.explain(ctx, x.c, err)
	if n >= 0 && n < len(work) {
		return tag, during(ctx, err, work[n].st.text)
	}
	return tag, during(ctx, err, "BEGIN … COMMIT")
}

func (x *exchange) read(r *pgconn.ResultReader, w *work) {
	if w.rows == nil {
		return
	}
	p := x.c.statements[w.st]
	w.describe(p.columns)
	row := make([]value, len(p.columns))
	var scratch []byte
	for r.NextRow() {
		scratch = scratch[:0]
		for i, raw := range r.Values() {
			row[i], scratch = fromPostgres(p.Fields[i].DataTypeOID, raw, scratch)
		}
		w.deliver(row)
	}
}

// run executes the work in one round trip. Such a batch is a transaction without BEGIN
// and COMMIT: the server commits after its last statement.
func (e *postgres) run(ctx context.Context, sc scope, work []*work) error {
	r, err := e.pool.acquire(ctx)
	if err != nil {
		return err
	}
	defer e.release(r)
	_, err = e.roundTrip(ctx, &pgTx{c: r.Value(), begun: true}, sc, work)
	return err
}

// roundTrip sends the work after what is queued, and returns the last command tag.
func (e *postgres) roundTrip(ctx context.Context, s *pgTx, sc scope, work []*work) (tag string, err error) {
	if len(s.queued) > 0 && s.sc != sc {
		if _, err := e.roundTrip(ctx, s, s.sc, nil); err != nil {
			return "", err
		}
	}
	x := &exchange{e: e, c: s.c}
	all := append(s.queued, work...)
	if err := x.enter(ctx, s, sc, planOf(all)); err != nil {
		return "", err
	}
	s.queued = nil
	for _, w := range all {
		if err := x.add(ctx, w.st, w.values...); err != nil {
			return "", err
		}
	}
	s.c.saving.Store(s.ending)
	tag, err = x.send(ctx, all)
	s.c.saving.Store(s.ending && s.c.IsClosed()) // pgx cancels in the background
	if s.ending && (isBroken(err) || err != nil && ctx.Err() != nil) {
		err = unknown(err)
	}
	return tag, err
}

// pgTx is a transaction. BEGIN and changes of scope are sent with the next
// statement.
type pgTx struct {
	e       *postgres
	held    *puddle.Resource[*pgConn]
	c       *pgConn // of held; nil after the end
	begun   bool
	entered bool // a scope is set
	ending  bool // the next round trip has the COMMIT
	sc      scope
	plan    string         // planOnce or planEach
	locks   []int64        // taken with the next statement
	queued  []*work        // in the scope sc; sent before the next statement
	wrote   map[string]int // rows by table, see grew
}

func (e *postgres) begin(ctx context.Context, schema bool) (session, error) {
	r, err := e.pool.acquire(ctx)
	if err != nil {
		return nil, err
	}
	s := &pgTx{e: e, held: r, c: r.Value()}
	if schema {
		err := s.script(ctx, fmt.Sprintf(`SET LOCAL statement_timeout = 0;
			SET LOCAL idle_in_transaction_session_timeout = '1min'; SELECT pg_advisory_xact_lock(%d)`, migrationLock))
		if err != nil {
			s.rollback()
			return nil, err
		}
	}
	return s, nil
}

// snapshot has no time limits: it may wait for whoever reads its rows.
func (e *postgres) snapshot(ctx context.Context) (session, error) {
	r, err := e.pool.acquire(ctx)
	if err != nil {
		return nil, err
	}
	s := &pgTx{e: e, held: r, c: r.Value(), begun: true}
	err = s.script(ctx, `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
		SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`)
	if err != nil {
		s.rollback()
		return nil, err
	}
	return s, nil
}

func (s *pgTx) run(ctx context.Context, sc scope, work []*work) error {
	_, err := s.e.roundTrip(ctx, s, sc, work)
	return err
}

func (s *pgTx) queue(ctx context.Context, sc scope, work []*work) error {
	if !s.entered || s.sc != sc {
		return s.run(ctx, sc, work)
	}
	s.queued = append(s.queued, work...)
	return nil
}

func (s *pgTx) script(ctx context.Context, sql string) error {
	if len(s.locks) > 0 || len(s.queued) > 0 {
		if err := s.run(ctx, s.scopeOrOwner(), nil); err != nil {
			return err
		}
	}
	if !s.begun {
		sql, s.begun = pgBegin+"; "+sql, true
	}
	return s.e.explain(ctx, s.c, s.c.script(ctx, sql))
}

// analyze runs as the owner of the tables; the next statement sets its role again.
func (s *pgTx) analyze(ctx context.Context) error {
	err := s.script(ctx, "SET LOCAL ROLE NONE; ANALYZE")
	s.entered = false
	return err
}

// grew updates the statistics of a table at 1,000, 8,000, 64,000 … rows that this transaction
// has written, if PostgreSQL knows of fewer. For a table that is thought to be small it looks
// up a foreign key by any index that begins with the school, and keeps that plan: the first
// import into an empty database would read all rows for each row.
func (s *pgTx) grew(ctx context.Context, table string, rows int) error {
	before := s.wrote[table]
	if s.wrote == nil {
		s.wrote = map[string]int{}
	}
	s.wrote[table] += rows
	step := 1000
	for step <= before {
		step *= 8
	}
	if s.wrote[table] < step {
		return nil
	}
	err := s.script(ctx, fmt.Sprintf(`SET LOCAL ROLE NONE; DO $$ BEGIN
		IF (SELECT reltuples FROM pg_class WHERE oid = '%s'::regclass) < %d THEN ANALYZE (SKIP_LOCKED) %[1]s; END IF;
		END $$`, table, s.wrote[table]))
	s.entered = false
	return err
}

// lock is sent with the next statement, which waits for it and sees all that was
// committed until then. That saves a round trip.
func (s *pgTx) lock(_ context.Context, key int64) error {
	s.locks = append(s.locks, key)
	return nil
}

// scopeOrOwner returns the current scope.
func (s *pgTx) scopeOrOwner() scope {
	if s.entered {
		return s.sc
	}
	return scope{kind: asOwner}
}

var errRolledBack = errors.New("the server rolled the transaction back")

func (s *pgTx) commit(ctx context.Context, notes []string) error {
	last := make([]*work, 0, len(notes)+1)
	for _, n := range notes {
		last = append(last, &work{st: s.e.notify, values: []any{n}})
	}
	s.ending = true
	tag, err := s.e.roundTrip(ctx, s, s.scopeOrOwner(), append(last, &work{st: s.e.done}))
	if err == nil && tag != "COMMIT" {
		err = errRolledBack
	}
	if err == nil {
		s.rollback()
	}
	return err
}

// rollback releases the connection, which rolls back an open transaction.
func (s *pgTx) rollback() {
	if s.c != nil {
		s.e.release(s.held)
		s.c = nil
	}
}
