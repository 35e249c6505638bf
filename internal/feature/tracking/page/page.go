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
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"time"

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

// asset is a file ready to be served.
type asset struct {
	kind   string
	plain  []byte
	packed []byte // gzip; nil if not stored compressed
	tag    string
}

var (
	errNothing  = fault.New(fault.NotFound, "", "There is nothing at this address. The live page is at "+Path+".")
	errReadOnly = fault.New(fault.NotAllowed, "", "This page can only be read: use GET.")
)

// Handler serves the page and its files.
func Handler() http.Handler {
	assets := make(map[string]asset, len(files))
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
			a.serve(w, r)
		}
	})
}

// load reads an embedded file and panics if it is missing.
func load(name, kind string) asset {
	raw, err := embedded.ReadFile(name)
	if err != nil {
		panic("live page: " + err.Error())
	}
	a := asset{kind: kind, plain: raw}
	if strings.HasSuffix(name, ".gz") {
		a.packed, a.plain = raw, unpack(raw)
	}
	sum := sha256.Sum256(raw)
	a.tag = hex.EncodeToString(sum[:12])
	return a
}

func unpack(raw []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		panic("live page: " + err.Error())
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		panic("live page: " + err.Error())
	}
	return plain
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache") // revalidated with the ETag
	h.Set("Service-Worker-Allowed", Path)
	h.Add("Vary", "Accept-Encoding")
	if a.packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", `"`+a.tag+`-gz"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.packed))
		return
	}
	h.Set("ETag", `"`+a.tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.plain))
}
