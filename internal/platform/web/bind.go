package web

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"homeroom/internal/platform/fault"
)

// maxDetails limits the number of validation errors in a response.
const maxDetails = 100

// binder validates a decoded JSON value against a Schema and binds it to a Go
// value in one pass. It collects all validation errors.
type binder struct {
	fields []fault.Field
}

func (b *binder) fail(path, format string, a ...any) {
	if len(b.fields) < maxDetails {
		b.fields = append(b.fields, fault.Field{Field: path, Message: fmt.Sprintf(format, a...)})
	}
}

func (b *binder) err() error {
	if len(b.fields) == 0 {
		return nil
	}
	return fault.Fields(b.fields...)
}

func (b *binder) value(path string, n *Schema, v any, dst reflect.Value) {
	switch n.Kind {
	case kindString:
		b.text(path, n, v, dst)
	case kindBool:
		x, ok := v.(bool)
		if !ok {
			b.fail(path, "must be true or false")
			return
		}
		dst.SetBool(x)
	case kindInt, kindFloat:
		b.number(path, n, v, dst)
	case kindObject:
		b.object(path, n, v, dst)
	case kindArray:
		b.array(path, n, v, dst)
	case kindMap:
		b.dict(path, n, v, dst)
	case kindAny:
		b.any(path, v, dst)
	}
}

func (b *binder) text(path string, n *Schema, v any, dst reflect.Value) {
	s, ok := v.(string)
	if !ok {
		b.fail(path, "must be a string")
		return
	}
	s, err := n.checkText(s)
	if err != nil {
		b.fail(path, "%s", err)
		return
	}
	if n.Format != "" && (s != "" || formats[n.Type] != "") { // "" clears an optional e-mail address, but is not a valid date
		clean, err := checks[n.Format](s)
		if err != nil {
			b.fail(path, "%s", err)
			return
		}
		s = clean
	}
	if word, ok := n.aliases[strings.ToLower(strings.TrimSpace(s))]; ok {
		s = word
	}
	switch size := utf8.RuneCountInString(s); {
	case s == "" && n.aliases != nil:
		dst.SetString("")
	case len(n.Enum) > 0 && !slices.Contains(n.Enum, s):
		b.fail(path, "must be one of %s", strings.Join(n.Enum, ", "))
	case size < n.MinLen:
		b.fail(path, "must have at least %d characters", n.MinLen)
	case size > n.MaxLen:
		b.fail(path, "must have at most %d characters", n.MaxLen)
	case n.Pattern != nil && !n.Pattern.MatchString(s):
		b.fail(path, "%s", n.patternWords())
	case n.Type == timeType:
		t, _ := time.Parse(time.RFC3339Nano, s) // validated above
		dst.Set(reflect.ValueOf(t))
	default:
		dst.SetString(s)
	}
}

func (n *Schema) patternWords() string {
	if n.hint != "" {
		return n.hint
	}
	return "must match " + n.Pattern.String()
}

// checkText checks the characters of a string. A password may have any but NUL.
func (n *Schema) checkText(s string) (string, error) {
	switch {
	case n.Format == "password":
		return s, reason(s, nil)
	case n.Multiline:
		return Lines(s)
	}
	return s, Line(s)
}

func (b *binder) number(path string, n *Schema, v any, dst reflect.Value) {
	num, ok := v.(json.Number)
	if !ok {
		b.fail(path, "must be a number")
		return
	}
	if exact, ok := dst.Addr().Interface().(exactNumber); ok {
		if err := exact.ParseNumber(num.String()); err != nil {
			b.fail(path, "%s", err)
		}
		return
	}
	f, err := num.Float64()
	if err != nil {
		b.fail(path, "is out of range")
		return
	}
	if n.Min != nil && f < *n.Min {
		b.fail(path, "must be at least %v", trimFloat(*n.Min))
		return
	}
	if n.Max != nil && f > *n.Max {
		b.fail(path, "must be at most %v", trimFloat(*n.Max))
		return
	}
	if n.Kind == kindFloat {
		dst.SetFloat(f)
		return
	}
	i, err := strconv.ParseInt(num.String(), 10, 64)
	switch {
	case err != nil && f == math.Trunc(f) && math.Abs(f) <= maxWhole: // 1.0 and 1e3 are whole numbers too
		i = int64(f)
	case err != nil:
		b.fail(path, "must be a whole number")
		return
	}
	if dst.OverflowInt(i) {
		b.fail(path, "is out of range")
		return
	}
	dst.SetInt(i)
}

func trimFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (b *binder) array(path string, n *Schema, v any, dst reflect.Value) {
	list, ok := v.([]any)
	switch {
	case !ok:
		b.fail(path, "must be a list")
		return
	case len(list) < n.MinItems:
		b.fail(path, "must have at least %d entries", n.MinItems)
		return
	case len(list) > n.MaxItems:
		b.fail(path, "must have at most %d entries", n.MaxItems)
		return
	}
	out := reflect.MakeSlice(dst.Type(), len(list), len(list))
	for i, item := range list {
		at := path + "[" + strconv.Itoa(i) + "]"
		if item == nil {
			b.fail(at, "must not be null")
			continue
		}
		b.value(at, n.Elem, item, indirect(out.Index(i)))
	}
	dst.Set(out)
}

func (b *binder) dict(path string, n *Schema, v any, dst reflect.Value) {
	m, ok := v.(map[string]any)
	if !ok {
		b.fail(path, "must be an object")
		return
	}
	out := reflect.MakeMapWithSize(dst.Type(), len(m))
	for k, item := range m {
		if Line(k) != nil || len(k) > defaultMaxLen {
			b.fail(path, "has a key that is too long or has control characters")
			continue
		}
		if len(n.Keys) > 0 && !slices.Contains(n.Keys, k) {
			b.fail(join(path, k), "must be one of %s", strings.Join(n.Keys, ", "))
			continue
		}
		if item == nil {
			continue
		}
		elem := reflect.New(dst.Type().Elem()).Elem()
		b.value(join(path, k), n.Elem, item, indirect(elem))
		out.SetMapIndex(reflect.ValueOf(k).Convert(dst.Type().Key()), elem)
	}
	dst.Set(out)
}

// any binds arbitrary JSON, as json.RawMessage or as decoded.
func (b *binder) any(path string, v any, dst reflect.Value) {
	if err := lineWithin(v); err != nil {
		b.fail(path, "%s", err)
		return
	}
	if dst.Type() != rawType {
		dst.Set(reflect.ValueOf(v))
		return
	}
	raw, err := json.Marshal(v)
	if err != nil {
		b.fail(path, "can't be read")
		return
	}
	dst.SetBytes(raw)
}

func (b *binder) object(path string, n *Schema, v any, dst reflect.Value) {
	m, ok := v.(map[string]any)
	if !ok {
		b.fail(path, "must be an object")
		return
	}
	for i := range n.Fields {
		f := &n.Fields[i]
		b.property(join(path, f.Name), f, m, dst)
	}
	if !n.Closed {
		return
	}
	for k := range m {
		if n.Field(k) == nil {
			b.fail(join(path, k), "is not a filter of this list%s", n.filterNames())
		}
	}
}

func (n *Schema) filterNames() string {
	if len(n.Fields) == 0 {
		return ", which has none"
	}
	names := make([]string, len(n.Fields))
	for i, f := range n.Fields {
		names[i] = f.Name
	}
	return ": use " + strings.Join(names, ", ")
}

func (b *binder) property(path string, f *Field, m map[string]any, dst reflect.Value) {
	v, sent := m[f.Name]
	if f.Required && (!sent || v == nil && !f.NullSets || isBlank(v)) {
		b.fail(path, "is required")
		return
	}
	if v == nil && f.Schema.Default != "" && !f.Nullable {
		v, sent = f.Schema.Parse(f.Schema.Default), true
	}
	if !sent {
		return
	}
	at := dst.FieldByIndex(f.index)
	if o, ok := at.Addr().Interface().(interface{ given(bool) reflect.Value }); ok {
		at = o.given(v == nil)
	}
	if v != nil {
		b.value(path, f.Schema, v, indirect(at))
	}
}

func isBlank(v any) bool {
	s, ok := v.(string)
	return ok && strings.TrimSpace(s) == ""
}

// indirect allocates the value behind a pointer and returns it.
func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	return v
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
