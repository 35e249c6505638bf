// Package text has the texts to people: push messages, notifications, SMS, e-mail and
// printed pages, in the reader's language.
//
// A feature names a text by key and arguments,
//
//	text.T("exam.results.title", "exam", "Term 1")
//
// and a Catalogue renders it in a language. words/<language>.yaml has the translations,
// grouped by feature. Arguments may be numbers, dates, amounts or other Texts, and are
// formatted for the language. letter.go renders e-mail, errors.go translates the messages
// of the API.
package text

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Default is the fallback language.
const Default = "en"

// Text is a text to be rendered in a language.
type Text struct {
	Key   string
	Args  map[string]any
	plain string
}

// T returns the text of a key. pairs are argument names and values: "student", "Mia".
func T(key string, pairs ...any) Text {
	t := Text{Key: key}
	if len(pairs) > 0 {
		t.Args = make(map[string]any, len(pairs)/2)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		t.Args[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return t
}

// Plain returns a literal text, the same in every language.
func Plain(words string) Text { return Text{plain: words} }

//go:embed words/*.yaml
var files embed.FS

// standard parses the built-in catalogue once.
var standard = sync.OnceValue(func() *Catalogue {
	entries, err := files.ReadDir("words")
	if err != nil {
		panic(err) // embedded
	}
	words := map[string][]byte{}
	for _, e := range entries {
		raw, err := files.ReadFile("words/" + e.Name())
		if err != nil {
			panic(err)
		}
		words[strings.TrimSuffix(e.Name(), ".yaml")] = raw
	}
	c, err := Parse(words)
	if err != nil {
		panic(err) // a test parses it
	}
	return c
})

// Standard returns the built-in catalogue.
func Standard() *Catalogue { return standard() }

// Catalogue has the texts of several languages. It is immutable.
type Catalogue struct{ languages map[string]language }

// language is the parsed texts by key.
type language map[string]phrase

// phrase is one text, with plural forms if it has a count.
type phrase struct{ one, other []part }

// part is a literal, or the name of an argument.
type part struct{ words, arg string }

// Parse parses a catalogue: the YAML of each language, nested by the parts of a key.
func Parse(files map[string][]byte) (*Catalogue, error) {
	c := &Catalogue{map[string]language{}}
	for name, raw := range files {
		var tree map[string]any
		if err := yaml.Unmarshal(raw, &tree); err != nil {
			return nil, fmt.Errorf("words of %s: %w", name, err)
		}
		l := language{}
		if err := l.read("", tree); err != nil {
			return nil, fmt.Errorf("words of %s: %w", name, err)
		}
		c.languages[name] = l
	}
	if c.languages[Default] == nil {
		return nil, fmt.Errorf("no texts in %q, the fallback language", Default)
	}
	return c, nil
}

func (l language) read(prefix string, tree map[string]any) error {
	for k, v := range tree {
		key := prefix + k
		switch v := v.(type) {
		case string:
			l[key] = phrase{other: split(v)}
		case map[string]any:
			one, isOne := v["one"].(string)
			other, isOther := v["other"].(string)
			switch {
			case isOne && isOther && len(v) == 2:
				l[key] = phrase{one: split(one), other: split(other)}
			case isOne:
				return fmt.Errorf("%s must have exactly the plural forms one and other", key)
			default:
				if err := l.read(key+".", v); err != nil {
					return err
				}
			}
		default:
			return fmt.Errorf("%s is %v, want a string", key, v)
		}
	}
	return nil
}

// split parses "{student} is late" into parts.
func split(s string) (parts []part) {
	for s != "" {
		words, rest, found := strings.Cut(s, "{")
		if words != "" {
			parts = append(parts, part{words: words})
		}
		if !found {
			break
		}
		arg, after, closed := strings.Cut(rest, "}")
		if !closed {
			return append(parts, part{words: "{" + rest})
		}
		parts, s = append(parts, part{arg: arg}), after
	}
	return parts
}

// Languages lists the languages.
func (c *Catalogue) Languages() []string {
	var out []string
	for name := range c.languages {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Language returns the catalogue's language for a locale: pt-BR, else pt, else English.
func (c *Catalogue) Language(locale string) string {
	for locale != "" {
		if c.languages[locale] != nil {
			return locale
		}
		cut := strings.LastIndexByte(locale, '-')
		if cut < 0 {
			break
		}
		locale = locale[:cut]
	}
	return Default
}

// Say renders the text for a locale. A missing translation falls back to English, and a
// missing key to the key itself.
func (c *Catalogue) Say(locale string, t Text) string {
	if t.Key == "" {
		return t.plain
	}
	name := c.Language(locale)
	p, ok := c.languages[name][t.Key]
	if !ok {
		if p, ok = c.languages[Default][t.Key]; !ok {
			return t.Key
		}
		name = Default
	}
	parts := p.other
	if p.one != nil && t.Args["count"] == 1 {
		parts = p.one
	}
	var b strings.Builder
	for _, part := range parts {
		if part.arg == "" {
			b.WriteString(part.words)
			continue
		}
		v, ok := t.Args[part.arg]
		if !ok {
			b.WriteString("{" + part.arg + "}")
			continue
		}
		b.WriteString(c.write(name, v))
	}
	return b.String()
}
