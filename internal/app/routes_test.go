package app_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

var update = flag.Bool("update", false, "update the golden files")

var param = regexp.MustCompile(`\{\w+\}`)

// concrete returns the route's path with unknown ids.
func concrete(rt web.Route) string {
	return param.ReplaceAllStringFunc(rt.Path, func(string) string { return string(id.New()) })
}

// TestEveryRouteWantsAToken calls each guarded route without a token.
func TestEveryRouteWantsAToken(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		for _, rt := range s.Routes() {
			if rt.Public != "" {
				continue
			}
			s.Call(t, nil, rt.Method, concrete(rt), nil).Want(401, "Unauthorized")
			s.Call(t, nil, rt.Method, concrete(rt), nil, "Authorization", "Bearer nonsense").Want(401, "Unauthorized")
		}
	})
}

// TestEveryRouteWantsItsRole calls each route with every role that may not call it.
func TestEveryRouteWantsItsRole(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		for _, rt := range s.Routes() {
			for _, who := range s.Everyone() {
				if rt.Public == "" && !slices.Contains(rt.Roles, who.Role) {
					s.Call(t, who, rt.Method, concrete(rt), nil).Want(403, "PERMISSION_DENIED")
				}
			}
		}
	})
}

// TestEveryRouteWantsItsPermission calls each route without any permissions.
func TestEveryRouteWantsItsPermission(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		s.WithoutPermissions(t)
		for _, rt := range s.Routes() {
			for _, who := range s.Everyone() {
				if rt.Module != "" && slices.Contains(rt.Roles, who.Role) {
					s.Call(t, who, rt.Method, concrete(rt), nil).Want(403, "PERMISSION_DENIED")
				}
			}
		}
	})
}

// openInEvaluation are the writes that a teacher's app makes by itself. They stay
// allowed in evaluation mode.
var openInEvaluation = []string{"POST /teacher/notification/token", "POST /teacher/notification/read",
	"POST /teacher/notification/read-all"}

// TestEvaluationMode checks that evaluation mode refuses every write of a teacher
// except exams, results, sign-in and openInEvaluation. A POST is a write unless it
// is a list.
func TestEvaluationMode(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		s.Call(t, s.North.Admin, "PUT", "/school-admin/setting", map[string]any{"evaluationMode": true}).OK()
		closed := 0
		for _, rt := range s.Routes() {
			if rt.Public != "" || rt.SignIn || !slices.Contains(rt.Roles, actor.Teacher) {
				continue
			}
			r := s.Call(t, s.North.Teacher, rt.Method, concrete(rt), nil)
			write := rt.Method != "GET" && !rt.List && rt.Module != "exam" && rt.Module != "result" &&
				!slices.Contains(openInEvaluation, rt.Pattern())
			if got := strings.Contains(string(r.Body), "EVALUATION_MODE_READONLY"); got != write {
				t.Errorf("%s: refused %v, want %v: %s", rt.Pattern(), got, write, r.Body)
			}
			if write {
				closed++
			}
		}
		if closed < 15 {
			t.Errorf("only %d routes were refused, want at least 15", closed)
		}
		s.Call(t, s.North.Teacher, "POST", "/teacher/notification/token", map[string]any{"fcmToken": "a-token"}).OK()
		s.Call(t, s.North.Teacher, "POST", "/teacher/notification/read-all", nil).OK()
		s.SignIn(t, s.North.Teacher)
		s.Call(t, s.North.Teacher, "GET", "/auth/me", nil).OK()
		s.Call(t, s.South.Teacher, "POST", "/teacher/timetable/calendar-link/revoke", nil).OK()
	})
}

// TestEveryListTakesItsSorts requests each list with every sort key it declares, in
// both directions, as query and as body.
func TestEveryListTakesItsSorts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		for _, rt := range s.Routes() {
			if !rt.List || rt.Method != "GET" || strings.Contains(rt.Path, "{") {
				continue
			}
			who := s.OfRole(rt.Roles[0])
			if s.Call(t, who, "GET", rt.Path, nil).Status == 422 {
				continue // it has required filters: tested in its feature
			}
			for _, key := range rt.Sorts {
				for _, order := range []string{"asc", "desc"} {
					s.Call(t, who, "GET", rt.Path+"?sort="+key+"&order="+order, nil).OK()
				}
			}
			for _, method := range []string{"GET", "POST"} {
				s.Call(t, who, method, rt.Path, map[string]any{"page": 1, "limit": 500}).OK()
				s.Call(t, who, method, rt.Path, map[string]any{"sort": map[string]any{"field": "nope"}}).Want(422, "Unprocessable Entity")
				s.Call(t, who, method, rt.Path, map[string]any{"filters": map[string]any{"nope": 1}}).Want(422, "Unprocessable Entity")
			}
			s.Call(t, who, "GET", rt.Path+"?nope=1", nil).Want(422, "Unprocessable Entity")
		}
	})
}

// TestEveryRouteIsDocumented checks that each route has a summary.
func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "sqlite")
	for _, rt := range s.Routes() {
		if len(rt.Summary) < 5 || !strings.HasSuffix(rt.Summary, ".") {
			t.Errorf("%s: summary %q", rt.Pattern(), rt.Summary)
		}
	}
}

// TestEveryRouteIsALiteral checks that each route is one string in the source, such as
// "GET /school-admin/fee/list", so that a search finds its handler.
func TestEveryRouteIsALiteral(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "sqlite")
	src := productSource(t)
	for _, rt := range s.Routes() {
		asGet := rt.List && strings.Contains(src, strconv.Quote("GET "+rt.Path))
		if !asGet && !strings.Contains(src, strconv.Quote(rt.Pattern())) {
			t.Errorf("%q is not a string literal in the source", rt.Pattern())
		}
	}
}

// productSource returns the text of every Go file under internal except tests.
func productSource(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../apptest") {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestGolden compares the API contract and the permission matrix with the files in
// testdata, so that a change of either shows in review.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "sqlite")
	doc, err := app.OpenAPI(s.App.Routes, "0")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "openapi.json", string(doc))
	sockets, err := s.App.AsyncAPI("0")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "asyncapi.json", string(sockets))
	golden(t, "operations.txt", operations(t, doc))
	golden(t, "permissions.txt", matrix(s.Routes()))
}

// operations lists the names of operations, which are functions of generated clients.
func operations(t *testing.T, doc []byte) string {
	t.Helper()
	var parsed struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(doc, &parsed); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for path, methods := range parsed.Paths {
		for method, op := range methods {
			lines = append(lines, fmt.Sprintf("%-44s %-6s %s", op.OperationID, strings.ToUpper(method), path))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func matrix(routes []web.Route) string {
	verbs := map[actor.Verb]string{actor.Read: "read", actor.Write: "write", actor.Delete: "delete"}
	var lines []string
	for _, rt := range routes {
		who, need := "anyone", "-"
		if rt.Public == "" {
			roles := make([]string, len(rt.Roles))
			for i, r := range rt.Roles {
				roles[i] = string(r)
			}
			who = strings.Join(roles, ",")
		}
		if rt.Standard != nil {
			who = rt.Standard.Security
		}
		if rt.Module != "" {
			need = strings.Join(append([]string{rt.Module}, rt.Or...), "|") + "." + verbs[rt.Verb]
		}
		note := ""
		if rt.ReadOnlyInEvaluation() {
			note = " closed-in-evaluation"
		}
		lines = append(lines, fmt.Sprintf("%-6s %-52s %-24s %s rate:%s%s", rt.Method, rt.Path, need, who, rt.Class, note))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s has changed. If that is intended: go test ./internal/app -run Golden -update", path)
	}
}
