package text

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Error messages are written in English next to the rule that they belong to. As in
// gettext, the English message is the key of its translation: errors/<language>.yaml maps
// one to the other. {name} stands for any text, which is translated too if it is a key.

//go:embed errors/*.yaml
var errorFiles embed.FS

// errorWords are the translated messages of one language.
type errorWords struct {
	exact    map[string]string
	patterns []errorPattern
}

// errorPattern is a message with arguments.
type errorPattern struct {
	english *regexp.Regexp
	words   string // with {name} for an argument
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

var argument = regexp.MustCompile(`\\\{([a-z]+)\\\}`) // {name}, quoted by regexp.QuoteMeta

func parseErrors(raw []byte) (errorWords, error) {
	w := errorWords{exact: map[string]string{}}
	var lines yaml.Node
	if err := yaml.Unmarshal(raw, &lines); err != nil {
		return w, err
	}
	pairs := lines.Content[0].Content // in the order of the file
	for i := 0; i+1 < len(pairs); i += 2 {
		english, words := pairs[i].Value, pairs[i+1].Value
		quoted := regexp.QuoteMeta(english)
		pattern := argument.ReplaceAllString(quoted, `(?P<$1>.+)`)
		if pattern == quoted {
			w.exact[english] = words
			continue
		}
		re, err := regexp.Compile(`(?s)^` + pattern + `$`)
		if err != nil {
			return w, err
		}
		w.patterns = append(w.patterns, errorPattern{re, words})
	}
	return w, nil
}

// Error translates an English error message. Without a translation it stays English.
func (c *Catalogue) Error(locale, message string) string {
	w, ok := errorTexts()[c.Language(locale)]
	if !ok {
		return message
	}
	if words, ok := w.exact[message]; ok {
		return words
	}
	for _, p := range w.patterns {
		if m := p.english.FindStringSubmatch(message); m != nil {
			return p.fill(m, w.exact)
		}
	}
	return message
}

// fill puts the arguments of a message into its translation.
func (p errorPattern) fill(found []string, known map[string]string) string {
	var pairs []string
	for i, name := range p.english.SubexpNames() {
		if name == "" {
			continue
		}
		arg := found[i]
		if words, ok := known[arg]; ok {
			arg = words
		}
		pairs = append(pairs, "{"+name+"}", arg)
	}
	return strings.NewReplacer(pairs...).Replace(p.words)
}
