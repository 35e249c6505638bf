package db

import (
	"strconv"
)

// columnSet is a set of the parameters of an insertion, by their places.
type columnSet uint64

func (s columnSet) has(i int) bool { return s&(1<<i) != 0 }

// sharing tells which parameters have one value in all rows, so that a load gives
// it once: half of what rows bring is said of all of them, and giving a value to
// SQLite is a call of its own. What rows of the load have not shared before they
// don't share now, lest there be a statement for every mixture. Few rows, which
// both engines are given value by value, share nothing.
func (l *load) sharing(in *insertion, values []any) columnSet {
	k := len(in.params)
	if l == nil || k == 0 || k > 64 || len(values) < insertArrays*k {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	shared, known := l.shared[in]
	if !known {
		shared = 1<<k - 1
	}
	for i := range k {
		for at := i + k; at < len(values) && shared.has(i); at += k {
			if values[at] != values[i] {
				shared &^= 1 << i
			}
		}
	}
	if shared == 1<<k-1 {
		shared &^= 1 // what tells how many rows there are
	}
	l.shared[in] = shared
	return shared
}

// arrange appends the values of rows as the statement has them: first what is shared.
func (in *insertion) arrange(to, values []any, shared columnSet) []any {
	for i := range in.params {
		if shared.has(i) {
			to = append(to, values[i])
		}
	}
	for i, v := range values {
		if !shared.has(i % len(in.params)) {
			to = append(to, v)
		}
	}
	return to
}

// compileLite writes the statement for n rows on SQLite. Numbers stand for the
// school and what else is shared, and for the first of what is not: those after it
// are counted on, for a number is a name to SQLite, and names are looked up one by one.
func (in *insertion) compileLite(n int, shared columnSet) *statement {
	c := newCompiler(false, in.text)
	if in.school {
		c.st.names = append(c.st.names, "school")
	}
	numbers := make([]string, len(in.params))
	for i, p := range in.params {
		if shared.has(i) {
			c.st.names = append(c.st.names, p.name)
			numbers[i] = "?" + strconv.Itoa(len(c.st.names))
		}
	}
	next := "?" + strconv.Itoa(len(c.st.names)+1)
	at := 0
	write := func(pieces []piece) {
		for _, p := range pieces {
			c.sql.WriteString(p.sql)
			switch {
			case p.name == "":
				continue
			case in.shared(p.name):
				c.sql.WriteString("?1")
				continue
			case numbers[at] != "":
				c.sql.WriteString(numbers[at])
			default:
				c.st.names = append(c.st.names, p.name)
				c.sql.WriteString(next)
				next = "?"
			}
			at++
		}
	}
	write(in.head)
	for i := range n {
		if at = 0; i > 0 {
			c.sql.WriteString(", ")
		}
		write(in.group)
	}
	write(in.tail)
	return c.done()
}
