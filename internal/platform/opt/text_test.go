package opt_test

import (
	"encoding/json"
	"testing"

	"homeroom/internal/platform/opt"
)

type person struct {
	Name  opt.Text  `json:"name"`
	Phone opt.Text  `json:"phone"`
	Email *opt.Text `json:"email,omitempty"`
}

func TestText(t *testing.T) {
	raw, err := json.Marshal(person{Name: `Zoë "Z" <1>`})
	if want := `{"name":"Zoë \"Z\" \u003c1\u003e","phone":null}`; err != nil || string(raw) != want {
		t.Errorf("%s %v, want %s", raw, err, want)
	}
	for _, in := range []string{`{"name":"Ada","phone":null}`, `{"name":"Ada","phone":""}`, `{"name":"Ada"}`} {
		var p person
		if err := json.Unmarshal([]byte(in), &p); err != nil || p != (person{Name: "Ada"}) {
			t.Errorf("%s is read as %+v, %v", in, p, err)
		}
	}
}

func TestMissingTextIsCheap(t *testing.T) {
	v := opt.Text("")
	if n := testing.AllocsPerRun(100, func() { _, _ = v.MarshalJSON() }); n > 0 {
		t.Errorf("%v allocations for a missing text", n)
	}
}
