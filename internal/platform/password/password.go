// Package password refuses passwords that others would guess: the 10,000 most
// common ones, also with a year or an exclamation mark behind them or written
// p4$$w0rd; runs and repetitions; and what is little more than a name of the
// person or the school. How long a password must be is the caller's to say.
//
// Start at Check. README.md says where the list comes from.
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

// The reasons, as words that follow the name of a field.
var (
	ErrCommon = errors.New("is among the passwords that are guessed first: choose another, such as three words that don't belong together")
	ErrOwn    = errors.New("is little more than a name that others know: choose another, such as three words that don't belong together")
)

const (
	shortest = 4  // letters of a word that counts
	few      = 6  // characters beside a word that make it no better
	long     = 40 // a longer password is no common one with something around it
)

// Check returns ErrCommon or ErrOwn for a password that is easily guessed, or nil.
// The words of own are known to others: names of the person and the school, e-mail
// address, phone.
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

// common reports whether p is weak, or a weak part with digits and signs around it
// that are few or weak themselves.
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

// weak reports whether s is in the list, a run such as 4567 or a repetition.
func weak(s []rune) bool {
	return len(s) == 0 || listed(s) || run(s) || repetition(s)
}

// plain reports whether s has no letter.
func plain(s []rune) bool { return !slices.ContainsFunc(s, unicode.IsLetter) }

// run reports whether each character of s follows the one before it, up or down.
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

// repetition reports whether s is one to four characters, or a listed password,
// again and again.
func repetition(s []rune) bool {
	for period := 1; period <= min(len(s)/2, long); period++ {
		if slices.Equal(s[period:], s[:len(s)-period]) && (period <= 4 || listed(s[:period])) {
			return true
		}
	}
	return false
}

// named reports whether p is a word of own and few characters besides.
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

// without removes the words from a text, the longest first.
func without(text string, words []string) string {
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	for _, w := range words {
		text = strings.ReplaceAll(text, w, "")
	}
	return text
}

// wordsOf splits a name at what is neither letter nor digit, and also takes it as
// one word. Of an e-mail address the last part, such as .org, does not count.
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

// fold lowers the case and drops accents.
func fold(s string) []rune {
	return slices.DeleteFunc([]rune(strings.ToLower(norm.NFKD.String(s))), func(c rune) bool { return unicode.Is(unicode.Mn, c) })
}

// skeleton replaces what stands for a letter by the letter.
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

// list is the skeletons of the common passwords, sorted.
var list = sync.OnceValue(func() []string {
	all, err := unpack()
	if err != nil {
		panic(err) // it is part of the program
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
