package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

// TestExamplesAreValid sends the example of every body in the document. The service may
// not know its ids, but must not refuse its fields.
func TestExamplesAreValid(t *testing.T) {
	t.Parallel()
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Example json.RawMessage }
			}
		}
	}
	raw, err := json.Marshal(readDocument(t).root)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		sent := 0
		for _, rt := range s.Routes() {
			example := doc.Paths[rt.Path][strings.ToLower(rt.Method)].RequestBody.Content["application/json"].Example
			if example == nil || rt.Public != "" { // made-up codes and tokens
				continue
			}
			sent++
			r := s.Call(t, s.OfRole(rt.Roles[0]), rt.Method, concrete(rt), string(example))
			if r.Status == 400 || r.Status == 422 || r.Status >= 500 {
				t.Errorf("%s with %s: %d %s", rt.Pattern(), example, r.Status, r.Body)
			}
		}
		if sent < 200 {
			t.Errorf("%d examples were sent, want at least 200", sent)
		}
	})
}
