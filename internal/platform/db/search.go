package db

import (
	"context"
	"regexp"
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
		sql = pgSearchable + pgFunctions("matching", "pattern", "", `search LIKE pattern`) +
			pgFunctions("pairing", "pair", "SET enable_seqscan = off", // its cost PostgreSQL takes to be less than it is
				`(search ~ (pair || '[$usual]') OR search LIKE '%' || pair OR search ~ '[^$usual]' AND search LIKE '%' || pair || '%')`)
	}
	return strings.NewReplacer("$t", table, "$app", roleApp, "$platform", rolePlatform, "$school", pgSchool, "$usual", usual).Replace(sql)
}

// usual are the letters, as they are within a regular expression's brackets, that
// PostgreSQL tries after the two that are sought. Many more are more than its index
// can be asked for at once: rows with any other have an index of their own.
const (
	usual   = ` -~\n` + foreign
	foreign = `ßæðøþđħıłŋœα-ωа-яёђѓєѕіїјљњћќўџґ`
)

const pgSearchable = `
DO $body$
BEGIN
	CREATE EXTENSION IF NOT EXISTS pg_trgm;
	CREATE EXTENSION IF NOT EXISTS btree_gin;
EXCEPTION WHEN insufficient_privilege THEN
	RAISE EXCEPTION 'search needs two extensions that this database user may not create; an administrator should run, once, in this database: CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin;';
END $body$;
CREATE INDEX IF NOT EXISTS $t_search ON $t USING gin (school_id, search gin_trgm_ops) WHERE archived_at IS NULL;
DROP INDEX IF EXISTS $t_unusual;
CREATE INDEX $t_unusual ON $t (school_id) WHERE archived_at IS NULL AND search ~ '[^$usual]';`

// pgFunctions makes $t_<name>, which returns rows, and $t_<name>_count, which
// tells how many there are, and need not carry them out of the function for that.
// To start others that help would take longer than they save.
func pgFunctions(name, argument, setting, condition string) string {
	const sql = `
CREATE OR REPLACE FUNCTION $name($argument text) RETURNS $returns LANGUAGE sql STABLE SECURITY DEFINER $setting SET max_parallel_workers_per_gather = 0 SET search_path FROM CURRENT AS $body$
	SELECT $what FROM $t WHERE $t.school_id = $school AND archived_at IS NULL AND $condition
$body$;
REVOKE ALL ON FUNCTION $name(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION $name(text) TO $app;`
	write := func(name, returns, what string) string {
		return strings.NewReplacer("$name", "$t_"+name, "$argument", argument, "$returns", returns, "$setting", setting, "$what", what, "$condition", condition).Replace(sql)
	}
	return write(name, "SETOF $t ROWS 500", "*") + write(name+"_count", "TABLE (school_id uuid, n bigint) ROWS 1", "$school, count(*)")
}

// The index keeps no text of its own, and none of rows that are archived: a rowid
// leads to the row, at which Find looks again if it sought more than a trigram.
// Text has one more letter there, so that any two of its own begin a trigram.
// Which ones there are, $t_terms tells.
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

// Finding is where rows are that have a text in them. Its arguments belong to the
// statement's.
type Finding struct {
	From  string // stands in place of the table
	Count string // an expression that tells how many they are
	Args  Args
}

// Find finds the rows of a table that a migration calls searchable which have
// part in their column search, the archived ones left out. Two letters are looked
// up as the trigrams that begin with them. What is looked for in every row of the
// school is one letter and, on PostgreSQL, two that many have or of a script that
// is not among the usual.
func Find(ctx context.Context, q Q, table, part string) (Finding, error) {
	if q.at(ctx).db.pg() {
		return pgFind(ctx, q, table, part)
	}
	return liteFind(table, part), nil
}

var pairOfLetters = regexp.MustCompile(`^[a-z0-9` + foreign + `]{2}$`)

func pgFind(ctx context.Context, q Q, table, part string) (Finding, error) {
	call := func(name, argument string) Finding {
		return Finding{table + name + `(:find_part) AS ` + table, `(SELECT n FROM ` + table + name + `_count(:find_part) WHERE school_id = :school)`, Args{"find_part": argument}}
	}
	like := strings.ReplaceAll(`(SELECT * FROM $t WHERE school_id = :school AND archived_at IS NULL AND search LIKE :find_part ESCAPE '\') AS $t`, "$t", table)
	look := Finding{like, `(SELECT count(*) FROM ` + like + `)`, Args{"find_part": Contains(part)}}
	switch {
	case utf8.RuneCountInString(part) >= trigram:
		return call("_matching", Contains(part)), nil
	case !pairOfLetters.MatchString(part):
		return look, nil
	}
	// From one in twenty on, the index leads to so many that a look at all is faster.
	// In a database of locale C it knows no letters but those of English.
	rare, err := One[bool](ctx, q, strings.ReplaceAll(`SELECT show_trgm(:pair) <> '{}' AND 20 >= (SELECT count(*) FROM (
		SELECT search FROM $t WHERE school_id = :school AND archived_at IS NULL LIMIT 400) AS sample WHERE search LIKE :part)`, "$t", table), Args{"pair": part, "part": Contains(part)})
	if err != nil || !rare {
		return look, err
	}
	return call("_pairing", part), nil
}

func liteFind(table, part string) Finding {
	a := Args{}
	letters, match, look := utf8.RuneCountInString(part), `:find_match`, ``
	if letters != trigram && letters != trigram-1 { // of which the index tells all
		a["find_like"], look = Contains(part), ` AND $t.search LIKE :find_like ESCAPE '\'`
	}
	switch {
	case letters < trigram-1: // by the primary key, which leads through the rows as they lie
		return liteFinding(table, `(SELECT * FROM $t INDEXED BY sqlite_autoindex_$t_1 WHERE school_id = :school AND archived_at IS NULL`+look+`) AS $t`, "", a)
	case letters < trigram:
		a["find_from"], a["find_to"] = part, part+string(utf8.MaxRune)
		match = `(SELECT COALESCE(group_concat('"' || replace(term, '"', '""') || '"', ' OR '), '"' || char(1, 1, 1) || '"')
			FROM $t_terms WHERE term >= :find_from AND term < :find_to)`
	default:
		a["find_match"] = trigrams(part)
	}
	from := `(SELECT $t.* FROM $t_search CROSS JOIN $t ON $t.rowid = $t_search.rowid
		WHERE $t_search MATCH ` + match + ` AND school_id = :school` + look + `) AS $t`
	if look != "" {
		match = ""
	}
	return liteFinding(table, from, match, a)
}

// liteFinding counts by the index alone if it can tell, by a match, and the school
// is the only one that has rows.
func liteFinding(table, from, match string, a Args) Finding {
	count := `(SELECT count(*) FROM ` + from + ` WHERE school_id = :school)`
	if match != "" {
		count = `CASE WHEN EXISTS (SELECT 1 FROM $t WHERE school_id < :school) OR EXISTS (SELECT 1 FROM $t WHERE school_id > :school)
			THEN ` + count + ` ELSE (SELECT count(*) FROM $t_search WHERE $t_search MATCH ` + match + `) END`
	}
	return Finding{strings.ReplaceAll(from, "$t", table), strings.ReplaceAll(count, "$t", table), a}
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
