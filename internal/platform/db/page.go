package db

import (
	"context"
	"maps"
	"slices"
	"strings"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/page"
)

// List is a list that callers page through and sort.
type List struct {
	Columns string            // what to select; one column is named id
	From    string            // "holidays WHERE school_id = :school …"
	Count   string            // a statement that counts the rows, if there is a faster one than count(*) over From
	Sorts   map[string]string // field of the API to column or columns, which must not be NULL
	Default string            // key of Sorts to sort by when nobody asks; "-key" for descending
}

// Page returns one page of a list, and how many rows the whole list has. The
// order is total: the id (Sorts["id"], or the column id) breaks ties.
func Page[T any](ctx context.Context, q Q, l List, r page.Request, a Args) (page.Of[T], error) {
	r = r.Clamp()
	order, err := l.order(r.Sort)
	if err != nil {
		return page.Of[T]{}, err
	}
	paged := Args{"page_limit": r.Limit, "page_offset": r.Offset()}
	maps.Copy(paged, a)
	items, total := make([]T, 0, r.Limit), []int{}
	p := q.at(ctx)
	found, err := p.work("SELECT "+l.Columns+" FROM "+l.From+order+" LIMIT :page_limit OFFSET :page_offset", paged,
		func(st *statement) rows { return gather(st, &items) })
	if err != nil {
		return page.Of[T]{}, err
	}
	count, err := p.work(l.count(), a, func(st *statement) rows { return gather(st, &total) })
	if err != nil {
		return page.Of[T]{}, err
	}
	// A page that is not full is the last, and tells the total itself.
	count.skip = func() bool { return len(items) < r.Limit && (len(items) > 0 || r.Page == 1) }
	if err := p.run(ctx, found, count); err != nil {
		return page.Of[T]{}, err
	}
	if len(total) == 0 {
		total = append(total, r.Offset()+len(items))
	}
	return page.New(r, items, total[0]), nil
}

func (l List) count() string {
	if l.Count != "" {
		return l.Count
	}
	if strings.Contains(strings.ToUpper(l.From), "GROUP BY") {
		return "SELECT count(*) FROM (SELECT 1 FROM " + l.From + ") AS counted"
	}
	return "SELECT count(*) FROM " + l.From
}

// order is the ORDER BY of a request.
func (l List) order(s *page.Sort) (string, error) {
	key, desc := strings.CutPrefix(l.Default, "-")
	asked := s != nil && s.Field != ""
	if asked {
		key, desc = s.Field, s.Order == "desc"
	}
	columns, ok := l.Sorts[key]
	if !ok && asked {
		return "", fault.OnField("sort.field", "must be one of: %s", strings.Join(slices.Sorted(maps.Keys(l.Sorts)), ", "))
	}
	by := topLevel(columns)
	tie, ok := l.Sorts["id"]
	if !ok {
		tie = "id"
	}
	if !slices.Contains(by, tie) {
		by = append(by, tie)
	}
	direction := ""
	if desc {
		direction = " DESC"
	}
	return " ORDER BY " + strings.Join(by, direction+", ") + direction, nil
}

// topLevel cuts "a, lower(b, c)" at the commas outside brackets.
func topLevel(columns string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range columns + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			if s := strings.TrimSpace(columns[start:i]); s != "" {
				out = append(out, s)
			}
			start = i + 1
		}
	}
	return out
}

// When returns sql if cond holds, else "".
func When(cond bool, sql string) string {
	if cond {
		return sql
	}
	return ""
}

// Contains is the pattern for finding part anywhere: x LIKE :p ESCAPE '\'. No
// part, no pattern: it is empty then, for When to leave the filter out.
func Contains(part string) string {
	if part == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(part) + "%"
}
