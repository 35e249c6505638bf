package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"homeroom/internal/platform/actor"
)

// object is a JSON object that keeps the order of its members, so that the
// document reads well and a change of it shows as a small difference.
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

// encode writes v at the end of b. Objects go there directly: as results of
// MarshalJSON each would be read again once for every object around it.
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

// OpenAPI is the documentation of routes as an OpenAPI 3.1 document, made from
// the same data that serves them.
func OpenAPI(routes []Route, version string) ([]byte, error) {
	g := &generator{components: map[string]any{}}
	doc := object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "Homeroom"}, {"version", version}, {"description", introduction},
			{"license", object{{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
		{"servers", []any{object{{"url", "/"}}}},
		{"security", []any{object{{"bearer", []any{}}}}},
		{"tags", tagsOf(routes)},
		{"paths", g.paths(Expand(routes))},
	}
	g.schema(compileError(), true)
	doc = append(doc, member{"components", object{
		{"securitySchemes", object{{"bearer", object{
			{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}}}}},
		{"schemas", g.components},
		{"responses", g.errorResponses()}}})
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

// YAML is the same document as YAML.
func YAML(openAPI []byte) ([]byte, error) {
	var n yaml.Node // JSON is YAML: reading it so keeps the order of members
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

const introduction = "The backend of a school platform. Every path belongs to one client: /parent, /teacher, /driver, " +
	"/school-admin and /super-admin; the token's role must fit.\n\n" +
	"Requests carry `{\"data\": {...}}`, successes `{\"data\": {...}, \"message\": \"...\"}`, errors " +
	"`{statusCode, message, error, details?}`. Sign-in endpoints take and give their fields flat. " +
	"Any POST or PUT may carry an `Idempotency-Key`. Lists answer to GET with query parameters and to POST with a body alike."

func tagsOf(routes []Route) []any {
	var names []string
	for _, r := range routes {
		if !slices.Contains(names, r.tag()) {
			names = append(names, r.tag())
		}
	}
	slices.Sort(names)
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = object{{"name", n}}
	}
	return out
}

func (r *Route) tag() string {
	if r.SignIn {
		return "sign-in"
	}
	if r.Module == "" {
		return "service"
	}
	return r.Module
}

// generator collects the schemas that operations share.
type generator struct {
	components map[string]any
}

func (g *generator) paths(routes []Route) object {
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

func (g *generator) operation(r *Route) object {
	op := object{
		{"operationId", operationID(r)},
		{"tags", []string{r.tag()}},
		{"summary", r.Summary},
		{"description", r.describe()},
		{"x-rate-class", string(r.Class)},
	}
	if r.Public != "" {
		op = append(op, member{"security", []any{}})
	}
	if r.Module != "" {
		op = append(op, member{"x-permission", object{{"module", r.Module}, {"verb", verbs[r.Verb]}}})
	}
	if params := g.parameters(r); len(params) > 0 {
		op = append(op, member{"parameters", params})
	}
	switch {
	case r.takes != nil && r.takes.orJSON:
		op = append(op, member{"requestBody", g.eitherBody(r)})
	case r.takes != nil && r.takes.types == nil:
		op = append(op, member{"requestBody", g.formBody(r)})
	case r.takes != nil:
		op = append(op, member{"requestBody", r.takes.document()})
	case r.takesBody():
		op = append(op, member{"requestBody", g.requestBody(r)})
	}
	return append(op, member{"responses", g.responses(r)})
}

var verbs = map[actor.Verb]string{actor.Read: "canRead", actor.Write: "canWrite", actor.Delete: "canDelete"}

// operationID reads as the route does: postSchoolAdminRoleCreate.
func operationID(r *Route) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(r.Method))
	for _, part := range strings.FieldsFunc(r.Path, func(c rune) bool { return strings.ContainsRune("/-{}", c) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func (r *Route) describe() string {
	var parts []string
	switch {
	case r.Public != "":
		parts = append(parts, "Open to anyone: "+r.Public+".")
	case len(r.Roles) == len(actor.Roles):
		parts = append(parts, "For every role.")
	default:
		names := make([]string, len(r.Roles))
		for i, role := range r.Roles {
			names[i] = string(role)
		}
		parts = append(parts, "For "+strings.Join(names, ", ")+".")
	}
	if r.Module != "" {
		parts = append(parts, fmt.Sprintf("Needs %s on the module `%s`.", verbs[r.Verb], r.Module))
	}
	if r.ReadOnlyInEvaluation() {
		parts = append(parts, "Refused for teachers while the school is in evaluation mode.")
	}
	if r.signed != nil {
		parts = append(parts, "An address that is signed needs no token, and counts for no limit while it is good.")
	}
	parts = append(parts, fmt.Sprintf("Counts as %s for the rate limits.", r.Class))
	return strings.Join(parts, " ")
}

func (r *Route) takesBody() bool {
	return (r.takes == nil || r.takes.orJSON) && r.body != nil && len(r.body.fields) > 0 && (r.Method == http.MethodPost || r.Method == http.MethodPut)
}
