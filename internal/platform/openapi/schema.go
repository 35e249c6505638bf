package openapi

import (
	"encoding/json"
	"strings"

	"homeroom/internal/platform/web"
)

// schema returns a JSON schema. Records are shared components; those of requests end with Input.
func (g *generator) schema(n *web.Schema, reply bool) any {
	name := g.typeName(n)
	switch {
	case name == "" || n.Closed: // the filters of one list
		return g.draw(n, reply)
	case !reply:
		return g.component(name+"Input", n.Type.String()+" as input", func() object { return g.drawObject(n, false) })
	}
	return g.component(name, n.Type.String(), func() object {
		o := g.drawObject(n, true)
		if first := n.Type.Name()[0]; first >= 'A' && first <= 'Z' && !strings.HasSuffix(name, "Page") {
			o = append(o, member{"examples", []any{sample(n, true)}})
		}
		return o
	})
}

func (g *generator) draw(n *web.Schema, reply bool) object {
	var o object
	switch n.Kind {
	case "any":
		o = g.drawAny(n, reply)
	case "map":
		o = object{{"type", "object"}, {"additionalProperties", g.schema(n.Elem, reply)}}
		if len(n.Keys) > 0 {
			o = append(o, member{"propertyNames", object{{"enum", n.Keys}}})
		}
	case "array":
		o = object{{"type", "array"}, {"items", g.schema(n.Elem, reply)}}
		if !reply {
			o = append(o, member{"minItems", n.MinItems}, member{"maxItems", n.MaxItems})
		}
	case "object":
		o = g.drawObject(n, reply)
	default:
		o = append(object{{"type", string(n.Kind)}}, limits(n, reply)...)
	}
	if n.Doc != "" {
		o = append(o, member{"description", n.Doc})
	}
	return o
}

func (g *generator) drawAny(n *web.Schema, reply bool) object {
	if len(n.OneOf) == 0 {
		return nil
	}
	each := make([]any, len(n.OneOf))
	for i, alternative := range n.OneOf {
		each[i] = g.draw(alternative, reply)
	}
	return object{{"oneOf", each}}
}

func (g *generator) drawObject(n *web.Schema, reply bool) object {
	required, props := []string{}, object{}
	for _, f := range n.Fields {
		if reply && f.Always || !reply && f.Required {
			required = append(required, f.Name)
		}
		s := g.schema(f.Schema, reply)
		if f.Nullable && (reply || !f.Required || f.NullSets) { // a client's null is as if not sent
			s = object{{"anyOf", []any{s, object{{"type", "null"}}}}}
		}
		props = append(props, member{f.Name, s})
	}
	o := object{{"type", "object"}, {"properties", props}}
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	if n.Closed {
		o = append(o, member{"additionalProperties", false})
	}
	return o
}

// limits returns the validation rules of a string or number.
func limits(n *web.Schema, reply bool) object {
	var o object
	if n.Format == "time" { // JSON Schema's time has seconds and a zone
		o = append(o, member{"pattern", web.FormatPattern(n.Format)})
	} else if n.Format != "" {
		o = append(o, member{"format", n.Format})
	}
	if len(n.Enum) > 0 {
		o = append(o, member{"enum", n.Enum})
	}
	if reply {
		return o
	}
	if p := web.FormatPattern(n.Format); p != "" && n.Format != "time" {
		o = append(o, member{"pattern", p})
	}
	if n.Kind == "string" && (n.Format == "" || n.Format == "password") && len(n.Enum) == 0 {
		o = append(o, member{"minLength", n.MinLen}, member{"maxLength", n.MaxLen})
	}
	if n.Multiline {
		o = append(o, member{"x-multiline", true})
	}
	if n.Pattern != nil {
		o = append(o, member{"pattern", n.Pattern.String()})
	}
	if n.Min != nil {
		o = append(o, member{"minimum", *n.Min})
	}
	if n.Max != nil {
		o = append(o, member{"maximum", *n.Max})
	}
	if n.Default != "" {
		o = append(o, member{"default", n.Parse(n.Default)})
	}
	return o
}

// omitted is the value of the tag example for a property that is left out of examples of
// requests, because it can't be combined with another one.
const omitted = "-"

// trial is an example that can be sent as it is. It omits optional ids without an example,
// and filters, which made-up values would break.
func trial(n *web.Schema) object {
	o := object{}
	for _, f := range n.Fields {
		made := f.Schema.Format == "uuid" || f.Name == "filters" || f.Name == "sort"
		if f.Schema.Example == omitted || made && !f.Required && f.Schema.Example == "" {
			continue
		}
		o = append(o, member{f.Name, sample(f.Schema, false)})
	}
	return o
}

var samples = map[string]string{
	"uuid": "0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47", "date": "2026-11-15", "time": "08:05",
	"date-time": "2026-11-15T08:05:00Z", "email": "office@greenfield.test", "phone": "+15550100001",
	"timezone": "Europe/Berlin", "currency": "EUR", "uri": "https://example.org", "password": "a long password",
}

// sample makes an example value of a reply or a request.
func sample(n *web.Schema, reply bool) any {
	switch {
	case n.Example != "" && n.Example != omitted && n.Kind != "object":
		return n.Parse(n.Example)
	case n.Default != "":
		return n.Parse(n.Default)
	case len(n.Enum) > 0:
		return n.Enum[0]
	}
	switch n.Kind {
	case "string":
		if s := samples[n.Format]; s != "" {
			return s
		}
		return "text"
	case "boolean":
		return true
	case "integer", "number":
		return json.Number("1")
	case "array":
		return []any{sample(n.Elem, reply)}
	case "object":
		o := object{}
		for _, f := range n.Fields {
			if reply || f.Schema.Example != omitted {
				o = append(o, member{f.Name, sample(f.Schema, reply)})
			}
		}
		return o
	}
	return object{}
}
