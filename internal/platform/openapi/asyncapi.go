package openapi

import (
	"reflect"

	"homeroom/internal/platform/web"
)

// Event is an event of the sockets.
type Event struct {
	Name, Doc  string
	FromClient bool
	Payload    reflect.Type // nil for the body of an error
	Reply      reflect.Type // the fields of the acknowledgement; nil for none
}

const (
	namespace = "main" // the channel of the only namespace
	messages  = "#/channels/" + namespace + "/messages/"
)

// AsyncJSON returns the AsyncAPI 3.0 document of socket events. The service is its subject:
// it receives the events of clients, and sends the others.
func AsyncJSON(events []Event, info Info) ([]byte, error) {
	g := newGenerator(nil, info.Names)
	all, here, operations := object{}, object{}, object{}
	add := func(name, event, doc string, payload any) object {
		all = append(all, member{name, object{{"name", event}, {"summary", doc}, {"payload", payload}}})
		here = append(here, member{name, object{{"$ref", "#/components/messages/" + name}}})
		return object{{"$ref", messages + name}}
	}
	channel := object{{"$ref", "#/channels/" + namespace}}
	for _, e := range events {
		name := camel(e.Name)
		if !e.FromClient {
			sent := add(name, e.Name, e.Doc, g.payload(e.Payload, true))
			operations = append(operations, member{"send" + title(name), object{{"action", "send"}, {"channel", channel},
				{"summary", e.Doc}, {"messages", []any{sent}}}})
			continue
		}
		got := add(name, e.Name, e.Doc, g.payload(e.Payload, false))
		reply := add(name+"Reply", e.Name, "The acknowledgement, if the client asks for one.", g.acknowledgement(e.Reply))
		operations = append(operations, member{name, object{{"action", "receive"}, {"channel", channel}, {"summary", e.Doc},
			{"messages", []any{got}}, {"reply", object{{"channel", channel}, {"messages", []any{reply}}}}}})
	}
	if g.err != nil {
		return nil, g.err
	}
	return indented(object{
		{"asyncapi", "3.0.0"},
		{"info", append(info.head(), member{"license", object{{"name", "Apache-2.0"}}})},
		{"defaultContentType", "application/json"},
		{"servers", object{{"service", object{
			{"host", "{host}"}, {"pathname", "/socket.io/"}, {"protocol", "wss"}, {"protocolVersion", "Socket.IO 5"},
			{"variables", object{{"host", object{{"default", "localhost:3001"}}}}},
			{"security", []any{object{{"$ref", "#/components/securitySchemes/token"}}}}}}}},
		{"channels", object{{namespace, object{{"address", "/"}, {"title", "The main namespace"}, {"messages", here}}}}},
		{"operations", operations},
		{"components", object{
			{"schemas", g.components}, {"messages", all},
			{"securitySchemes", object{{"token", object{{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"},
				{"description", "In the auth object of the CONNECT packet as token, else in the Authorization header."}}}}}}},
	})
}

// payload is the schema of the first argument of an event.
func (g *generator) payload(t reflect.Type, fromService bool) any {
	if t == nil {
		t = reflect.TypeFor[web.ErrorBody]()
	}
	return g.schema(web.SchemaOf(t), fromService)
}

// acknowledgement is {ok: true, …} or {ok: false, error}.
func (g *generator) acknowledgement(t reflect.Type) object {
	is := func(ok bool, more ...member) object {
		required := []string{"ok"}
		for _, m := range more {
			required = append(required, m.key)
		}
		return object{{"type", "object"}, {"required", required}, {"properties", append(object{{"ok", object{{"const", ok}}}}, more...)}}
	}
	done := is(true)
	if t != nil {
		done = object{{"allOf", []any{done, g.payload(t, true)}}}
	}
	return object{{"oneOf", []any{done, is(false, member{"error", g.payload(nil, true)})}}}
}
