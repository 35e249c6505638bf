package web_test

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/web"
)

type greetIn struct {
	Name   string `json:"name" maxLength:"9"`
	header string
}

type greetOut struct {
	Says string     `json:"says"`
	User string     `json:"user,omitempty"`
	Kind actor.Role `json:"role,omitempty"`
}

func (greetOut) Header() http.Header { return http.Header{"X-Total-Count": {"7"}} }

type trouble struct {
	Code string `json:"code"`
}

// TestStandard: a route with another wire format has neither our envelope nor our errors,
// reads a form once and strictly, and no user's token.
func TestStandard(t *testing.T) {
	t.Parallel()
	greet := func(_ context.Context, who actor.Actor, in greetIn) (greetOut, error) {
		if in.Name == "bad" {
			return greetOut{}, fault.New(fault.Unauthenticated, "who_are_you", "No.")
		}
		return greetOut{Says: in.Name + " " + in.header, User: string(who.User), Kind: who.Role}, nil
	}
	as := func(form bool) *web.Standard {
		return &web.Standard{Form: form, Challenge: "Basic", Problem: reflect.TypeFor[trouble](),
			Error: func(b web.ErrorBody) (int, any) { return b.StatusCode, trouble{b.Error} }}
	}
	header := web.ReadsAuthorization(func(in *greetIn) *string { return &in.header })
	srv := serve(t, func(c *web.Config) {
		c.Routes = []web.Route{
			web.Handle("POST /form", greet, web.Public("all may"), web.Follows(as(true)), header, web.Doc("Greet.")),
			web.Handle("GET /plain", greet, web.Public("all may"), web.Follows(as(false)), header, web.Doc("Greet.")),
		}
	})
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		method, path, body, contentType string
		status                          int
		want                            string
	}{
		{"GET", "/plain?name=Ada", "", "", 200, `{"says":"Ada Bearer TEACHER"}`},
		{"GET", "/plain?name=bad", "", "", 401, `{"code":"who_are_you"}`},
		{"GET", "/plain?name=0123456789", "", "", 422, `{"code":"Unprocessable Entity"}`},
		{"GET", "/plain?name=%ff", "", "", 400, `{"code":"Bad Request"}`},
		{"POST", "/form", "name=Ada", form, 200, `{"says":"Ada Bearer TEACHER"}`},
		{"POST", "/form", "name=Ada", form + "; charset=utf-8", 200, `{"says":"Ada Bearer TEACHER"}`},
		{"POST", "/form?name=Ada", "", form, 200, `{"says":" Bearer TEACHER"}`}, // nothing of the query
		{"POST", "/form", "name=Ada&name=Bob", form, 400, `{"code":"Bad Request"}`},
		{"POST", "/form", "name=%ff", form, 400, `{"code":"Bad Request"}`},
		{"POST", "/form", "name=%", form, 400, `{"code":"Bad Request"}`},
		{"POST", "/form", `{"data":{"name":"Ada"}}`, "application/json", 400, `{"code":"Bad Request"}`},
		{"POST", "/form", "name=" + strings.Repeat("x", 2<<20), form, 413, `{"code":"Request Entity Too Large"}`},
	} {
		r := call(t, srv, "TEACHER", c.method, c.path, c.body, "Content-Type", c.contentType)
		if r.StatusCode != c.status || strings.TrimSpace(r.text) != c.want {
			t.Errorf("%s %s %.40s: %d %s, want %d %s", c.method, c.path, c.body, r.StatusCode, r.text, c.status, c.want)
		}
		if c.status == 200 && r.Header.Get("X-Total-Count") != "7" || c.status == 401 && r.Header.Get("WWW-Authenticate") != "Basic" {
			t.Errorf("%s %s: %v", c.method, c.path, r.Header)
		}
	}
}
