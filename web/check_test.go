package webapp_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	webapp "homeroom/web"
)

// sources returns the text of every source file of the app by its path.
func sources(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir("src", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".ts") && !strings.HasSuffix(path, ".tsx") {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// without lists operations that no page uses, with the reason.
var without = map[string]string{
	"POST /school-admin/notification/token":   "registers a device for push; the office app has no service worker",
	"GET /school-admin/notification/push-key": "as above",
	"GET /super-admin/backup/{id}/file":       "opened by the URL of backup/{id}/link, so that the browser saves it itself",
	"GET /school-admin/dashboard/stats":       "counts for other clients; Today asks dashboard/today",
}

// TestEveryOperationHasAPage compares the calls in the sources with the OpenAPI document.
func TestEveryOperationHasAPage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../internal/app/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	called := calls(t)
	for path, methods := range doc.Paths {
		if !strings.HasPrefix(path, "/school-admin/") && !strings.HasPrefix(path, "/super-admin/") {
			continue
		}
		for method := range methods {
			operation := strings.ToUpper(method) + " " + path
			if _, twin := methods["get"]; method == "post" && twin {
				continue // the same list with a body
			}
			if !called[operation] && without[operation] == "" {
				t.Errorf("no page calls %s: add it to a page, or to without with the reason", operation)
			}
			if called[operation] && without[operation] != "" {
				t.Errorf("%s is called, but listed as unused", operation)
			}
		}
	}
}

// calls returns the operations that the sources call: get("/path"), useGet("/path"), <List path="/path">, download("/path").
func calls(t *testing.T) map[string]bool {
	literal := regexp.MustCompile("(\\w+)?(?:<[^<>(]*>)?(?:\\(|=\\{?)\\s*(?:[^\"`(){}=]*\\? )?[\"`](/(?:school|super)-admin/[\\w/{}$.-]*)")
	method := map[string]string{"post": "POST", "put": "PUT", "remove": "DELETE", "upload": "POST"}
	out := map[string]bool{}
	for _, text := range sources(t) {
		for _, m := range literal.FindAllStringSubmatch(text, -1) {
			verb := method[m[1]]
			if verb == "" {
				verb = "GET"
			}
			out[verb+" "+m[2]] = true
		}
	}
	return out
}

// TestEveryTextHasSpanish looks for texts of t() and n() without a translation, and for translations that nobody uses.
func TestEveryTextHasSpanish(t *testing.T) {
	t.Parallel()
	spanish, used := map[string]string{}, map[string]bool{}
	files, err := filepath.Glob("src/words/es/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		if err := json.Unmarshal(raw, &texts); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for text, translated := range texts {
			if spanish[text] != "" && spanish[text] != translated {
				t.Errorf("%s: %q is translated differently elsewhere", file, text)
			}
			spanish[text] = translated
		}
	}
	one := regexp.MustCompile(`\bt\(\s*"((?:[^"\\]|\\.)*)"`)
	several := regexp.MustCompile(`\bn\(\s*[^"]*?,\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"`)
	for path, text := range sources(t) {
		var found []string
		for _, m := range one.FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
		for _, m := range several.FindAllStringSubmatch(text, -1) {
			found = append(found, m[1], m[2])
		}
		for _, f := range found {
			f = strings.ReplaceAll(f, `\"`, `"`)
			used[f] = true
			if spanish[f] == "" {
				t.Errorf("%s: %q has no Spanish text in src/words/es", path, f)
			}
		}
	}
	for _, d := range demoLabels {
		used[d] = true
	}
	for text := range spanish {
		if !used[text] {
			t.Errorf("src/words/es: %q is not used", text)
		}
	}
}

// TestStylesDoNotMeet fails if two stylesheets define the same class: all of them are loaded, so one would
// change the pages of the other.
func TestStylesDoNotMeet(t *testing.T) {
	t.Parallel()
	bare := regexp.MustCompile(`(?m)^\s*\.([a-zA-Z][\w-]*)\s*(?:,|\{)`)
	files, err := filepath.Glob("style/pages/*.css")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("style/*.css")
	if err != nil {
		t.Fatal(err)
	}
	home := map[string]string{}
	for _, file := range append(more, files...) {
		css, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range bare.FindAllStringSubmatch(string(css), -1) {
			name := m[1]
			if home[name] == "" {
				home[name] = file
			}
			if home[name] != file && strings.HasPrefix(file, "style/pages/") {
				t.Errorf("%s defines .%s, which %s defines, too", file, name, home[name])
			}
		}
	}
}

// demoLabels are translated, but come from the server.
var demoLabels = []string{"Super-administrator", "Administrator", "Class teacher of Grade 5 A", "Parent of two, one in Grade 5 A",
	"Driver of their bus"}

// TestLicences fails if a library that is built into the app ships without its licence.
func TestLicences(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pkg struct{ Dependencies map[string]string }
	if err := json.Unmarshal(raw, &pkg); err != nil || len(pkg.Dependencies) == 0 {
		t.Fatalf("package.json has %d dependencies: %v", len(pkg.Dependencies), err)
	}
	mounts, err := webapp.Mounts(webapp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	mounts["/app/licenses.txt"].ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/app/licenses.txt", nil))
	for name := range pkg.Dependencies {
		_, notice, found := strings.Cut(w.Body.String(), "\n"+name+"\n")
		if notice, _, _ = strings.Cut(notice, "-----"); !found || !strings.Contains(notice, "Copyright (c)") ||
			!strings.Contains(notice, "THE SOFTWARE") && !strings.Contains(notice, "THIS SOFTWARE") {
			t.Errorf("licenses.txt has no licence of %s: add it from node_modules/%s/LICENSE", name, name)
		}
	}
}

// TestBundleBudget fails when a first load grows past its limit, gzipped.
func TestBundleBudget(t *testing.T) {
	t.Parallel()
	first := regexp.MustCompile(`(?:import|from)\s*"\./([\w-]+\.js)"`)
	var load func(name string, seen *[]string)
	load = func(name string, seen *[]string) {
		if slices.Contains(*seen, name) {
			return
		}
		*seen = append(*seen, name)
		text, err := os.ReadFile("dist/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range first.FindAllStringSubmatch(string(text), -1) {
			load(m[1], seen)
		}
	}
	for _, tt := range []struct {
		what  string
		files []string
		limit int
	}{
		{"the sign-in page", []string{"main-*.js", "main-*.css"}, 50_000},
		{"the office's first page", []string{"main-*.js", "main-*.css", "office-*.js", "today-*.js"}, 120_000},
		{"a parent's first page", []string{"main-*.js", "main-*.css", "parent-*.js"}, 60_000},
	} {
		var seen []string
		for _, pattern := range tt.files {
			names, err := filepath.Glob("dist/" + pattern)
			if err != nil || len(names) == 0 {
				t.Fatalf("dist has no %s: %v", pattern, err)
			}
			for _, name := range names {
				load(filepath.Base(name), &seen)
			}
		}
		size := 0
		for _, name := range seen {
			size += gzipped(t, "dist/"+name)
		}
		t.Logf("%s: %d bytes gzipped in %d files", tt.what, size, len(seen))
		if size > tt.limit {
			t.Errorf("%s has %d bytes gzipped, more than %d", tt.what, size, tt.limit)
		}
	}
}

func gzipped(t *testing.T, name string) int {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(raw); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Len()
}
