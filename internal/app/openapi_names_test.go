package app

import (
	"os"
	"strings"
	"testing"
)

// TestNamesAreUsed fails on a name of a route or a type that the document does not have.
func TestNamesAreUsed(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/operations.txt")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		f := strings.Fields(line)
		there[f[1]+" "+f[2]] = true
		_, tail, _ := strings.Cut(f[2][1:], "/")
		there[f[1]+" /"+tail] = true
	}
	doc, err := os.ReadFile("testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	sockets, err := os.ReadFile("testdata/asyncapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc = append(doc, sockets...)
	for goType, name := range names.Schemas {
		if !strings.Contains(string(doc), `"#/components/schemas/`+name+`"`) && !strings.Contains(string(doc), `/`+name+`Input"`) {
			t.Errorf("openapi_names.go names the schema %s of %s, which does not exist", name, goType)
		}
	}
	for route := range names.Operations {
		if !there[route] {
			t.Errorf("openapi_names.go names %s, which does not exist", route)
		}
	}
}
