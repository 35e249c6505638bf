package identity

import (
	"embed"
	"net/http"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/web"
)

// ResetPath is the path of ResetPage, to which links in e-mails lead.
const ResetPath = "/reset"

//go:embed page
var pages embed.FS

// pageFiles maps a path to a file of the page and its type.
var pageFiles = map[string][2]string{
	ResetPath:                {"page/reset.html", "text/html; charset=utf-8"},
	ResetPath + "/reset.css": {"page/reset.css", "text/css; charset=utf-8"},
	ResetPath + "/reset.js":  {"page/reset.js", "text/javascript; charset=utf-8"},
}

// pagePolicy is the page's Content-Security-Policy: only its own origin.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var errReadOnly = fault.New(fault.NotAllowed, "", "This page can only be read: use GET.")

// ResetPage serves the page where a user sets a password. It loads nothing external.
func (s *Service) ResetPage() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := pageFiles[r.URL.Path]
		switch {
		case !ok:
			web.NoPath(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			web.Refuse(w, r, errReadOnly)
		default:
			servePage(w, file)
		}
	})
}

func servePage(w http.ResponseWriter, file [2]string) {
	body, err := pages.ReadFile(file[0])
	if err != nil { // impossible: the file is embedded
		panic("identity: " + err.Error())
	}
	h := w.Header()
	h.Set("Content-Type", file[1])
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer") // the URL contains the secret
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // fails only if the client is gone
}
