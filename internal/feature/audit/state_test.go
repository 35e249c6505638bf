package audit

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStateOf(t *testing.T) {
	t.Parallel()
	type user struct {
		Name     string         `json:"name"`
		Password string         `json:"password"`
		PinHash  string         `json:"pinHash"`
		Inner    map[string]any `json:"inner"`
	}
	var nobody *user
	for _, tt := range []struct {
		name string
		in   any
		want State
	}{
		{"nothing", nil, nil},
		{"a nil pointer", nobody, nil},
		{"secrets at any depth", user{"Ada", "x", "y", map[string]any{"a": 1, "otp": 2,
			"list": []any{map[string]any{"refreshToken": 1, "b": "c"}}}},
			State{"name": "Ada", "inner": State{"a": json.Number("1"), "list": []any{State{"b": "c"}}}}},
		{"names that only look secret", map[string]any{"isPinned": true, "tokenless": 1, "access_token": 1, "PASSWORD": 1, "otp2": 1},
			State{"isPinned": true, "tokenless": json.Number("1")}},
		{"a large number stays whole", map[string]any{"n": int64(9007199254740993)}, State{"n": json.Number("9007199254740993")}},
		{"no object", []int{1}, State{"value": []any{json.Number("1")}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := stateOf(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("diff: got %v", d)
			}
		})
	}
	if _, err := stateOf(func() {}); err == nil {
		t.Error("a function became a state")
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	was, is := changes(
		State{"same": "a", "list": []any{"x"}, "changed": "old", "gone": nil},
		State{"same": "a", "list": []any{"x"}, "changed": "new", "come": true})
	if d := cmp.Diff(State{"changed": "old", "gone": nil}, was); d != "" {
		t.Errorf("diff: got %v", d)
	}
	if d := cmp.Diff(State{"changed": "new", "come": true}, is); d != "" {
		t.Errorf("diff: got %v", d)
	}
}
