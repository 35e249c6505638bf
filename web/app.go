// Package webapp is the web app of schools and operators: TypeScript and Preact in src,
// built by "make web" into dist, which is committed and embedded. See README.md.
package webapp

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"homeroom/internal/platform/asset"
	"homeroom/internal/platform/web"
	"homeroom/web/style"
)

//go:embed dist icons index.html licenses.txt
var files embed.FS

const (
	// Base is the path of the pages.
	Base   = "/app"
	assets = Base + "/assets/"
	worker = "worker.js" // the service worker; its URL must stay the same

	live = "/live" // an address that schools have passed on; the page is below Base

	tileStyle = assets + "tiles.css" // of real maps

	licenses = Base + "/licenses.txt" // of the libraries in dist
)

// Config is what the page knows before anyone has signed in.
type Config struct {
	Version  string    `json:"version"`
	Demo     bool      `json:"demo"`
	Map      *Map      `json:"map"`      // nil: maps are schematic
	Accounts []Account `json:"accounts"` // of the demo
}

// Map is a server of map tiles.
type Map struct {
	Tiles       string `json:"tiles"` // URL with {z}, {x} and {y}
	Attribution string `json:"attribution"`
	Origin      string `json:"-"` // of Tiles, for the Content-Security-Policy
}

// Account is a demo account with its public credentials.
type Account struct {
	Label    string `json:"label"`
	School   string `json:"school"`
	Role     string `json:"role"`
	Phone    string `json:"phone"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// policy allows nothing but the app's own files, the service itself and, for images, the
// server of map tiles.
func (c Config) policy() string {
	images := "'self' blob: data:"
	if c.Map != nil {
		images += " " + c.Map.Origin
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src " + images + "; connect-src 'self'; " +
		"worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

var errNotBuilt = errors.New("web app: dist is incomplete: run make web")

// Mounts returns the handlers of the app by their patterns: its files, and one page for
// every other address, which the script in it reads.
func Mounts(c Config) (map[string]http.Handler, error) {
	built, err := read("dist")
	if err != nil {
		return nil, err
	}
	fixed, err := read("icons")
	if err != nil {
		return nil, err
	}
	if fixed[worker] = built[worker]; fixed[worker] == nil {
		return nil, errNotBuilt
	}
	fixed[worker].Policy = c.policy()
	tiles := asset.New("text/css; charset=utf-8", []byte(style.Sheet("tiles")))
	html, err := render(built, c, tiles.URL(tileStyle))
	if err != nil {
		return nil, err
	}
	page := asset.New("text/html; charset=utf-8", html)
	page.Policy = c.policy()
	reset := *page
	reset.Secret = true
	m := map[string]http.Handler{"/": page, "/reset": &reset, live: http.HandlerFunc(toLive), live + "/": http.HandlerFunc(toLive),
		Base: page, Base + "/*": page, assets + "*": serve(built, assets), tileStyle: tiles}
	for name, file := range fixed {
		m[Base+"/"+name] = file
	}
	notices, err := files.ReadFile("licenses.txt")
	if err != nil {
		return nil, fmt.Errorf("web app: %w", err)
	}
	m[licenses] = asset.New("text/plain; charset=utf-8", notices)
	return m, nil
}

// toLive sends an old link to the page that shows the bus.
func toLive(w http.ResponseWriter, r *http.Request) {
	to := url.URL{Path: Base + live, RawQuery: r.URL.RawQuery}
	http.Redirect(w, r, to.String(), http.StatusFound)
}

// serve serves files by their names below a path.
func serve(built map[string]*asset.Asset, below string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if file, ok := built[strings.TrimPrefix(r.URL.Path, below)]; ok {
			file.ServeHTTP(w, r)
			return
		}
		web.NoPath(w, r)
	})
}

// read returns the files of a folder by name. Names with a hash of the content ("main-ABC.js") are cached by browsers forever.
func read(folder string) (map[string]*asset.Asset, error) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("web app: %w", err)
	}
	built := make(map[string]*asset.Asset, len(entries))
	for _, e := range entries {
		raw, err := files.ReadFile(folder + "/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("web app: %w", err)
		}
		a := asset.New(contentType(path.Ext(e.Name())), raw)
		a.Forever = folder == "dist" && e.Name() != worker
		built[e.Name()] = a
	}
	return built, nil
}

func contentType(extension string) string {
	if extension == ".webmanifest" { // systems differ
		return "application/manifest+json"
	}
	return mime.TypeByExtension(extension)
}

var script = regexp.MustCompile(`"\./([\w-]+\.js)"`)

// imports returns the addresses of all scripts that a built script needs before it runs, so
// that browsers load them together instead of finding them one after another.
func imports(name string) ([]string, error) {
	var out []string
	names := []string{name}
	for i := 0; i < len(names); i++ {
		text, err := files.ReadFile("dist/" + names[i])
		if err != nil {
			return nil, fmt.Errorf("web app: %w", err)
		}
		for _, m := range script.FindAllSubmatchIndex(text, -1) {
			before := bytes.TrimSpace(text[:m[0]])
			if !bytes.HasSuffix(before, []byte("import")) && !bytes.HasSuffix(before, []byte("from")) {
				continue // import("./x.js"): later, or never
			}
			if next := string(text[m[2]:m[3]]); !slices.Contains(names, next) {
				names = append(names, next)
				out = append(out, assets+next)
			}
		}
	}
	return out, nil
}

// render fills the page with the names of the script and the stylesheet, and the configuration.
func render(built map[string]*asset.Asset, c Config, tiles string) ([]byte, error) {
	page, err := template.ParseFS(files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("web app: %w", err)
	}
	data := struct {
		Script, Style, Tiles string
		Preload              []string // scripts that the first one imports
		Config               Config
	}{Config: c}
	if c.Map != nil {
		data.Tiles = tiles
	}
	for name := range built {
		switch {
		case strings.HasPrefix(name, "main-") && strings.HasSuffix(name, ".js"):
			data.Script = assets + name
			if data.Preload, err = imports(name); err != nil {
				return nil, err
			}
		case strings.HasPrefix(name, "main-") && strings.HasSuffix(name, ".css"):
			data.Style = assets + name
		}
	}
	if data.Script == "" || data.Style == "" {
		return nil, errNotBuilt
	}
	var b bytes.Buffer
	if err := page.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("web app: %w", err)
	}
	return b.Bytes(), nil
}
