package main

import (
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"homeroom/internal/app"
)

// warnMisspelt logs a warning for each variable that looks like a setting and is none: a
// misspelt limit or provider would be ignored silently.
func warnMisspelt(parsed *kong.Context, s std) {
	n := parsed.Selected()
	if n == nil {
		return
	}
	c, ok := n.Target.Addr().Interface().(interface{ Logger(io.Writer) *slog.Logger })
	if !ok { // it has no settings
		return
	}
	known := variables(parsed.Model)
	for _, v := range s.environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, app.EnvPrefix) || slices.Contains(known, name) {
			continue
		}
		if near := nearest(name, known); near != "" {
			c.Logger(s.err).Warn("unknown environment variable", "name", name, "didYouMean", near)
			continue
		}
		c.Logger(s.err).Warn("unknown environment variable: homeroom serve --help lists them", "name", name)
	}
}

// variables lists the environment variables of all commands.
func variables(all *kong.Application) []string {
	known := []string{passwordEnv}
	for _, leaf := range all.Leaves(false) {
		for _, f := range leaf.Flags {
			if isSetting(f.Value) {
				known = append(known, app.EnvName(f.Name))
			}
		}
	}
	return known
}

// nearest returns the known name with the fewest different letters, or "" if none is similar.
func nearest(name string, known []string) (found string) {
	least := len(name)/6 + 1
	for _, k := range known {
		if d := distance(name, k); d < least {
			found, least = k, d
		}
	}
	return found
}

// distance is the number of letters to insert, delete or replace (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
