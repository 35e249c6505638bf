package webhook

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"homeroom/internal/platform/notify"
)

// piece is a part of a template: text or a placeholder.
type piece struct {
	text string
	name string
}

// template is text with the placeholders {{to}}, {{body}} and {{id}}, each escaped
// for its context.
type template []struct {
	piece
	escape func(string) string
}

// split parses the placeholders of a text.
func split(text string) ([]piece, error) {
	var out []piece
	for {
		before, rest, found := strings.Cut(text, "{{")
		if strings.Contains(before, "}}") {
			return nil, errors.New("has }} without a {{ before it")
		}
		out = append(out, piece{text: before})
		if !found {
			return out, nil
		}
		name, after, closed := strings.Cut(rest, "}}")
		name = strings.TrimSpace(name)
		if !closed {
			return nil, errors.New("has {{ without a }} after it")
		}
		if name != "to" && name != "body" && name != "id" {
			return nil, errors.New("has an unknown placeholder: use {{to}}, {{body}} and {{id}}")
		}
		out = append(out, piece{name: name})
		text = after
	}
}

func parse(text string, escape func(string) string) (template, error) {
	pieces, err := split(text)
	var t template
	for _, p := range pieces {
		t = append(t, struct {
			piece
			escape func(string) string
		}{p, escape})
	}
	return t, err
}

// fill replaces the placeholders by the values of a message.
func (t template) fill(m notify.Message) string {
	values := map[string]string{"to": m.To, "body": m.Body, "id": m.ID.String()}
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.text)
		if p.name != "" {
			b.WriteString(p.escape(values[p.name]))
		}
	}
	return b.String()
}

// has reports whether the template contains the placeholder.
func (t template) has(name string) bool {
	for _, p := range t {
		if p.name == name {
			return true
		}
	}
	return false
}

// parseURL parses the template of a URL. Placeholders are allowed in the path and the
// query, not in the host.
func parseURL(text string) (template, error) {
	head, query, asked := strings.Cut(text, "?")
	t, err := parse(head, url.PathEscape)
	if err != nil {
		return nil, err
	}
	if asked {
		q, err := parse("?"+query, url.QueryEscape)
		if err != nil {
			return nil, err
		}
		t = append(t, q...)
	}
	scheme := strings.Index(text, "://")
	host := len(text)
	if scheme > 0 {
		if slash := strings.IndexAny(text[scheme+3:], "/?"); slash >= 0 {
			host = scheme + 3 + slash
		}
	}
	if strings.Contains(text[:host], "{{") {
		return nil, errors.New("has a placeholder before its path: the host must be fixed")
	}
	return t, nil
}

// escaperOf returns the escape function for a content type.
func escaperOf(contentType string) (func(string) string, error) {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	switch kind = strings.TrimSpace(kind); {
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return escapeJSON, nil
	case kind == "application/x-www-form-urlencoded":
		return url.QueryEscape, nil
	case kind == "application/xml" || kind == "text/xml" || strings.HasSuffix(kind, "+xml"):
		return escapeXML, nil
	case kind == "text/plain":
		return func(s string) string { return s }, nil
	}
	return nil, fmt.Errorf("has the content type %q: "+
		"use application/json, application/x-www-form-urlencoded, application/xml or text/plain", kind)
}

// escapeJSON escapes s for use inside a JSON string.
func escapeJSON(s string) string {
	quoted, _ := json.Marshal(s) // strings always marshal
	return string(quoted[1 : len(quoted)-1])
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writes to a Builder never fail
	return b.String()
}

// escapeHeader prevents header injection.
func escapeHeader(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
}
