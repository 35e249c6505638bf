package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
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

type partIn struct {
	ID   id.ID  `path:"id"`
	Part string `path:"part"`
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema.FS, testIfMatch)
}

func testIfMatch(t *testing.T, d *db.DB) {
	makeNorth(t, d)
	srv := serve(t, func(c *web.Config) {
		c.DB, c.Gate = d, inNorth{}
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
			}, web.Write("thing"), web.Doc("Act.")),
			web.Handle("POST /teacher/thing/{id}/cancel", func(context.Context, actor.Actor, oneIn) (thing, error) {
				return thing{}, nil
			}, web.Write("thing"), web.Doc("Cancel.")),
			web.Handle("DELETE /teacher/thing/{id}", func(context.Context, actor.Actor, oneIn) (web.None, error) {
				return web.None{}, nil
			}, web.Delete("thing"), web.Doc("Delete.")),
			web.Handle("DELETE /teacher/thing/{id}/part/{part}", func(context.Context, actor.Actor, partIn) (web.None, error) {
				return web.None{}, nil
			}, web.Delete("thing"), web.Doc("Delete a part, which has no version.")),
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
	for _, route := range []string{"POST " + path, "POST " + path + "/cancel?any=x", "DELETE " + path} {
		method, at, _ := strings.Cut(route, " ")
		for header, want := range map[string]int{`"7"`: 0, `W/"7"`: 0, "*": 0, `"6"`: 409, `"8"`: 409, "x": 400} {
			r := call(t, srv, "TEACHER", method, at, "", "If-Match", header)
			if want == 0 && r.StatusCode >= 300 || want > 0 && r.StatusCode != want || r.Header.Get("ETag") != "" {
				t.Errorf("%s with If-Match %s: got %d, ETag %q, want %d", route, header, r.StatusCode, r.Header.Get("ETag"), want)
			}
		}
	}
	if r := call(t, srv, "TEACHER", "DELETE", path+"/part/x", "", "If-Match", `"6"`); r.StatusCode != 204 {
		t.Errorf("a record without a version: got %d, want 204", r.StatusCode)
	}
}

// TestIfMatchAtOnce: of several calls for the same version one does its work, whatever the handler checks itself.
func TestIfMatchAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) {
		makeNorth(t, d)
		srv := serve(t, func(c *web.Config) {
			c.DB, c.Gate = d, inNorth{}
			get := func(ctx context.Context, _ actor.Actor, _ oneIn) (out versioned, err error) {
				out.Version, err = db.One[int](ctx, d.School(northID), `SELECT version FROM schools WHERE id = :school`, nil)
				return out, err
			}
			act := rename(d)
			act.Path = "/teacher/school/{id}/rename"
			c.Routes = append(c.Routes, act, web.Handle("GET /teacher/school/{id}", get, web.Read("thing"), web.Doc("One school.")))
		})
		const path, most = "/teacher/school/" + string(northID) + "/rename", 8
		for round := 1; round <= 20; round++ {
			tag, statuses := fmt.Sprintf(`"%d"`, round), make(chan int, most)
			for range most {
				go func() { statuses <- call(t, srv, "TEACHER", "POST", path, `{"data":{}}`, "If-Match", tag).StatusCode }()
			}
			got := map[int]int{}
			for range most {
				got[<-statuses]++
			}
			if got[201] != 1 || got[409] != most-1 {
				t.Fatalf("round %d: %v, want one 201, and 409 for the others", round, got)
			}
		}
	})
}
