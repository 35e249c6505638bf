package text_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"homeroom/internal/platform/text"
)

var (
	verb = regexp.MustCompile(`%[svd]`)
	arg  = regexp.MustCompile(`\{[a-z]+\}`)
)

// literals returns the string constants of the source code, concatenated as there, with
// {} for every verb of fmt.
func literals(t *testing.T) map[string]bool {
	t.Helper()
	out, set := map[string]bool{}, token.NewFileSet()
	var whole func(e ast.Expr) string
	whole = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			s, _ := strconv.Unquote(e.Value)
			return s
		case *ast.BinaryExpr:
			return whole(e.X) + whole(e.Y)
		}
		return "%s"
	}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch e := n.(type) {
			case *ast.BinaryExpr:
				out[verb.ReplaceAllString(whole(e), "{}")] = true
			case *ast.BasicLit:
				s, _ := strconv.Unquote(e.Value)
				for _, part := range append(strings.Split(s, `"`), s) { // hints are within the tags of a field
					out[verb.ReplaceAllString(part, "{}")] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every translated error is a message of the source, and has the same arguments.
func TestErrorsAreMessages(t *testing.T) {
	t.Parallel()
	known := literals(t)
	for _, lang := range text.Standard().Languages() {
		if lang == text.Default {
			continue
		}
		raw, err := os.ReadFile("errors/" + lang + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var words map[string]string
		if err := yaml.Unmarshal(raw, &words); err != nil {
			t.Fatal(err)
		}
		for english, other := range words {
			if !known[arg.ReplaceAllString(english, "{}")] {
				t.Errorf("%s: no code says %q", lang, english)
			}
			if placeholders([]string{english}) != placeholders([]string{other}) {
				t.Errorf("%s: %q has other arguments than %q", lang, other, english)
			}
		}
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{"es", "is required", "es obligatorio"},
		{"es-MX", "must have at most 50 characters", "debe tener como máximo 50 caracteres"},
		{"es", "There is no such bus in this school.", "No se encuentra en esta escuela: autobús."},
		{"es", "There is no such {thing} in this school.", "No se encuentra en esta escuela: {thing}."},
		{"es", "must be one of A, {words}", "debe ser uno de A, {words}"},
		{"es", "Nobody has translated this.", "Nobody has translated this."},
		{"en", "is required", "is required"},
		{"fr", "is required", "is required"},
	} {
		if got := text.Standard().Error(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s: %q, want %q", tt[1], got, tt[2])
		}
	}
}
