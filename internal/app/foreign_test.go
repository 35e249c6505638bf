package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// probe is a call of a route with a placeholder for every id that the route
// takes: "$class" is the class of the caller's school. See probes.
type probe struct {
	route string
	path  []string       // values of the path parameters, in order
	body  map[string]any // the data object; the query of a GET
	file  string         // a CSV file to send, with body as the query
	loose []string       // id fields that the route ignores
}

// notProbed are the modules whose routes need no probes, with the reason.
var notProbed = map[string]string{
	"":        "no permission: the account alone, or files, whose tests have their own probes",
	"report":  "numbers of the school and the platform",
	"role":    "see the tests of access",
	"setting": "see the tests of school",
}

// TestForeignIDs replaces, one at a time, every id of every probe by an unknown
// id and by a record of the other school. Both must get the same 404 and change
// nothing in either school. With valid ids the same call must succeed.
func TestForeignIDs(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		own, theirs := furnish(t, s, s.North), furnish(t, s, s.South)
		before := dump(t, s)
		for _, p := range probes {
			for _, rt := range p.routes(t, s) {
				for _, at := range p.places() {
					unknown := p.send(t, s, rt, own, at, s.NewID())
					foreign := p.send(t, s, rt, own, at, theirs[strings.TrimPrefix(p.kind(at), "$")])
					if !isFault(unknown, p.fault(at)) || foreign.Status != 404 || string(foreign.Body) != string(unknown.Body) {
						t.Errorf("%s: %s: unknown %d %s, of another school %d %s, want the same 404 %s",
							rt.Pattern(), at, unknown.Status, unknown.Body, foreign.Status, foreign.Body, p.fault(at))
					}
				}
			}
		}
		compare(t, before, dump(t, s))
		for _, p := range probes {
			for _, rt := range p.routes(t, s) {
				if r := p.send(t, s, rt, own, "", ""); r.Status >= 300 && r.Status != 409 {
					t.Errorf("%s with valid ids: %d %s", rt.Pattern(), r.Status, r.Body)
				}
			}
		}
	})
}

// TestEveryIDIsProbed fails if a route of a module that is not in notProbed takes an id that no
// probe replaces.
func TestEveryIDIsProbed(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "sqlite")
	known := map[string]bool{}
	for _, rt := range s.App.Routes {
		known[rt.Pattern()] = true
		if notProbed[rt.Module] != "" || strings.HasPrefix(rt.Path, "/super-admin/") {
			continue
		}
		covered := map[string]bool{}
		for _, p := range probes {
			if p.route == rt.Pattern() {
				p.cover(rt, covered)
			}
		}
		for _, at := range idsOf(rt) {
			if !covered[at] {
				t.Errorf("%s takes an id as %s: "+
					"add a probe to foreign_<module>_test.go (see foreign_event_test.go) or foreign_table_test.go", rt.Pattern(), at)
			}
		}
	}
	for _, p := range probes {
		if !known[p.route] {
			t.Errorf("%s is probed but is not a route", p.route)
		}
	}
}

// isFault reports whether the reply is a 404 with this error code.
func isFault(r apptest.Reply, name string) bool {
	var e web.ErrorBody
	return r.Status == 404 && json.Unmarshal(r.Body, &e) == nil && e.Error == name
}

// routes returns the probed route, and the POST form of a list.
func (p probe) routes(t *testing.T, s *apptest.Service) (out []web.Route) {
	t.Helper()
	method, path, _ := strings.Cut(p.route, " ")
	for _, rt := range s.Routes() {
		if rt.Pattern() == p.route || rt.List && rt.Path == path && method != "PUT" {
			out = append(out, rt)
		}
	}
	return out
}

// places lists the positions of all ids: "path 0", "body filters.classId".
func (p probe) places() (out []string) {
	for i := range p.path {
		out = append(out, fmt.Sprint("path ", i))
	}
	p.fill(func(at, _ string) any { out = append(out, at); return "" })
	slices.Sort(out)
	return out
}

// kind returns the placeholder at a place: "$class".
func (p probe) kind(place string) (kind string) {
	for i, k := range p.path {
		if place == fmt.Sprint("path ", i) {
			return k
		}
	}
	p.fill(func(at, k string) any {
		if at == place {
			kind = k
		}
		return ""
	})
	return kind
}

// fault returns the error code of the 404 for a place.
func (p probe) fault(place string) string {
	if k := p.kind(place); k == "$student" || k == "$spareStudent" {
		return "STUDENT_NOT_FOUND"
	}
	return "Not Found"
}

// fill returns the body with each placeholder replaced.
func (p probe) fill(pick func(at, kind string) any) map[string]any {
	body, _ := fill("body ", p.body, pick).(map[string]any)
	return body
}

func fill(at string, v any, pick func(at, kind string) any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = fill(strings.TrimSuffix(at, " ")+sep(at)+k, x, pick)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = fill(fmt.Sprintf("%s[%d]", at, i), x, pick)
		}
		return out
	case string:
		if strings.HasPrefix(v, "$") {
			return pick(at, v)
		}
	}
	return v
}

func sep(at string) string {
	if strings.HasSuffix(at, " ") {
		return " "
	}
	return "."
}

// send makes the call with the fixtures of own, except for another id at one place.
func (p probe) send(t *testing.T, s *apptest.Service, rt web.Route, own fixtures, place string, other id.ID) apptest.Reply {
	t.Helper()
	pick := func(at, kind string) id.ID {
		if at == place {
			return other
		}
		v := own[strings.TrimPrefix(kind, "$")]
		if v == "" {
			t.Fatalf("%s: no fixture %s", p.route, kind)
		}
		return v
	}
	i := 0
	path := param.ReplaceAllStringFunc(rt.Path, func(string) string {
		i++
		return string(pick(fmt.Sprint("path ", i-1), p.path[i-1]))
	})
	body := p.fill(func(at, kind string) any { return pick(at, kind) })
	who := s.OfRole(rt.Roles[0])
	if p.file != "" {
		return s.Call(t, who, rt.Method, path+"?"+query(body).Encode(), p.file, "Content-Type", "text/csv")
	}
	if rt.Method == "GET" || rt.Method == "DELETE" {
		return s.Call(t, who, rt.Method, path+"?"+query(body).Encode(), nil)
	}
	return s.Call(t, who, rt.Method, path, body)
}

// query returns a body as a query string, with filters at the top level.
func query(body map[string]any) url.Values {
	q := url.Values{}
	for k, v := range body {
		if nested, ok := v.(map[string]any); ok {
			maps.Copy(q, query(nested))
			continue
		}
		q.Set(k, fmt.Sprint(v))
	}
	return q
}

// cover records the ids of the route that the probe replaces, as idsOf names them.
func (p probe) cover(rt web.Route, covered map[string]bool) {
	for i, name := range param.FindAllString(rt.Path, -1) {
		covered[name] = i < len(p.path)
	}
	index := strings.NewReplacer("[0]", "[]", "[1]", "[]", "[2]", "[]")
	p.fill(func(at, _ string) any {
		covered[index.Replace(strings.TrimPrefix(at, "body "))] = true
		return ""
	})
	for _, at := range p.loose {
		covered[at] = true
	}
}

// idsOf lists every id in the route's input: "{id}", "classIds[]".
func idsOf(rt web.Route) []string {
	out := map[string]bool{}
	for _, name := range param.FindAllString(rt.Path, -1) {
		out[name] = true
	}
	collectIDs(rt.In, "", out)
	return slices.Sorted(maps.Keys(out))
}

func collectIDs(t reflect.Type, at string, out map[string]bool) {
	switch {
	case t == reflect.TypeFor[id.ID]():
		out[at] = true
	case t.Kind() == reflect.Pointer:
		collectIDs(t.Elem(), at, out)
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
		collectIDs(t.Elem(), at+"[]", out)
	case t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Opt["):
		collectIDs(t.Field(t.NumField()-1).Type, at, out)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				collectIDs(f.Type, at, out)
			case name != "" && name != "-" && f.Tag.Get("path") == "":
				collectIDs(f.Type, strings.TrimPrefix(at+"."+name, "."), out)
			}
		}
	}
}

// dump returns every row of every table with a school_id, sorted.
func dump(t *testing.T, s *apptest.Service) map[string][]string {
	t.Helper()
	type column struct{ TableName, ColumnName string }
	sql := `SELECT t.name AS table_name, c.name AS column_name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'`
	if s.DB.Engine() == "postgres" {
		sql = `SELECT CAST(table_name AS text) AS table_name, CAST(column_name AS text) AS column_name
			FROM information_schema.columns WHERE table_schema = 'public'`
	}
	rows := map[string][]string{}
	err := s.DB.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		all, err := db.All[column](ctx, tx, sql, nil)
		if err != nil {
			return err
		}
		columns := map[string][]string{}
		for _, c := range all {
			columns[c.TableName] = append(columns[c.TableName], c.ColumnName)
		}
		for table, names := range columns {
			if !slices.Contains(names, "school_id") {
				continue
			}
			slices.Sort(names)
			if rows[table], err = db.All[string](ctx, tx, `SELECT COALESCE(CAST("`+strings.Join(names, `" AS text), '-') || '|' || COALESCE(CAST("`)+
				`" AS text), '-') AS line FROM `+table+` ORDER BY line`, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func compare(t *testing.T, before, after map[string][]string) {
	t.Helper()
	if len(before["students"]) < 2 || len(before["teacher_assignments"]) < 2 {
		t.Error("the dump lacks one of the schools")
	}
	for table := range after {
		if !slices.Equal(before[table], after[table]) {
			rows, _ := json.MarshalIndent(after[table], "", " ")
			t.Errorf("refused calls have changed %s: %s", table, rows)
		}
	}
}
