package web_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

func TestOptionalTextIsNullable(t *testing.T) {
	n := web.SchemaOf(reflect.TypeFor[struct {
		Name   string   `json:"name"`
		Gender opt.Text `json:"gender" enum:"MALE,FEMALE"`
		Email  opt.Text `json:"email" format:"email" maxLength:"50"`
	}]())
	for _, f := range n.Fields {
		if f.Schema.Kind != "string" || f.Nullable != (f.Name != "name") || !f.Always {
			t.Errorf("%s: %s, nullable %v, always %v", f.Name, f.Schema.Kind, f.Nullable, f.Always)
		}
	}
	if e := n.Field("email").Schema; e.Format != "email" || e.MaxLen != 50 {
		t.Errorf("email: format %q, at most %d characters", e.Format, e.MaxLen)
	}
	if e := n.Field("gender").Schema.Enum; !slices.Equal(e, []string{"MALE", "FEMALE"}) {
		t.Errorf("gender: %q", e)
	}
}

func TestRequiredOptTakesNull(t *testing.T) {
	t.Parallel()
	type status struct {
		Status web.Opt[string] `json:"status" required:"true" enum:"PRESENT,ABSENT"`
	}
	mark := func(_ context.Context, _ actor.Actor, in status) (status, error) { return in, nil }
	s := serve(t, func(c *web.Config) {
		c.Routes = []web.Route{web.Handle("POST /teacher/thing/mark", mark, web.Write("thing"), web.Doc("Mark."))}
	})
	for body, want := range map[string]int{
		`{"data":{"status":"ABSENT"}}`: 200, `{"data":{"status":null}}`: 200,
		`{"data":{}}`: 422, `{"data":{"status":""}}`: 422,
	} {
		if r := call(t, s, "TEACHER", "POST", "/teacher/thing/mark", body); r.StatusCode != want {
			t.Errorf("%s: %d, want %d", body, r.StatusCode, want)
		}
	}
}
