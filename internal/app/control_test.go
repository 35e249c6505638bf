package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/fault"
)

// documented is a JSON schema of an input, as documented.
type documented struct {
	Ref                  string `json:"$ref"`
	Type                 string
	Format               string
	Enum                 []string
	Multiline            bool `json:"x-multiline"`
	Properties           map[string]documented
	Items                *documented
	AnyOf                []documented
	AdditionalProperties any
}

// whole replaces references by what they refer to.
func (s documented) whole(named map[string]documented) documented {
	if name, is := strings.CutPrefix(s.Ref, "#/components/schemas/"); is {
		s = named[name]
	}
	properties := map[string]documented{}
	for name, p := range s.Properties {
		properties[name] = p.whole(named)
	}
	s.Properties = properties
	if s.Items != nil {
		items := s.Items.whole(named)
		s.Items = &items
	}
	s.AnyOf = slices.Clone(s.AnyOf)
	for i := range s.AnyOf {
		s.AnyOf[i] = s.AnyOf[i].whole(named)
	}
	return s
}

// filled returns a value of the schema with text in every string without format
// or enum, and the paths of these. With oneLine it skips multiline strings.
func (s documented) filled(path, text string, oneLine bool) (value any, at []string) {
	if len(s.AnyOf) > 0 {
		return s.AnyOf[0].filled(path, text, oneLine)
	}
	switch {
	case s.Type == "object":
		obj := map[string]any{}
		for name, p := range s.Properties {
			v, in := p.filled(strings.TrimPrefix(path+"."+name, "."), text, oneLine)
			if v != nil {
				obj[name], at = v, append(at, in...)
			}
		}
		return obj, at
	case s.Type == "array":
		v, in := s.Items.filled(path+"[0]", text, oneLine)
		if v == nil {
			return nil, nil
		}
		return []any{v}, in
	case s.Type == "string" && s.Format == "" && len(s.Enum) == 0 && !(oneLine && s.Multiline):
		return text, []string{path}
	}
	return nil, nil
}

// inputs returns the documented bodies of all routes, by pattern.
func inputs(t *testing.T, s *apptest.Service) map[string]documented {
	t.Helper()
	raw, err := app.OpenAPI(s.App.Routes, "0")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Schema documented }
			}
		}
		Components struct{ Schemas map[string]documented }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]documented{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if c, ok := op.RequestBody.Content["application/json"]; ok {
				out[strings.ToUpper(method)+" "+path] = c.Schema.whole(doc.Components.Schemas)
			}
		}
	}
	return out
}

// TestNoControlCharacters sends control characters in every string field of every
// route. Each must be a 422 that names the field. Multiline fields accept line breaks.
func TestNoControlCharacters(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		fields := 0
		docs := inputs(t, s)
		for _, rt := range s.Routes() {
			doc, ok := docs[rt.Pattern()]
			if !ok {
				continue
			}
			var who *apptest.Account
			if rt.Public == "" {
				who = s.OfRole(rt.Roles[0])
			}
			for text, oneLine := range map[string]bool{"a\ab": false, "a\u202eb": false, "a\nb": true, "a\u2066b": true} {
				body, at := doc.filled("", text, oneLine)
				if len(at) == 0 {
					continue
				}
				fields += len(at)
				raw, err := json.Marshal(body)
				if err != nil {
					t.Fatal(err)
				}
				r := s.Call(t, who, rt.Method, concrete(rt), string(raw)).Want(422, "Unprocessable Entity")
				for _, field := range at {
					field = strings.TrimPrefix(field, "data.")
					if !slices.ContainsFunc(r.Details, func(d fault.Field) bool { return d.Field == field && strings.Contains(d.Message, "control") }) {
						t.Errorf("%s takes %q in %s: %v", rt.Pattern(), text, field, r.Details)
					}
				}
			}
		}
		if fields < 300 {
			t.Errorf("only %d string fields were tried, want at least 300", fields)
		}
		s.Call(t, s.North.Admin, "PUT", "/school-admin/setting", map[string]any{"address": "1 High Street\nGreenfield"}).OK()
		got := fmt.Sprint(s.Call(t, s.North.Admin, "GET", "/school-admin/setting", nil).OK())
		if !strings.Contains(got, "1 High Street\nGreenfield") {
			t.Errorf("the address lost its line break: %s", got)
		}
	})
}
