package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The tests in this file read testdata/openapi.json, which TestGolden keeps up to date.

const validatorDir = "testdata/validator"

// TestDocumentIsValid checks the document against the schema of OpenAPI itself. It needs Node.
func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	installValidator(t)
	cmd := exec.CommandContext(t.Context(), "node", "validate.mjs", "../openapi.json")
	cmd.Dir = validatorDir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

var installing sync.Mutex

// installValidator runs npm ci once.
func installValidator(t *testing.T) {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	if _, err := os.Stat(validatorDir + "/node_modules/@asyncapi"); err == nil {
		return
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
	cmd.Dir = validatorDir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v; scripts/test.sh installs what the tests need\n%s", err, out)
	}
}

// document is testdata/openapi.json, parsed.
type document struct {
	root     map[string]any
	compiler *jsonschema.Compiler
}

func readDocument(t *testing.T) document {
	t.Helper()
	raw, err := os.ReadFile("testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	d := document{root: root.(map[string]any), compiler: jsonschema.NewCompiler()}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("openapi.json", root); err != nil {
		t.Fatal(err)
	}
	return d
}

// each calls f with every object of the document and its JSON pointer.
func (d document) each(f func(at string, o map[string]any)) { walk("#", d.root, f) }

func walk(at string, v any, f func(at string, o map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(at, v)
		escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
		for key, inner := range v {
			walk(at+"/"+escape.Replace(key), inner, f)
		}
	case []any:
		for i, inner := range v {
			walk(fmt.Sprint(at, "/", i), inner, f)
		}
	}
}

// TestExamplesMatchTheirSchemas validates every example of a body, a parameter or a schema.
func TestExamplesMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	d, checked := readDocument(t), 0
	check := func(at string, examples ...any) {
		schema, err := d.compiler.Compile("openapi.json" + at)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range examples {
			checked++
			if err := schema.Validate(e); err != nil {
				t.Errorf("example of %s: %v", at, err)
			}
		}
	}
	d.each(func(at string, o map[string]any) {
		if example, ok := o["example"]; ok && o["schema"] != nil {
			check(at+"/schema", example)
		}
		if examples, ok := o["examples"].([]any); ok && o["type"] != nil {
			check(at, examples...)
		}
	})
	if checked < 300 {
		t.Errorf("%d examples were checked, want at least 300", checked)
	}
}

// TestBodiesAreComponents fails on a body without a name, of which every generated client would make up its own.
func TestBodiesAreComponents(t *testing.T) {
	t.Parallel()
	named := 0
	readDocument(t).each(func(at string, o map[string]any) {
		content, _ := o["content"].(map[string]any)
		for media, body := range content {
			schema, _ := body.(map[string]any)["schema"].(map[string]any)
			if schema["format"] != "binary" && schema["$ref"] == nil {
				t.Errorf("%s: the schema of %s is not a component", at, media)
			}
			named++
		}
	})
	if named < 500 {
		t.Errorf("%d bodies were found, want at least 500", named)
	}
}

// TestDocumentTellsTheRules looks for what the service refuses though the document allows it.
func TestDocumentTellsTheRules(t *testing.T) {
	t.Parallel()
	standard := []string{"uuid", "date", "date-time", "email", "uri", "password", "binary"}
	readDocument(t).each(func(at string, o map[string]any) {
		if at == "#/paths" || strings.HasSuffix(at, "/properties") {
			return // names, not keywords
		}
		if format, ok := o["format"].(string); ok && strings.Contains(at, "requestBody") && o["type"] == "string" &&
			!slices.Contains(standard, format) && format != "timezone" && o["pattern"] == nil {
			t.Errorf("%s: format %s is not a standard one and has no pattern", at, format)
		}
		props, _ := o["properties"].(map[string]any)
		required, _ := o["required"].([]any)
		for name, p := range props {
			p := p.(map[string]any)
			if slices.Contains(required, any(name)) && p["minLength"] == json.Number("0") {
				t.Errorf("%s: %s is required, but may be empty", at, name)
			}
			if len(p) == 0 || len(p) == 1 && p["description"] != nil {
				t.Errorf("%s: %s has no type", at, name)
			}
		}
		unique := map[string]bool{}
		params, _ := o["parameters"].([]any)
		for _, p := range params {
			p := p.(map[string]any)
			key := fmt.Sprint(p["in"], " ", p["name"])
			if unique[key] {
				t.Errorf("%s: two parameters %s", at, key)
			}
			unique[key] = true
			schema := p["schema"].(map[string]any)
			if slices.Contains([]string{"query status", "query type"}, key) && schema["enum"] == nil {
				t.Errorf("%s: the filter %s has no enum", at, p["name"])
			}
		}
	})
}
