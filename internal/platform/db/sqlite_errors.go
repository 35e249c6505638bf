package db

import (
	"context"
	"errors"
	"regexp"
	"strings"

	lite "modernc.org/sqlite"
)

// SQLite's result codes.
const (
	codeBusy       = 5
	codeIO         = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCantOpen   = 14
	codeProtocol   = 15 // locking protocol
	codeNotADB     = 26 // not a database
	codeForeignKey = 787
	codePrimaryKey = 1555
	codeUnique     = 2067
)

var uniqueFailed = regexp.MustCompile(`UNIQUE constraint failed: (?:index '(.+?)'|(.+?)) \(\d+\)`)

// explain classifies an error of SQLite.
func (e *sqlite) explain(c *liteConn, err error) error {
	cause, ok := errors.AsType[*lite.Error](err)
	if !ok {
		return err
	}
	f := &failure{cause: err}
	switch code := cause.Code(); code {
	case codeForeignKey:
		f.reference = true
	case codePrimaryKey, codeUnique:
		f.duplicate = e.uniqueIndexes(c, cause.Error())
	default:
		switch code & 0xff {
		case codeBusy, codeIO, codeFull, codeCantOpen, codeProtocol:
			return unavailable(err)
		}
		f.missing = strings.Contains(cause.Error(), "no such table")
	}
	return f
}

// IsCorrupt reports whether SQLite found that its file is damaged or not a database.
func IsCorrupt(err error) bool {
	cause, ok := errors.AsType[*lite.Error](err)
	if !ok {
		return false
	}
	code := cause.Code() & 0xff
	return code == codeCorrupt || code == codeNotADB
}

const (
	checkKeys = `PRAGMA foreign_key_check`
	findIndex = `SELECT CASE l.origin WHEN 'pk' THEN $1 || '_pkey' ELSE l.name END AS name
		FROM pragma_index_list($1) AS l WHERE l."unique" AND $2 = (SELECT group_concat($1 || '.' || name, ', ')
		FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno))`
)

// uniqueIndexes returns the names of the unique indexes on the columns in SQLite's
// message. A primary key gets the name that PostgreSQL gives it.
func (e *sqlite) uniqueIndexes(c *liteConn, message string) []string {
	m := uniqueFailed.FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	if m[1] != "" {
		return []string{m[1]}
	}
	if names, ok := e.indexes.Load(m[2]); ok {
		return names.([]string)
	}
	table, _, _ := strings.Cut(m[2], ".")
	found := []string{}
	w := &work{st: e.findIndex, values: []any{table, m[2]}, rows: gather(e.findIndex, &found)}
	if err := c.do(context.Background(), w); err != nil || w.refused != nil {
		return nil
	}
	e.indexes.Store(m[2], found)
	return found
}
