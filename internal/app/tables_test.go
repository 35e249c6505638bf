package app_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/schema"
)

// Each table is written by one package. These have a second writer, with the reason.
var secondWriters = map[string]string{
	"schools by internal/app":                        "marks the platform's school when a demo fills the database",
	"sessions by internal/feature/people":            "erasing a person deletes the sessions of the account",
	"student_stops by internal/feature/people":       "erasing a student deletes the stops",
	"teacher_assignments by internal/feature/people": "an employee who leaves loses the assignments",
}

// TestGoldenTables lists the package that writes each table and those that read it.
// A new reader or writer shows in review.
func TestGoldenTables(t *testing.T) {
	t.Parallel()
	tables := tablesOf(t)
	writes, reads := uses(t, tables)
	var out strings.Builder
	for _, table := range tables {
		writers := writes[table]
		readers := slices.DeleteFunc(reads[table], func(pkg string) bool { return slices.Contains(writers, pkg) })
		fmt.Fprintf(&out, "%-24s written by %s\n", table, short(writers))
		if len(readers) > 0 {
			fmt.Fprintf(&out, "%-24s    read by %s\n", "", short(readers))
		}
		owners := slices.DeleteFunc(slices.Clone(writers), func(pkg string) bool { return secondWriters[table+" by "+pkg] != "" })
		if len(owners) > 1 {
			t.Errorf("%s is written by %v: have one of them call the other, or add the reason to secondWriters", table, owners)
		}
	}
	golden(t, "tables.txt", out.String())
}

var createTable = regexp.MustCompile(`CREATE TABLE (\w+)`)

// tablesOf lists the tables of the schema, sorted.
func tablesOf(t *testing.T) (tables []string) {
	t.Helper()
	files, err := fs.Glob(schema.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, err := fs.ReadFile(schema.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range createTable.FindAllSubmatch(b, -1) {
			tables = append(tables, string(m[1]))
		}
	}
	slices.Sort(tables)
	return slices.Compact(tables)
}

var use = regexp.MustCompile(`\b(INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN)\s+(\w+)`)

// uses finds the tables in the string literals of the product's packages.
func uses(t *testing.T, tables []string) (writes, reads map[string][]string) {
	t.Helper()
	writes, reads = map[string][]string{}, map[string][]string{}
	add := func(m map[string][]string, table, pkg string) {
		if !slices.Contains(m[table], pkg) {
			m[table] = append(m[table], pkg)
		}
	}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil || strings.HasSuffix(dir, "test") || strings.Contains(dir, "apptest") || strings.Contains(dir, "dbtest") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range use.FindAllStringSubmatch(literals(src), -1) {
			switch _, known := slices.BinarySearch(tables, m[2]); {
			case !known:
			case m[1] == "FROM" || m[1] == "JOIN":
				add(reads, m[2], filepath.ToSlash(dir))
			default:
				add(writes, m[2], filepath.ToSlash(dir))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return writes, reads
}

// literals joins the string literals of a Go file.
func literals(src []byte) string {
	var out strings.Builder
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(src)), src, nil, 0)
	for {
		switch _, tok, lit := s.Scan(); tok {
		case token.EOF:
			return out.String()
		case token.STRING:
			out.WriteString(lit[1:len(lit)-1] + " ")
		}
	}
}

func short(packages []string) string {
	slices.Sort(packages)
	if len(packages) == 0 {
		return "triggers alone"
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(packages, ", "), "internal/", ""), "feature/", "")
}
