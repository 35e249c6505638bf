package web_test

import (
	"strings"
	"testing"

	"homeroom/internal/platform/web"
)

// JSON that parsers treat differently is rejected anywhere in the body.
func TestAmbiguousBodies(t *testing.T) {
	t.Parallel()
	srv := serve(t, nil)
	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"invalid UTF-8 in a value", `{"data":{"name":"A` + "\xff" + `da"}}`, 400, "UTF-8"},
		{"invalid UTF-8 in a key nobody reads", `{"data":{"name":"Ada","` + "\xc3\x28" + `":1}}`, 400, "UTF-8"},
		{"an overlong form", `{"data":{"name":"A` + "\xc0\x80" + `da"}}`, 400, "UTF-8"},
		{"a surrogate in UTF-8", `{"data":{"name":"` + "\xed\xa0\x80" + `"}}`, 400, "UTF-8"},
		{"a lone high surrogate", `{"data":{"name":"\ud800da"}}`, 400, "surrogate"},
		{"a lone low surrogate", `{"data":{"name":"\udc00da"}}`, 400, "surrogate"},
		{"two high surrogates", `{"data":{"name":"\uD83D\uD83D\ude00"}}`, 400, "surrogate"},
		{"a surrogate before another escape", `{"data":{"name":"\ud83d\n\ude00"}}`, 400, "surrogate"},
		{"a surrogate in a key", `{"data":{"name":"Ada","\udfff":1}}`, 400, "surrogate"},
		{"a surrogate beside data", `{"data":{"name":"Ada"},"more":["\ud800"]}`, 400, "surrogate"},
		{"a key twice", `{"data":{"name":"Ada","name":"Eve"}}`, 400, "twice"},
		{"a key twice, once by escapes", `{"data":{"name":"Ada","n\u0061me":"Eve"}}`, 400, "twice"},
		{"data twice", `{"data":{"name":"Ada"},"data":{"name":"Eve"}}`, 400, "twice"},
		{"an object twice", `{"data":{"name":"Ada","x":{"a":1},"x":{"b":1,"c":2}}}`, 400, "twice"},
		{"a key twice in a list", `{"data":{"name":"Ada","records":[{"status":"ABSENT"},{"status":"PRESENT" , "status"` +
			"\t:" + `"ABSENT"}]}}`, 400, "twice"},
		{"a key twice, deep in what nobody reads", `{"data":{"name":"Ada","x":[[{"y":[{"a":1,"a":1}]}]]}}`, 400, "twice"},
		{"an empty key twice", `{"data":{"name":"Ada","":1,"":2}}`, 400, "twice"},
		{"a pair of surrogates", `{"data":{"name":"\ud83d\ude00 Ada"}}`, 200, "😀 Ada"},
		{"an escaped backslash before a u", `{"data":{"name":"\\ud800"}}`, 200, `\\ud800`},
		{"the replacement character itself", `{"data":{"name":"A\ufffd�"}}`, 200, "A��"},
		{"one key in two objects",
			`{"data":{"name":"Ada","records":[{"status":"ABSENT"},{"status":"ABSENT"}]},"name":"Eve"}`, 200, `"name":"Ada"`},
		{"text that looks like keys", `{"data":{"name":"{\"a\":1,\"a\":2} : \\"}}`, 200, `\"a\":2`},
		{"keys that differ by case", `{"data":{"name":"Ada","Name":"Eve"}}`, 200, `"name":"Ada"`},
	} {
		r := call(t, srv, "TEACHER", "POST", "/teacher/thing/echo", tt.body)
		if r.StatusCode != tt.status || !strings.Contains(r.text, tt.want) {
			t.Errorf("%s: %d %s, want %d with %s", tt.name, r.StatusCode, r.text, tt.status, tt.want)
		}
		if tt.status == 400 && strings.Contains(r.text, "details") {
			t.Errorf("%s: an invalid body must not report fields: %s", tt.name, r.text)
		}
	}
	wantError(t, call(t, srv, "", "POST", "/auth/login", `{"email":"a@b.test","email":"c@d.test"}`), 400, "Bad Request")
	wantError(t, call(t, srv, "TEACHER", "DELETE", "/teacher/thing/0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47",
		`{"data":{"x":"\ud800"}}`), 400, "Bad Request")
}

// Invalid UTF-8 is rejected in query strings and forms too.
func TestAmbiguousQueriesAndForms(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(c *web.Config) {
		c.Routes = append(c.Routes, web.Handle("POST /teacher/thing/send", upload,
			web.Write("thing"), web.TakesForm(uploadMax), web.Doc("Send.")))
	})
	for _, path := range []string{"/teacher/thing/list?search=%ff", "/teacher/thing/list?%ff=1", "/teacher/thing/list?nope=%c0%80",
		"/teacher/thing/0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47?x=%ed%a0%80", "/thing/open?x=%ff"} {
		if e := wantError(t, call(t, srv, "TEACHER", "GET", path, ""), 400, "Bad Request"); !strings.Contains(e.Message, "UTF-8") {
			t.Errorf("%s: %s", path, e.Message)
		}
	}
	for _, body := range []string{
		formOf("mode=\xff", "/a.txt"), formOf("/a.txt", "mode=\xff"), formOf("colour=\xff", "/a.txt"), formOf("colo\xffur=red", "/a.txt"),
	} {
		e := wantError(t, call(t, srv, "TEACHER", "POST", "/teacher/thing/send", body,
			"Content-Type", "multipart/form-data; boundary=cut"), 400, "Bad Request")
		if !strings.Contains(e.Message, "UTF-8") {
			t.Errorf("%q: %s", body, e.Message)
		}
	}
	if r := call(t, srv, "TEACHER", "GET", "/teacher/thing/list?search=%F0%9F%98%80", ""); r.StatusCode != 200 {
		t.Errorf("an emoji in the query: got %d, want 200: %s", r.StatusCode, r.text)
	}
}
