package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

// parameters lists the path's, and what a GET or DELETE takes by query string.
func (g *generator) parameters(r *Route) []any {
	var out []any
	for _, m := range pathParam.FindAllStringSubmatch(r.Path, -1) {
		out = append(out, object{{"name", m[1]}, {"in", "path"}, {"required", true},
			{"schema", pathSchema(r.In, m[1])}})
	}
	if r.takesVersion() {
		out = append(out, versionHeader())
	}
	if r.body == nil || r.takesBody() || r.takes != nil && r.takes.types == nil {
		return out
	}
	for _, f := range r.body.fields {
		switch {
		case r.List && f.name == "filters":
			for _, ff := range f.node.fields {
				out = append(out, g.query(ff))
			}
		case r.List && f.name == "sort":
			out = append(out, g.query(field{name: "sort", node: f.node.field("field").node}), g.query(*f.node.field("order")))
		default:
			out = append(out, g.query(f))
		}
	}
	return out
}

func pathSchema(in reflect.Type, name string) object {
	for i := range in.NumField() {
		if f := in.Field(i); f.Tag.Get("path") == name && formats[f.Type] != "" {
			return object{{"type", "string"}, {"format", formats[f.Type]}}
		}
	}
	return object{{"type", "string"}}
}

func (g *generator) query(f field) object {
	p := object{{"name", f.name}, {"in", "query"}, {"required", f.required}}
	if f.node.doc != "" {
		p = append(p, member{"description", f.node.doc})
	}
	return append(p, member{"schema", g.schema(f.node, false)})
}

func (g *generator) requestBody(r *Route) object {
	schema, example := g.schema(r.body, false), any(trial(r.body))
	required := slices.ContainsFunc(r.body.fields, func(f field) bool { return f.required })
	if !r.SignIn {
		schema = object{{"type", "object"}, {"required", []string{"data"}}, {"properties", object{{"data", schema}}}}
		example = object{{"data", example}}
	}
	return object{{"required", required}, {"content", object{{"application/json",
		object{{"schema", schema}, {"example", example}}}}}}
}

// document draws both ways in which a file may come.
func (t *taking) document() object {
	file := object{{"type", "string"}, {"contentMediaType", t.types[0]}}
	form := object{{"type", "object"}, {"required", []string{"file"}}, {"properties", object{{"file", file}}}}
	return object{{"required", true}, {"description", fmt.Sprintf("A file of up to %d MiB: the part `file` of a form, or the body itself.", t.max>>20)},
		{"content", object{{"multipart/form-data", object{{"schema", form}}}, {t.types[0], object{{"schema", object{{"type", "string"}}}}}}}}
}

// formBody draws a form with a file in it.
func (g *generator) formBody(r *Route) object {
	props, required := object{{"file", object{{"type", "string"}, {"contentMediaType", "application/octet-stream"}}}}, []string{"file"}
	if r.body != nil {
		for _, f := range r.body.fields {
			props = append(props, member{f.name, g.schema(f.node, false)})
			if f.required {
				required = append(required, f.name)
			}
		}
	}
	form := object{{"type", "object"}, {"required", required}, {"properties", props}}
	return object{{"required", true}, {"description", fmt.Sprintf("A form with a file of up to %d MiB.", r.takes.max>>20)},
		{"content", object{{"multipart/form-data", object{{"schema", form}}}}}}
}

// eitherBody draws a body that is JSON or a file, whose other input is then in the query.
func (g *generator) eitherBody(r *Route) object {
	media := g.requestBody(r)[1].value.(object)
	for _, m := range r.takes.document() {
		if m.key == "content" {
			media = append(media, m.value.(object)...)
		}
	}
	return object{{"required", true}, {"description", "JSON, or a file; with a file, the other parameters are those of the query string."}, {"content", media}}
}

func (g *generator) responses(r *Route) object {
	out := object{{strconv.Itoa(r.Status), g.success(r)}}
	if r.signed != nil { // whose file can be had in parts
		out = append(out, member{"206", object{{"description", "The part of the file that was asked for."}}},
			member{"304", object{{"description", "The file that the client has already."}}})
	}
	codes := []int{400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503}
	if r.signed != nil {
		codes = []int{400, 401, 403, 404, 416, 422, 429, 500, 503}
	}
	if r.Public != "" && !r.SignIn {
		codes = []int{400, 404, 413, 415, 422, 429, 500, 503}
	}
	for _, c := range codes {
		out = append(out, member{strconv.Itoa(c), object{{"$ref", "#/components/responses/" + strconv.Itoa(c)}}})
	}
	return out
}

func (g *generator) success(r *Route) object {
	if r.Status == http.StatusNoContent {
		return object{{"description", "Done. No body."}}
	}
	if r.gives != "" {
		return object{{"description", "The file."}, {"content", object{{r.gives, object{{"schema", object{{"type", "string"}}}}}}}}
	}
	data := any(object{{"type", "object"}})
	if r.reply != nil {
		data = g.schema(r.reply, true)
	}
	props := object{{"data", data}, {"message", object{{"type", "string"}, {"examples", []any{r.Message}}}}}
	schema := any(object{{"type", "object"}, {"required", []string{"data", "message"}}, {"properties", props}})
	if r.SignIn && r.reply != nil {
		schema = object{{"allOf", []any{schema, data}}}
	}
	content := object{{"application/json", object{{"schema", schema}}}}
	if r.orFile != nil {
		content = append(content, member{r.orFile.mediaType, object{{"schema", object{{"type", "string"}}}}})
	}
	out := object{{"description", r.Message}}
	if r.reply != nil && hasVersion(r.reply) {
		out = append(out, member{"headers", tagHeader()})
	}
	return append(out, member{"content", content})
}

func compileError() *node { return compile(reflect.TypeFor[ErrorBody](), "") }

// errorResponses describes each status once, for every operation to point at.
func (g *generator) errorResponses() object {
	words := []struct {
		code int
		what string
	}{
		{400, "Not JSON, a duplicate key, no data object, or a one-time password that is not good (OTP_INVALID, OTP_EXPIRED)."},
		{401, "No token, or one that is not good any more; REFRESH_TOKEN_EXPIRED."},
		{403, "The role does not fit, or lacks the permission (PERMISSION_DENIED, EVALUATION_MODE_READONLY)."},
		{404, "No such record in this school (STUDENT_NOT_FOUND, SCHOOL_NOT_FOUND)."},
		{409, "There is one already (DUPLICATE_ENTRY), the record's state does not allow it, or its version is no longer the one that was sent."},
		{413, "The body is too large."},
		{415, "The body is of another type than the call takes."},
		{416, "The file has no such part."},
		{422, "Fields break a rule; details has one item per field."},
		{429, "Too many calls; Retry-After says how many seconds to wait."},
		{500, "Our fault. Report the X-Request-Id."},
		{503, "The database can't be reached; Retry-After says when to try again."},
	}
	var out object
	for _, w := range words {
		out = append(out, member{strconv.Itoa(w.code), object{{"description", w.what},
			{"content", object{{"application/json", object{
				{"schema", object{{"$ref", "#/components/schemas/Error"}}},
				{"example", ErrorBody{StatusCode: w.code, Message: w.what, Error: http.StatusText(w.code)}}}}}}}})
	}
	return out
}

// schema draws a node. Records of replies are drawn once and pointed at.
func (g *generator) schema(n *node, reply bool) any {
	name := componentName(n)
	if n.kind != kindObject || !reply || name == "" {
		return g.draw(n, reply)
	}
	if _, ok := g.components[name]; !ok {
		g.components[name] = nil // holds the place while its fields are drawn
		g.components[name] = append(g.draw(n, reply), member{"examples", []any{sample(n)}})
	}
	return object{{"$ref", "#/components/schemas/" + name}}
}

// componentName is the record's name, led by its package where they differ:
// School, SchoolYear. A handler's own types have none.
func componentName(n *node) string {
	name := n.typ.Name()
	if name == "" || strings.Contains(name, "[") || name[0] < 'A' || name[0] > 'Z' {
		return ""
	}
	if n.typ == reflect.TypeFor[ErrorBody]() {
		return "Error"
	}
	pkg := n.typ.PkgPath()[strings.LastIndex(n.typ.PkgPath(), "/")+1:]
	if lead := strings.ToUpper(pkg[:1]) + pkg[1:]; !strings.HasPrefix(name, lead) {
		return lead + name
	}
	return name
}

func (g *generator) draw(n *node, reply bool) object {
	var o object
	switch n.kind {
	case kindAny:
	case kindMap:
		o = object{{"type", "object"}, {"additionalProperties", g.schema(n.elem, reply)}}
	case kindArray:
		o = object{{"type", "array"}, {"items", g.schema(n.elem, reply)}}
		if !reply {
			o = append(o, member{"minItems", n.minItems}, member{"maxItems", n.maxItems})
		}
	case kindObject:
		o = g.drawObject(n, reply)
	default:
		o = append(object{{"type", string(n.kind)}}, n.limits(reply)...)
	}
	if n.doc != "" {
		o = append(o, member{"description", n.doc})
	}
	return o
}

func (g *generator) drawObject(n *node, reply bool) object {
	required, props := []string{}, object{}
	for _, f := range n.fields {
		if reply && f.always || !reply && f.required {
			required = append(required, f.name)
		}
		s := g.schema(f.node, reply)
		if f.nullable {
			s = object{{"anyOf", []any{s, object{{"type", "null"}}}}}
		}
		props = append(props, member{f.name, s})
	}
	o := object{{"type", "object"}, {"properties", props}}
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	if n.closed {
		o = append(o, member{"additionalProperties", false})
	}
	return o
}

// limits are the rules of a text or a number.
func (n *node) limits(reply bool) object {
	var o object
	if n.format != "" {
		o = append(o, member{"format", n.format})
	}
	if len(n.enum) > 0 {
		o = append(o, member{"enum", n.enum})
	}
	if reply {
		return o
	}
	if n.kind == kindString && (n.format == "" || n.format == "password") && len(n.enum) == 0 {
		o = append(o, member{"minLength", n.minLen}, member{"maxLength", n.maxLen})
	}
	if n.multiline {
		o = append(o, member{"x-multiline", true})
	}
	if n.pattern != nil {
		o = append(o, member{"pattern", n.pattern.String()})
	}
	if n.min != nil {
		o = append(o, member{"minimum", *n.min})
	}
	if n.max != nil {
		o = append(o, member{"maximum", *n.max})
	}
	if n.def != "" {
		o = append(o, member{"default", coerce(n, []string{n.def})})
	}
	return o
}

// trial is an example to send as it is: it leaves out what a made-up value would
// spoil, the ids and filters that need not be given.
func trial(n *node) object {
	o := object{}
	for _, f := range n.fields {
		if !f.required && (f.node.format == "uuid" || f.name == "filters" || f.name == "sort") {
			continue
		}
		o = append(o, member{f.name, sample(f.node)})
	}
	return o
}

var samples = map[string]string{
	"uuid": "0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47", "date": "2026-11-15", "time": "08:05",
	"date-time": "2026-11-15T08:05:00Z", "email": "office@greenfield.test", "phone": "+15550100001",
	"timezone": "Europe/Berlin", "currency": "EUR", "uri": "https://example.org", "password": "a long password",
}

// sample makes an example value for a node.
func sample(n *node) any {
	switch {
	case n.example != "" && n.kind != kindObject:
		return coerce(n, []string{n.example})
	case n.def != "":
		return coerce(n, []string{n.def})
	case len(n.enum) > 0:
		return n.enum[0]
	}
	switch n.kind {
	case kindString:
		if s := samples[n.format]; s != "" {
			return s
		}
		return "text"
	case kindBool:
		return true
	case kindInt, kindFloat:
		return json.Number("1")
	case kindArray:
		return []any{sample(n.elem)}
	case kindObject:
		o := object{}
		for _, f := range n.fields {
			o = append(o, member{f.name, sample(f.node)})
		}
		return o
	}
	return object{}
}
