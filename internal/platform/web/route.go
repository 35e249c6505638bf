// Package web turns typed functions into HTTP endpoints. It owns routing,
// binding and validation, the gate (token, role, limits, evaluation mode,
// permission), the envelope and the error mapping, so that a feature's handler
// never sees an http.Request. Package openapi documents the routes.
//
// Start at Handle in this file: a Route is data, and the router, the OpenAPI
// document and the whole-API tests all read the same list.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
)

// Func is the type of all handlers.
type Func[In, Out any] func(context.Context, actor.Actor, In) (Out, error)

// None is the input or output of a route that has none.
type None struct{}

// Class is the rate limit class of a route.
type Class string

// The rate classes.
const (
	ClassAuth  Class = "auth"  // per IP
	ClassRead  Class = "read"  // per user
	ClassWrite Class = "write" // per user

	ClassStream Class = "stream" // per user, apart from writes: what a device sends all the time
)

// Route is one endpoint, as data.
type Route struct {
	Method  string
	Path    string       // chi's pattern: /school-admin/role/{id}
	Roles   []actor.Role // allowed roles; by default from the prefix of the path
	Module  string       // permission that it needs, with Verb
	Verb    actor.Verb
	Or      []string // modules that do in place of Module
	Public  string   // why it needs no token; "" if it does
	SignIn  bool     // flat body and response, rate limited by IP
	Class   Class
	List    bool
	Sorts   []string // sort fields of a list
	Status  int      // of success
	Message string
	Summary string
	Shows   Shown // the record whose views are recorded
	In, Out reflect.Type

	Body, Reply *Schema   // of In and Out; nil for None
	Takes       *FileBody // upload, if any
	Gives       string    // the media type of a File
	OrFile      *orFile   // alternative file format
	Cookie      *Cookie   // where a browser keeps the secret of the reply or the input
	Standard    *Standard // wire format, if not ours

	limit  time.Duration // timeout, if not the server's
	exempt bool          // teachers can call it in evaluation mode
	secret bool          // the reply has one
	signed func(*url.URL) (bool, error)
	bind   func(source) (in any, err error) // in: a pointer to the input
	before func(ctx context.Context, who actor.Actor, in any) (undo func(), err error)
	run    func(ctx context.Context, who actor.Actor, in any) (out any, err error)
	keep   func(out any) (reply any, secret string)
	recall func(in any) (secret *string)
	key    func(in any) *string // see ReadsKey
	record *Route               // see recordOf
	counts func(in any) string  // see CountsBy

	authorization func(in any) *string // see ReadsAuthorization
}

// Option configures a Route.
type Option func(*Route)

// Read requires canRead on a module.
func Read(module string) Option { return needs(module, actor.Read) }

// ReadAny requires canRead on one of the modules. The handler leaves out what the caller
// may not read.
func ReadAny(modules ...string) Option {
	return func(r *Route) { r.Module, r.Or, r.Verb = modules[0], modules[1:], actor.Read }
}

// Write requires canWrite on a module.
func Write(module string) Option { return needs(module, actor.Write) }

// Delete requires canDelete on a module.
func Delete(module string) Option { return needs(module, actor.Delete) }

func needs(module string, v actor.Verb) Option {
	return func(r *Route) { r.Module, r.Verb = module, v }
}

// Public makes a route callable without a token. why is shown in the API documentation.
func Public(why string) Option { return func(r *Route) { r.Public = why } }

// SignIn makes a sign-in endpoint: public, with flat body and response, rate limited by IP or as CountsBy says.
func SignIn() Option {
	return func(r *Route) { r.SignIn, r.Public, r.Class = true, "it is how one signs in", ClassAuth }
}

// Bearer makes a sign-in endpoint require a token, of any role.
func Bearer() Option {
	return func(r *Route) { r.Public, r.Roles = "", actor.Roles }
}

// Signed allows all roles, and requests with a signed URL instead of a token. signed
// reports whether the URL has a signature, and returns an error if it is invalid.
// With a signed URL the handler gets the zero Actor.
func Signed(signed func(*url.URL) (bool, error)) Option {
	return func(r *Route) { r.signed, r.Roles = signed, actor.Roles }
}

// Roles sets the allowed roles of a path without a role prefix.
func Roles(roles ...actor.Role) Option { return func(r *Route) { r.Roles = roles } }

// List declares a list and its sort fields. A list as GET is served as POST too.
func List(sorts ...string) Option {
	return func(r *Route) { r.List, r.Sorts = true, sorts }
}

// GivesSecret marks a reply with a secret. The route does not support Idempotency-Key,
// which would store it.
func GivesSecret() Option { return func(r *Route) { r.secret = true } }

// Stream counts calls against a limit of their own, because a device sends them all the
// time: they must not use up the writes of the person who holds it.
func Stream() Option { return func(r *Route) { r.Class = ClassStream } }

// InEvaluation lets teachers call the route in evaluation mode: for what is
// evaluated, and for requests that apps make by themselves.
func InEvaluation() Option { return func(r *Route) { r.exempt = true } }

// Within sets the timeout of a route, such as one that takes a large file.
func Within(d time.Duration) Option { return func(r *Route) { r.limit = d } }

// Timeout returns the timeout of the route. usual is the server's.
func (r Route) Timeout(usual time.Duration) time.Duration { return cmp.Or(r.limit, usual) }

// Before runs prepare with the input before the handler. It is for slow work that
// must not run in a transaction, as handlers do with an Idempotency-Key. undo is
// called if the call fails. Before panics, at start-up, if In is not the route's.
func Before[In any](prepare func(ctx context.Context, who actor.Actor, in *In) (undo func(), err error)) Option {
	return func(r *Route) {
		if r.In != reflect.TypeFor[In]() {
			panic(fmt.Sprintf("web: %s %s has the input %s, but Before has %s", r.Method, r.Path, r.In, reflect.TypeFor[In]()))
		}
		r.before = func(ctx context.Context, who actor.Actor, in any) (func(), error) { return prepare(ctx, who, in.(*In)) }
	}
}

// Created sets the status 201.
func Created() Option {
	return func(r *Route) { r.Status, r.Message = http.StatusCreated, "Created." }
}

// Says sets the message of a successful response.
func Says(message string) Option { return func(r *Route) { r.Message = message } }

// Doc sets the one-line summary in the API documentation.
func Doc(summary string) Option { return func(r *Route) { r.Summary = summary } }

// Handle declares an endpoint: "POST /school-admin/role/create". It panics, at
// start-up, on a route without access control that is not Public, and on types and
// tags that can't be bound.
func Handle[In, Out any](pattern string, fn Func[In, Out], opts ...Option) Route {
	run := func(ctx context.Context, who actor.Actor, in any) (any, error) { return fn(ctx, who, *in.(*In)) }
	return newRoute(pattern, reflect.TypeFor[In](), reflect.TypeFor[Out](), run, opts)
}

// newRoute is the part of Handle without type parameters: generic code is compiled once per route.
func newRoute(pattern string, in, out reflect.Type, run func(context.Context, actor.Actor, any) (any, error), opts []Option) Route {
	method, where, ok := strings.Cut(pattern, " ")
	if !ok || !strings.HasPrefix(where, "/") {
		panic("web: " + pattern + `: want "METHOD /path"`)
	}
	rt := Route{Method: method, Path: where, In: in, Out: out, Status: http.StatusOK, Message: "OK.", run: run}
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
	rt.setClass()
	rt.compile()
	if err := errors.Join(rt.checkAccess(), rt.checkFiles()); err != nil {
		panic("web: " + pattern + ": " + err.Error())
	}
	rt.bind = func(src source) (any, error) {
		v := reflect.New(in)
		return v.Interface(), src.bind(&rt, v.Elem())
	}
	return rt
}

// IsSigned reports whether the route accepts signed URLs.
func (r Route) IsSigned() bool { return r.signed != nil }

// Pattern returns method and path.
func (r Route) Pattern() string { return r.Method + " " + r.Path }

// changes reports whether the route may write: any but GET, lists, and POSTs named
// list or get-… that need canRead only.
func (r *Route) changes() bool {
	name := path.Base(r.Path)
	asks := r.Verb == actor.Read && (name == "list" || strings.HasPrefix(name, "get-"))
	return r.Method != http.MethodGet && !r.List && !asks
}

func (r *Route) setClass() {
	switch {
	case r.Class != "":
	case !r.changes():
		r.Class = ClassRead
	default:
		r.Class = ClassWrite
	}
}

// checkAccess returns an error for a route without access control.
func (r *Route) checkAccess() error {
	switch {
	case r.Public != "":
		return nil
	case len(r.Roles) == 0:
		return fmt.Errorf("no role: use a role's prefix, web.Roles or web.Public")
	case r.Module == "" && !r.SignIn && r.signed == nil:
		return fmt.Errorf("no permission: use web.Read, web.Write or web.Delete")
	case r.Method == http.MethodDelete && !r.SignIn && r.Verb != actor.Delete:
		return fmt.Errorf("DELETE needs web.Delete")
	}
	return nil
}

// asPost returns the same route as POST.
func (r Route) asPost() Route {
	r.Method = http.MethodPost
	return r
}

// Expand adds a POST route for each list declared as GET, and finds the records with a version that
// routes change.
func Expand(routes []Route) []Route {
	declared := map[string]bool{}
	for _, r := range routes {
		declared[r.Pattern()] = true
	}
	out := make([]Route, 0, len(routes))
	for _, r := range routes {
		out = append(out, r)
		if t := r.asPost(); r.List && r.Method == http.MethodGet && !declared[t.Pattern()] {
			out = append(out, t)
		}
	}
	gets := map[string]*Route{}
	for i, r := range out {
		if r.Method == http.MethodGet {
			gets[r.Path] = &out[i]
		}
	}
	for i := range out {
		out[i].record = recordOf(&out[i], gets)
	}
	return out
}

// compile builds the schemas of the route's input and reply.
func (r *Route) compile() {
	none := reflect.TypeFor[None]()
	if r.In != none {
		r.Body = compile(r.In, "")
		if r.Body.Kind != kindObject {
			panic("web: " + r.Pattern() + ": the input must be a struct")
		}
		r.mustBind()
	}
	if r.Out != none && r.Out != fileType {
		r.Reply = compile(r.Out, "")
		if r.Reply.Kind != kindObject && r.Reply.Kind != kindMap {
			panic("web: " + r.Pattern() + ": the reply must be an object")
		}
	}
	if !r.List {
		return
	}
	f, sort := r.Body.Field("filters"), r.Body.Field("sort")
	if f == nil || sort == nil || len(r.Sorts) == 0 {
		panic("web: " + r.Pattern() + ": a list needs page.Ask in its input, and sort fields")
	}
	for _, own := range r.Body.Fields {
		if f.Schema.Field(own.Name) != nil {
			panic("web: " + r.Pattern() + ": " + own.Name + " is a filter, too; a filter may be sent directly anyway")
		}
	}
	filters, order := *f.Schema, *sort.Schema // other routes have the same ones
	filters.Closed = true
	f.Schema, f.Required = &filters, slices.ContainsFunc(filters.Fields, func(f Field) bool { return f.Required })
	order.Fields = slices.Clone(order.Fields)
	by := order.Field("field")
	names := *by.Schema
	names.Enum = r.Sorts
	by.Schema, sort.Schema = &names, &order
}
