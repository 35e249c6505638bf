package app_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/web"
)

// hostile are malformed and malicious bodies, besides those of web's fuzz test.
var hostile = []string{
	`{`, `null`, `[]`, `"x"`, `{"data":null}`, `{"data":[]}`, `{"data":{"id":{}}}`, strings.Repeat(`[`, 5_000),
	`{"data":{"name":"\u0000","firstName":"\ud800","title":"` + strings.Repeat("x", 10_000) + `"}}`,
	`{"data":{"page":1e400,"limit":-1,"sort":"x","filters":[]}}`,
	`{"data":{"page":999999999,"limit":100}}`,
	`{"data":{"name":"'; DROP TABLE schools; --","search":"%_\\","code":"x' OR 1=1"}}`,
	`{"data":{"filters":{"search":"%%%%____\\\\'\"","classId":"' OR 1=1"}}}`,
	`{"data":{"startDate":"9999-99-99","date":"0000-00-00","permissions":[null,{},{"moduleId":1}]}}`,
	`{"phone":"+1555010000100000000","otp":"' OR 1=1","pin":"\u0000","email":"a@b","refreshToken":"x.y.z","token":"` +
		strings.Repeat("a", 5_000) + `"}`,
	`{"phone":{"$gt":""},"otp":123456,"email":["a@b.test"],"password":null}`,
}

var hostileQueries = []string{
	"?page=999999999&limit=100", "?search=%25%5F%5C%27%22%00", "?search=%ff", "?classId=%27%20OR%201%3D1", "?sort=id%3BDROP",
	"?from=x&to=y", "?" + strings.Repeat("a", 4_000),
}

// TestNothingHostileBreaksARoute sends hostile bodies, queries and headers to every
// route, with and without a token. No response may be a 5xx.
func TestNothingHostileBreaksARoute(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		for _, rt := range s.Routes() {
			var who *apptest.Account
			if rt.Public == "" {
				who = s.OfRole(rt.Roles[0])
			}
			if rt.Path == "/auth/sessions/{id}" { // it would end the caller's own session
				continue
			}
			check := func(what string, r apptest.Reply) {
				if r.Status >= 500 {
					t.Errorf("%s with %.80s: %d %s", rt.Pattern(), what, r.Status, r.Body)
				}
			}
			for _, body := range hostile {
				check(body, s.Call(t, who, rt.Method, concrete(rt), body))
			}
			for _, q := range hostileQueries {
				check(q, s.Call(t, who, rt.Method, concrete(rt)+q, nil))
			}
			for i, h := range []string{"Bearer " + strings.Repeat("x", 8_000), "Bearer eyJhbGciOiJub25lIn0.e30.", "Basic Og==", "Bearer"} {
				check(fmt.Sprint("header ", i), s.Call(t, nil, rt.Method, concrete(rt), nil, "Authorization", h, "X-Forwarded-For", "::, ,"+h[:5]))
			}
			check("a key", s.Call(t, who, rt.Method, concrete(rt), `{"data":{}}`, "Idempotency-Key", strings.Repeat("k", 256)))
		}
	})
}

// TestEveryRouteRefusesAmbiguousInput sends duplicate keys and invalid UTF-8, which
// parsers read differently. Every route must answer 400.
func TestEveryRouteRefusesAmbiguousInput(t *testing.T) {
	t.Parallel()
	bodies := []string{`{"data":{"a":1,"a":1}}`, `{"data":{"x":[{"a":1,"\u0061":2}]}}`, `{"data":{"name":"\ud800"}}`,
		`{"data":{"name":"` + "\xff" + `"}}`, `{"data":{},"data":{}}`, `{"email":"\udc00"}`, `{"phone":"+15550100001","phone":"+15550100002"}`}
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		for _, rt := range s.Routes() {
			var who *apptest.Account
			if rt.Public == "" {
				who = s.OfRole(rt.Roles[0])
			}
			check := func(query string, body any) {
				r := s.Call(t, who, rt.Method, concrete(rt)+query, body)
				if r.Status != 400 && !(r.Status == 415 && takesFile(rt)) {
					t.Errorf("%s%s with %v: %d %s", rt.Pattern(), query, body, r.Status, r.Body)
				}
			}
			for _, body := range bodies {
				check("", body)
			}
			check("?x=%ff", nil)
		}
	})
}

// takesFile reports whether a route takes an upload.
func takesFile(rt web.Route) bool {
	return rt.In.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(rt.In), func(f reflect.StructField) bool {
		return f.Type == reflect.TypeFor[web.Upload]()
	})
}

// TestEveryVersionMayComeAsIfMatch checks that exactly the routes with a version
// field read the If-Match header.
func TestEveryVersionMayComeAsIfMatch(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		docs, n := inputs(t, s), 0
		for _, rt := range s.Routes() {
			_, takes := docs[rt.Pattern()].Properties["data"].Properties["version"]
			if rt.Method != "PUT" {
				if takes {
					t.Errorf("%s has a version field but does not read If-Match", rt.Pattern())
				}
				continue
			}
			e := s.Call(t, s.OfRole(rt.Roles[0]), "PUT", concrete(rt), `{"data":{}}`, "If-Match", "seven")
			if read := e.Status == 400 && strings.Contains(string(e.Body), "If-Match"); read != takes {
				t.Errorf("%s: If-Match is read: %v, want %v: %s", rt.Pattern(), read, takes, e.Body)
			}
			if takes {
				n++
				s.Call(t, s.OfRole(rt.Roles[0]), "PUT", concrete(rt), `{"data":{"version":1}}`, "If-Match", `"2"`).Want(400, "Bad Request")
			}
		}
		if n < 15 {
			t.Errorf("only %d routes take a version, want at least 15", n)
		}
	})
}

// TestIfMatch checks that If-Match detects conflicting changes, as version does.
func TestIfMatch(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		made := s.Call(t, s.North.Admin, "POST", "/school-admin/holiday/create", map[string]any{"name": "May Day", "date": "2026-05-01"})
		path := "/school-admin/holiday/" + made.OK().Text("id")
		tag := made.Header.Get("ETag")
		put := func(name, version string, more ...string) apptest.Reply {
			return s.Call(t, s.North.Admin, "PUT", path, map[string]any{"name": name}, append(more, "If-Match", version)...)
		}
		first := put("One", tag, "Idempotency-Key", "k")
		first.OK()
		next := first.Header.Get("ETag")
		if tag == "" || next == "" || next == tag {
			t.Fatalf("versions %s, then %s", tag, next)
		}
		if again := put("One", tag, "Idempotency-Key", "k"); again.Header.Get("ETag") != next ||
			again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("headers of the replayed response: got %v, want ETag %s", again.Header, next)
		}
		put("One", next, "Idempotency-Key", "k").Want(422, "Unprocessable Entity")
		put("Two", tag).Want(409, "Conflict")
		put("Three", "W/"+next).OK()
		if got := put("Four", "*").OK().Text("name"); got != "Four" {
			t.Errorf("name after If-Match *: got %q, want Four", got)
		}
	})
}
