package apptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeroom/internal/app"
	"homeroom/internal/platform/web"
	"homeroom/internal/platform/web/webtest"
)

// contract validates responses against the OpenAPI document.
type contract struct {
	doc      string
	match    *chi.Mux
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
	statuses map[string]map[string]bool // pattern → documented statuses; true: as in components
	files    map[string]bool            // patterns that may return a file
}

// imprecise matches a timestamp without exactly three fraction digits.
var imprecise = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}|\.\d{4,})?Z"`)

// contracts caches contracts by routes: creating one takes longer than starting a
// service.
var contracts sync.Map

func contractOf(t testing.TB, routes []web.Route) *contract {
	t.Helper()
	var key strings.Builder
	for _, r := range routes {
		fmt.Fprintln(&key, r.Method, r.Path)
	}
	made, ok := contracts.Load(key.String())
	if !ok {
		made, _ = contracts.LoadOrStore(key.String(), newContract(t, routes))
	}
	return made.(*contract)
}

func newContract(t testing.TB, routes []web.Route) *contract {
	t.Helper()
	raw, err := app.OpenAPI(routes, "test")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := &contract{doc: "openapi.json", match: chi.NewMux(), compiler: jsonschema.NewCompiler(),
		schemas: map[string]*jsonschema.Schema{}, statuses: map[string]map[string]bool{}, files: map[string]bool{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := c.compiler.AddResource(c.doc, doc); err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Ref     string         `json:"$ref"`
				Content map[string]any `json:"content"`
			} `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(raw, &parsed); err != nil {
		t.Fatal(err)
	}
	for path, ops := range parsed.Paths {
		for method, op := range ops {
			method = strings.ToUpper(method)
			c.match.MethodFunc(method, path, func(http.ResponseWriter, *http.Request) {})
			known := map[string]bool{}
			for status, r := range op.Responses {
				known[status] = r.Ref != ""
				if _, json := r.Content["application/json"]; status == "200" && (!json || len(r.Content) > 1) {
					c.files[method+" "+path] = true
				}
			}
			c.statuses[method+" "+path] = known
		}
	}
	return c
}

// check returns an error if a response does not match the document.
func (c *contract) check(method, path string, status int, mediaType string, body []byte) error {
	rctx := chi.NewRouteContext()
	if !c.match.Match(rctx, method, path) {
		return nil // not a route: 404, or a page
	}
	pattern := rctx.RoutePattern()
	code := strconv.Itoa(status)
	if _, ok := c.statuses[method+" "+pattern][code]; !ok {
		return fmt.Errorf("%s %s: status %d is not documented", method, pattern, status)
	}
	if status == http.StatusNoContent {
		if len(body) > 0 {
			return fmt.Errorf("204 with a body")
		}
		return nil
	}
	if status < http.StatusBadRequest && c.files[method+" "+pattern] && !strings.HasPrefix(mediaType, "application/json") {
		return nil
	}
	if at := imprecise.Find(body); at != nil {
		return fmt.Errorf("%s %s: the timestamp %s has not three fraction digits", method, pattern, at)
	}
	schema, err := c.schema(method, pattern, code)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s %s: not JSON: %s", method, pattern, body)
	}
	if err := schema.Validate(v); err != nil {
		return fmt.Errorf("%s %s %d does not match the OpenAPI document: %w\n%s", method, pattern, status, err, body)
	}
	if at := webtest.Blank(v); at != "" {
		return fmt.Errorf("%s %s %d: %s is \"\": what is missing must be null (opt.Text)", method, pattern, status, at)
	}
	return nil
}

func (c *contract) schema(method, pattern, code string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	at := c.doc + "#/paths/" + escape.Replace(pattern) + "/" + strings.ToLower(method) + "/responses/" + code
	if c.statuses[method+" "+pattern][code] {
		at = c.doc + "#/components/responses/" + code
	}
	at += "/content/application~1json/schema"
	if s, ok := c.schemas[at]; ok {
		return s, nil
	}
	s, err := c.compiler.Compile(at)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", at, err)
	}
	c.schemas[at] = s
	return s, nil
}
