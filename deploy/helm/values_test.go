package helm

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// schema is the part of a JSON schema that the test looks at.
type schema struct {
	Properties           map[string]schema
	AdditionalProperties any
}

// TestValues: each value has a comment, is used by a template, has an entry in the schema and is changed by testdata/full.yaml; the schema
// has no other entries, and refuses unknown keys.
func TestValues(t *testing.T) {
	var root schema
	if err := json.Unmarshal(read(t, "homeroom/values.schema.json"), &root); err != nil {
		t.Fatal(err)
	}
	delete(root.Properties, "global") // Helm adds it
	text := string(read(t, "homeroom/values.yaml"))
	used := ""
	for _, f := range load(t).Templates {
		used += string(f.Data)
	}
	full := values(t, "testdata/full.yaml", nil)
	var walk func(prefix string, s schema, values, full map[string]any)
	walk = func(prefix string, s schema, values, full map[string]any) {
		if got, want := slices.Sorted(maps.Keys(s.Properties)), slices.Sorted(maps.Keys(values)); !slices.Equal(got, want) {
			t.Errorf("the schema of %q has %v, values.yaml %v", prefix, got, want)
		}
		if s.AdditionalProperties != false {
			t.Errorf("the schema of %q takes unknown keys", prefix)
		}
		for name, v := range values {
			inside, isMap := v.(map[string]any)
			if isMap && len(inside) > 0 && name != "resources" {
				other, _ := full[name].(map[string]any)
				walk(prefix+name+".", s.Properties[name], inside, other)
				continue
			}
			if !regexp.MustCompile(`\.Values\.` + regexp.QuoteMeta(prefix+name) + `\b`).MatchString(used) {
				t.Errorf("no template uses %s%s", prefix, name)
			}
			if !regexp.MustCompile(`(?m)^ *# .*[^#]\n *` + name + `:`).MatchString(text) {
				t.Errorf("%s%s has no comment above it", prefix, name)
			}
			if _, set := full[name]; !set && name != "resources" {
				t.Errorf("testdata/full.yaml does not set %s%s", prefix, name)
			}
		}
	}
	all := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	walk("", root, all, full)
	for _, use := range regexp.MustCompile(`\.Values\.([A-Za-z0-9.]+)`).FindAllStringSubmatch(used, -1) {
		at := any(all)
		for _, key := range strings.Split(use[1], ".") {
			m, _ := at.(map[string]any)
			if _, ok := m[key]; !ok {
				t.Errorf("values.yaml lacks %s, which a template uses", use[1])
			}
			at = m[key]
		}
	}
}
