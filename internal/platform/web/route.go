// Package web turns typed functions into HTTP endpoints. It owns routing,
// binding and validation, the gate (token, role, limits, evaluation mode,
// permission), the envelope and the error mapping, so that a feature's handler
// never sees an http.Request. Package openapi documents the routes.
//
// Start at Handle in this file: a Route is data, and the router, the OpenAPI
// document and the whole-API tests all read the same list.
package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
)

// Func is the shape of every handler.
type Func[In, Out any] func(context.Context, actor.Actor, In) (Out, error)

// None is the input or output of a route that has none.
type None struct{}

// Class is the budget that a route's calls are counted against.
type Class string

// The rate classes.
const (
	ClassAuth  Class = "auth"  // per IP
	ClassRead  Class = "read"  // per user
	ClassWrite Class = "write" // per user
)

// Route is one endpoint, as data.
type Route struct {
	Method  string
	Path    string       // chi's pattern: /school-admin/role/{id}
	Roles   []actor.Role // who may call it; from the prefix unless given
	Module  string       // whose permission it needs, with Verb
	Verb    actor.Verb
	Public  string // why it needs no token; "" means it does
	SignIn  bool   // flat body and reply, limited by IP
	Class   Class
	List    bool
	Sorts   []string // fields that a list sorts by
	Status  int      // of success
	Message string
	Summary string
	Shows   Shown // the record whose readers are kept
	In, Out reflect.Type

	Body, Reply *Schema   // of In and Out; nil for None
	Takes       *FileBody // a file, if it takes one
	Gives       string    // the media type of a File
	OrFile      *orFile   // the file that it has beside JSON

	limit  time.Duration // of a route that may take longer than others
	exempt bool          // open to teachers in evaluation mode
	signed func(*url.URL) (bool, error)
	bind   func(source) (in any, err error) // in: a pointer to the input
	before func(ctx context.Context, who actor.Actor, in any) (undo func(), err error)
	run    func(ctx context.Context, who actor.Actor, in any) (out any, err error)
}

// Option refines a Route.
type Option func(*Route)

// Read demands canRead on a module; Write and Delete are its siblings.
func Read(module string) Option { return needs(module, actor.Read) }

// Write demands canWrite on a module.
func Write(module string) Option { return needs(module, actor.Write) }

// Delete demands canDelete on a module.
func Delete(module string) Option { return needs(module, actor.Delete) }

func needs(module string, v actor.Verb) Option {
	return func(r *Route) { r.Module, r.Verb = module, v }
}

// Public opens a route to anyone; why is kept in the documentation.
func Public(why string) Option { return func(r *Route) { r.Public = why } }

// SignIn makes a sign-in endpoint: public, flat body and reply, counted by IP.
func SignIn() Option {
	return func(r *Route) { r.SignIn, r.Public, r.Class = true, "it is how one signs in", ClassAuth }
}

// Bearer takes a sign-in endpoint's openness back: any role, but with a token.
func Bearer() Option {
	return func(r *Route) { r.Public, r.Roles = "", actor.Roles }
}

// Signed opens a path without a role for its prefix to every role, each row by its
// own rule, and to nobody in particular by an address that is signed: signed tells
// whether an address says so of itself and, with a nil error, rightly. The handler
// gets the zero Actor then.
func Signed(signed func(*url.URL) (bool, error)) Option {
	return func(r *Route) { r.signed, r.Roles = signed, actor.Roles }
}

// Roles names who may call a path that has no role for its prefix.
func Roles(roles ...actor.Role) Option { return func(r *Route) { r.Roles = roles } }

// List marks a list request and the fields it sorts by. It answers POST as well.
func List(sorts ...string) Option {
	return func(r *Route) { r.List, r.Sorts = true, sorts }
}

// InEvaluation keeps a teacher's call open in evaluation mode: what is evaluated, and
// what an app does without being asked.
func InEvaluation() Option { return func(r *Route) { r.exempt = true } }

// Within gives a route a time of its own to answer, such as one that takes a
// large file.
func Within(d time.Duration) Option { return func(r *Route) { r.limit = d } }

// Before has something done with the input before the handler: what takes long and
// needs no transaction, while the handler of a call with an Idempotency-Key runs in
// one. undo takes it back where the call fails. It panics, at start-up, on an input
// of another type than the route's.
func Before[In any](prepare func(ctx context.Context, who actor.Actor, in *In) (undo func(), err error)) Option {
	return func(r *Route) {
		if r.In != reflect.TypeFor[In]() {
			panic(fmt.Sprintf("web: %s %s takes %s, and Before takes %s", r.Method, r.Path, r.In, reflect.TypeFor[In]()))
		}
		r.before = func(ctx context.Context, who actor.Actor, in any) (func(), error) { return prepare(ctx, who, in.(*In)) }
	}
}

// Created answers 201.
func Created() Option {
	return func(r *Route) { r.Status, r.Message = http.StatusCreated, "Created." }
}

// Says sets the message of a success.
func Says(message string) Option { return func(r *Route) { r.Message = message } }

// Doc is the one-line summary in the documentation.
func Doc(summary string) Option { return func(r *Route) { r.Summary = summary } }

// Handle declares an endpoint: "POST /school-admin/role/create". It panics, at
// start-up, on a route that is neither guarded nor public by name, and on types
// and tags that could not be bound.
func Handle[In, Out any](pattern string, fn Func[In, Out], opts ...Option) Route {
	method, where, ok := strings.Cut(pattern, " ")
	if !ok || !strings.HasPrefix(where, "/") {
		panic("web: " + pattern + `: want "METHOD /path"`)
	}
	rt := Route{Method: method, Path: where, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		Status: http.StatusOK, Message: "OK."}
	switch method {
	case http.MethodDelete:
		rt.Status = http.StatusNoContent
	case http.MethodPut:
		rt.Message = "Saved."
	}
	if role, ok := actor.OfPrefix(strings.Split(where, "/")[1]); ok {
		rt.Roles = []actor.Role{role}
	}
	for _, o := range opts {
		o(&rt)
	}
	rt.settleClass()
	rt.compile()
	if err := errors.Join(rt.guarded(), rt.filesFit()); err != nil {
		panic("web: " + pattern + ": " + err.Error())
	}
	rt.bind = func(src source) (any, error) {
		in := new(In)
		return in, src.bind(&rt, reflect.ValueOf(in).Elem())
	}
	rt.run = func(ctx context.Context, who actor.Actor, in any) (any, error) { return fn(ctx, who, *in.(*In)) }
	return rt
}

// IsSigned reports whether a signed address opens it without a token.
func (r Route) IsSigned() bool { return r.signed != nil }

// Pattern is the route as it was declared.
func (r Route) Pattern() string { return r.Method + " " + r.Path }

// changes holds for a call that may change something: any but GET, lists, and the
// POSTs that are named list or get-… and need no more than canRead.
func (r *Route) changes() bool {
	name := path.Base(r.Path)
	asks := r.Verb == actor.Read && (name == "list" || strings.HasPrefix(name, "get-"))
	return r.Method != http.MethodGet && !r.List && !asks
}

func (r *Route) settleClass() {
	switch {
	case r.Class != "":
	case !r.changes():
		r.Class = ClassRead
	default:
		r.Class = ClassWrite
	}
}

// guarded reports why a route may not be served as it stands.
func (r *Route) guarded() error {
	switch {
	case r.Public != "":
		return nil
	case len(r.Roles) == 0:
		return fmt.Errorf("no role: want a role's prefix, web.Roles or web.Public")
	case r.Module == "" && !r.SignIn && r.signed == nil:
		return fmt.Errorf("no permission: want web.Read, web.Write or web.Delete")
	case r.Method == http.MethodDelete && !r.SignIn && r.Verb != actor.Delete:
		return fmt.Errorf("DELETE wants web.Delete")
	}
	return nil
}

// twin is the POST form of a list that is declared as GET.
func (r Route) twin() Route {
	r.Method = http.MethodPost
	return r
}

// Expand adds what a declaration implies: POST beside each GET list.
func Expand(routes []Route) []Route {
	declared := map[string]bool{}
	for _, r := range routes {
		declared[r.Pattern()] = true
	}
	out := make([]Route, 0, len(routes))
	for _, r := range routes {
		out = append(out, r)
		if t := r.twin(); r.List && r.Method == http.MethodGet && !declared[t.Pattern()] {
			out = append(out, t)
		}
	}
	return out
}
