package text

import (
	"cmp"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// The messages of the API, errors above all, are written in English next to the rule that
// they belong to. As in gettext, the English message is the key of its translation:
// errors/<language>.yaml maps one to the other. {name} stands for any text, such as the name
// of a room, and stays as it is. {!name} stands for a message, which is translated too.

//go:embed errors/*.yaml
var errorFiles embed.FS

// errorWords are the translated messages of one language.
type errorWords struct {
	exact    map[string]string
	patterns []errorPattern // the longest first: the more precise one wins
}

// errorPattern is a message with arguments.
type errorPattern struct {
	english *regexp.Regexp
	start   string          // the text before the first argument
	size    int             // of the text without the arguments
	words   string          // with {name} for an argument
	said    map[string]bool // the arguments that are messages
}

var errorTexts = sync.OnceValue(func() map[string]errorWords {
	out := map[string]errorWords{}
	entries, err := errorFiles.ReadDir("errors")
	if err != nil {
		panic(err) // embedded
	}
	for _, e := range entries {
		raw, err := errorFiles.ReadFile("errors/" + e.Name())
		if err != nil {
			panic(err)
		}
		lang := strings.TrimSuffix(e.Name(), ".yaml")
		if out[lang], err = parseErrors(raw); err != nil {
			panic(fmt.Errorf("errors of %s: %w", lang, err)) // a test parses them
		}
	}
	return out
})

var argument = regexp.MustCompile(`\{(!?)([a-z]+)\}`)

func parseErrors(raw []byte) (errorWords, error) {
	w := errorWords{exact: map[string]string{}}
	var texts map[string]string
	if err := yaml.Unmarshal(raw, &texts); err != nil {
		return w, err
	}
	for english, words := range texts {
		literals := argument.Split(english, -1)
		if len(literals) == 1 {
			w.exact[english] = words
			continue
		}
		pattern, said := regexp.QuoteMeta(literals[0]), map[string]bool{}
		for i, arg := range argument.FindAllStringSubmatch(english, -1) {
			pattern += `(?P<` + arg[2] + `>.*?)` + regexp.QuoteMeta(literals[i+1])
			said[arg[2]] = arg[1] == "!"
		}
		re, err := regexp.Compile(`(?s)^` + pattern + `$`)
		if err != nil {
			return w, err
		}
		w.patterns = append(w.patterns, errorPattern{re, literals[0], len(strings.Join(literals, "")), words, said})
	}
	slices.SortFunc(w.patterns, func(a, b errorPattern) int {
		return cmp.Or(b.size-a.size, strings.Compare(a.english.String(), b.english.String()))
	})
	return w, nil
}

// Error translates an English message. Without a translation it stays English.
func (c *Catalogue) Error(locale, message string) string {
	w, ok := errorTexts()[c.Language(locale)]
	if !ok {
		return message
	}
	return w.say(message)
}

func (w errorWords) say(message string) string {
	if words, ok := w.exact[message]; ok {
		return words
	}
	for _, p := range w.patterns {
		if !strings.HasPrefix(message, p.start) {
			continue
		}
		if found := p.english.FindStringSubmatch(message); found != nil {
			return w.fill(p, found)
		}
	}
	return w.counts(message)
}

// fill puts the arguments of a message into its translation.
func (w errorWords) fill(p errorPattern, found []string) string {
	var pairs []string
	for i, name := range p.english.SubexpNames() {
		switch {
		case name == "":
		case p.said[name]:
			pairs = append(pairs, "{"+name+"}", w.say(found[i]))
		default:
			pairs = append(pairs, "{"+name+"}", found[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(p.words)
}

var counted = regexp.MustCompile(`^(\d+ )([a-z ]+?)(, | and |$)`)

// counts translates a list of counts, such as "2 divisions and 30 students". Any other
// text is left as it is.
func (w errorWords) counts(list string) string {
	var out strings.Builder
	for rest := list; rest != ""; {
		m := counted.FindStringSubmatch(rest)
		if m == nil || w.exact[m[2]] == "" {
			return list
		}
		and := m[3]
		if words, ok := w.exact[and]; ok {
			and = words
		}
		out.WriteString(m[1] + w.exact[m[2]] + and)
		rest = rest[len(m[0]):]
	}
	return out.String()
}
