// Package apidocs serves the interactive API documentation at /api-docs: a page around
// Swagger UI with sign-in.
//
// All files are embedded, so it works offline. Start with page/index.html, then
// page/app.js (the page), page/session.js (sign-in, tokens) and page/operations.js (the
// document); assets/ is the official Swagger UI distribution.
package apidocs

import (
	"embed"
	"html/template"
	"maps"
	"net/http"
	"strings"
	"sync"

	"homeroom/internal/platform/asset"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
	"homeroom/web/style"
)

// Base is where the handler is mounted.
const Base = "/api-docs"

// Options configure the page.
type Options struct {
	Version  string        // of the service, for the header bar
	Demo     bool          // show Accounts, read codes from the outbox
	Accounts []Account     // shown in demo mode only
	Events   func() []byte // the AsyncAPI document of the sockets, called like doc
}

// Account is a demo account that signs in with one click: by Phone and a code from the
// outbox, or by Email and Password.
type Account struct {
	Label      string // the button's text, "Teacher"
	Role       string // a role type, "TEACHER"
	Phone      string
	Email      string
	Password   string
	SchoolName string // accounts are grouped by it; "" is the platform itself
}

// policy is the Content-Security-Policy. Swagger UI needs style attributes and data:
// URLs; everything else is limited to this origin.
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed page assets
var embedded embed.FS

// site maps a path to a function that returns its asset.
type site map[string]func() *asset.Asset

// Handler serves the page at /api-docs, the OpenAPI and AsyncAPI documents and the assets. doc and
// docYAML are each called once, on the first request, when all routes are known.
func Handler(doc, docYAML func() []byte, o Options) http.Handler {
	s := maps.Clone(files())
	s[Base+"/openapi.json"] = sync.OnceValue(func() *asset.Asset { return asset.New("application/json", doc()) })
	s[Base+"/openapi.yaml"] = sync.OnceValue(func() *asset.Asset { return asset.New("application/yaml", docYAML()) })
	if o.Events != nil {
		s[Base+"/asyncapi.json"] = sync.OnceValue(func() *asset.Asset { return asset.New("application/json", o.Events()) })
	}
	pages := map[string]*asset.Asset{}
	for _, lang := range text.Standard().Languages() {
		pages[lang] = asset.New("text/html; charset=utf-8", s.render(lang, o))
		pages[lang].Policy = policy
	}
	s[Base] = func() *asset.Asset { return pages[text.Default] }
	s[Base+"/"] = s[Base]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.TrimSuffix(r.URL.Path, "/") != Base || r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.ServeHTTP(w, r)
			return
		}
		lang := web.Language(r)
		w.Header().Set("Content-Language", lang)
		w.Header().Set("Vary", "Accept-Language")
		pages[lang].ServeHTTP(w, r)
	})
}

// files are the embedded files, which are compressed and hashed once.
var files = sync.OnceValue(func() site {
	s := site{}
	s.put("swagger-ui-bundle.js", asset.Packed("text/javascript; charset=utf-8", read("assets/swagger-ui-bundle.js.gz")))
	s.put("swagger-ui.css", asset.Packed("text/css; charset=utf-8", read("assets/swagger-ui.css.gz")))
	for _, name := range []string{"LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"} { // licences of Swagger UI
		s.put(name, asset.New("text/plain; charset=utf-8", read("assets/"+name)))
	}
	for _, name := range []string{"app.js", "operations.js", "session.js"} {
		s.put(name, asset.New("text/javascript; charset=utf-8", read("page/"+name)))
	}
	s.put("style.css", asset.New("text/css; charset=utf-8", append([]byte(style.Sheet("tokens")), read("page/style.css")...)))
	s.put("icon.svg", asset.New("image/svg+xml", read("page/icon.svg")))
	return s
})

var (
	errNothing  = fault.New(fault.NotFound, "", "There is nothing at this address. The documentation is at "+Base+".")
	errReadOnly = fault.New(fault.NotAllowed, "", "This page can only be read: use GET.")
)

// ServeHTTP implements http.Handler.
func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	find, ok := s[r.URL.Path]
	switch {
	case !ok:
		web.Refuse(w, r, errNothing)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		web.Refuse(w, r, errReadOnly)
	default:
		find().ServeHTTP(w, r)
	}
}

func (s site) put(name string, a *asset.Asset) { s[assetPath(name)] = func() *asset.Asset { return a } }

func assetPath(name string) string { return Base + "/assets/" + name }

// render renders the page in a language. It panics if page/index.html does not match its data.
func (s site) render(lang string, o Options) []byte {
	link := func(name string) string {
		return s[assetPath(name)]().URL(assetPath(name))
	}
	word := func(key string, args ...any) string {
		return text.Standard().Say(lang, text.T("apidocs."+key, args...))
	}
	data := struct {
		Lang, Base, Version string
		Demo, Events        bool
		Schools             []schoolAccounts
	}{lang, Base, o.Version, o.Demo, o.Events != nil, nil}
	if o.Demo {
		data.Schools = bySchool(o.Accounts, word("platform"))
	}
	t := template.Must(template.New("index.html").Funcs(template.FuncMap{"asset": link, "word": word}).ParseFS(embedded, "page/index.html"))
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

// bySchool groups accounts by school, in order.
func bySchool(accounts []Account, platform string) []schoolAccounts {
	var groups []schoolAccounts
	at := map[string]int{}
	for _, a := range accounts {
		name := a.SchoolName
		if name == "" {
			name = platform
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

// read returns an embedded file and panics if it is missing.
func read(name string) []byte {
	b, err := embedded.ReadFile(name)
	if err != nil {
		panic("apidocs: " + err.Error())
	}
	return b
}
