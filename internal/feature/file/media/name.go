package media

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is what a name may have, in characters.
const maxName = 200

// CleanName is the name that a file is kept under. A name that could mislead is
// refused, and not put right: whoever sends one should hear of it.
func CleanName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "file", nil
	case !utf8.ValidString(name):
		return "", refuse("has a name that is not UTF-8")
	case strings.ContainsAny(name, `/\:`):
		return "", refuse("has a path in its name: send the name alone, without / \\ and :")
	case strings.HasPrefix(name, "."):
		return "", refuse("has a name that starts with a dot")
	case strings.ContainsFunc(name, misleading):
		return "", refuse("has a name with control characters in it")
	case utf8.RuneCountInString(name) > maxName:
		return "", refuse("has a name of more than %d characters", maxName)
	}
	return name, nil
}

// misleading holds for what is not seen, or turns around how a name reads.
func misleading(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)
}
