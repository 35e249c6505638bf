package app

import (
	"os"
	"strings"
	"testing"
)

// TestNamesAreUsed fails on a name of a route that does not exist.
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
	for route := range names.Operations {
		if !there[route] {
			t.Errorf("openapi_names.go names %s, which does not exist", route)
		}
	}
}
