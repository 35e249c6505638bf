package db

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// searchable is what a migration says of a table of a school that has the
// columns archived_at and search, so that Find finds any part of search through
// an index of trigrams. Said again, it makes what has changed in it since.
//
// PostgreSQL uses no index for LIKE under row security, for the operator might
// tell what it sees. So a function that runs as the owner of the table does it,
// and finds in the school of the transaction alone.
func searchable(pg bool, table string) string {
	sql := liteSearchable
	if pg {
		sql = pgSearchable
	}
	return strings.NewReplacer("$t", table, "$app", roleApp, "$platform", rolePlatform, "$school", pgSchool).Replace(sql)
}

const pgSearchable = `
DO $body$
BEGIN
	CREATE EXTENSION IF NOT EXISTS pg_trgm;
	CREATE EXTENSION IF NOT EXISTS btree_gin;
EXCEPTION WHEN insufficient_privilege THEN
	RAISE EXCEPTION 'search needs two extensions that this database user may not create; an administrator should run, once, in this database: CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin;';
END $body$;
CREATE INDEX IF NOT EXISTS $t_search ON $t USING gin (school_id, search gin_trgm_ops) WHERE archived_at IS NULL;
CREATE OR REPLACE FUNCTION $t_matching(pattern text) RETURNS SETOF $t LANGUAGE sql STABLE SECURITY DEFINER ROWS 500 SET search_path FROM CURRENT AS $body$
	SELECT * FROM $t WHERE school_id = $school AND archived_at IS NULL AND search LIKE pattern
$body$;
REVOKE ALL ON FUNCTION $t_matching(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION $t_matching(text) TO $app;`

// The index keeps no text of its own: a rowid leads to the row, and Find looks at
// it again. Text has one more letter there, so that any two of its own begin a
// trigram. Which ones there are, $t_terms tells.
const liteSearchable = `
DROP TABLE IF EXISTS $t_terms;
DROP TABLE IF EXISTS $t_search;
DROP TRIGGER IF EXISTS $t_search_came;
DROP TRIGGER IF EXISTS $t_search_moved;
DROP TRIGGER IF EXISTS $t_search_went;
CREATE VIRTUAL TABLE $t_search USING fts5(search, content = '$t', content_rowid = 'rowid',
	tokenize = 'trigram case_sensitive 1', detail = 'none', columnsize = 0);
CREATE VIRTUAL TABLE $t_terms USING fts5vocab($t_search, row);
INSERT INTO $t_search (rowid, search) SELECT rowid, search || char(10) FROM $t WHERE archived_at IS NULL;
CREATE TRIGGER $t_search_came AFTER INSERT ON $t WHEN NEW.archived_at IS NULL
BEGIN
	INSERT INTO $t_search (rowid, search) VALUES (NEW.rowid, NEW.search || char(10));
END;
CREATE TRIGGER $t_search_moved AFTER UPDATE OF search, archived_at ON $t
WHEN OLD.search <> NEW.search OR (OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL)
BEGIN
	INSERT INTO $t_search ($t_search, rowid, search) SELECT 'delete', OLD.rowid, OLD.search || char(10) WHERE OLD.archived_at IS NULL;
	INSERT INTO $t_search (rowid, search) SELECT NEW.rowid, NEW.search || char(10) WHERE NEW.archived_at IS NULL;
END;
CREATE TRIGGER $t_search_went AFTER DELETE ON $t WHEN OLD.archived_at IS NULL
BEGIN
	INSERT INTO $t_search ($t_search, rowid, search) VALUES ('delete', OLD.rowid, OLD.search || char(10));
END;`

// trigram is the shortest text that an index of trigrams can find.
const trigram = 3

// Find stands in place of a table that a migration calls searchable, and holds
// those of its rows that have part in their column search, the archived ones
// left out. Its arguments belong to the statement's. What is shorter than three
// letters is looked for in every row of the school, but that SQLite looks two up
// as the trigrams that begin with them.
func Find(q Q, table, part string) (from string, a Args) {
	a = Args{"find_like": Contains(part)}
	pg, letters := q.at(context.Background()).db.pg(), utf8.RuneCountInString(part)
	match := `:find_match`
	switch {
	case pg && letters < trigram:
		from = `(SELECT * FROM $t WHERE school_id = :school AND archived_at IS NULL AND search LIKE :find_like ESCAPE '\') AS $t`
		return strings.ReplaceAll(from, "$t", table), a
	case pg:
		return table + `_matching(:find_like) AS ` + table, a
	case letters < trigram-1: // by the primary key, which leads through the rows as they lie
		from = `(SELECT * FROM $t INDEXED BY sqlite_autoindex_$t_1
			WHERE school_id = :school AND archived_at IS NULL AND search LIKE :find_like ESCAPE '\') AS $t`
		return strings.ReplaceAll(from, "$t", table), a
	case letters < trigram:
		a["find_from"], a["find_to"] = part, part+string(utf8.MaxRune)
		match = `(SELECT COALESCE(group_concat('"' || replace(term, '"', '""') || '"', ' OR '), '"' || char(1, 1, 1) || '"')
			FROM $t_terms WHERE term >= :find_from AND term < :find_to)`
	default:
		a["find_match"] = trigrams(part)
	}
	from = `(SELECT $t.* FROM $t_search CROSS JOIN $t ON $t.rowid = $t_search.rowid
		WHERE $t_search MATCH ` + match + ` AND school_id = :school AND archived_at IS NULL AND $t.search LIKE :find_like ESCAPE '\') AS $t`
	return strings.ReplaceAll(from, "$t", table), a
}

// trigrams is the FTS5 expression for rows that have every trigram of the text,
// of which few are enough: the rows are looked at again.
func trigrams(s string) string {
	const enough = 6
	r := []rune(s)
	var out []string
	for i := 0; i+trigram <= len(r) && len(out) < enough; i++ {
		if t := `"` + strings.ReplaceAll(string(r[i:i+trigram]), `"`, `""`) + `"`; !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return strings.Join(out, " AND ")
}
