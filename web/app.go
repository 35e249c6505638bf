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
	"path"
	"strings"

	"homeroom/internal/platform/asset"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/web"
)

//go:embed dist icons index.html
var files embed.FS

const (
	// Base is the path of the pages.
	Base   = "/app"
	assets = Base + "/assets/"
	worker = "worker.js" // the service worker; its URL must stay the same
)

// Config is what the page knows before anyone has signed in.
type Config struct {
	Version  string    `json:"version"`
	Demo     bool      `json:"demo"`
	Accounts []Account `json:"accounts"` // of the demo
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

// policy allows nothing but the app's own files and the service itself.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
	"manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

var errNotBuilt = errors.New("web app: dist is incomplete: run make web")

var errNothing = fault.New(fault.NotFound, "", "There is nothing at this address. The app is at "+Base+".")

// Handler serves the app: its files below /app/assets, and one page for every other
// address, which the script in it reads.
func Handler(c Config) (http.Handler, error) {
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
	delete(built, worker)
	fixed[worker].Policy = policy
	html, err := render(built, c)
	if err != nil {
		return nil, err
	}
	page := asset.New("text/html; charset=utf-8", html)
	page.Policy = policy
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if file := fixed[strings.TrimPrefix(r.URL.Path, Base+"/")]; file != nil {
			file.ServeHTTP(w, r)
			return
		}
		name, isFile := strings.CutPrefix(r.URL.Path, assets)
		if !isFile {
			page.ServeHTTP(w, r)
			return
		}
		file, ok := built[name]
		if !ok {
			web.Refuse(w, r, errNothing)
			return
		}
		file.ServeHTTP(w, r)
	}), nil
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

// render fills the page with the names of the script and the stylesheet, and the configuration.
func render(built map[string]*asset.Asset, c Config) ([]byte, error) {
	page, err := template.ParseFS(files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("web app: %w", err)
	}
	data := struct {
		Script, Style string
		Config        Config
	}{Config: c}
	for name := range built {
		switch {
		case strings.HasPrefix(name, "main-") && strings.HasSuffix(name, ".js"):
			data.Script = assets + name
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
