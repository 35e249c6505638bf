package webtest_test

import (
	"encoding/json"
	"testing"

	"homeroom/internal/platform/web/webtest"
)

func TestBlank(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": null, "b": [], "c": {}, "d": " ", "e": [1, "x", null]}`: "",
		`{"data": {"items": [{"name": "Ada"}, {"phone": ""}]}}`:        "data.items[1].phone",
		`{"tags": ["x", ""]}`:     "tags[1]",
		`{"a": [[""]]}`:           "a[0][0]",
		`{"b": "", "a": {"x":1}}`: "b",
		`{"customFields": {"bus": ""}, "before": {"note": ""}, "after": {"x": [""]}}`: "",
		`{"customFields": ""}`: "customFields",
	} {
		var v any
		if err := json.Unmarshal([]byte(in), &v); err != nil {
			t.Fatal(err)
		}
		if got := webtest.Blank(v); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
