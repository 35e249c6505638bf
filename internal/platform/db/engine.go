package db

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/id"
)

// engine is what SQLite and PostgreSQL each do in their own way. Errors come
// out explained: see errors.go.
type engine interface {
	name() string
	// run does the work as one atomic unit.
	run(ctx context.Context, sc scope, work []*work) error
	// begin starts a transaction. One for the schema keeps every other process
	// that wants the same waiting.
	begin(ctx context.Context, schema bool) (session, error)
	// prepare makes what a schema needs and no migration can make.
	prepare(ctx context.Context) error
	backup(ctx context.Context, path string) error
	optimize(ctx context.Context) error
	usage() map[string]Usage
	// listen delivers the signals of other nodes until ctx ends.
	listen(ctx context.Context, s *signals, lost func(error))
	close() error
}

// session is an open transaction.
type session interface {
	run(ctx context.Context, sc scope, work []*work) error
	script(ctx context.Context, sql string) error
	lock(ctx context.Context, key int64) error
	// commit ends the transaction, and with it sends the notes; rollback ends
	// it too, and does nothing after commit.
	commit(ctx context.Context, notes []string) error
	rollback()
}

// work is one statement to run, with its values.
type work struct {
	st       *statement
	values   []any
	rows     rows        // nil: only count them
	skip     func() bool // asked by an engine that runs one after the other
	affected int64
	got      int   // rows delivered
	refused  error // what rows said to one of them
}

// deliver hands on one row; after a refusal the rest are dropped.
func (w *work) deliver(row []value) {
	if w.refused == nil {
		w.got++
		w.refused = w.rows.row(row)
	}
}

// describe announces the columns.
func (w *work) describe(columns []string) {
	if w.rows != nil {
		w.refused = w.rows.columns(columns)
	}
}

type scopeKind uint8

const (
	inSchool scopeKind = iota
	inAll
	asOwner // of the schema: migrations
)

// scope is whose rows a statement may touch.
type scope struct {
	kind   scopeKind
	school id.ID
}

var errNoSchool = errors.New("a statement in a school must name :school")

// allows refuses a statement in a school that could reach beyond it.
func (sc scope) allows(st *statement, a Args) error {
	if sc.kind != inSchool {
		return nil
	}
	if !isUUID(string(sc.school)) {
		return fmt.Errorf("not the id of a school: %q", sc.school)
	}
	if _, ok := a["school"]; ok {
		return fmt.Errorf(":school is supplied, take it out of the arguments of: %s", oneLine(st.text))
	}
	for _, n := range st.names {
		if n == "school" {
			return nil
		}
	}
	return fmt.Errorf("%w: %s", errNoSchool, oneLine(st.text))
}

// isUUID guards the one value that goes into a text: SET LOCAL takes no parameter.
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
