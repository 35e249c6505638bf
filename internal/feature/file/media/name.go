package media

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the maximum length of a name in characters.
const maxName = 200

// CleanName normalizes a file name. It refuses misleading names instead of fixing
// them, so that the sender knows.
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

// misleading reports invisible characters and those that change the text direction.
func misleading(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)
}
