package web

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
)

// kind is the JSON type that a node reads and writes.
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

// defaultMaxLen bounds every string that names no bound of its own, so that no
// value outgrows an index of either database.
const defaultMaxLen = 255

// node is what a Go type and its tags say about a JSON value. It is compiled
// once per route, and both checks the input and draws its schema.
type node struct {
	kind   kind
	typ    reflect.Type // without pointers and Opt
	fields []field      // of an object
	elem   *node        // of an array or map
	closed bool         // an unknown property is an error, not ignored

	format             string
	enum               []string
	multiline          bool // may have line breaks and tabs
	minLen, maxLen     int
	pattern            *regexp.Regexp
	hint               string // what the pattern wants, in words
	min, max           *float64
	minItems, maxItems int
	doc, example, def  string
}

// field is one property of an object.
type field struct {
	name     string
	index    []int
	node     *node
	required bool // by the client, in an input
	always   bool // present in a reply
	nullable bool
}

func (n *node) field(name string) *field {
	for i := range n.fields {
		if n.fields[i].name == name {
			return &n.fields[i]
		}
	}
	return nil
}

// Opt is a property where null must be told from absent.
type Opt[T any] struct {
	Set  bool // the property was sent
	Null bool // and was null
	V    T
}

func (o *Opt[T]) given(null bool) reflect.Value {
	o.Set, o.Null = true, null
	return reflect.ValueOf(&o.V).Elem()
}

// inner lets compile see through Opt.
func (Opt[T]) inner() reflect.Type { return reflect.TypeFor[T]() }

// MarshalJSON writes the value alone.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.Null || !o.Set {
		return []byte("null"), nil
	}
	return json.Marshal(o.V)
}

// wrapped is a type that stands for another in JSON, such as db.JSON.
type wrapped interface{ SchemaOf() reflect.Type }

// exactNumber is a type that reads a number from its literal text, and holds it
// to its own bounds, such as money.Money. The error says what is wanted. Its
// tags minimum and maximum are for the documentation.
type exactNumber interface{ ParseNumber(literal string) error }

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
	formats  = map[reflect.Type]string{
		reflect.TypeFor[id.ID]():           "uuid",
		reflect.TypeFor[clock.Date]():      "date",
		reflect.TypeFor[clock.TimeOfDay](): "time",
		timeType:                           "date-time",
	}
)

// compile reads the type t and the tags of the field it stands in.
func compile(t reflect.Type, tag reflect.StructTag) *node {
	t = bare(t)
	n := &node{typ: t, format: formats[t]}
	switch {
	case n.format != "":
		n.kind = kindString
	case t == rawType || t.Kind() == reflect.Interface:
		n.kind = kindAny
	default:
		n.shape(t, tag)
	}
	n.rules(tag)
	n.mustTakeDefault()
	return n
}

func (n *node) shape(t reflect.Type, tag reflect.StructTag) {
	switch t.Kind() {
	case reflect.String:
		n.kind = kindString
	case reflect.Bool:
		n.kind = kindBool
	case reflect.Int, reflect.Int64, reflect.Int32:
		n.kind = kindInt
	case reflect.Float64:
		n.kind = kindFloat
	case reflect.Slice:
		n.kind, n.elem = kindArray, compile(t.Elem(), elemTag(tag))
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			panic(fmt.Sprintf("web: %s must have strings for keys", t))
		}
		n.kind, n.elem = kindMap, compile(t.Elem(), "")
	case reflect.Struct:
		n.kind = kindObject
		n.addFields(t, nil)
	default:
		panic(fmt.Sprintf("web: a %s can't stand in an input or a reply", t))
	}
}

// elemTag is the part of a slice's tags that speaks of its elements.
func elemTag(tag reflect.StructTag) reflect.StructTag {
	var b strings.Builder
	for _, key := range []string{"enum", "minLength", "maxLength", "pattern", "patternHint", "format", "multiline"} {
		if v, ok := tag.Lookup(key); ok {
			fmt.Fprintf(&b, "%s:%q ", key, v)
		}
	}
	return reflect.StructTag(b.String())
}

func (n *node) addFields(t reflect.Type, at []int) {
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
			n.fields = append(n.fields, field{name: name, index: index, node: compile(f.Type, f.Tag),
				required: f.Tag.Get("required") == "true",
				always:   !strings.Contains(opts, "omit"),
				nullable: f.Type.Kind() == reflect.Pointer || isOpt(f.Type)})
		}
	}
}

func isOpt(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(interface{ inner() reflect.Type })
	return ok
}

// bare takes pointers, Opt and wrapped types off.
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

func (n *node) rules(tag reflect.StructTag) {
	if f := tag.Get("format"); f != "" && n.kind == kindString {
		if _, ok := checks[f]; !ok {
			panic("web: unknown format " + f)
		}
		n.format = f
	}
	if e := tag.Get("enum"); e != "" && n.kind != kindArray {
		n.enum = strings.Split(e, ",")
	}
	if p := tag.Get("pattern"); p != "" && n.kind == kindString {
		n.pattern, n.hint = regexp.MustCompile(p), tag.Get("patternHint")
	}
	if n.multiline = tag.Get("multiline") == "true"; n.multiline && n.kind != kindString && n.kind != kindArray {
		panic("web: a " + string(n.kind) + " can't be multiline")
	}
	n.minLen, n.maxLen = number(tag, "minLength", 0), number(tag, "maxLength", defaultMaxLen)
	n.minItems, n.maxItems = number(tag, "minItems", 0), number(tag, "maxItems", 10_000)
	n.min, n.max = bound(tag, "minimum"), bound(tag, "maximum")
	n.doc, n.example, n.def = tag.Get("doc"), tag.Get("example"), tag.Get("default")
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

// mustTakeDefault panics on a default that the type and its other tags refuse.
func (n *node) mustTakeDefault() {
	if n.def == "" {
		return
	}
	var b binder
	b.value("default", n, coerce(n, []string{n.def}), reflect.New(n.typ).Elem())
	if err := b.err(); err != nil {
		panic(fmt.Sprintf("web: a %s can't have the default %q: %v", n.typ, n.def, err))
	}
}

// mustBind panics on a field of the input that binding could not fill.
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

// compile fills the nodes of the route's input and reply.
func (r *Route) compile() {
	none := reflect.TypeFor[None]()
	if r.In != none {
		r.body = compile(r.In, "")
		if r.body.kind != kindObject {
			panic("web: " + r.Pattern() + ": the input must be a struct")
		}
		r.mustBind()
	}
	if r.Out != none && r.Out != fileType {
		r.reply = compile(r.Out, "")
		if r.reply.kind != kindObject && r.reply.kind != kindMap {
			panic("web: " + r.Pattern() + ": the reply must be an object")
		}
	}
	if !r.List {
		return
	}
	f, sort := r.body.field("filters"), r.body.field("sort")
	if f == nil || sort == nil || len(r.Sorts) == 0 {
		panic("web: " + r.Pattern() + ": a list takes page.Ask and names the fields it sorts by")
	}
	f.node.closed = true
	sort.node.field("field").node.enum = r.Sorts
}
