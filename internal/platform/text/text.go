// Package text has everything that the service says to people outside an answer:
// push messages, entries of a log, text messages and e-mail, in their language.
//
// A feature says what it means by a key and named arguments,
//
//	text.T("exam.results.title", "exam", "Term 1")
//
// and whoever knows the reader's language has the Catalogue say it. The words
// stand in words/<language>.yaml, one file per language, grouped by feature. An
// argument may be a number, a date, an amount or another Text: the language
// decides how it is written. letter.go lays out e-mail.
package text

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Default is the language of those of whom no other is known.
const Default = "en"

// Text is something to say, in no language yet.
type Text struct {
	Key   string
	Args  map[string]any
	plain string
}

// T is the text of a key. pairs are names and values: "student", "Mia".
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

// Plain is a text of a person's own words: the same in every language.
func Plain(words string) Text { return Text{plain: words} }

//go:embed words/*.yaml
var files embed.FS

// standard parses the built-in catalogue once: it never changes.
var standard = sync.OnceValue(func() *Catalogue {
	entries, err := files.ReadDir("words")
	if err != nil {
		panic(err) // it is embedded
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
		panic(err) // a test reads it
	}
	return c
})

// Standard is the catalogue of the words that are built in.
func Standard() *Catalogue { return standard() }

// Catalogue has the words of several languages. It is never changed.
type Catalogue struct{ languages map[string]language }

// language is its words by key, parsed.
type language map[string]phrase

// phrase is one text, in the forms of its plural if it counts something.
type phrase struct{ one, other []part }

// part is a piece of a phrase: words, or the name of an argument.
type part struct{ words, arg string }

// Parse reads a catalogue: the YAML of each language, nested by the parts of a key.
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
		return nil, fmt.Errorf("there are no words in %q, which all others fall back to", Default)
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
				return fmt.Errorf("%s must have the forms one and other, and nothing else", key)
			default:
				if err := l.read(key+".", v); err != nil {
					return err
				}
			}
		default:
			return fmt.Errorf("%s is %v, not a text", key, v)
		}
	}
	return nil
}

// split cuts "{student} is late" into its parts.
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

// Languages lists those that there are words in.
func (c *Catalogue) Languages() []string {
	var out []string
	for name := range c.languages {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Language is the one of the catalogue that a locale is spoken to in: pt-BR, else
// pt, else English.
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

// Say is the text in the language of a locale. A key without words there is said
// in English, and one without any words says itself.
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
