package db

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/id"
)

// engine is implemented by SQLite and PostgreSQL. Its errors are of the type
// failure: see errors.go.
type engine interface {
	name() string
	// run executes the work in one transaction.
	run(ctx context.Context, sc scope, work []*work) error
	// begin starts a transaction. With schema it takes the migration lock, on
	// which other migrating processes wait.
	begin(ctx context.Context, schema bool) (session, error)
	// snapshot starts a transaction that only reads, and sees one state of the database.
	snapshot(ctx context.Context) (session, error)
	// prepare creates the database roles that migrations refer to.
	prepare(ctx context.Context) error
	backup(ctx context.Context, path string) error
	optimize(ctx context.Context) error
	usage() map[string]Usage
	// listen delivers the signals of other nodes until ctx ends.
	listen(ctx context.Context, s *signals)
	close() error
}

// session is an open transaction.
type session interface {
	run(ctx context.Context, sc scope, work []*work) error
	// queue is run for work whose result nobody needs: it may wait for the next run or
	// the commit.
	queue(ctx context.Context, sc scope, work []*work) error
	script(ctx context.Context, sql string) error
	analyze(ctx context.Context) error
	grew(ctx context.Context, table string, rows int) error // after an INSERT of many rows
	lock(ctx context.Context, key int64) error
	// commit sends the notes (NOTIFY) with the commit. rollback does nothing after
	// a commit.
	commit(ctx context.Context, notes []string) error
	rollback()
}

// work is one statement with its parameter values, and its result.
type work struct {
	st       *statement
	values   []any
	rows     rows        // receives the rows; nil: only affected is set
	list     bool        // a page of a list: schools differ in size, and searches in what they find
	skip     func() bool // asked before the statement by SQLite, which runs them one by one
	affected int64
	got      int   // rows delivered
	refused  error // the error that rows returned
}

// deliver passes one row on. After an error the remaining rows are dropped.
func (w *work) deliver(row []value) {
	if w.refused == nil {
		w.got++
		w.refused = w.rows.row(row)
	}
}

// describe passes the column names on.
func (w *work) describe(columns []string) {
	if w.rows != nil {
		w.refused = w.rows.columns(columns)
	}
}

type scopeKind uint8

const (
	inSchool scopeKind = iota
	inAll
	asOwner // as owner of the schema, for migrations
)

// scope is the school, or all schools, whose rows a statement may access.
type scope struct {
	kind   scopeKind
	school id.ID
}

var errNoSchool = errors.New("a statement in a school must contain :school")

// allows rejects a statement in a school that has no :school.
func (sc scope) allows(st *statement, a Args) error {
	if sc.kind != inSchool {
		return nil
	}
	if !isUUID(string(sc.school)) {
		return fmt.Errorf("not a school id: %q", sc.school)
	}
	if _, ok := a["school"]; ok {
		return fmt.Errorf(":school is set by db, remove it from the arguments of: %s", oneLine(st.text))
	}
	for _, n := range st.names {
		if n == "school" {
			return nil
		}
	}
	return fmt.Errorf("%w: %s", errNoSchool, oneLine(st.text))
}

// isUUID reports whether s is a UUID in its usual form.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case !isDigit(c) && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}
