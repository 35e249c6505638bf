package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"homeroom/internal/platform/web"
)

// Control characters are rejected in all strings except passwords. Multi-line
// strings may have line breaks and tabs.
func TestControlCharacters(t *testing.T) {
	t.Parallel()
	srv := serve(t, nil)
	for _, tt := range []struct {
		name, text  string
		line, lines bool // it is accepted
	}{
		{"letters of many scripts", "Zoë Ñandú 张伟 محمد नेहा \u200dمی\u200cخواهم 👩\u200d🏫", true, true},
		{"a left-to-right mark", "Ada\u200e", true, true},
		{"line feed", "a\nb", false, true},
		{"tab", "a\tb", false, true},
		{"CR LF", "a\r\nb", false, true},
		{"carriage return", "a\rb", false, false},
		{"NUL", "a\x00b", false, false},
		{"bell", "a\ab", false, false},
		{"escape", "a\x1b[31mb", false, false},
		{"delete", "a\x7fb", false, false},
		{"next line, of C1", "a\u0085b", false, false},
		{"the last of C1", "a\u009fb", false, false},
		{"line separator", "a\u2028b", false, false},
		{"paragraph separator", "a\u2029b", false, false},
		{"a phone as some phones copy it", "\u202a+1 555\u202c", false, true},
		{"isolates", "a\u2066b\u2067c\u2068d\u2069e", false, true},
		{"left-to-right override", "a\u202db", false, false},
		{"right-to-left override", "a\u202eb", false, false},
	} {
		if got := web.Line(tt.text) == nil; got != tt.line {
			t.Errorf("%s: one line: %v", tt.name, got)
		}
		quoted, err := json.Marshal(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		for field, good := range map[string]bool{"name": tt.line, "notes": tt.lines, "password": !strings.Contains(tt.text, "\x00"),
			"tags": tt.line, "labels": tt.line, "any": tt.line} {
			value := string(quoted)
			switch field {
			case "tags":
				value = "[" + value + "]"
			case "labels":
				value = `{"x":` + value + "}"
			case "any":
				value = `{"x":[{` + value + `:1}]}`
			}
			r := call(t, srv, "TEACHER", "POST", "/teacher/thing/echo", body(field, value))
			complains := r.StatusCode == 422 && strings.Contains(r.text, `"field":"`+field)
			if good && r.StatusCode != 200 || !good && !complains {
				t.Errorf("%s in %s: %d %s", tt.name, field, r.StatusCode, r.text)
			}
		}
	}
	r := call(t, srv, "TEACHER", "POST", "/teacher/thing/echo", `{"data":{"name":"Ada","notes":"a\r\nb\tc\n"}}`)
	if !strings.Contains(r.text, `"notes":"a\nb\tc\n"`) {
		t.Error("line breaks were not normalized:", r.text)
	}
	if r := call(t, srv, "TEACHER", "GET", "/teacher/thing/list?search=a%0Ab", ""); r.StatusCode != 422 {
		t.Errorf("a line break in the query: got %d, want 422: %s", r.StatusCode, r.text)
	}
	if r := call(t, srv, "TEACHER", "POST", "/teacher/thing/echo", `{"data":{"name":"Ada","labels":{"a\nb":"x"}}}`); r.StatusCode != 422 {
		t.Errorf("a line break in a key: got %d, want 422: %s", r.StatusCode, r.text)
	}
}

// body returns an input with the given field.
func body(field, value string) string {
	if field == "name" {
		return `{"data":{"name":` + value + `}}`
	}
	return `{"data":{"name":"Ada","` + field + `":` + value + `}}`
}
