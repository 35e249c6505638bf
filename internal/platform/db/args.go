package db

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Args are the named parameters of a statement. Every name in the statement
// needs one. An unused argument is an error unless it is empty (nil, "", 0, no
// elements): that is how optional filters, left out by When, are passed.
type Args map[string]any

var errText = fault.New(fault.Invalid, "", "Text must be valid UTF-8 without the character U+0000.")

// bind returns the parameter values of the statement, in the order of $1, $2, ….
func (st *statement) bind(sc scope, a Args) ([]any, error) {
	if err := sc.allows(st, a); err != nil {
		return nil, err
	}
	values := make([]any, len(st.names))
	used := 0
	for i, name := range st.names {
		if sc.kind == inSchool && name == "school" {
			values[i] = string(sc.school)
			continue
		}
		v, ok := a[name]
		if !ok {
			return nil, fmt.Errorf("no argument for :%s in: %s", name, oneLine(st.text))
		}
		used++
		var err error
		if st.lists[i] {
			values[i], err = list(v)
		} else {
			values[i], err = plain(v)
		}
		if err != nil {
			return nil, fmt.Errorf("argument :%s: %w", name, err)
		}
	}
	if used == len(a) {
		return values, nil
	}
	return values, st.unused(a)
}

func (st *statement) unused(a Args) error {
	for name, v := range a {
		if !slices.Contains(st.names, name) && !empty(v) {
			return fmt.Errorf("argument %q is not in the statement: %s", name, oneLine(st.text))
		}
	}
	return nil
}

func empty(v any) bool {
	r := reflect.ValueOf(v)
	switch {
	case !r.IsValid():
		return true
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Map:
		return r.Len() == 0
	}
	return r.IsZero()
}

// plain converts an argument to one of the types that the engines support: nil,
// bool, int64, float64, string, or time.Time in UTC truncated to milliseconds.
func plain(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return text(v)
	case id.ID: // the zero ID is stored as NULL
		if v == "" {
			return nil, nil
		}
		return text(string(v))
	case bool, int64:
		return v, nil
	case int:
		return int64(v), nil
	case float64:
		return number(v)
	case time.Time:
		return v.UTC().Truncate(time.Millisecond), nil
	case json.RawMessage:
		return jsonText(v)
	case []byte:
		return jsonText(v)
	case jsonValue:
		b, err := v.document()
		if err != nil {
			return nil, err
		}
		return jsonText(b)
	case driver.Valuer:
		if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
			return nil, nil
		}
		w, err := v.Value()
		if err != nil {
			return nil, err
		}
		return plain(w)
	}
	return reflected(reflect.ValueOf(v))
}

func reflected(r reflect.Value) (any, error) {
	switch {
	case r.Kind() == reflect.Pointer && r.IsNil():
		return nil, nil
	case r.Kind() == reflect.Pointer:
		return plain(r.Elem().Interface())
	case r.Kind() == reflect.String:
		return text(r.String())
	case r.Kind() == reflect.Bool:
		return r.Bool(), nil
	case r.CanInt():
		return r.Int(), nil
	case r.CanUint() && r.Uint() <= math.MaxInt64:
		return int64(r.Uint()), nil
	case r.CanFloat():
		return number(r.Float())
	case r.Kind() == reflect.Slice:
		return nil, fmt.Errorf("%s is a slice: write x IN (:name), or use db.JSON", r.Type())
	}
	return nil, fmt.Errorf("%s can't be stored in a column: use db.JSON", r.Type())
}

// list converts a slice for IN (:name), each element with plain.
func list(v any) ([]any, error) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice {
		return nil, fmt.Errorf("IN (:name) takes a slice, not %T", v)
	}
	out := make([]any, r.Len())
	for i := range out {
		var err error
		if out[i], err = plain(r.Index(i).Interface()); err != nil {
			return nil, err
		}
		if out[i] == nil {
			return nil, fmt.Errorf("element %d of the list is nil: IN never matches NULL", i)
		}
	}
	return out, nil
}

func text(s string) (any, error) {
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		return nil, errText // PostgreSQL rejects both; SQLite has to behave the same
	}
	return s, nil
}

func jsonText(b []byte) (any, error) {
	if len(b) == 0 {
		return nil, nil
	}
	s := string(b)
	if strings.Contains(s, `\u0000`) && strings.Contains(strings.ReplaceAll(s, `\\`, ""), `\u0000`) {
		return nil, errText
	}
	return text(s)
}

func number(f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("not a finite number")
	}
	return f, nil
}
