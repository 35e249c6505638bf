package db

import (
	"context"
	"maps"
	"slices"
	"strings"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/page"
)

// List is a paginated, sortable list.
type List struct {
	Columns string            // to select; must include id
	From    string            // "holidays WHERE school_id = :school …"
	Count   string            // counts the rows, if a faster statement than count(*) over From exists
	Sorts   map[string]string // API field to NOT NULL column or columns
	Default string            // default sort: a key of Sorts, "-key" for descending
	Few     bool              // the rows of one person: one plan suits all values
}

// Page returns one page of a list, and the total number of rows. Ties are broken
// by Sorts["id"], or the column id, so that pages never overlap.
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
	// + 0: SQLite plans a statement again on every call if LIMIT is a parameter alone.
	found, err := p.work("SELECT "+l.Columns+" FROM "+l.From+order+" LIMIT :page_limit + 0 OFFSET :page_offset", paged,
		func(st *statement) rows { return gather(st, &items) })
	if err != nil {
		return page.Of[T]{}, err
	}
	count, err := p.work(l.count(), a, func(st *statement) rows { return gather(st, &total) })
	if err != nil {
		return page.Of[T]{}, err
	}
	// A page that is not full is the last one, so the total is known without counting.
	found.list, count.list = !l.Few, !l.Few
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

// order returns the ORDER BY clause of a request.
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

// topLevel splits "a, lower(b, c)" at the commas outside parentheses.
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

// Contains returns a substring pattern for x LIKE :p ESCAPE '\'. It is empty if
// part is, so that When can leave the filter out.
func Contains(part string) string {
	if part == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(part) + "%"
}
