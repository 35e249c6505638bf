package oneroster

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/feature/oneroster/roster"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

const (
	maxLimit   = 1000
	maxClauses = 4
)

var (
	errFilter = fault.New(fault.Malformed, "invalid_filter_field",
		"filter must be up to four comparisons, such as status='active' AND dateLastModified>='2026-09-01T00:00:00Z'. "+
			"Fields: sourcedId, status and role (= and !=), dateLastModified.")
	errSort   = fault.New(fault.Malformed, "invalid_sort_field", "sort must be sourcedId or, except for enrollments, dateLastModified.")
	errFields = fault.New(fault.Malformed, "invalid_selection_field", "fields must be names of the record's fields, separated by commas.")
)

// listIn is the query of a list.
type listIn struct {
	Limit   int    `json:"limit" minimum:"1" default:"100" doc:"At most 1000. Larger values are reduced to 1000."`
	Offset  int    `json:"offset" minimum:"0" maximum:"1000000000" default:"0"`
	Sort    string `json:"sort" doc:"sourcedId or, except for enrollments, dateLastModified."`
	OrderBy string `json:"orderBy" enum:"asc,desc"`
	Filter  string `json:"filter" maxLength:"500" example:"status='active'" doc:"Comparisons of sourcedId, status, role and dateLastModified, joined by AND."`
	Fields  string `json:"fields" maxLength:"500" example:"sourcedId,givenName" doc:"Default: all."`
	header  string
}

func (in listIn) limit() int { return min(in.Limit, maxLimit) }

// links are the headers of a page.
type links struct {
	at    string // URL of the list
	in    listIn
	total int
}

// Header has the total and the URLs of the other pages.
func (l links) Header() http.Header {
	limit, last := l.in.limit(), 0
	if l.total > 0 {
		last = (l.total - 1) / limit * limit
	}
	all := []string{l.link("first", 0), l.link("last", last)}
	if l.in.Offset > 0 {
		all = append(all, l.link("prev", max(0, l.in.Offset-limit)))
	}
	if next := l.in.Offset + limit; next < l.total {
		all = append(all, l.link("next", next))
	}
	return http.Header{"X-Total-Count": {strconv.Itoa(l.total)}, "Link": {strings.Join(all, ", ")}}
}

func (l links) link(rel string, offset int) string {
	q := url.Values{"limit": {strconv.Itoa(l.in.limit())}, "offset": {strconv.Itoa(offset)}}
	for name, v := range map[string]string{"sort": l.in.Sort, "orderBy": l.in.OrderBy, "filter": l.in.Filter, "fields": l.in.Fields} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return fmt.Sprintf(`<%s?%s>; rel="%s"`, l.at, q.Encode(), rel)
}

// condition is a part of a WHERE clause.
type condition struct {
	sql  string
	args db.Args
}

var (
	never  = condition{sql: `1 = 0`}
	always = condition{sql: `1 = 1`}
	clause = regexp.MustCompile(`^([a-zA-Z]+)(!=|>=|<=|=|>|<)'([^']*)'$`)
)

// where parses a filter for records with this key. Only users and enrolments have roles.
func where(filter string, key []string, roles bool) ([]condition, error) {
	if filter == "" {
		return nil, nil
	}
	parts := strings.Split(filter, " AND ")
	if len(parts) > maxClauses {
		return nil, errFilter
	}
	out := make([]condition, len(parts))
	for i, p := range parts {
		m := clause.FindStringSubmatch(p)
		if m == nil {
			return nil, errFilter
		}
		field, op, value, name := m[1], m[2], m[3], "f"+strconv.Itoa(i)
		equal := op == "=" || op == "!="
		switch {
		case field == "dateLastModified":
			at, err := parseTime(value)
			if err != nil {
				return nil, errFilter.Because(err)
			}
			out[i] = condition{`updated_at ` + op + ` :` + name, db.Args{name: at}}
		case field == "role" && roles && equal:
			out[i] = condition{`role ` + op + ` :` + name, db.Args{name: value}}
		case field == "status" && equal:
			out[i] = never
			if (value == "active") == (op == "=") {
				out[i] = always
			}
		case field == "sourcedId" && equal:
			out[i] = named(value, key, name)
			if op == "!=" {
				out[i].sql = `NOT (` + out[i].sql + `)`
			}
		default:
			return nil, errFilter
		}
	}
	return out, nil
}

// parseTime reads a timestamp, or a date as its start in UTC.
func parseTime(s string) (time.Time, error) {
	if at, err := time.Parse(time.DateOnly, s); err == nil {
		return at, nil
	}
	return time.Parse(time.RFC3339Nano, s)
}

// named is the condition of a sourcedId, whose parts are the columns of a key. The last
// part of a homeroom's is the room itself and left out.
func named(sourced string, key []string, prefix string) condition {
	parts := strings.Split(sourced, ".")
	if n := len(parts); n == len(key)-1 {
		parts = append(parts, parts[n-1])
	} else if n != len(key) || n > 1 && parts[n-1] == parts[n-2] {
		return never
	}
	out := condition{args: db.Args{}}
	for i, p := range parts {
		parsed, err := id.Parse(p)
		if err != nil || parsed.String() != p {
			return never
		}
		arg := prefix + "k" + strconv.Itoa(i)
		out.sql += db.When(i > 0, ` AND `) + key[i] + ` = :` + arg
		out.args[arg] = parsed
	}
	return out
}

// order returns the ORDER BY clause. The key breaks ties, so that pages don't overlap.
func (in listIn) order(key []string, dates bool) (string, error) {
	by := key
	switch {
	case in.Sort == "" || in.Sort == "sourcedId":
	case in.Sort == "dateLastModified" && dates:
		by = append([]string{"updated_at"}, key...)
	default:
		return "", errSort
	}
	direction := db.When(in.OrderBy == "desc", ` DESC`)
	return ` ORDER BY ` + strings.Join(by, direction+`, `) + direction, nil
}

// selected returns a function that empties the fields of a record which a client has not
// selected.
func selected[Record any](fields string) (func(*Record), error) {
	if fields == "" {
		return func(*Record) {}, nil
	}
	drop := roster.Fields(reflect.TypeFor[Record]())
	names := slices.Collect(maps.Keys(drop))
	for f := range strings.SplitSeq(fields, ",") {
		if !slices.Contains(names, f) {
			return nil, errFields
		}
		delete(drop, f)
	}
	return func(r *Record) {
		for _, at := range drop {
			reflect.ValueOf(r).Elem().FieldByIndex(at).SetZero()
		}
	}, nil
}
