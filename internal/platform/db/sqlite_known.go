package db

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// SQLite chooses among indexes by how many rows each leads to. Where nobody tells
// it, it takes it that a school has ten rows in any table and a student nine, and
// so rather reads all of a school than looks up twenty students by their ids. It
// could count, but what it counts in a school that has just begun is as wrong. So
// it is told, of every index there is, what schools are like when they are large.
const (
	knownRows   = 1_000_000 // of any table
	knownSchool = 1_000     // of them in a school
)

// fewValued are the columns by which a school's rows fall into few parts, and
// large ones.
var fewValued = []string{"academic_year_id", "account", "action", "audience", "category", "channel", "department", "entity", "half", "holder_kind",
	"is_pinned", "kind", "method", "role", "role_id", "severity", "state", "status", "system", "target_audience", "type"}

// knownColumn is one of an index, in their order.
type knownColumn struct {
	Tbl, Idx, Name string
	Uniq, Partial  bool
}

// know tells SQLite of the indexes that it knows nothing of: new ones, and those
// that a load has made anew.
func (c *core) know(ctx context.Context) error {
	q := &Tx{c, scope{kind: asOwner}}
	// The table of what is known is made by a look at another, if it is not there.
	if err := c.script(ctx, "ANALYZE schema_migrations"); err != nil {
		return err
	}
	columns, err := All[knownColumn](ctx, q, `
		SELECT m.name AS tbl, l.name AS idx, COALESCE(i.name, '') AS name, l."unique" AS uniq, l.partial
		FROM sqlite_master AS m, pragma_index_list(m.name) AS l, pragma_index_info(l.name) AS i
		WHERE m.type = 'table' AND l.name NOT IN (SELECT idx FROM sqlite_stat1 WHERE idx IS NOT NULL)
			AND NOT (l.origin = 'pk' AND m.name IN (SELECT idx FROM sqlite_stat1 WHERE idx IS NOT NULL)) -- of a table that lies in its key's index
		ORDER BY l.name, i.seqno`, nil)
	if err != nil {
		return err
	}
	type fact struct{ Tbl, Idx, Stat string }
	var facts []fact
	for len(columns) > 0 {
		n := slices.IndexFunc(columns, func(c knownColumn) bool { return c.Idx != columns[0].Idx })
		if n < 0 {
			n = len(columns)
		}
		facts = append(facts, fact{columns[0].Tbl, columns[0].Idx, rowsPer(columns[:n])})
		columns = columns[n:]
	}
	if _, err := Insert(ctx, q, `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (:tbl, :idx, :stat)`, facts); err != nil {
		return err
	}
	return c.script(ctx, "ANALYZE sqlite_schema") // which has them read
}

// rowsPer is how many rows the index has, and how many of them agree in its first
// column, in its first two, and so on. One of some rows has fewer than one of all.
func rowsPer(columns []knownColumn) string {
	rows, school := knownRows, knownSchool
	if columns[0].Partial {
		rows, school = rows/4, school/4
	}
	out := []string{strconv.Itoa(rows)}
	for i, c := range columns {
		switch {
		case c.Uniq && i == len(columns)-1:
			rows = 1
		case c.Name == "school_id" && i == 0:
			rows = school
		case slices.Contains(fewValued, c.Name):
			rows /= 3
		case c.Name == "id" || strings.HasSuffix(c.Name, "_id"):
			rows = min(rows/100, 20)
		default:
			rows = min(rows/20, 100)
		}
		rows = max(rows, 1)
		out = append(out, strconv.Itoa(rows))
	}
	return strings.Join(out, " ")
}
