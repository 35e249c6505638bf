package db

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// statement is a parsed SQL text: the SQL that is sent to the engine, and the name
// of the parameter behind each $n.
type statement struct {
	text  string
	sql   string
	names []string
	lists []bool   // names[i] is used as x IN (:name)
	reads bool     // read-only
	plans sync.Map // scan plans and insertions, by Go type

	elements []uint32 // type OIDs of the array elements, for an INSERT by arrays on PostgreSQL
}

// piece is a fragment of SQL and the parameter that follows it, if any.
type piece struct {
	sql, name string
	list, not bool // the parameter is used as IN (:name), NOT IN (:name)
}

var (
	listOpens  = regexp.MustCompile(`(?i)\b(NOT\s+)?IN\s*\(\s*$`)
	listCloses = regexp.MustCompile(`^\s*\)`)
	firstWord  = regexp.MustCompile(`^\s*(\w+)`)
	writes     = regexp.MustCompile(`(?i)\b(INSERT|UPDATE|DELETE)\b`)
)

// split cuts a SQL text at its parameters, ignoring quotes and comments. It
// rejects syntax that only one of the engines supports.
func split(text string) ([]piece, error) {
	var out []piece
	start := 0
	for i := 0; i < len(text); {
		if j := skip(text, i); j > i {
			i = j
			continue
		}
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "::"):
			return nil, errors.New("`::` works on PostgreSQL only: write CAST(x AS type)")
		case c == '?' || c == '$':
			return nil, errors.New("use named parameters: write :name")
		case c == ';':
			return nil, errors.New("only one statement is allowed: remove the semicolon")
		case c == ':' && i+1 < len(text) && isLetter(text[i+1]):
			end := i + 1
			for end < len(text) && (isLetter(text[end]) || isDigit(text[end])) {
				end++
			}
			p := piece{sql: text[start:i], name: text[i+1 : end]}
			if m := listOpens.FindStringSubmatchIndex(p.sql); m != nil {
				if closing := listCloses.FindString(text[end:]); closing != "" {
					p.list, p.not, p.sql = true, m[2] >= 0, p.sql[:m[0]]
					end += len(closing)
				}
			}
			out = append(out, p)
			start, i = end, end
		default:
			i++
		}
	}
	return append(out, piece{sql: text[start:]}), nil
}

// skip returns the end of the quoted string or comment that starts at i, or i if none does.
func skip(s string, i int) int {
	rest := s[i:]
	switch {
	case s[i] == '\'' || s[i] == '"':
		// A doubled quote (escape) reads as the end of one string and the start of the next.
		return after(s, i, 1, s[i:i+1])
	case strings.HasPrefix(rest, "--"):
		return after(s, i, 2, "\n")
	case strings.HasPrefix(rest, "/*"):
		return after(s, i, 2, "*/")
	}
	return i
}

func after(s string, i, opening int, closing string) int {
	if n := strings.Index(s[i+opening:], closing); n >= 0 {
		return i + opening + n + len(closing)
	}
	return len(s)
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// bare returns the SQL without quoted strings and comments.
func bare(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if j := skip(text, i); j > i {
			b.WriteByte(' ')
			i = j
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// compiler builds a statement for one engine. Each parameter name gets one $n.
type compiler struct {
	pg  bool
	st  *statement
	sql strings.Builder
	at  map[string]int
}

func newCompiler(pg bool, text string) *compiler {
	st := &statement{text: text}
	words := bare(text)
	if m := firstWord.FindStringSubmatch(words); m != nil {
		switch strings.ToUpper(m[1]) {
		case "SELECT", "VALUES":
			st.reads = true
		case "WITH":
			st.reads = !writes.MatchString(words)
		}
	}
	return &compiler{pg: pg, st: st, at: map[string]int{}}
}

// add appends pieces. rename maps the parameter names.
func (c *compiler) add(pieces []piece, rename func(string) string) error {
	for _, p := range pieces {
		c.sql.WriteString(p.sql)
		if p.name == "" {
			continue
		}
		name := rename(p.name)
		n, ok := c.at[name]
		if !ok {
			n = len(c.st.names)
			c.at[name] = n
			c.st.names = append(c.st.names, name)
			c.st.lists = append(c.st.lists, p.list)
		}
		if c.st.lists[n] != p.list {
			return fmt.Errorf(":%s is a list in one place and a value in another", name)
		}
		c.sql.WriteString(c.place(p, "$"+strconv.Itoa(n+1)))
	}
	return nil
}

func (c *compiler) place(p piece, mark string) string {
	switch {
	case !p.list:
		return mark
	case c.pg && p.not:
		return "<> ALL(" + mark + ")"
	case c.pg:
		return "= ANY(" + mark + ")"
	case p.not:
		return "NOT IN (SELECT value FROM json_each(" + mark + "))"
	}
	return "IN (SELECT value FROM json_each(" + mark + "))"
}

func (c *compiler) done() *statement {
	c.st.sql = c.sql.String()
	return c.st
}

func compile(pg bool, text string) (*statement, error) {
	pieces, err := split(text)
	if err != nil {
		return nil, fmt.Errorf("%w in: %s", err, oneLine(text))
	}
	c := newCompiler(pg, text)
	if err := c.add(pieces, func(n string) string { return n }); err != nil {
		return nil, fmt.Errorf("%w in: %s", err, oneLine(text))
	}
	return c.done(), nil
}

// verbatim wraps engine-specific SQL with positional parameters, without parsing it.
func verbatim(sql string) *statement { return &statement{text: sql, sql: sql} }

// oneLine shortens SQL for an error message.
func oneLine(text string) string {
	s := strings.Join(strings.Fields(text), " ")
	if len(s) > 120 {
		s = s[:120] + "…"
	}
	return s
}
