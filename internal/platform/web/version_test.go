package web_test

import (
	"context"
	"strings"
	"testing"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

type versioned struct {
	thing
	Version int `json:"version"`
}

type changeIn struct {
	ID      id.ID  `path:"id"`
	Name    string `json:"name"`
	Version *int   `json:"version"`
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(c *web.Config) {
		c.Routes = []web.Route{
			web.Handle("PUT /teacher/thing/{id}", func(_ context.Context, _ actor.Actor, in changeIn) (versioned, error) {
				out := versioned{thing: thing{Name: "any"}, Version: 100}
				if in.Version != nil {
					out.Name, out.Version = "one", *in.Version
				}
				return out, nil
			}, web.Write("thing"), web.Doc("Change.")),
			web.Handle("GET /teacher/thing/{id}", func(context.Context, actor.Actor, oneIn) (versioned, error) {
				return versioned{Version: 7}, nil
			}, web.Read("thing"), web.Doc("One.")),
			web.Handle("POST /teacher/thing/{id}", func(_ context.Context, _ actor.Actor, in changeIn) (thing, error) {
				return thing{Name: in.Name}, nil
			}, web.Write("thing"), web.Doc("Takes no If-Match.")),
		}
	})
	const path = "/teacher/thing/0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47"
	for _, tt := range []struct {
		name, header, body string
		status             int
		want, etag         string
	}{
		{"none", "", `{"data":{}}`, 200, `"name":"any"`, `"100"`},
		{"in the header", `"7"`, `{"data":{}}`, 200, `"name":"one","version":7`, `"7"`},
		{"with no body", `"7"`, ``, 200, `"version":7`, `"7"`},
		{"weak", `W/"7"`, `{"data":{}}`, 200, `"version":7`, `"7"`},
		{"nought", `"0"`, `{"data":{}}`, 200, `"name":"one","version":0`, `"0"`},
		{"any", `*`, `{"data":{}}`, 200, `"name":"any"`, `"100"`},
		{"any, and one in the body", `*`, `{"data":{"version":3}}`, 200, `"version":3`, `"3"`},
		{"in the body", "", `{"data":{"version":3}}`, 200, `"version":3`, `"3"`},
		{"the same in both", `"3"`, `{"data":{"version":3}}`, 200, `"version":3`, `"3"`},
		{"null in the body", `"3"`, `{"data":{"version":null}}`, 200, `"version":3`, `"3"`},
		{"two that differ", `"3"`, `{"data":{"version":4}}`, 400, "differ", ""},
		{"another type in the body", `"3"`, `{"data":{"version":"3"}}`, 400, "differ", ""},
		{"without quotes", `7`, `{"data":{}}`, 400, "If-Match", ""},
		{"no number", `"abc"`, `{"data":{}}`, 400, "If-Match", ""},
		{"negative", `"-1"`, `{"data":{}}`, 400, "If-Match", ""},
		{"a list", `"7", "8"`, `{"data":{}}`, 400, "If-Match", ""},
		{"half a quote", `"7`, `{"data":{}}`, 400, "If-Match", ""},
		{"the largest", `"999999999999999"`, `{"data":{}}`, 200, `"version":999999999999999`, `"999999999999999"`},
		{"too large", `"1000000000000000"`, `{"data":{}}`, 400, "If-Match", ""},
	} {
		var headers []string
		if tt.header != "" {
			headers = []string{"If-Match", tt.header}
		}
		r := call(t, srv, "TEACHER", "PUT", path, tt.body, headers...)
		if r.StatusCode != tt.status || !strings.Contains(r.text, tt.want) || r.Header.Get("ETag") != tt.etag {
			t.Errorf("%s: %d %s %s, want %d with %s", tt.name, r.StatusCode, r.text, r.Header.Get("ETag"), tt.status, tt.want)
		}
	}
	if r := call(t, srv, "TEACHER", "GET", path, ""); r.Header.Get("ETag") != `"7"` {
		t.Errorf("ETag of GET: got %q, want \"7\"", r.Header.Get("ETag"))
	}
	if r := call(t, srv, "TEACHER", "POST", path, "", "If-Match", "x"); r.StatusCode != 200 || r.Header.Get("ETag") != "" {
		t.Errorf("POST with If-Match: got %d, ETag %q, want 200 without", r.StatusCode, r.Header.Get("ETag"))
	}
}
