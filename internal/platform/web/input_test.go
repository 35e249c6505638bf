package web_test

import (
	"context"
	"strings"
	"testing"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/web"
)

func TestBodies(t *testing.T) {
	t.Parallel()
	srv := serve(t, nil)
	for _, tt := range []struct {
		name, body string
		status     int
		want       []string // in the body
		not        string
	}{
		{"good",
			`{"data":{"name":"Ada","kind":"A","day":"2024-02-29","count":3,"email":" Ada@Example.ORG ",
				"phone":"+1 (555) 010-0001","on":true,"records":[{"status":"ABSENT"}]}}`,
			200, []string{`"email":"ada@example.org"`, `"phone":"+15550100001"`, `"count":3`, `"message":"OK."`}, "details"},
		{"unknown fields are ignored", `{"data":{"name":"Ada","zzz":1},"more":2}`, 200, nil, "zzz"},
		{"not JSON", `{"data":`, 400, []string{`"error":"Bad Request"`}, ""},
		{"two values", `{"data":{"name":"Ada"}} {}`, 400, nil, ""},
		{"no data", `{"name":"Ada"}`, 400, []string{`\"data\"`}, ""},
		{"data is a list", `{"data":[]}`, 400, nil, ""},
		{"an array", `[1]`, 400, nil, ""},
		{"empty counts as no fields", ``, 422, []string{`"field":"name","message":"is required"`}, ""},
		{"all errors at once", `{"data":{"name":" ","kind":"C","day":"2023-02-29","at":"noon","count":10,"share":-1,
			"otherId":"x","email":"a","phone":"123","on":"yes","records":[{"status":"PRESENT"},{"status":"?"},{}]}}`,
			422, []string{`"name"`, `"kind","message":"must be one of A, B"`, `"day"`, `"at"`, `"count"`, `"share"`, `"otherId"`,
				`"email"`, `"phone"`, `"on"`, `"records[1].status"`, `"records[2].status","message":"is required"`}, `records[0]`},
		{"wrong types", `{"data":{"name":7,"count":"3","records":{}}}`, 422,
			[]string{`"name","message":"must be a string"`, `"count"`, `"records"`}, ""},
		{"case matters", `{"data":{"Name":"Ada","NAME":"Ada"}}`, 422, []string{`"name"`}, ""},
		{"a twin key can't smuggle", `{"data":{"name":"Ada","records":[{"status":"PRESENT","Status":"?"}],"Kind":"Z"}}`, 200,
			[]string{`"kind":""`, `"status":"PRESENT"`}, "Z"},
		{"too many entries", `{"data":{"name":"Ada","records":[{},{},{},{}]}}`, 422, []string{`at most 3`}, "is required"},
		{"NUL", `{"data":{"name":"A\u0000da"}}`, 422, []string{`NUL`}, ""},
		{"fraction for a whole number", `{"data":{"name":"Ada","count":1.5}}`, 422, []string{`whole number`}, ""},
		{"one point nought is whole", `{"data":{"name":"Ada","count":1.0}}`, 200, []string{`"count":1`}, ""},
		{"huge number", `{"data":{"name":"Ada","share":1e999}}`, 422, []string{`out of range`}, ""},
		{"null is absent", `{"data":{"name":"Ada","kind":null,"at":null}}`, 200, []string{`"at":null`}, ""},
		{"null is the default", `{"data":{"name":"Ada","level":null}}`, 200, []string{`"level":"LOW"`}, ""},
		{"long text", `{"data":{"name":"` + strings.Repeat("é", 256) + `"}}`, 422, []string{`at most 255`}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := call(t, srv, "TEACHER", "POST", "/teacher/thing/echo", tt.body)
			if r.StatusCode != tt.status {
				t.Fatalf("%d, want %d: %s", r.StatusCode, tt.status, r.text)
			}
			for _, w := range tt.want {
				if !strings.Contains(r.text, w) {
					t.Errorf("no %s in %s", w, r.text)
				}
			}
			if tt.not != "" && strings.Contains(r.text, tt.not) {
				t.Errorf("%s in %s", tt.not, r.text)
			}
		})
	}
}

func TestTransport(t *testing.T) {
	t.Parallel()
	srv := serve(t, nil)
	wantError(t, call(t, srv, "TEACHER", "POST", "/teacher/thing/echo", "a=b",
		"Content-Type", "application/x-www-form-urlencoded"), 415, "Unsupported Media Type")
	wantError(t, call(t, srv, "TEACHER", "POST", "/teacher/thing/echo",
		`{"data":{"name":"`+strings.Repeat("x", 1<<20)+`"}}`), 413, "Request Entity Too Large")
	wantError(t, call(t, srv, "", "GET", "/nowhere", ""), 404, "Not Found")
	wantError(t, call(t, srv, "", "GET", "/v2/teacher/thing/list", ""), 404, "Not Found")
	r := call(t, srv, "", "PATCH", "/teacher/thing/list", "")
	wantError(t, r, 405, "Method Not Allowed")
	if got := r.Header.Get("Allow"); got != "GET, HEAD, POST, DELETE, OPTIONS" { // DELETE by /teacher/thing/{id}
		t.Errorf("Allow: %s", got)
	}
	if r := call(t, srv, "TEACHER", "POST", "/teacher/thing/create", `{"data":{"name":"Ada"}}`); r.StatusCode != 201 {
		t.Errorf("create: got %s, want 201", r.Status)
	}
	if r := call(t, srv, "TEACHER", "DELETE", "/teacher/thing/0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47", ""); r.StatusCode != 204 || r.text != "" {
		t.Errorf("delete: got %s %s, want 204 without a body", r.Status, r.text)
	}
	wantError(t, call(t, srv, "TEACHER", "GET", "/teacher/thing/not-an-id", ""), 404, "Not Found")
	wantError(t, call(t, srv, "TEACHER", "GET", "/teacher/thing/list?a=%zz", ""), 400, "Bad Request")
	e := wantError(t, call(t, srv, "TEACHER", "GET", "/teacher/thing/panic", ""), 500, "Internal Server Error")
	if strings.Contains(e.Message, "secret") {
		t.Error("a panic's text reached the client")
	}
	r = call(t, srv, "", "POST", "/auth/login", `{"email":"a@b.test"}`)
	if r.StatusCode != 200 || !strings.Contains(r.text, `{"data":{"id":"","name":"a@b.test"},"id":"","name":"a@b.test","message":"OK."}`) {
		t.Errorf("sign-in: got %s, want the fields in data and at the top level", r.text)
	}
	if r := call(t, srv, "TEACHER", "HEAD", "/teacher/thing/list", ""); r.StatusCode != 200 || r.text != "" {
		t.Error("HEAD:", r.Status)
	}
	if r := call(t, srv, "", "GET", "/nowhere", "", "X-Request-Id", "abc-12345"); r.Header.Get("X-Request-Id") != "abc-12345" {
		t.Error("a valid X-Request-Id was replaced")
	}
	if r := call(t, srv, "", "GET", "/nowhere", "", "X-Request-Id", "a\"b<script>x"); strings.Contains(r.Header.Get("X-Request-Id"), "<") {
		t.Error("an invalid X-Request-Id was kept")
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	srv := serve(t, nil)
	const class = "0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47"
	want := `{"page":2,"limit":100,"sort":"name desc","filters":{"classId":"` + class + `","search":"ad","active":true}}`
	body := `{"data":{"page":2,"limit":500,"sort":{"field":"name","order":"desc"},"filters":{"classId":"` +
		class + `","search":"ad","active":true}}}`
	for name, r := range map[string]reply{
		"query": call(t, srv, "TEACHER", "GET", "/teacher/thing/list?page=2&limit=500&sort=name&order=desc&classId="+
			class+"&search=ad&active=true", ""),
		"brackets": call(t, srv, "TEACHER", "GET", "/teacher/thing/list?page=2&limit=500&sort[field]=name&sort[order]=desc"+
			"&filters[classId]="+class+"&filters[search]=ad&active=1", ""),
		"get body": call(t, srv, "TEACHER", "GET", "/teacher/thing/list", body),
		"post":     call(t, srv, "TEACHER", "POST", "/teacher/thing/list", body),
		"direct": call(t, srv, "TEACHER", "POST", "/teacher/thing/list", `{"data":{"page":2,"limit":500,"sort":{"field":"name","order":"desc"},`+
			`"classId":"`+class+`","search":"ad","filters":{"active":true,"search":"overridden"}}}`),
	} {
		if !strings.Contains(r.text, want) {
			t.Errorf("%s: %s", name, r.text)
		}
	}
	if r := call(t, srv, "TEACHER", "GET", "/teacher/thing/list?order=asc", ""); r.StatusCode != 200 {
		t.Error("order without sort was rejected:", r.text)
	}
	if r := call(t, srv, "TEACHER", "GET", "/teacher/thing/list", ""); !strings.Contains(r.text, `"page":1,"limit":20,"sort":""`) {
		t.Errorf("defaults: got %s, want page 1 and limit 20", r.text)
	}
	for path, field := range map[string]string{
		"?page=0": "page", "?limit=0": "limit", "?page=x": "page", "?sort=secret": "sort.field", "?sort=name&order=up": "sort.order",
		"?nope=1": "nope", "?classId=x": "classId", "?filters[nope]=1": "nope", "?search=%00": "search",
	} {
		e := wantError(t, call(t, srv, "TEACHER", "GET", "/teacher/thing/list"+path, ""), 422, "Unprocessable Entity")
		if len(e.Details) != 1 || e.Details[0].Field != field {
			t.Errorf("%s: details %+v, want %s", path, e.Details, field)
		}
	}
	wantError(t, call(t, srv, "TEACHER", "POST", "/teacher/thing/list", `{"data":{"filters":1}}`), 422, "Unprocessable Entity")
	e := wantError(t, call(t, srv, "TEACHER", "POST", "/teacher/thing/list", `{"data":{"filters":{"nope":1}}}`), 422, "Unprocessable Entity")
	if e.Details[0].Field != "filters.nope" {
		t.Errorf("unknown filter: details %+v, want filters.nope", e.Details)
	}
}

func TestIntegerLimits(t *testing.T) {
	t.Parallel()
	type numbers struct {
		Version *int  `json:"version"`
		Days    []int `json:"days" minimum:"1" maximum:"7"`
	}
	save := func(_ context.Context, _ actor.Actor, in numbers) (numbers, error) { return in, nil }
	srv := serve(t, func(c *web.Config) {
		c.Routes = []web.Route{web.Handle("POST /teacher/thing/save", save, web.Write("thing"), web.Doc("Save."))}
	})
	for body, want := range map[string]string{
		`{"version":9007199254740991,"days":[1,7]}`: "", `{"version":5e15}`: "", `{"version":-2.0}`: "",
		`{"version":9007199254740992}`: "must be at most 9007199254740991", `{"version":1e30}`: "must be at most 9007199254740991",
		`{"version":-1e30}`: "must be at least -9007199254740991", `{"version":1.5}`: "must be a whole number",
		`{"days":[1,8]}`: "must be at most 7", `{"days":[0]}`: "must be at least 1",
	} {
		r := call(t, srv, "TEACHER", "POST", "/teacher/thing/save", `{"data":`+body+`}`)
		if want == "" && r.StatusCode != 200 || want != "" && (r.StatusCode != 422 || !strings.Contains(r.text, want)) {
			t.Errorf("%s: %d %s, want %q", body, r.StatusCode, r.text, want)
		}
	}
}

func TestDetailsAreLimited(t *testing.T) {
	t.Parallel()
	refuse := func(context.Context, actor.Actor, web.None) (thing, error) {
		return thing{}, fault.Fields(make([]fault.Field, 125_000)...)
	}
	srv := serve(t, func(c *web.Config) {
		c.Routes = []web.Route{web.Handle("POST /teacher/thing/refuse", refuse, web.Write("thing"), web.Doc("Refuse."))}
	})
	e := wantError(t, call(t, srv, "TEACHER", "POST", "/teacher/thing/refuse", `{"data":{}}`), 422, "Unprocessable Entity")
	if len(e.Details) != 100 {
		t.Errorf("%d details, want 100", len(e.Details))
	}
}
