package db

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

const aSchool id.ID = "019a5b7c-0000-7000-8000-000000000001"

func TestCompile(t *testing.T) {
	t.Parallel()
	const (
		each = "IN (SELECT value FROM json_each($1))"
		none = "NOT IN (SELECT value FROM json_each($1))"
	)
	for _, tt := range []struct{ name, in, sqlite, postgres, names string }{
		{"none", "SELECT 1", "SELECT 1", "SELECT 1", ""},
		{"two", "a = :school AND b = :b_1", "a = $1 AND b = $2", "a = $1 AND b = $2", "school b_1"},
		{"again", ":b OR :c OR :b", "$1 OR $2 OR $1", "$1 OR $2 OR $1", "b c"},
		{"string", "x = ':no' AND y = :b", "x = ':no' AND y = $1", "x = ':no' AND y = $1", "b"},
		{"doubled quote", "x = 'it''s :no' AND y = :b", "x = 'it''s :no' AND y = $1", "x = 'it''s :no' AND y = $1", "b"},
		{"identifier", `":no" = :b`, `":no" = $1`, `":no" = $1`, "b"},
		{"line comment", "a -- :no ?;\n= :b", "a -- :no ?;\n= $1", "a -- :no ?;\n= $1", "b"},
		{"comment", "a /* :no :: */ = :b", "a /* :no :: */ = $1", "a /* :no :: */ = $1", "b"},
		{"unclosed", "a = 'x :no", "a = 'x :no", "a = 'x :no", ""},
		{"colon", "a : b", "a : b", "a : b", ""},
		{"at the end", "a = :b", "a = $1", "a = $1", "b"},
		{"list", "x IN (:l)", "x " + each, "x = ANY($1)", "l"},
		{"not in list", "x not in ( :l ) AND y", "x " + none + " AND y", "x <> ALL($1) AND y", "l"},
		{"two in a row", "x IN (:a, :b)", "x IN ($1, $2)", "x IN ($1, $2)", "a b"},
		{"no IN", "min(:a)", "min($1)", "min($1)", "a"},
		{"subquery", "x IN (SELECT y WHERE z = :a)", "x IN (SELECT y WHERE z = $1)", "x IN (SELECT y WHERE z = $1)", "a"},
	} {
		for pg, want := range map[bool]string{false: tt.sqlite, true: tt.postgres} {
			st, err := compile(pg, tt.in)
			if err != nil || st.sql != want || strings.Join(st.names, " ") != tt.names {
				t.Errorf("%s: %v, have %q %v, want %q %q", tt.name, err, st.sql, st.names, want, tt.names)
			}
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"x::text = :b":        "CAST",
		"x = ?":               "named",
		"x = $1":              "named",
		"SELECT 1; SELECT 2":  "semicolon",
		"x IN (:l) OR y = :l": "list in one place",
	} {
		if _, err := compile(true, in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"SELECT 1":                                           true,
		" -- a list\n select 'DELETE'":                       true,
		"WITH x AS (SELECT 1) SELECT * FROM x":               true,
		"WITH x AS (SELECT 1) INSERT INTO y SELECT * FROM x": false,
		"INSERT INTO x VALUES (1) RETURNING id":              false,
		"UPDATE x SET y = 1":                                 false,
		"":                                                   false,
	} {
		if st, err := compile(false, in); err != nil || st.reads != want {
			t.Errorf("%s: reads %v, %v, want %v", in, st.reads, err, want)
		}
	}
}

type level string
type bits uint8
type money struct{ minor int64 }

func (m money) Value() (driver.Value, error) { return m.minor, nil }

func TestPlain(t *testing.T) {
	t.Parallel()
	text, moment := "x", time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.FixedZone("", 3600))
	for _, tt := range []struct{ in, want any }{
		{nil, nil}, {"x", "x"}, {&text, "x"}, {(*string)(nil), nil}, {level("x"), "x"}, {opt.Text(""), ""}, {opt.Text("x"), "x"},
		{aSchool, string(aSchool)}, {id.ID(""), nil}, {clock.Date("2026-01-02"), "2026-01-02"}, {clock.TimeOfDay("08:00"), "08:00"},
		{true, true}, {3, int64(3)}, {int32(-3), int64(-3)}, {bits(7), int64(7)}, {1.5, 1.5}, {float32(0.5), 0.5},
		{moment, time.Date(2026, 1, 2, 2, 4, 5, 678_000_000, time.UTC)}, {(*time.Time)(nil), nil},
		{json.RawMessage(`{"a":1}`), `{"a":1}`}, {json.RawMessage(nil), nil}, {[]byte(`[1]`), `[1]`},
		{JSON[[]int]{V: []int{1, 2}}, `[1,2]`}, {&JSON[map[string]int]{}, `null`},
		{money{5}, int64(5)}, {(*money)(nil), nil}, {JSON[string]{V: `\u0000`}, `"\\u0000"`},
	} {
		if have, err := plain(tt.in); err != nil || !reflect.DeepEqual(have, tt.want) {
			t.Errorf("%T %v: have %#v %v, want %#v", tt.in, tt.in, have, err, tt.want)
		}
	}
	for _, in := range []any{[]string{"a"}, struct{}{}, map[string]int{}, math.NaN(), uint64(math.MaxUint64), make(chan int)} {
		if v, err := plain(in); err == nil {
			t.Errorf("%T was taken for %v", in, v)
		}
	}
	for _, in := range []any{"a\x00b", "\xff", JSON[string]{V: "a\x00b"}, level("\x00")} {
		if _, err := plain(in); !errors.Is(err, errText) || fault.From(err).Kind != fault.Invalid {
			t.Errorf("%q: %v, want a fault about the text", in, err)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	school, all := scope{inSchool, aSchool}, scope{kind: inAll}
	var nobody *string
	for _, tt := range []struct {
		name, sql string
		sc        scope
		args      Args
		refused   string // part of the error, "" if none
	}{
		{"right", "x = :school AND y = :y", school, Args{"y": 1}, ""},
		{"no :school", "x = :y", school, Args{"y": 1}, "must contain :school"},
		{":school in a string", "x = ':school'", school, nil, "must contain :school"},
		{":school in a comment", "x -- :school", school, nil, "must contain :school"},
		{":school passed", "x = :school", school, Args{"school": aSchool}, "set by db"},
		{"no school", "x = :school", scope{inSchool, ""}, nil, "not a school id"},
		{"bad school", "x = :school", scope{inSchool, "x'; DROP TABLE y; --"}, nil, "not a school id"},
		{"missing", "x = :school AND y = :y", school, nil, "no argument for :y"},
		{"unused", "x = :school", school, Args{"y": 1}, `"y" is not in`},
		{"unused and empty", "x = :school", school, Args{"y": "", "z": nobody, "l": []int{}, "n": 0}, ""},
		{"across", "x = :school", all, Args{"school": aSchool}, ""},
		{"across, missing", "x = :school", all, nil, "no argument for :school"},
		{"list", "x = :school AND y IN (:l)", school, Args{"l": []id.ID{aSchool}}, ""},
		{"no list", "x = :school AND y IN (:l)", school, Args{"l": 3}, "takes a slice"},
		{"list of nothing", "x = :school AND y IN (:l)", school, Args{"l": []*string{nil}}, "element 0"},
	} {
		st, err := compile(false, tt.sql)
		if err == nil {
			_, err = st.bind(tt.sc, tt.args)
		}
		if (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.refused)
		}
	}
}

func TestArrayLiteral(t *testing.T) {
	t.Parallel()
	have := string(appendPlain(nil, []any{`a"b\c,{}`, "", int64(-1), 1.5, true, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}))
	if want := `{"a\"b\\c,{}","",-1,1.5,true,2026-01-02T03:04:05.000Z}`; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}
