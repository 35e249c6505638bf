package openapi

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"homeroom/internal/platform/web"
)

// Every body, envelope and record is a component, because generated clients make a type of it:
//
//	Student, StudentPage           a record, and a page of them
//	StudentReply                   {data: Student, message}
//	CreateStudentInput             the data of a request
//	CreateStudentRequest           {data: CreateStudentInput}
//	UploadExamResultsResult        the data of a reply that is no record

// component returns a reference to a component, which draw makes at its first use. of is what
// the component describes: one name can't stand for two things.
func (g *generator) component(name, of string, draw func() object) object {
	switch was, ok := g.owners[name]; {
	case !ok:
		g.owners[name] = of
		g.components[name] = nil // reserved, because its fields may refer to it
		g.components[name] = draw()
	case was != of:
		g.err = errors.Join(g.err, fmt.Errorf("openapi: %s and %s are both the schema %s: name one of them", was, of, name))
	}
	return object{{"$ref", "#/components/schemas/" + name}}
}

// typeName is a record's name: the package and the type, such as FeeCharge, unless the names of
// the document say otherwise. It is "" for a type without a name.
func (g *generator) typeName(n *web.Schema) string {
	t := n.Type
	if t == nil || t.Name() == "" || n.Kind != "object" {
		return ""
	}
	if t == reflect.TypeFor[web.ErrorBody]() {
		return "Error"
	}
	pkg := t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]
	if items := n.Field("items"); pkg == "page" && items != nil {
		if row := g.typeName(items.Schema.Elem); row != "" {
			return row + "Page"
		}
	}
	if strings.Contains(t.Name(), "[") || pkg == "page" { // each list has its own sort fields
		return ""
	}
	if name := g.names.Schemas[pkg+"."+t.Name()]; name != "" {
		return name
	}
	name := title(strings.TrimSuffix(strings.TrimSuffix(t.Name(), "In"), "Out"))
	lead, ok := g.names.Packages[pkg]
	if !ok {
		lead = title(pkg)
	}
	if strings.HasPrefix(name, lead) {
		return name
	}
	return lead + name
}

// bodyName is the name of a route's input or output that is no record: the operation's, without
// the role if the roles that share it send or get the same.
func (g *generator) bodyName(r *web.Route, t reflect.Type) string {
	if get, ok := g.twin(r); ok && t == r.Out {
		return g.bodyName(get, t)
	}
	base := g.baseName(r)
	for _, other := range g.byName[base] {
		if t == r.Out && other.Reply == nil || of(other, t == r.Out) != of(r, t == r.Out) {
			return title(g.operationID(r))
		}
	}
	return title(base)
}

// of identifies the input or output of a route.
func of(r *web.Route, out bool) string {
	if out {
		return r.Reply.Type.String()
	}
	return fmt.Sprint(r.In, r.Sorts)
}

// input is the data of a request.
func (g *generator) input(r *web.Route) (name string, ref object) {
	name = g.bodyName(r, r.In)
	return name, g.component(name+"Input", of(r, false), func() object { return g.drawObject(r.Body, false) })
}

// envelope is the body of a successful reply.
func (g *generator) envelope(r *web.Route) any {
	message := member{"message", object{{"type", "string"}}}
	wrap := func(data any) object {
		return object{{"type", "object"}, {"required", []string{"data", "message"}}, {"properties", object{{"data", data}, message}}}
	}
	if r.Reply == nil {
		return g.component("Done", "no data", func() object { return wrap(object{{"type", "object"}}) })
	}
	data, name := any(nil), g.typeName(r.Reply)
	switch {
	case name != "" && !strings.HasSuffix(r.Reply.Type.Name(), "Out"):
		data = g.schema(r.Reply, true)
	default:
		name = g.bodyName(r, r.Out) + "Result"
		data = g.component(name, r.Reply.Type.String(), func() object { return g.draw(r.Reply, true) })
	}
	if r.SignIn {
		return g.component(name+"SignInReply", r.Reply.Type.String(), func() object { return object{{"allOf", []any{wrap(data), data}}} })
	}
	return g.component(name+"Reply", r.Reply.Type.String(), func() object { return wrap(data) })
}
