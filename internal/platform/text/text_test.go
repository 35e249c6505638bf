package text_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"homeroom/internal/platform/text"
)

// words returns the texts of a language by key, with both plural forms.
func words(t *testing.T, lang string) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("words/" + lang + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := yaml.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	var walk func(prefix string, tree map[string]any)
	walk = func(prefix string, tree map[string]any) {
		for k, v := range tree {
			if inner, ok := v.(map[string]any); ok && inner["one"] == nil {
				walk(prefix+k+".", inner)
			} else if ok {
				out[prefix+k] = []string{inner["one"].(string), inner["other"].(string)}
			} else {
				out[prefix+k] = []string{v.(string)}
			}
		}
	}
	walk("", tree)
	return out
}

var placeholder = regexp.MustCompile(`\{!?([A-Za-z]+)\}`)

// placeholders returns the argument names of a text, sorted.
func placeholders(forms []string) string {
	set := map[string]bool{}
	for _, m := range placeholder.FindAllStringSubmatch(forms[len(forms)-1], -1) {
		set[m[1]] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(set)), " ")
}

func TestLanguagesSayTheSame(t *testing.T) {
	t.Parallel()
	languages := text.Standard().Languages()
	if !slices.Contains(languages, "en") || !slices.Contains(languages, "es") {
		t.Fatalf("languages: %v", languages)
	}
	en := words(t, "en")
	for _, lang := range languages {
		other := words(t, lang)
		for _, key := range slices.Sorted(maps.Keys(en)) {
			switch {
			case other[key] == nil:
				t.Errorf("%s: %s is missing", lang, key)
			case len(other[key]) != len(en[key]):
				t.Errorf("%s: %s has other plural forms", lang, key)
			case placeholders(other[key]) != placeholders(en[key]):
				t.Errorf("%s: %s has arguments %q, English has %q", lang, key, placeholders(other[key]), placeholders(en[key]))
			}
			for _, form := range other[key] {
				if strings.Count(form, "{") != len(placeholder.FindAllString(form, -1)) || strings.TrimSpace(form) == "" {
					t.Errorf("%s: %s is %q", lang, key, form)
				}
			}
		}
		for key := range other {
			if en[key] == nil {
				t.Errorf("%s: %s is not in English", lang, key)
			}
		}
	}
}

// use is a call of text.T in the source code.
type use struct {
	where  string
	key    string // complete, or the prefix if computed at run time
	end    string // the suffix of a computed key
	whole  bool
	args   string
	spread bool // called with args...
}

// uses returns all calls of T outside of tests.
func uses(t *testing.T) (out []use) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isT(call.Fun, file.Name.Name) && len(call.Args) > 0 {
				out = append(out, useOf(set.Position(call.Pos()).String(), call))
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

func isT(fun ast.Expr, pkg string) bool {
	switch f := fun.(type) {
	case *ast.Ident:
		return pkg == "text" && f.Name == "T"
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		return ok && x.Name == "text" && f.Sel.Name == "T"
	}
	return false
}

func useOf(where string, call *ast.CallExpr) use {
	u := use{where: where, spread: call.Ellipsis.IsValid()}
	switch k := call.Args[0].(type) {
	case *ast.BasicLit:
		u.key, _ = strconv.Unquote(k.Value)
		u.whole = true
	case *ast.BinaryExpr:
		if lit, ok := k.Y.(*ast.BasicLit); ok {
			u.end, _ = strconv.Unquote(lit.Value)
		}
		left := k.X
		for {
			inner, ok := left.(*ast.BinaryExpr)
			if !ok {
				break
			}
			left = inner.X
		}
		if lit, ok := left.(*ast.BasicLit); ok {
			u.key, _ = strconv.Unquote(lit.Value)
		}
	}
	var args []string
	for i := 1; i < len(call.Args); i += 2 {
		if lit, ok := call.Args[i].(*ast.BasicLit); ok {
			name, _ := strconv.Unquote(lit.Value)
			args = append(args, name)
		}
	}
	slices.Sort(args)
	u.args = strings.Join(args, " ")
	return u
}

// TestKeys compares the source with the catalogue: each used key has a text and gets its
// arguments, and no text is unused.
func TestKeys(t *testing.T) {
	t.Parallel()
	en := words(t, "en")
	used := map[string]bool{}
	all := uses(t)
	if len(all) < 30 {
		t.Fatalf("found only %d texts in the source", len(all))
	}
	for _, u := range all {
		if u.key == "" {
			t.Errorf("%s: the key must be a string literal, or start with one", u.where)
			continue
		}
		found := false
		for key, forms := range en {
			if key == u.key || !u.whole && strings.HasPrefix(key, u.key) && strings.HasSuffix(key, u.end) {
				found, used[key] = true, true
				if got := placeholders(forms); !u.spread && got != u.args {
					t.Errorf("%s: %s needs arguments %q, but gets %q", u.where, key, got, u.args)
				}
			}
		}
		if !found {
			t.Errorf("%s: no text for %s", u.where, u.key)
		}
	}
	for key := range en {
		if !used[key] {
			t.Errorf("%s is unused", key)
		}
	}
}

// informal matches the forms and words that the Spanish texts don't use: they say usted and
// escuela.
var informal = regexp.MustCompile(`(?i)(^|[^\pL])(tú|tus?|te|ti|tuy[oa]s?|contigo|has|tienes|puedes|eres|vosotros|centro|colegio|` +
	`ábrel[oa]s?|abres|entras|elige|mira|avisa)([^\pL]|$)`)

func TestSpanishIsFormal(t *testing.T) {
	t.Parallel()
	for key, forms := range words(t, "es") {
		for _, form := range forms {
			if informal.MatchString(form) {
				t.Errorf("%s: %q", key, form)
			}
		}
	}
	for _, message := range translations(t, "es") {
		if informal.MatchString(message) {
			t.Errorf("%q", message)
		}
	}
}
