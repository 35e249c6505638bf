package db

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSnake(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ID": "id", "ClassID": "class_id", "Name": "name", "CanRead": "can_read", "HTMLBody": "html_body", "Line2": "line2", "AtX": "at_x",
	} {
		if have := snake(in); have != want {
			t.Errorf("%s: have %s, want %s", in, have, want)
		}
	}
}

type base struct {
	ID string
	X  int `db:"y"`
}

type record struct {
	base
	CreatedAt time.Time
	Skipped   string `db:"-"`
	hidden    string //lint:ignore U1000 an unexported field must be passed over
	Inner     struct{ Deep string }
	Kind      uint8
}

func TestFields(t *testing.T) {
	t.Parallel()
	have := fieldsOf(reflect.TypeFor[record]())
	want := map[string][]int{"id": {0, 0}, "y": {0, 1}, "created_at": {1}, "inner": {4}, "kind": {5}}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		t       reflect.Type
		columns []string
		want    string
	}{
		{reflect.TypeFor[record](), []string{"id", "other"}, `"other" has no field`},
		{reflect.TypeFor[record](), []string{"id", "id"}, `two columns are named "id"`},
		{reflect.TypeFor[record](), []string{"inner"}, "db.JSON"},
		{reflect.TypeFor[record](), []string{"hidden"}, "no field"},
		{reflect.TypeFor[int](), []string{"a", "b"}, "for one column, got 2"},
		{reflect.TypeFor[[]string](), []string{"a"}, "db.JSON"},
	} {
		if _, err := newPlan(tt.t, tt.columns); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %v: %v, want %q", tt.t, tt.columns, err, tt.want)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dst  any
		v    value
		want string
	}{
		{new(string), value{}, "NULL"},
		{new(time.Time), value{}, "NULL"},
		{new(int), value{}, "NULL"},
		{new(int8), value{kind: integer, n: 300}, "does not fit"},
		{new(uint8), value{kind: integer, n: -1}, "does not fit"},
		{new(int), value{kind: str, s: "x"}, "invalid syntax"},
		{new(int), value{kind: float, f: 1.5}, "doesn't match"},
		{new(string), value{kind: integer, n: 1}, "doesn't match"},
		{new(bool), value{kind: str, s: "true"}, "doesn't match"},
		{new(time.Time), value{kind: str, s: "yesterday"}, "cannot parse"},
		{new(JSON[int]), value{kind: str, s: "{"}, "unexpected end"},
	} {
		r := reflect.ValueOf(tt.dst).Elem()
		set, err := setterFor(r.Type())
		if err == nil {
			err = set(r, &tt.v)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T: %v, want %q", tt.dst, err, tt.want)
		}
	}
}
