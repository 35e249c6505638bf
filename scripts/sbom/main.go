// Command sbom writes the bill of materials (CycloneDX 1.6) of a homeroom binary: the Go modules, which the binary
// itself lists, and the npm packages that are embedded in it. Run it in the root of the repository.
package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	PURL     string    `json:"purl,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licenses []license `json:"licenses,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type license struct {
	Expression string `json:"expression"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	out := bom{Format: "CycloneDX", Spec: "1.6", Version: 1}
	out.Metadata.Component = component{Type: "application", Ref: filepath.Base(binary), Name: "homeroom", Version: info.Main.Version,
		Licenses: []license{{"Apache-2.0"}}}
	out.Components = []component{library("golang", "std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		out.Components = append(out.Components, library("golang", m.Path, m.Version, m.Sum))
	}
	embedded, err := npm()
	if err != nil {
		return err
	}
	out.Components = append(out.Components, embedded...)
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

// npm lists the packages of the web app and of the API documentation.
func npm() (out []component, err error) {
	text, err := os.ReadFile("web/package-lock.json")
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev                         bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	for path, p := range lock.Packages {
		if path == "" || p.Dev { // the web app itself, and what only builds it
			continue
		}
		c := library("npm", path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):], p.Version, p.Integrity)
		c.Licenses = []license{{p.License}}
		out = append(out, c)
	}
	const swagger = "internal/platform/apidocs/assets/README.md"
	text, err = os.ReadFile(swagger)
	if err != nil {
		return nil, err
	}
	var version string
	if _, err := fmt.Sscanf(string(text), "# swagger-ui-dist %s", &version); err != nil {
		return nil, fmt.Errorf("read the version in %s: %w", swagger, err)
	}
	out = append(out, library("npm", "swagger-ui-dist", version, ""))
	slices.SortFunc(out, func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) })
	return out, nil
}

// library describes a package by its package URL. sum is the checksum of go.sum (h1:...) or of npm (sha512-...).
func library(kind, name, version, sum string) component {
	purl := "pkg:" + kind + "/" + strings.Replace(name, "@", "%40", 1) + "@" + version
	c := component{Type: "library", Ref: purl, Name: name, Version: version, PURL: purl}
	for prefix, algorithm := range map[string]string{"h1:": "SHA-256", "sha512-": "SHA-512"} {
		if text, ok := strings.CutPrefix(sum, prefix); ok {
			if b, err := base64.StdEncoding.DecodeString(text); err == nil {
				c.Hashes = []hash{{algorithm, hex.EncodeToString(b)}}
			}
		}
	}
	return c
}
