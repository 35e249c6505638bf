package identity

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// ResetPath is the path of ResetPage, to which links in e-mails lead.
const ResetPath = "/reset"

// pageHTML is a template; its texts are in the catalogue.
const pageHTML = "page/reset.html"

//go:embed page
var pages embed.FS

// pageFiles maps a path to a file of the page and its type.
var pageFiles = map[string][2]string{
	ResetPath:                {pageHTML, "text/html; charset=utf-8"},
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
			servePage(w, file, web.Language(r))
		}
	})
}

// pageIn renders a file of the page, a template, in a language.
func pageIn(file, lang string) ([]byte, error) {
	say := func(key string) string { return text.Standard().Say(lang, text.T("identity.page."+key)) }
	raw, err := pages.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := template.New(file).Funcs(template.FuncMap{"say": say}).Parse(string(raw))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]string{"Lang": lang})
	return out.Bytes(), err
}

func servePage(w http.ResponseWriter, file [2]string, lang string) {
	read := pages.ReadFile
	if file[0] == pageHTML {
		read = func(name string) ([]byte, error) { return pageIn(name, lang) }
	}
	body, err := read(file[0])
	if err != nil { // impossible: the file is embedded
		panic("identity: " + err.Error())
	}
	h := w.Header()
	h.Set("Content-Language", lang)
	h.Set("Vary", "Accept-Language")
	h.Set("Content-Type", file[1])
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer") // the URL contains the secret
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // fails only if the client is gone
}
