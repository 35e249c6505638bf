// Package password refuses passwords that are easy to guess: the 10,000 most common ones,
// also followed by a year or an exclamation mark or spelled p4$$w0rd; sequences and
// repetitions; and names of the person or the school with little added. The caller
// checks the length.
//
// Start at Check. README.md has the origin of the list.
package password

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the list
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Reasons, which follow the name of a field.
var (
	ErrCommon = errors.New("is easy to guess: choose another one, such as three unrelated words")
	ErrOwn    = errors.New("is too close to a name that others know: choose another one, such as three unrelated words")
)

const (
	shortest = 4  // minimum length of a word
	few      = 6  // extra characters that don't make a word stronger
	long     = 40 // longer passwords are not checked for common parts
)

// Check returns ErrCommon or ErrOwn for a password that is easy to guess, or nil. own are
// strings that others know: names of the person and the school, e-mail address, phone.
func Check(password string, own ...string) error {
	p := fold(password)
	switch {
	case common(p):
		return ErrCommon
	case named(p, own):
		return ErrOwn
	}
	return nil
}

// common reports whether p is weak, or a weak part surrounded by digits and signs that are
// few or weak themselves.
func common(p []rune) bool {
	if weak(p) {
		return true
	}
	if len(p) > long {
		return false
	}
	for from := 0; from < len(p) && plain(p[:from]); from++ {
		for to := len(p); to >= from+shortest && plain(p[to:]); to-- {
			around := from + len(p) - to
			if (around <= few || weak(p[:from]) && weak(p[to:])) && weak(p[from:to]) {
				return true
			}
		}
	}
	return false
}

// weak reports whether s is in the list, a sequence such as 4567 or a repetition.
func weak(s []rune) bool {
	return len(s) == 0 || listed(s) || run(s) || repetition(s)
}

// plain reports whether s has no letter.
func plain(s []rune) bool { return !slices.ContainsFunc(s, unicode.IsLetter) }

// run reports whether s is an ascending or descending sequence.
func run(s []rune) bool {
	for _, step := range []rune{1, -1} {
		ok := len(s) >= shortest
		for i := 1; i < len(s) && ok; i++ {
			ok = s[i]-s[i-1] == step || s[i-1] == '9' && s[i] == '0'
		}
		if ok {
			return true
		}
	}
	return false
}

// repetition reports whether s repeats one to four characters, or a listed password.
func repetition(s []rune) bool {
	for period := 1; period <= min(len(s)/2, long); period++ {
		if slices.Equal(s[period:], s[:len(s)-period]) && (period <= 4 || listed(s[:period])) {
			return true
		}
	}
	return false
}

// named reports whether p is a word of own with few other characters.
func named(p []rune, own []string) bool {
	var words, short []string
	for _, o := range own {
		w, s := wordsOf(o)
		words, short = append(words, w...), append(short, s...)
	}
	text := letters(skeleton(p))
	rest := without(text, words)
	if rest == text {
		return false
	}
	rest = without(rest, short)
	return len([]rune(rest)) <= few || weak([]rune(rest))
}

// without removes the words from a text, longest first.
func without(text string, words []string) string {
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	for _, w := range words {
		text = strings.ReplaceAll(text, w, "")
	}
	return text
}

// wordsOf splits a name at characters that are not letters or digits, and also returns it
// as one word. The top-level domain of an e-mail address, such as .org, is ignored.
func wordsOf(own string) (words, short []string) {
	if at, dot := strings.IndexByte(own, '@'), strings.LastIndexByte(own, '.'); at >= 0 && dot > at {
		own = own[:dot]
	}
	name, _, _ := strings.Cut(own, "@")
	parts := strings.FieldsFunc(string(fold(own)), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for _, w := range append(parts, string(fold(name))) {
		w = letters(skeleton([]rune(w)))
		switch n := len([]rune(w)); {
		case n >= shortest:
			words = append(words, w)
		case n > 1:
			short = append(short, w)
		}
	}
	return words, short
}

// fold lower-cases and removes accents.
func fold(s string) []rune {
	return slices.DeleteFunc([]rune(strings.ToLower(norm.NFKD.String(s))), func(c rune) bool { return unicode.Is(unicode.Mn, c) })
}

// skeleton replaces characters that stand for letters, such as 4 for a.
func skeleton(s []rune) string {
	out := slices.Clone(s)
	for i, c := range out {
		switch c {
		case '@', '4':
			out[i] = 'a'
		case '3':
			out[i] = 'e'
		case '1', '!', '|', 'l':
			out[i] = 'i'
		case '0':
			out[i] = 'o'
		case '5', '$':
			out[i] = 's'
		case '7':
			out[i] = 't'
		}
	}
	return string(out)
}

// letters drops everything but letters and digits.
func letters(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, s)
}

//go:embed common.txt.gz
var packed []byte

// list has the skeletons of the common passwords, sorted.
var list = sync.OnceValue(func() []string {
	all, err := unpack()
	if err != nil {
		panic(err) // embedded
	}
	return all
})

func unpack() ([]string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("list of common passwords: %w", err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("list of common passwords: %w", err)
	}
	all := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	for i, p := range all {
		all[i] = skeleton(fold(p))
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func listed(s []rune) bool {
	_, found := slices.BinarySearch(list(), skeleton(s))
	return found
}
