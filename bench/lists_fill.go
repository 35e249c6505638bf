package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// The schools: the largest is that of the demo, the others are alike.
const (
	listSchools = 1000
	listLargest = 20_000 // students of the largest
	listOthers  = 981    // students of each other
)

// yearSQL finds the school of the demo and its current year.
const yearSQL = `SELECT CAST(school_id AS TEXT), CAST(id AS TEXT) FROM academic_years WHERE is_current AND school_id = (` + schoolSQL + `)`

// fillLists fills a database that has the demo's school: that school with so
// many students, and all the other schools.
func fillLists(ctx context.Context, t target, largest int) error {
	d, err := t.open()
	if err != nil {
		return err
	}
	d.SetMaxOpenConns(1) // settings and temporary tables are the connection's
	return errors.Join(fillListsIn(ctx, d, t.engine == "PostgreSQL", largest), d.Close())
}

func fillListsIn(ctx context.Context, d *sql.DB, pg bool, largest int) error {
	own, year, err := pair(ctx, d, yearSQL)
	if err != nil {
		return err
	}
	steps := []string{"PRAGMA foreign_keys = OFF", "PRAGMA synchronous = OFF"}
	if pg {
		steps = []string{"SET session_replication_role = replica", "SET synchronous_commit = off"}
	}
	write := listWriter(pg, own, year, largest)
	for _, s := range listRows {
		steps = append(steps, write.Replace(s))
	}
	if pg {
		steps = append(steps, "VACUUM", "ANALYZE", "CHECKPOINT") // a throw-away server has no autovacuum
	} else {
		steps = append(steps, "ANALYZE")
	}
	for _, s := range steps {
		if _, err := d.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%w in: %.300s", err, s)
		}
	}
	return nil
}

// listWriter writes $names in listRows for one engine. Ids are made of the
// school's number s.n and a number of the row.
func listWriter(pg bool, own, year string, largest int) *strings.Replacer {
	at := `'2026-01-01T00:00:00.000Z'`
	id := func(n string) string { return `printf('%08x-0000-7000-8000-%012x', s.n, ` + n + `)` }
	if pg {
		at = `timestamptz ` + at
		id = func(n string) string {
			return `CAST(lpad(to_hex(s.n), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(` + n + `), 12, '0') AS uuid)`
		}
	}
	return strings.NewReplacer("$at", at, "$ownSchool", "'"+own+"'", "$ownYear", "'"+year+"'", "$words", listWords(),
		"$school", id("0"), "$year", id("1"), "$class", id("1000 + m.i % 20"), "$division", id("2000 + m.i % 80"), "$row", id("10000 + m.i"),
		"$word(", "(SELECT word FROM words WHERE i = ", "$count", strconv.Itoa(listSchools),
		"$largest", strconv.Itoa(largest), "$others", strconv.Itoa(listOthers), "$numbers", strconv.Itoa(listLargest))
}

// listWords are listNames as rows of SQL, numbered from 0.
func listWords() string {
	rows := listNames()
	for i, word := range rows {
		rows[i] = fmt.Sprintf("(%d, '%s')", i, word)
	}
	return strings.Join(rows, ", ")
}

// listNames are 900 names, always the same.
func listNames() []string {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("an ba ko ri mel sa to vi ne lu ger ha jo ka li ma ni os pe ro su ti ver wi ze den mar son ter")
	names := make([]string, 900)
	for i := range names {
		word := ""
		for range 2 + r.IntN(2) {
			word += syllables[r.IntN(len(syllables))]
		}
		names[i] = string(word[0]-32) + word[1:]
	}
	return names
}
