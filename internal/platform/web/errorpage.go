package web

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"homeroom/internal/platform/text"
	"homeroom/web/style"
)

//go:embed error.html
var errorHTML string

var (
	errorTemplate = template.Must(template.New("error").Parse(errorHTML))
	errorStyle    = style.Sheet("tokens", "base", "controls", "plain")
	errorPolicy   = "default-src 'none'; style-src " + style.Source(errorStyle) +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// errorTexts maps a status to the key of its texts for people. A 5xx has "broken", any
// other status the message of its fault.
var errorTexts = map[int]string{
	http.StatusUnauthorized:     "signin",
	http.StatusForbidden:        "closed",
	http.StatusNotFound:         "missing",
	http.StatusMethodNotAllowed: "missing", // an address for programs
	http.StatusTooManyRequests:  "busy",
}

// wantsPage reports whether a person opened the address in a browser. Programs and
// scripts ask for JSON, or for anything.
func wantsPage(r *http.Request) bool {
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	return r.Method == http.MethodGet && strings.Contains(accept, "text/html") && !strings.Contains(accept, "json")
}

// errorPage writes the error for a person.
func errorPage(w http.ResponseWriter, r *http.Request, body ErrorBody, lang string) {
	word := func(key string) string { return text.Standard().Say(lang, text.T("page."+key)) }
	title, about := word("failed.title"), body.Message
	key := errorTexts[body.StatusCode]
	if body.StatusCode >= http.StatusInternalServerError {
		key = "broken"
	}
	if key != "" {
		title, about = word(key+".title"), word(key+".body")
	}
	var b bytes.Buffer
	err := errorTemplate.Execute(&b, map[string]any{"Lang": lang, "Style": template.CSS(errorStyle), "Title": title, "Text": about,
		"Home": word("home"), "About": word("request"), "Request": RequestID(r.Context())})
	if err != nil {
		panic(fmt.Sprintf("error page: %v", err)) // can't fail: a test runs the template
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", errorPolicy)
	w.WriteHeader(body.StatusCode)
	_, _ = w.Write(b.Bytes()) // fails only if the client disconnected
}
