package text_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"homeroom/internal/platform/text"
)

var (
	verb   = regexp.MustCompile(`%[svdgq]`)
	arg    = regexp.MustCompile(`\{!?[a-z]+\}`)
	letter = regexp.MustCompile(`[A-Za-z]`)

	// likeMessage matches texts that are for people wherever they are: sentences, and
	// problems of a field.
	likeMessage = regexp.MustCompile(`^([A-Z“{].* .*[.?]|[A-Z][a-z]+\.|OK\.|` +
		`(must|is|are|has|can't|needs|contains|belongs|overlaps|exceeds) .*)$`)

	// operators are the folders whose texts operators and developers read, except faults.
	operators = regexp.MustCompile(`^(app|schema|platform/(apidocs|blob|bus|console|db|notify|openapi|pdf|socketio/engine|token))/`)
	// tests are the folders of test code.
	tests = regexp.MustCompile(`^(apptest|platform/(await|browsertest)|.*(test|fake|sim))/`)
)

// faults and problems are the functions whose arguments are messages.
var (
	faults   = []string{"New", "Missing", "Denied", "Duplicate", "OnField", "Saying", "Says"}
	problems = []string{"say", "bad", "wrong", "Wrong", "fail", "refuse", "headerProblem", "aboutFile", "choices", "Plural"}
)

// others are the functions whose arguments are not: documentation, logs and causes.
var others = []string{"Doc", "Sends", "Takes", "Public", "Errorf", "Wrap", "panic", "Error", "ErrorContext", "Warn", "WarnContext", "Info",
	"InfoContext"}

// untranslated are texts that look like messages, and why they stay English.
var untranslated = map[string]string{
	"Invalid namespace":                          "part of the Socket.IO protocol",
	"must be sms, email or push":                 "the local outbox is for developers",
	"Response time by route, method and status.": "a metric",
	"Uploads a file, whose id a record can then have. What no record gets within a day is removed.": "documentation",
}

// message returns a string constant, concatenated as in the source, with {} for every
// argument.
func message(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return verb.ReplaceAllString(s, "{}"), err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, isText := message(e.X)
		y, isTextToo := message(e.Y)
		return x + y, e.Op == token.ADD && (isText || isTextToo)
	}
	return "{}", false
}

// sources parses the source code without its tests.
func sources(t *testing.T, visit func(path string, file *ast.File)) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err == nil {
			visit(strings.TrimPrefix(filepath.ToSlash(path), "../../"), file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// literals returns every string constant of the source.
func literals(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	sources(t, func(_ string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if s, ok := message(e); ok {
				out[s], out[strings.ReplaceAll(s, "_", " ")] = true, true // in_progress is shown as "in progress"
				for part := range strings.SplitSeq(s, `"`) {              // within the tag of a field
					out[part] = true
					for word := range strings.SplitSeq(part, ",") { // of an enum
						out[word] = true
					}
				}
			}
			return true
		})
	})
	return out
}

// finder collects the messages of a file.
type finder struct {
	found map[string]string // message: where
	path  string
}

func (f finder) add(s string) {
	if letter.MatchString(s) && untranslated[s] == "" {
		f.found[s] = f.path
	}
}

// all adds every string constant within n.
func (f finder) all(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		s, ok := message(e)
		if ok {
			f.add(s)
		}
		return !ok
	})
}

// messages adds the arguments of a function that are texts, not names of fields: those
// with a space, and words in the last place.
func (f finder) messages(name string, args []ast.Expr) {
	for i, e := range args {
		if s, ok := message(e); ok && (strings.Contains(s, " ") || i == len(args)-1 || name == "Plural") {
			f.add(s)
		}
	}
}

// Visit implements ast.Visitor.
func (f finder) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return nil
	case *ast.Field:
		if n.Tag != nil {
			tag, _ := strconv.Unquote(n.Tag.Value)
			f.add(reflect.StructTag(tag).Get("patternHint"))
			return nil
		}
	case *ast.ValueSpec:
		if kind, ok := n.Type.(*ast.Ident); ok && kind.Name == "action" || n.Names[0].Name == "dayNames" {
			f.all(n)
		}
	case *ast.CallExpr:
		pkg, name := called(n.Fun)
		switch {
		case slices.Contains(others, name):
			return nil
		case slices.Contains(faults, name) && (name != "New" || pkg == "fault" || strings.HasPrefix(f.path, "platform/fault/")),
			slices.Contains(problems, name) && !operators.MatchString(f.path):
			f.messages(name, n.Args)
		}
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		if ok && key.Name == "Doc" {
			return nil
		}
		if ok && slices.Contains([]string{"Message", "One", "Many"}, key.Name) {
			if s, ok := message(n.Value); ok {
				f.add(s)
			}
		}
	case ast.Expr:
		if s, ok := message(n); ok {
			if likeMessage.MatchString(s) && !operators.MatchString(f.path) {
				f.add(s)
			}
			return nil
		}
	}
	return f
}

// called returns the package or value, and the name, of a function.
func called(fun ast.Expr) (pkg, name string) {
	switch fun := fun.(type) {
	case *ast.IndexExpr: // with a type
		return called(fun.X)
	case *ast.IndexListExpr:
		return called(fun.X)
	case *ast.Ident:
		return "", fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok {
			pkg = x.Name
		}
		return pkg, fun.Sel.Name
	}
	return "", ""
}

// translations returns the messages of a language, as in its file.
func translations(t *testing.T, lang string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("errors/" + lang + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var words map[string]string
	if err := yaml.Unmarshal(raw, &words); err != nil {
		t.Fatal(err)
	}
	return words
}

// Every message of the source has a translation, in every language.
func TestMessagesAreTranslated(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	sources(t, func(path string, file *ast.File) {
		if !tests.MatchString(path) {
			ast.Walk(finder{found, path}, file)
		}
	})
	if len(found) < 600 {
		t.Fatalf("only %d messages were found", len(found))
	}
	for _, lang := range text.Standard().Languages() {
		if lang == text.Default {
			continue
		}
		known := map[string]bool{}
		for english := range translations(t, lang) {
			known[arg.ReplaceAllString(english, "{}")] = true
		}
		for _, message := range slices.Sorted(maps.Keys(found)) {
			if !known[message] {
				t.Errorf("%s: errors/%s.yaml has no %q", found[message], lang, message)
			}
		}
	}
}

// Every translated message is in the source, and has the same arguments.
func TestErrorsAreMessages(t *testing.T) {
	t.Parallel()
	known := literals(t)
	for _, lang := range text.Standard().Languages() {
		if lang == text.Default {
			continue
		}
		for english, other := range translations(t, lang) {
			if !known[arg.ReplaceAllString(english, "{}")] {
				t.Errorf("%s: no code says %q", lang, english)
			}
			if placeholders([]string{english}) != placeholders([]string{other}) || strings.Contains(other, "{!") {
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
		{"es", "must be at most 5, the paper's maximum", "debe ser como máximo 5, el máximo de la prueba"},
		{"es", "Grade 5 is used by 2 divisions, 1 exam paper and 30 students. Move them first.",
			"Grade 5 está en uso: 2 grupos, 1 prueba de examen y 30 alumnos. Primero muévalos."},
		{"es", "Copy 17 is lent out and can't be issued. Return it first, or report it lost.",
			"El ejemplar 17 está prestado y no se puede prestar. Primero devuélvalo o anótelo como perdido."},
		{"es", "is not a class of 2026: there are A, B and others", "no es una clase de 2026: hay A, B y más"},
		{"es", "“Fone” is not a column. Did you mean “phone”? It was ignored.",
			"«Fone» no es una columna. ¿Quiso decir «phone»? Se ha ignorado."},
		{"es", "Arts and Crafts is not taught in 3 A. Add the class to the subject first.",
			"Arts and Crafts no se enseña en 3 A. Primero añada la clase a la asignatura."},
		// Names that are words of the catalogue, too: a subject "class", a room "Monday", a bus "trip", a teacher "students".
		{"es", "class is not taught in subject. Add the class to the subject first.",
			"class no se enseña en subject. Primero añada la clase a la asignatura."},
		{"es", "Monday is used by 2 divisions. Move them first.", "Monday está en uso: 2 grupos. Primero muévalos."},
		{"es", "Room Monday would be booked twice: for class A (Monday 08:00–08:45) and for exam B (Friday 08:00–08:45).",
			"El aula Monday estaría ocupada dos veces: para class A (lunes 08:00–08:45) y para exam B (viernes 08:00–08:45)."},
		{"es", "students would be booked twice: for 1 A (Monday 08:00–08:45) and for 1 B (Monday 08:00–08:45). " +
			"Choose another time, teacher or room for one of them.",
			"students estaría ocupado dos veces: para 1 A (lunes 08:00–08:45) y para 1 B (lunes 08:00–08:45). " +
				"Elija otra hora, otro profesor u otra aula para una de las dos."},
		{"es", "absent is boarded and can't become no show.", "absent está a bordo y no puede pasar a sin presentarse."},
		{"es", "Nobody has translated this.", "Nobody has translated this."},
		{"es", "", ""},
		{"en", "is required", "is required"},
		{"fr", "is required", "is required"},
	} {
		if got := text.Standard().Error(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s: %q, want %q", tt[1], got, tt[2])
		}
	}
}
