// Package openapi generates an OpenAPI 3.1 document from the data that serves the
// requests: web.Route, and the web.Schema of its input and reply.
//
// openapi.go writes the document, operation.go one operation, schema.go a schema.
// asyncapi.go writes the document of the socket events with the same schemas.
package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"homeroom/internal/platform/web"
)

// object is a JSON object with ordered members, for a readable document with small
// diffs.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := encode(&b, o)
	return b.Bytes(), err
}

// encode appends v to b. It writes objects directly: encoding/json would validate the
// result of each nested MarshalJSON again.
func encode(b *bytes.Buffer, v any) error {
	var err error
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			err = errors.Join(err, encode(b, m.key))
			b.WriteByte(':')
			err = errors.Join(err, encode(b, m.value))
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			err = errors.Join(err, encode(b, e))
		}
		b.WriteByte(']')
	case map[string]any:
		var sorted object
		for _, key := range slices.Sorted(maps.Keys(v)) {
			sorted = append(sorted, member{key, v[key]})
		}
		err = encode(b, sorted)
	default:
		var raw []byte
		raw, err = json.Marshal(v)
		b.Write(raw)
	}
	return err
}

// Info describes the service as a whole.
type Info struct {
	Title, Version, Description string
	NotFound                    string // description of 404
	Names                       Names
	Tags                        map[string]string // descriptions of modules
	Schemes                     map[string]any    // security schemes of routes that follow other standards
}

func (i Info) head() object {
	return object{{"title", i.Title}, {"version", i.Version}, {"description", i.Description}}
}

// JSON returns the OpenAPI document of the routes.
func JSON(routes []web.Route, info Info) ([]byte, error) {
	all := web.Expand(routes)
	g := newGenerator(all, info.Names)
	if err := g.checkNames(all); err != nil {
		return nil, err
	}
	doc := object{
		{"openapi", "3.1.0"},
		{"info", append(info.head(), member{"license", object{{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}})},
		{"servers", []any{object{{"url", "/"}}}},
		{"security", []any{object{{"bearer", []any{}}}}},
		{"tags", tagsOf(routes, info.Tags)},
		{"paths", g.paths(all)},
	}
	g.schema(web.SchemaOf(reflect.TypeFor[web.ErrorBody]()), true)
	doc = append(doc, member{"components", object{
		{"securitySchemes", append(object{
			{"bearer", object{{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}}},
			{"signedURL", object{{"type", "apiKey"}, {"in", "query"}, {"name", "signature"},
				{"description", "A URL with a signature, as a reply has it. It needs no token. Use it as it is, while it is valid."}}},
		}, schemes(info)...)},
		{"schemas", g.components},
		{"responses", errorResponses(info)}}})
	if g.err != nil {
		return nil, g.err
	}
	return indented(doc)
}

func schemes(info Info) (out object) {
	for _, name := range slices.Sorted(maps.Keys(info.Schemes)) {
		out = append(out, member{name, info.Schemes[name]})
	}
	return out
}

// indented writes a document.
func indented(doc object) ([]byte, error) {
	var raw, out bytes.Buffer
	if err := encode(&raw, doc); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	if err := json.Indent(&out, raw.Bytes(), "", " "); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// YAML converts the document to YAML.
func YAML(openAPI []byte) ([]byte, error) {
	var n yaml.Node // parsing JSON as YAML keeps the order
	if err := yaml.Unmarshal(openAPI, &n); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	plain(&n)
	return yaml.Marshal(&n)
}

func plain(n *yaml.Node) {
	n.Style &^= yaml.FlowStyle
	if n.Kind == yaml.ScalarNode && !strings.Contains(n.Value, "\n") {
		n.Style = 0
	}
	for _, c := range n.Content {
		plain(c)
	}
}

func tagsOf(routes []web.Route, says map[string]string) []any {
	var names []string
	for _, r := range routes {
		if !slices.Contains(names, tagOf(&r)) {
			names = append(names, tagOf(&r))
		}
	}
	slices.Sort(names)
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = object{{"name", n}}
		if text := says[n]; text != "" {
			out[i] = object{{"name", n}, {"description", text}}
		}
	}
	return out
}

func tagOf(r *web.Route) string {
	if r.SignIn {
		return "sign-in"
	}
	if r.Module == "" {
		return "service"
	}
	return r.Module
}

// generator collects shared schemas.
type generator struct {
	components map[string]any
	names      Names
	declared   map[string]bool         // the patterns of all routes
	byName     map[string][]*web.Route // the routes that have the same name but for the role
	owners     map[string]string       // of the components
	err        error                   // two components of one name
}

func newGenerator(routes []web.Route, names Names) *generator {
	g := &generator{components: map[string]any{}, names: names, declared: map[string]bool{}, byName: map[string][]*web.Route{},
		owners: map[string]string{}}
	for _, r := range routes {
		g.declared[r.Pattern()] = true
	}
	for i := range routes {
		base := g.baseName(&routes[i])
		g.byName[base] = append(g.byName[base], &routes[i])
	}
	return g
}

func (g *generator) paths(routes []web.Route) object {
	byPath := map[string]object{}
	for i := range routes {
		r := &routes[i]
		byPath[r.Path] = append(byPath[r.Path], member{strings.ToLower(r.Method), g.operation(r)})
	}
	var out object
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		out = append(out, member{p, byPath[p]})
	}
	return out
}
