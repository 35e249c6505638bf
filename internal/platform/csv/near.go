package csv

import "fmt"

// Unknown is a header that is no column.
type Unknown struct {
	Name string
	Near string // the column with the most similar name; "" if none is similar
}

// String tells a person about it.
func (u Unknown) String() string {
	if u.Near == "" {
		return fmt.Sprintf("“%s” is not a column.", u.Name)
	}
	return fmt.Sprintf("“%s” is not a column. Did you mean “%s”?", u.Name, u.Near)
}

// longestHeader bounds the comparison of names.
const longestHeader = 64

// nearest returns the column with the most similar name: at most one edit for every three
// letters, so that "Fone" finds phone and "Shoe size" finds nothing.
func nearest(header string, columns []Column) string {
	name := []rune(word(header))
	if len(name) > longestHeader {
		return ""
	}
	near, fewest := "", len(name)/3+1
	for _, c := range columns {
		for _, known := range append([]string{c.Name}, c.Also...) {
			if n := edits(name, []rune(word(known))); n < fewest {
				near, fewest = c.Name, n
			}
		}
	}
	return near
}

// edits is the number of letters to insert, delete, replace or swap with their neighbour
// to get from a to b (optimal string alignment distance).
func edits(a, b []rune) int {
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		now[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			now[j+1] = min(last[j+1]+1, now[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
