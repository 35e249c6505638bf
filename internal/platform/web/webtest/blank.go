package webtest

import (
	"fmt"
	"maps"
	"slices"
)

// sentAsIs are the members that show what a person or another program sent, "" included.
var sentAsIs = []string{"customFields", "before", "after"}

// Blank returns the path of the first "" in decoded JSON, such as data.items[0].phone,
// or "". Replies have null for what is missing.
func Blank(v any) string {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] == "" {
				return name
			}
			if at := Blank(v[name]); at != "" && !slices.Contains(sentAsIs, name) {
				return name + dot(at)
			}
		}
	case []any:
		for i, x := range v {
			if x == "" {
				return fmt.Sprintf("[%d]", i)
			}
			if at := Blank(x); at != "" {
				return fmt.Sprintf("[%d]", i) + dot(at)
			}
		}
	}
	return ""
}

func dot(path string) string {
	if path[0] == '[' {
		return path
	}
	return "." + path
}
