package db

import (
	"regexp"
	"strings"
)

var columnList = regexp.MustCompile(`(?is)^\s*INSERT\s+INTO\s+\w+\s*\(([^)]*)\)`)

// isSchool stands in columns for the place of the school's own.
const isSchool = -1

// columns tells which parameter each column is given, of those that are given
// one and nothing else.
func (in *insertion) columns() map[string]int {
	out := map[string]int{}
	names := columnList.FindStringSubmatch(in.text)
	start, end, err := valuesGroup(in.text)
	if names == nil || err != nil {
		return out
	}
	n := 0
	for i, item := range items(in.text[start+1 : end-1]) {
		parts, err := split(item)
		all := strings.Split(names[1], ",")
		if err != nil || i >= len(all) {
			return map[string]int{}
		}
		column := strings.TrimSpace(all[i])
		alone := len(parts) == 2 && strings.TrimSpace(parts[0].sql+parts[1].sql) == ""
		switch {
		case alone && in.shared(parts[0].name):
			out[column] = isSchool
		case alone:
			out[column] = n
		}
		for _, p := range parts {
			if p.name != "" && !in.shared(p.name) {
				n++
			}
		}
	}
	return out
}

// items cuts a list at its commas, but not within brackets.
func items(list string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(list); {
		if j := skip(list, i); j > i {
			i = j
			continue
		}
		switch list[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out, start = append(out, list[start:i]), i+1
			}
		}
		i++
	}
	return append(out, list[start:])
}
