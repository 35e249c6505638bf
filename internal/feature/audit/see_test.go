package audit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/schema"
)

// Every record that is written to the log belongs to modules that exist: nobody could read
// the states of others.
func TestEveryRecordHasItsModule(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "sqlite", schema.FS)
	names, err := db.All[string](t.Context(), d.Across(unscoped.Permit{}), `SELECT name FROM modules`, nil)
	if err != nil {
		t.Fatal(err)
	}
	known, seen := map[string]bool{}, 0
	for _, name := range names {
		known[name] = true
	}
	for at, action := range logged(t) {
		seen++
		for _, module := range modulesOf(action) {
			if !known[module] {
				t.Errorf("%s: %q is in no module: add it to modules", at, action)
			}
		}
	}
	if seen < 200 {
		t.Errorf("found %d actions and entities", seen)
	}
}

// logged returns the actions and entities of the calls that write the log, by position.
func logged(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, root := range []string{"..", "../../app"} {
		err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, text := range subjects(n) {
					out[files.Position(text.Pos()).String()] = strings.Trim(text.Value, `"`)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

var writers = regexp.MustCompile(`^([rR]ecord|exported|auditExport)$`)

// subjects returns the actions and entities of a call that writes the log, or of an import.
func subjects(n ast.Node) (out []*ast.BasicLit) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); !ok || !writers.MatchString(f.Sel.Name) {
			return nil
		}
		for _, arg := range n.Args {
			if sum, ok := arg.(*ast.BinaryExpr); ok { // "trip." + verb
				arg = sum.X
			}
			if text, ok := arg.(*ast.BasicLit); ok && text.Kind == token.STRING && text.Value != `""` {
				out = append(out, text)
			}
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && strings.EqualFold(key.Name, "entity") {
			if text, ok := n.Value.(*ast.BasicLit); ok {
				out = append(out, text)
			}
		}
	}
	return out
}
