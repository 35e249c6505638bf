// Package style has the stylesheets of everything a person sees. The web app bundles
// them (main.css); pages without it, such as error pages, take the files they need.
package style

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"regexp"
	"strings"
)

//go:embed *.css
var files embed.FS

var comment = regexp.MustCompile(`(?s)/\*.*?\*/\s*`)

// Sheet joins stylesheets, without their comments: "tokens" names tokens.css. It panics
// if one is missing.
func Sheet(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		raw, err := files.ReadFile(name + ".css")
		if err != nil {
			panic("style: " + err.Error())
		}
		b.WriteString(comment.ReplaceAllString(string(raw), ""))
	}
	return b.String()
}

// Source returns what style-src of a Content-Security-Policy needs for an inline sheet.
func Source(sheet string) string {
	sum := sha256.Sum256([]byte(sheet))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
