// Package page serves the page at /live, on which a parent, a driver or an
// administrator signs in and watches a bus.
//
// All files are embedded and the page loads nothing from other hosts: the map is
// drawn from the stops. live.js is the page, session.js handles sign-in and API
// calls, map.js draws, sw.js caches the page for offline use. socket.io.min.js.gz
// is the official client 4.8.4 (MIT, see socket.io.LICENSE.txt), without its
// source map.
package page

import (
	"embed"
	"net/http"
	"strings"

	"homeroom/internal/platform/asset"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/web"
)

// Path is where the handler is mounted.
const Path = "/live"

// policy is the Content-Security-Policy: only this service's own files and API.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed *.html *.css *.js *.svg *.gz *.txt *.webmanifest
var embedded embed.FS

// files maps paths below Path to a file and its content type.
var files = map[string][2]string{
	"":                       {"index.html", "text/html; charset=utf-8"},
	"/live.css":              {"live.css", "text/css; charset=utf-8"},
	"/live.js":               {"live.js", "text/javascript; charset=utf-8"},
	"/session.js":            {"session.js", "text/javascript; charset=utf-8"},
	"/map.js":                {"map.js", "text/javascript; charset=utf-8"},
	"/sw.js":                 {"sw.js", "text/javascript; charset=utf-8"},
	"/icon.svg":              {"icon.svg", "image/svg+xml"},
	"/live.webmanifest":      {"live.webmanifest", "application/manifest+json"},
	"/socket.io.min.js":      {"socket.io.min.js.gz", "text/javascript; charset=utf-8"},
	"/socket.io.LICENSE.txt": {"socket.io.LICENSE.txt", "text/plain; charset=utf-8"},
}

var (
	errNothing  = fault.New(fault.NotFound, "", "There is nothing at this address. The live page is at "+Path+".")
	errReadOnly = fault.New(fault.NotAllowed, "", "This page can only be read: use GET.")
)

// Handler serves the page and its files.
func Handler() http.Handler {
	assets := make(map[string]*asset.Asset, len(files))
	for path, file := range files {
		assets[Path+path] = load(file[0], file[1])
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := assets[strings.TrimSuffix(r.URL.Path, "/")]
		switch {
		case !ok:
			web.Refuse(w, r, errNothing)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			web.Refuse(w, r, errReadOnly)
		default:
			w.Header().Set("Service-Worker-Allowed", Path)
			a.ServeHTTP(w, r)
		}
	})
}

// load reads an embedded file and panics if it is missing.
func load(name, kind string) *asset.Asset {
	raw, err := embedded.ReadFile(name)
	if err != nil {
		panic("live page: " + err.Error())
	}
	a := asset.New
	if strings.HasSuffix(name, ".gz") {
		a = asset.Packed
	}
	file := a(kind, raw)
	file.Policy = policy
	return file
}
