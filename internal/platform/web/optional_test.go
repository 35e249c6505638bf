package web_test

import (
	"reflect"
	"slices"
	"testing"

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
