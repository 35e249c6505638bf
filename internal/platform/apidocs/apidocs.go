// Package apidocs serves the interactive API documentation at /api-docs: one
// page around Swagger UI, on which a person signs in once and tries every call.
//
// Everything the page needs is embedded, so it works with no network. Start
// with page/index.html, then page/app.js (the page), page/session.js (signing
// in, tokens) and page/operations.js (the document); assets/ holds Swagger UI as its authors ship it.
package apidocs

import (
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
	"sync"
)

// Base is where the handler is mounted, with everything below it.
const Base = "/api-docs"

// Options says what the page shows beside the document.
type Options struct {
	Version  string    // of the service, for the header bar
	Demo     bool      // offer Accounts, read codes from the outbox
	Accounts []Account // shown in demo mode only
}

// Account is a demo account that signs in with one click: by Phone and a code
// from the outbox, or by Email and Password.
type Account struct {
	Label      string // the button's text, "Teacher"
	Role       string // a role type, "TEACHER"
	Phone      string
	Email      string
	Password   string
	SchoolName string // accounts are grouped by it; "" is the platform itself
}

// policy keeps the page to this origin. Swagger UI sets style attributes and
// draws its icons from data: addresses; nothing else is let in.
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed page assets
var embedded embed.FS

// site maps a path to the function that yields what lies there.
type site map[string]func() *asset

// Handler serves the page at /api-docs, the document beside it and the page's
// assets below it. doc and docYAML return the OpenAPI document; each is called
// once, on the first request for it, so that the routes may be complete by then.
func Handler(doc, docYAML func() []byte, o Options) http.Handler {
	s := site{
		Base + "/openapi.json": sync.OnceValue(func() *asset { return newAsset("application/json", doc()) }),
		Base + "/openapi.yaml": sync.OnceValue(func() *asset { return newAsset("application/yaml", docYAML()) }),
	}
	s.put("swagger-ui-bundle.js", packedAsset("text/javascript; charset=utf-8", read("assets/swagger-ui-bundle.js.gz")))
	s.put("swagger-ui.css", packedAsset("text/css; charset=utf-8", read("assets/swagger-ui.css.gz")))
	for _, name := range []string{"LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"} { // of what is shipped with us
		s.put(name, newAsset("text/plain; charset=utf-8", read("assets/"+name)))
	}
	for _, name := range []string{"app.js", "operations.js", "session.js"} {
		s.put(name, newAsset("text/javascript; charset=utf-8", read("page/"+name)))
	}
	s.put("style.css", newAsset("text/css; charset=utf-8", read("page/style.css")))
	s.put("icon.svg", newAsset("image/svg+xml", read("page/icon.svg")))

	page := newAsset("text/html; charset=utf-8", s.render(o))
	page.policy = policy
	s[Base] = func() *asset { return page }
	s[Base+"/"] = s[Base]
	return s
}

// ServeHTTP implements http.Handler.
func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	find, ok := s[r.URL.Path]
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "There is nothing at this address. The documentation is at "+Base+".")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "This address can only be read: use GET.")
	default:
		find().serve(w, r)
	}
}

func (s site) put(name string, a *asset) { s[assetPath(name)] = func() *asset { return a } }

func assetPath(name string) string { return Base + "/assets/" + name }

// render fills the page once. It panics when page/index.html and its data have
// drifted apart, which no input can bring about.
func (s site) render(o Options) []byte {
	link := func(name string) string {
		return assetPath(name) + "?v=" + s[assetPath(name)]().hash
	}
	data := struct {
		Base, Version string
		Demo          bool
		Schools       []schoolAccounts
	}{Base, o.Version, o.Demo, nil}
	if o.Demo {
		data.Schools = bySchool(o.Accounts)
	}
	t := template.Must(template.New("index.html").Funcs(template.FuncMap{"asset": link}).ParseFS(embedded, "page/index.html"))
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		panic("apidocs: page/index.html: " + err.Error())
	}
	return []byte(b.String())
}

type schoolAccounts struct {
	Name     string
	Accounts []Account
}

// bySchool groups accounts by school, both in the order they came in.
func bySchool(accounts []Account) []schoolAccounts {
	var groups []schoolAccounts
	at := map[string]int{}
	for _, a := range accounts {
		name := a.SchoolName
		if name == "" {
			name = "Platform"
		}
		i, known := at[name]
		if !known {
			i = len(groups)
			at[name] = i
			groups = append(groups, schoolAccounts{Name: name})
		}
		groups[i].Accounts = append(groups[i].Accounts, a)
	}
	return groups
}

// read returns an embedded file. A missing one is a slip in this package, never in its input.
func read(name string) []byte {
	b, err := embedded.ReadFile(name)
	if err != nil {
		panic("apidocs: " + err.Error())
	}
	return b
}

// refuse writes the service's error body.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that has gone is no news: there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(struct {
		StatusCode int    `json:"statusCode"`
		Message    string `json:"message"`
		Error      string `json:"error"`
	}{status, message, http.StatusText(status)})
}
