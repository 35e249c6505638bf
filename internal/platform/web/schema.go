package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// kind is the JSON type of a Schema. All but map and any are named as in JSON
// Schema.
type kind string

const (
	kindString kind = "string"
	kindBool   kind = "boolean"
	kindInt    kind = "integer"
	kindFloat  kind = "number"
	kindObject kind = "object"
	kindArray  kind = "array"
	kindMap    kind = "map"
	kindAny    kind = "any"
)

// defaultMaxLen is the maximum length of strings without a maxLength tag, so that
// values fit into the indexes of both databases.
const defaultMaxLen = 255

// maxWhole is the limit of integers without a maximum or minimum tag: the largest that
// every client can represent (2^53 - 1).
const maxWhole = 1<<53 - 1.0

// Schema describes a JSON value, from a Go type and its struct tags. It is compiled
// once per route, to validate the input and to generate the API documentation.
type Schema struct {
	Kind   kind
	Type   reflect.Type // without pointers and Opt
	Fields []Field      // of an object
	Elem   *Schema      // of an array or map
	OneOf  []*Schema    // documents a value of any type, which the handler checks
	Closed bool         // an unknown property is an error, not ignored

	Format                string
	Enum, Keys            []string          // allowed values, and keys of a map
	aliases               map[string]string // other spellings of Enum, in lower case; nil: exact spelling only
	Multiline             bool              // may have line breaks and tabs
	MinLen, MaxLen        int
	Pattern               *regexp.Regexp
	hint                  string // error message for the pattern
	Min, Max              *float64
	MinItems, MaxItems    int
	Doc, Example, Default string
}

// Field is one property of an object.
type Field struct {
	Name     string
	Schema   *Schema
	Required bool // by the client, in an input
	Always   bool // present in a reply
	Nullable bool
	NullSets bool // null differs from absent: the field is an Opt
	index    []int
}

// SchemaOf compiles a type.
func SchemaOf(t reflect.Type) *Schema { return compile(t, "") }

// Field returns the property with the name, or nil.
func (n *Schema) Field(name string) *Field {
	for i := range n.Fields {
		if n.Fields[i].Name == name {
			return &n.Fields[i]
		}
	}
	return nil
}

// Versioned reports whether the record has a version.
func (n *Schema) Versioned() bool {
	f := n.Field("version")
	return f != nil && f.Schema.Kind == kindInt
}

// Opt is a property that distinguishes null from absent.
type Opt[T any] struct {
	Set  bool // the property was sent
	Null bool // and was null
	V    T
}

func (o *Opt[T]) given(null bool) reflect.Value {
	o.Set, o.Null = true, null
	return reflect.ValueOf(&o.V).Elem()
}

// Or returns the sent value, nil for null, or was if the property is absent.
func (o Opt[T]) Or(was *T) *T {
	switch {
	case o.Null:
		return nil
	case o.Set:
		return &o.V
	}
	return was
}

// inner returns the type for compile.
func (Opt[T]) inner() reflect.Type { return reflect.TypeFor[T]() }

// MarshalJSON writes V, or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.Null || !o.Set {
		return []byte("null"), nil
	}
	return json.Marshal(o.V)
}

// wrapped is a type that is encoded as another, such as db.JSON.
type wrapped interface{ SchemaOf() reflect.Type }

// exactNumber is a type that parses and validates number literals itself, such as
// money.Money. The tags minimum and maximum are then only documentation.
type exactNumber interface{ ParseNumber(literal string) error }

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
	textType = reflect.TypeFor[opt.Text]()
	formats  = map[reflect.Type]string{
		reflect.TypeFor[id.ID]():           "uuid",
		reflect.TypeFor[clock.Date]():      "date",
		reflect.TypeFor[clock.TimeOfDay](): "time",
		timeType:                           "date-time",
	}
)

// compiled has the schema of each field's type with its tags, as a *Schema: routes share
// types, and tests start the service a thousand times. Nobody changes a schema in it.
var compiled sync.Map

// compileOnce is compile for the schemas of fields.
func compileOnce(t reflect.Type, tag reflect.StructTag) *Schema {
	type key struct {
		reflect.Type
		reflect.StructTag
	}
	k := key{t, tag}
	if n, ok := compiled.Load(k); ok {
		return n.(*Schema)
	}
	n, _ := compiled.LoadOrStore(k, compile(t, tag))
	return n.(*Schema)
}

// compile builds the schema of type t, with the struct tags of its field.
func compile(t reflect.Type, tag reflect.StructTag) *Schema {
	t = bare(t)
	n := &Schema{Type: t, Format: formats[t]}
	switch {
	case n.Format != "":
		n.Kind = kindString
	case t == rawType || t.Kind() == reflect.Interface:
		n.Kind, n.OneOf = kindAny, alternatives(tag)
	default:
		n.shape(t, tag)
	}
	n.rules(tag)
	n.mustTakeDefault()
	return n
}

// alternatives returns the schemas of the tag oneOf, such as "date-time,number". The tags
// minimum and maximum document the number; the feature checks them.
func alternatives(tag reflect.StructTag) (out []*Schema) {
	for name := range strings.FieldsFuncSeq(tag.Get("oneOf"), func(c rune) bool { return c == ',' }) {
		n := &Schema{Kind: kind(name)}
		if _, ok := checks[name]; ok {
			n = &Schema{Kind: kindString, Format: name}
		} else {
			n.Min, n.Max = bound(tag, "minimum"), bound(tag, "maximum")
		}
		out = append(out, n)
	}
	return out
}

func (n *Schema) shape(t reflect.Type, tag reflect.StructTag) {
	switch t.Kind() {
	case reflect.String:
		n.Kind = kindString
	case reflect.Bool:
		n.Kind = kindBool
	case reflect.Int, reflect.Int64, reflect.Int32:
		n.Kind = kindInt
	case reflect.Float64:
		n.Kind = kindFloat
	case reflect.Slice:
		n.Kind, n.Elem = kindArray, compileOnce(t.Elem(), elemTag(tag))
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			panic(fmt.Sprintf("web: %s must have string keys", t))
		}
		n.Kind, n.Elem = kindMap, compileOnce(t.Elem(), "")
	case reflect.Struct:
		n.Kind = kindObject
		n.addFields(t, nil)
	default:
		panic(fmt.Sprintf("web: %s is not supported in an input or a reply", t))
	}
}

// elemTag returns the tags of a slice that apply to its elements.
func elemTag(tag reflect.StructTag) reflect.StructTag {
	var b strings.Builder
	for _, key := range []string{"enum", "minLength", "maxLength", "pattern", "patternHint", "format", "multiline", "minimum", "maximum"} {
		if v, ok := tag.Lookup(key); ok {
			fmt.Fprintf(&b, "%s:%q ", key, v)
		}
	}
	return reflect.StructTag(b.String())
}

func (n *Schema) addFields(t reflect.Type, at []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			n.addFields(bare(f.Type), index)
		case f.Tag.Get("path") != "" || name == "-" || !f.IsExported():
		case name == "":
			panic(fmt.Sprintf("web: %s.%s has no json name", t, f.Name))
		default:
			field := Field{Name: name, index: index, Schema: compileOnce(f.Type, f.Tag),
				Required: f.Tag.Get("required") == "true",
				Always:   !strings.Contains(opts, "omit"),
				Nullable: f.Type.Kind() == reflect.Pointer || f.Type == textType || isOpt(f.Type),
				NullSets: isOpt(f.Type)}
			n.Fields = append(n.Fields, field)
		}
	}
}

func isOpt(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(interface{ inner() reflect.Type })
	return ok
}

// bare removes pointers, Opt and wrapped types.
func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := reflect.Zero(t).Interface().(type) {
	case interface{ inner() reflect.Type }:
		return bare(v.inner())
	case wrapped:
		return bare(v.SchemaOf())
	}
	return t
}

func (n *Schema) rules(tag reflect.StructTag) {
	if f := tag.Get("format"); f != "" && n.Kind == kindString {
		if _, ok := checks[f]; !ok {
			panic("web: unknown format " + f)
		}
		n.Format = f
	}
	if e := tag.Get("enum"); e != "" && n.Kind != kindArray {
		n.Enum = strings.Split(e, ",")
	}
	if k := tag.Get("keys"); k != "" {
		n.Keys = strings.Split(k, ",")
	}
	if a, ok := tag.Lookup("alias"); ok && n.Kind != kindArray {
		n.aliases = Aliases(n.Enum, a)
	}
	if p := tag.Get("pattern"); p != "" && n.Kind == kindString {
		n.Pattern, n.hint = regexp.MustCompile(p), tag.Get("patternHint")
	}
	if n.Multiline = tag.Get("multiline") == "true"; n.Multiline && n.Kind != kindString && n.Kind != kindArray {
		panic("web: a " + string(n.Kind) + " can't be multiline")
	}
	n.MinLen, n.MaxLen = number(tag, "minLength", 0), number(tag, "maxLength", defaultMaxLen)
	if tag.Get("required") == "true" { // the binder refuses a blank
		n.MinLen = max(n.MinLen, 1)
	}
	n.MinItems, n.MaxItems = number(tag, "minItems", 0), number(tag, "maxItems", 10_000)
	n.Min, n.Max = bound(tag, "minimum"), bound(tag, "maximum")
	if n.Kind == kindInt {
		n.Min, n.Max = cmp.Or(n.Min, new(-maxWhole)), cmp.Or(n.Max, new(maxWhole))
	}
	n.Doc, n.Example, n.Default = tag.Get("doc"), tag.Get("example"), tag.Get("default")
}

// Aliases maps spellings in lower case to the words of an enum: each word itself, and
// those of the tag alias, such as "m=MALE,f=FEMALE".
func Aliases(enum []string, tag string) map[string]string {
	out := map[string]string{}
	for _, word := range enum {
		out[strings.ToLower(word)] = word
	}
	for pair := range strings.SplitSeq(tag, ",") {
		alias, word, ok := strings.Cut(pair, "=")
		if tag != "" && (!ok || !slices.Contains(enum, word)) {
			panic(fmt.Sprintf("web: alias:%q must name words of the enum", tag))
		}
		out[strings.ToLower(alias)] = word
	}
	return out
}

func number(tag reflect.StructTag, key string, otherwise int) int {
	text, ok := tag.Lookup(key)
	if !ok {
		return otherwise
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("web: %s:%q must be a whole number", key, text))
	}
	return v
}

func bound(tag reflect.StructTag, key string) *float64 {
	text, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("web: %s:%q must be a number", key, text))
	}
	return &v
}

// mustTakeDefault panics on a default that is invalid by the type and other tags.
func (n *Schema) mustTakeDefault() {
	if n.Default == "" {
		return
	}
	var b binder
	b.value("default", n, n.Parse(n.Default), reflect.New(n.Type).Elem())
	if err := b.err(); err != nil {
		panic(fmt.Sprintf("web: a %s can't have the default %q: %v", n.Type, n.Default, err))
	}
}

// mustBind panics on a field of the input that can't be bound.
func (r *Route) mustBind() {
	for _, f := range reflect.VisibleFields(r.In) {
		name := f.Tag.Get("path")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			panic(fmt.Sprintf("web: %s: %s.%s must be embedded without a pointer", r.Pattern(), r.In, f.Name))
		case name == "":
		case len(f.Index) > 1 || f.Type.Kind() != reflect.String || !strings.Contains(r.Path, "{"+name+"}"):
			panic(fmt.Sprintf("web: %s: path:%q must be on a string field of %s itself and {%[2]s} in the path", r.Pattern(), name, r.In))
		}
	}
}
